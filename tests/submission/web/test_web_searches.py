"""Searches for pages: begun, gone on with, called off, and replaced where a process dies."""

import asyncio
import json
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import Pipe, active_children
from threading import Thread
from time import monotonic, sleep
from typing import Any
from uuid import uuid4

import httpx
import pytest

from envs.games import game_from_id
from submission.play.game_history import History
from submission.web.searching import search_pool, searches
from submission.web.searching.search_pool import RESERVE, Job, SearchPool, SearchProcess
from submission.web.searching.searcher import Message, Searcher
from submission.web.searching.searches import MoveAsked, PictureAsked, Searches, TreeAsked
from submission.web.streams import LINGER_SECONDS, Streams
from tests.helpers.web_server import Running, Visitor

GAME = "connectx-6x7x4"
PLAIN = {"alphazero": {"engine": "reference"}}
"""Options of an agent that would compile beside the other tests."""
UNSOLVABLE = "connectx-7x8x4"
UNLIMITED = {"simulations": 100_000, "time_limit": None}
LONG_SEARCH = TreeAsked(
    "page", History(game_from_id("connectx-20x20x5"), ()), "mcts", UNLIMITED, 30
)


@pytest.fixture
def page() -> str:
    return uuid4().hex[:16]


@contextmanager
def events(server: Running, kind: str, **question: str) -> Iterator[Iterator[Any]]:
    """The snapshots of a stream; errors and the end come as texts."""
    with server.client.stream("GET", f"/api/{kind}", params=question) as answer:
        if answer.status_code != 200:
            raise ValueError(json.loads(answer.read())["error"])
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield read(answer)


def read(answer: httpx.Response) -> Iterator[Any]:
    name = ""
    for line in answer.iter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name or json.loads(line.removeprefix("data: "))
            name = ""


def move(server: Running, page: str, agent: str, **more: Any) -> httpx.Response:
    """The answer for a move of an agent with options, in a position that `more` may replace."""
    options = {**PLAIN.get(agent, {}), **more.pop("options", {})}
    fields = {"page": page, "game": GAME, "moves": "4453", **more}
    timeout = fields.pop("timeout", 60)
    asked = {**fields, "agent": {"name": agent, "options": options}}
    return server.client.post("/api/move", json=asked, timeout=timeout)


def picture(server: Running, **question: Any) -> Any:
    """The tree of a page's search after a step, or the refusal."""
    return server.client.post("/api/search/picture", json=question).json()


def wait_until_quiet(server: Running, seconds: float = 10.0) -> None:
    """Wait until nobody searches: the processes use no time."""
    end = monotonic() + seconds
    while True:
        before = used(server)
        sleep(0.3)
        if used(server) - before < 0.05:
            return
        assert monotonic() < end, "a search goes on"


def used(server: Running) -> float:
    times = [process.cpu_times() for process in server.searchers]
    return float(sum(time.user + time.system for time in times))


def test_an_agent_moves(server: Running, page: str) -> None:
    names = [agent["name"] for agent in server.client.get("/api/setup").json()["agents"]]
    assert {"random", "mcts", "perfect", "alphazero"} < set(names)
    for agent in names:
        answer = move(server, page, agent, seconds=1).json()
        assert answer.get("action") in range(7), answer
        assert answer["engine"] in {"reference", "compiled"}
        assert (answer["value"] is None) == (agent in {"random", "policy"})
    answer = move(server, page, "alphabeta", moves="141414").json()
    assert (answer["action"], answer["value"]) == (0, 1.0)


@pytest.mark.parametrize("agent", ["policy", "alphazero"])
def test_what_is_trained_plays_by_either_weights(server: Running, page: str, agent: str) -> None:
    """It takes the win; of the page's weights none is a file."""
    for weights in ("zero", "distilled"):
        answer = move(server, page, agent, options={"weights": weights}, moves="141414")
        assert answer.json()["action"] == 0
    refused = move(server, page, agent, options={"weights": "/etc/passwd"})
    assert (refused.status_code, refused.json()["error"]) == (400, "weights is distilled or zero")


@pytest.mark.parametrize(
    ("agent", "options", "words"),
    [
        ("policy", {}, "this policy was trained for 6 rows, 7 columns"),
        ("alphazero", {}, "this policy was trained for 6 rows, 7 columns"),
        ("alphabeta", {"engine": "compiled"}, "the compiled engine needs"),
    ],
)
def test_what_an_agent_cannot_do_is_said_in_a_sentence(
    server: Running, page: str, agent: str, options: dict[str, Any], words: str
) -> None:
    answer = move(server, page, agent, options=options, game="tictactoe", moves="")
    assert answer.status_code == 422
    assert words in answer.json()["error"]


def test_a_page_does_not_wait_for_processes_that_cannot_be_started() -> None:
    answer = Visitor().get("/api/values?page=abcdefgh&game=tictactoe&moves=")
    assert (answer.status_code, "no process" in answer.json()["error"]) == (422, True)


def test_values_and_a_review_come_with_an_end_and_are_kept(server: Running, page: str) -> None:
    for _ in range(2):
        with events(server, "values", page=page, game=GAME, moves="444444") as snapshots:
            *_, last, end = snapshots
        assert (end, last["done"], last["phase"]) == ("end", True, "solving")
        assert "unknown" not in [column["kind"] for column in last["columns"]]
    with events(server, "review", page=page, game=GAME, moves="3412") as snapshots:
        *_, last, end = snapshots
    assert end == "end"
    assert [ply["ply"] for ply in last["plies"]] == [0, 1, 2, 3]
    assert last["plies"][0]["mistake"] == "win-to-draw"


def test_what_the_book_knows_does_not_wait_for_the_compiler(
    own_searches: Searches, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a trap does, in a lost position. P. Pons' page shows these scores."""
    compiled: list[bool] = []
    monkeypatch.setattr(own_searches, "_can_solve", lambda solver: bool(compiled))
    monkeypatch.setattr(searches, "growing_trap", lambda solver, state, values: iter(()))
    for moves, words in (("", "lldwdll"), ("4", "lllllll")):
        actions = tuple(int(column) - 1 for column in moves)
        snapshots = own_searches.values(History(game_from_id(GAME), actions))
        first = next(snapshots) or {}
        assert [column["exact"] for column in first["columns"]] == [True] * 7
        assert "".join(column["kind"][0] for column in first["columns"]) == words
        if moves:
            assert next(snapshots) is None
        compiled.append(True)
        assert (next(snapshots) or {})["done"]
        compiled.clear()


def test_a_board_beyond_the_limit_of_solvers_does_not_wait_for_the_compiler(
    own_searches: Searches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searches, "MOST_SOLVERS", 0)
    monkeypatch.setattr(own_searches, "_can_solve", lambda solver: False)
    game = History(game_from_id(GAME), ())
    first, judged = next(own_searches.values(game)) or {}, next(own_searches.review(game))
    assert first["phase"] not in ("preparing", "solving")
    assert judged["done"]


def test_a_stream_that_was_left_goes_on_where_it_was_and_ends_where_nobody_comes_back(
    server: Running, page: str
) -> None:
    question = {"page": page, "game": UNSOLVABLE, "moves": ""}
    with events(server, "values", **question) as snapshots:
        compiled = (snapshot for snapshot in snapshots if snapshot["phase"] != "preparing")
        left = next(snapshot for snapshot in compiled if snapshot["elapsed"] > 0.3)
    seconds = used(server)
    sleep(0.5)
    assert used(server) > seconds
    with events(server, "values", **question) as snapshots:
        assert next(snapshots)["elapsed"] >= left["elapsed"]
    other = {**question, "page": f"{page}x"}
    with events(server, "values", **other) as snapshots:
        assert next(snapshots)["elapsed"] < left["elapsed"]
    with events(server, "values", **{**other, "game": "tictactoe"}):
        pass  # the other page's search ends, and the first one's lingers
    wait_until_quiet(server, LINGER_SECONDS + 10)


def test_another_question_ends_the_former_search(server: Running, page: str) -> None:
    with events(server, "values", page=page, game=UNSOLVABLE, moves="11") as former:
        next(former)
        with events(server, "values", page=page, game="tictactoe", moves="") as snapshots:
            *_, last, end = snapshots
        assert (last["done"], end) == (True, "end")
        assert list(former)[-1] == "end"
    wait_until_quiet(server)


@pytest.mark.parametrize(
    ("agent", "options"), [("mcts", {"simulations": None}), ("minimax", {"depth": 30})]
)
def test_a_move_that_nobody_waits_for_ends(
    server: Running, page: str, agent: str, options: dict[str, Any]
) -> None:
    with pytest.raises(httpx.ReadTimeout):
        move(server, page, agent, options=options, moves="", seconds=30, timeout=0.5)
    ids = {process.pid for process in server.searchers}
    wait_until_quiet(server, 5)
    assert {process.pid for process in server.searchers} == ids  # it heeded


def test_a_page_that_asks_for_another_move_gets_that(server: Running, page: str) -> None:
    with ThreadPoolExecutor(1) as thread:
        slow = thread.submit(move, server, page, "minimax", options={"depth": 30}, seconds=20)
        sleep(0.5)
        begun = monotonic()
        assert move(server, page, "random").status_code == 200
        refused = slow.result()
        assert monotonic() - begun < 5
    assert refused.status_code == 422
    assert refused.json()["error"] == "this page has asked for another move"


def test_a_long_search_is_not_in_the_way_of_a_quick_move(server: Running, page: str) -> None:
    if len(server.searchers) < 2:
        pytest.skip("one core: there is one process for all searches")
    pages = [f"{page}{n}" for n in range(2)]
    with ThreadPoolExecutor(2) as threads:
        slow = [
            threads.submit(move, server, each, "minimax", options={"depth": 30}, seconds=30)
            for each in pages
        ]
        sleep(0.3)
        for _ in range(5):
            assert move(server, page, "greedy").status_code == 200
        assert not any(answer.done() for answer in slow)
        assert all(move(server, each, "random").status_code == 200 for each in pages)


def test_a_tree_grows_and_is_stepped_through(server: Running, page: str) -> None:
    question = {"page": page, "game": GAME, "moves": "44", "agent": "alphabeta", "nodes": "30"}
    options = json.dumps({"depth": 4, "time_limit": None})
    with events(server, "search", **question, options=options) as snapshots:
        *growing, last, end = snapshots
    assert (last["done"], end) == (True, "end")
    assert [one["steps"] for one in growing] == sorted(one["steps"] for one in growing)
    assert last["chosen"] in range(7)
    assert len(last["nodes"]) == 30 < 1 + last["nodes"][0]["below"]
    assert last["limit"] is None
    for step in (1, 2, last["steps"] // 2):
        drawn = picture(server, page=page, step=step, nodes=30)
        assert (drawn["step"], drawn["chosen"]) == (step, None)
        assert drawn["words"]
    assert picture(server, page=page, step=last["steps"], root=[3])["step"] == last["steps"]
    assert "error" in picture(server, page=page, step=last["steps"], root=[9])
    assert "start" in picture(server, page=f"{page}x", step=1)["error"]


def test_a_tree_of_a_search_that_was_left_can_be_stepped_through(
    server: Running, page: str
) -> None:
    question = {"page": page, "game": GAME, "moves": "", "agent": "mcts"}
    options = json.dumps({"simulations": 100_000})
    with events(server, "search", **question, options=options) as snapshots:
        assert not next(each for each in snapshots if each["steps"] >= 10)["done"]
    assert picture(server, page=page, step=10)["step"] == 10


def test_a_search_that_was_left_goes_on_where_it_was(
    own_searches: Searches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searches, "MOST_VISITS", 200_000)  # not all are made between two snapshots
    steps = (one["steps"] for one in own_searches.search(LONG_SEARCH) if one)
    left = next(number for number in steps if number > 1000)
    again = next(one["steps"] for one in own_searches.search(LONG_SEARCH) if one)
    assert again >= left  # a new one would have some hundred


def test_a_search_that_was_left_goes_on_in_its_process() -> None:
    """The second one, where a new search would be in the first."""

    def begun(streams: Streams, page: str) -> Job:
        streams.follow(page, "search", LONG_SEARCH)
        job = streams.latest_job(page, "search")
        assert job is not None
        return job

    async def leave_and_come_back() -> None:
        with SearchPool(2).running() as pool:
            streams = Streams(pool)
            *_, left = [begun(streams, f"page{number}") for number in range(RESERVE + 2)]
            streams.end_all()
            other, again = (begun(streams, page) for page in ("new", f"page{RESERVE + 1}"))
            assert again is not left
            assert again.process is left.process is not other.process

    asyncio.run(leave_and_come_back())


def test_a_limit_of_visits_ends_a_search_and_is_told(
    own_searches: Searches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searches, "MOST_VISITS", 40)
    asked = TreeAsked("page", History(game_from_id(GAME), ()), "minimax", {"depth": 5}, 30)
    *_, last = filter(None, own_searches.search(asked))
    assert (last["steps"], last["chosen"], last["done"]) == (40, None, True)
    assert last["limit"] == "Its limit of 40 visits ends the search here, before it has chosen."


def test_pictures_that_are_called_off_before_they_begin_end_no_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search_pool, "HEED_SECONDS", 0.5)
    first = PictureAsked("page", 1, (), 30)

    async def step_fast() -> None:
        with SearchPool(1).running() as pool:
            processes, grown = {*active_children()}, asyncio.Event()
            search = pool.grow("search", LONG_SEARCH, lambda event, content: grown.set())
            await grown.wait()
            pictures = [
                asyncio.ensure_future(pool.ask_about(search, "picture", first)) for _ in range(20)
            ]
            await asyncio.sleep(0)  # all are handed over
            for picture in pictures[:-1]:
                picture.cancel()
            assert (await pictures[-1])["step"] == 1
            await asyncio.sleep(2 * search_pool.HEED_SECONDS)
            assert {*active_children()} == processes
            assert await pool.ask_about(search, "picture", first)

    asyncio.run(step_fast())


def test_a_process_that_dies_is_replaced_and_its_searches_begin_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The end of the time of a move's first attempt, which comes amid the second, ends nothing."""
    monkeypatch.setattr(search_pool, "GRACE_SECONDS", 600.0)
    asked = MoveAsked(History(game_from_id(GAME), ()), "mcts", {"simulations": 2_000_000}, 0.5)
    hear = SearchPool._hear

    async def lose_a_process() -> None:
        begun, snapshots = asyncio.Queue[Job](), asyncio.Queue[Any]()

        def note(pool: SearchPool, process: SearchProcess, message: Message) -> None:
            hear(pool, process, message)
            if message.event == "began":
                begun.put_nowait(process.jobs[message.job])

        monkeypatch.setattr(SearchPool, "_hear", note)
        with SearchPool(1).running() as pool:
            (lost,) = active_children()
            endless = LONG_SEARCH.position
            pool.grow("values", endless, lambda event, content: snapshots.put_nowait(content))
            await snapshots.get()
            moving = asyncio.ensure_future(pool.ask("move", asked, asked.seconds, True))
            await begun.get()
            lost.kill()
            pool._call_off_late(await begun.get(), 1)
            assert (await moving)["action"] in range(7)
            while not snapshots.empty():
                snapshots.get_nowait()
            assert len((await snapshots.get())["columns"]) == 20

    asyncio.run(asyncio.wait_for(lose_a_process(), 120))


def test_a_process_reports_that_it_is_ready_beside_a_large_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A thread tells it, and the pipe takes a message of more than 16 kB in two parts."""
    monkeypatch.setattr(Searches, "prepare", lambda self: None)
    monkeypatch.setattr(signal, "signal", lambda *args: None)
    here, there = Pipe()
    searcher, times, content = Searcher(there), 200, bytes(100_000)

    def answer() -> None:
        for number in range(times):
            searcher._tell(number + 1, "done", content)

    def prepare() -> None:
        for _ in range(times):
            searcher.prepare()

    for work in (answer, prepare):
        Thread(target=work, daemon=True).start()
    told = [Message(*here.recv()) for _ in range(2 * times) if here.poll(60)]
    answers = [message for message in told if message.event == "done"]
    assert answers == [Message(number + 1, "done", content) for number in range(times)]
