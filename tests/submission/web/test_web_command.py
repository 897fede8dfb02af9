"""`connectx web`: how it starts, what it says, that nothing is left of it, and a small load."""

import asyncio
import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

import httpx
import psutil
import pytest
from rich.table import Table

from benchmarks.web_pages import GAME, PageClient, play, watch, web_report
from envs.games import game_from_id
from submission.play.game_history import History
from submission.web.connections import Connection
from submission.web.searching.search_pool import SearchPool
from submission.web.searching.searches import MoveAsked
from submission.web.serve import WebServer, listen
from tests.helpers.processes import output_of, running_command, wait_until_gone
from tests.helpers.shell import Shell
from tests.helpers.systems import needs_posix
from tests.helpers.web_server import Running

UNSOLVABLE = {"page": "leftbehind", "game": "connectx-7x8x4", "moves": ""}
LONG_MOVE = {**UNSOLVABLE, "agent": {"name": "minimax", "options": {"depth": 30}}, "seconds": 30}


def test_a_port_that_is_taken_is_replaced_by_a_free_one() -> None:
    with listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with listen("127.0.0.1", port) as second:
            assert second.getsockname()[1] not in (0, port)


def test_a_taken_port_and_a_host_that_others_can_reach_are_told(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WebServer, "run", lambda self, sockets: None)
    monkeypatch.setattr(Connection, "most", Connection.most)  # the command sets it
    with socket.create_server(("0.0.0.0", 0)) as taken:  # as --host says
        port = taken.getsockname()[1]
        told = shell.run("web", "--host", "0.0.0.0", "--port", str(port))
    assert f"{port} is taken" in told.stdout
    assert "Warning: whoever can reach 0.0.0.0" in " ".join(told.stdout.split())
    assert "open it with this one's address in the place of 127.0.0.1." in told.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--host 192.0.2.1", "cannot listen at 192.0.2.1"),  # of no machine
        ("notes.txt", "notes.txt"),  # holds no games
        ("nowhere.jsonl", "nowhere.jsonl"),
    ],
)
def test_what_cannot_be_shown_is_refused(
    shell: Shell, tmp_path: Path, words: str, sentence: str
) -> None:
    (tmp_path / "notes.txt").write_text("notes")
    assert sentence in shell.refusal("web", *words.split(), "--port", "0")


@needs_posix
@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGKILL", -9)])
def test_nothing_is_left_of_it(name: str, status: int, tmp_path: Path) -> None:
    number = getattr(signal, name)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with running_command("web", "--port", "0", TMPDIR=str(temporary)) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        address = server.stdout.readline().split()[1]
        with (
            httpx.Client(follow_redirects=True, timeout=30, trust_env=False) as client,
            ThreadPoolExecutor(1) as thread,
        ):
            client.get(address)
            base = address.partition("/?")[0]
            moving = thread.submit(client.post, f"{base}/api/move", json=LONG_MOVE)
            with client.stream("GET", f"{base}/api/values", params=UNSOLVABLE) as answer:
                next(answer.iter_lines())
                below = psutil.Process(server.pid).children(recursive=True)
                assert below
                server.send_signal(number)
                server.send_signal(number)  # by an impatient person
                assert server.wait(20) == status
            assert isinstance(moving.exception(), httpx.TransportError)  # a page asks again
        wait_until_gone([process.pid for process in below], 20)
        assert "Traceback" not in server.stderr.read()
    if name != "SIGKILL":
        assert not list(temporary.iterdir())


def test_a_file_named_as_this_package_in_the_current_folder_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "submission.py").write_text("raise SystemExit('run')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)  # where a notebook has its folder
    asked = MoveAsked(History(game_from_id("connectx-6x7x4"), ()), "random", {}, 1.0)

    async def ask() -> Any:
        with SearchPool(1).running() as pool:
            return await pool.ask("move", asked, asked.seconds, True)

    assert asyncio.run(ask())["action"] in range(7)


def test_the_packages_of_the_extra_are_asked_for_alone_by_it() -> None:
    assert find_spec("starlette")
    script = (
        "import sys, submission.cli.app, submission.cli.play; print('starlette' in sys.modules)"
    )
    assert output_of(script) == "False\n"


# --- the load that `make bench` measures


def test_pages_play_and_watch_while_their_time_lasts(server: Running) -> None:
    async def load() -> list[float]:
        until, page = perf_counter() + 0.5, PageClient(server.address, "refusedpage")
        pages = play(server.address, 1, until), watch(server.address, 1, until)
        taken, _ = await asyncio.gather(*pages)
        with pytest.raises(ValueError, match="seconds: Expected"):
            await page.post("move", game=GAME, moves="", agent={"name": "random"}, seconds=-1)
        await page.close()
        return taken

    taken = asyncio.run(load())
    assert taken
    assert all(0 < seconds < 60 for seconds in taken)


def test_the_report_compares_with_the_goals() -> None:
    taken = [number / 1000 for number in range(1, 201)]
    title, rows = web_report({"values": taken, "moves": taken})
    assert isinstance(rows, Table)
    assert "connectx web" in str(title)
    shown = [list(column.cells) for column in rows.columns]
    assert shown[1:4] == [["200", "200"], ["100 ms", "100 ms"], ["191 ms", "191 ms"]]
