"""What keeps strangers' files from the network and the home, where the system offers that."""

import json
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from submission.checking.check_report import UNCONTAINED
from submission.sandbox.inside.containment import HOME, NETWORK
from submission.sandbox.move import Move
from tests.helpers.checks import GOOD, check_pair, rows_of
from tests.helpers.processes import output_of
from tests.helpers.sandboxed import ask, player

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has namespaces")

NOBODY = 65534


def told_by(body: str) -> tuple[Move, tuple[str, ...]]:
    """The move of a player, and what it is kept from."""
    source = f"import os, socket, subprocess\ndef agent(observation):\n    {body}"
    with player(source) as running:
        move = ask(running)
        assert running.ready is not None
        return move, running.ready.kept_from


@pytest.fixture(scope="module")
def kept_from() -> tuple[str, ...]:
    return told_by("return 3")[1]


def test_a_player_reaches_nobody_but_itself(kept_from: tuple[str, ...]) -> None:
    if NETWORK not in kept_from:
        pytest.skip("this system refuses namespaces")
    with socket.create_server(("127.0.0.1", 0)) as outside:
        address = outside.getsockname()
        move, _ = told_by(f"return int(socket.socket().connect_ex({address!r}) != 0)")
        assert move.column == 1
    inside = "own = socket.create_server(('127.0.0.1', 0))\n    "
    move, _ = told_by(f"{inside}return socket.socket().connect_ex(own.getsockname())")
    assert move.column == 0


def test_a_player_does_not_find_what_is_in_the_home_even_by_a_program(
    kept_from: tuple[str, ...],
) -> None:
    if HOME not in kept_from:
        pytest.skip("this system refuses namespaces")
    home = Path("~").expanduser()
    with tempfile.NamedTemporaryFile(dir=home) as private:
        listing = f"subprocess.check_output(['ls', '-A', {str(home)!r}], text=True)"
        move, _ = told_by(f"return int({Path(private.name).name!r} in {listing})")
        assert move.column == 0
    move, _ = told_by(f"return subprocess.run(['umount', {str(home)!r}]).returncode and 1")
    assert move.column == 1


def test_shared_memory_is_the_players_own_and_ends_with_its_game(
    kept_from: tuple[str, ...],
) -> None:
    if NETWORK not in kept_from:
        pytest.skip("this system refuses namespaces")
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as others:
        move, _ = told_by(f"return int(os.path.exists({others.name!r}))")
        assert move.column == 0
    kept = f"{others.name}-kept"
    for _ in range(2):
        move, _ = told_by(f"return open({kept!r}, 'x').write('kept')")
        assert move.column == 4
    assert not Path(kept).exists()


def test_the_report_says_what_kept_a_file_in(kept_from: tuple[str, ...], tmp_path: Path) -> None:
    report = check_pair(GOOD, tmp_path)
    assert report.kept_from == kept_from
    assert rows_of(report)["kept from"] == (" and ".join(kept_from) or UNCONTAINED)
    open_to_all = replace(report, kept_from=())
    assert rows_of(open_to_all)["kept from"].startswith("nothing that its user can reach")


@contextmanager
def folder_for_all(parent: str | None = None) -> Iterator[Path]:
    """A folder that other users reach."""
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


CONTAINED = """
import ctypes, fcntl, json, os, pwd, sys, types
from pathlib import Path
from submission.sandbox.inside import containment

home, deed = Path(sys.argv[1]), sys.argv[2]
if os.getuid() == 0 and "as nobody" in deed:
    os.setresgid({nobody}, {nobody}, {nobody})
    os.setresuid({nobody}, {nobody}, {nobody})
    ctypes.CDLL(None).prctl(4, 1)  # PR_SET_DUMPABLE: as those are that were started so
pwd.getpwuid = lambda user: types.SimpleNamespace(pw_dir=str(home))
libraries = [home / "inner" / "lib", home / "link" / "lib"]
sys.path += map(str, libraries)
if "home on the path" in deed:
    sys.path.append(str(home))
if "refused" in deed:
    def refuse(*arguments): raise PermissionError(1, "refused")
    containment._System.unshare = refuse
if "no mounts" in deed:
    def fail(*arguments): raise OSError(22, "failed")
    containment._System.mount = fail
kept_from = containment.contain(home / "run")
seen = sorted(os.listdir(home))
modules = [(library / "module.py").exists() for library in libraries]
own = []
for player in ("one", "two"):
    containment.link_player(home / "run" / player)
    own.append(Path("/kaggle_simulations/agent", player + ".pkl").exists())
own.append(os.access("/", os.W_OK))
print(json.dumps([kept_from, own, seen, modules]))
"""

ALL = ["inner", "link", "run", "secret"]

OWN = [True, True, False]
"""Whether each of two players finds its file in Kaggle's folder; whether it can add to the root."""

CASES = {
    "as it is": ([NETWORK, HOME], OWN, ["inner", "link", "run"]),
    "as nobody": ([NETWORK, HOME], OWN, ["inner", "link", "run"]),
    "refused as nobody": ([], [False, False, False], ALL),
    "no mounts as nobody": ([NETWORK], [False, False, False], ALL),
    "home on the path": ([NETWORK], OWN, ALL),
    "home on the path, linked to memory": ([NETWORK], OWN, ALL),
}


@pytest.mark.parametrize("deed", CASES)
def test_what_is_needed_of_the_home_stays_and_what_fails_changes_nothing(
    deed: str, kept_from: tuple[str, ...]
) -> None:
    if not kept_from:
        pytest.skip("this system refuses namespaces")
    other_place = "/dev/shm" if "linked to memory" in deed else None
    with folder_for_all() as shared, folder_for_all(other_place) as elsewhere:
        home = shared / "home"
        for lib in (home / "inner" / "lib", elsewhere / "lib"):
            lib.mkdir(parents=True)
            (lib / "module.py").touch()
        (home / "link").symlink_to(elsewhere)
        (home / "secret").touch()
        for player in ("one", "two"):
            agent = home / "run" / player / "agent"
            agent.mkdir(parents=True)
            (agent / f"{player}.pkl").touch()
        (home / "run").chmod(0o777)
        told = output_of(CONTAINED.format(nobody=NOBODY), home, deed)
        assert json.loads(told) == [*CASES[deed], [True, True]]
        assert sorted(path.name for path in home.iterdir()) == ALL
