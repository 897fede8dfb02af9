"""Compiling before a search and beside a game: whatever Numba does, moves come in time."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from threading import Event, Thread
from time import perf_counter

import pytest

from agents import Agent, make_agent
from agents.compiled import compilation, compiled_puct
from agents.compiled.compilation import Compilation, Patience
from agents.compiled.compiled_alpha_beta import alpha_beta_on
from agents.compiled.compiled_mcts import mcts_on
from agents.compiled.compiled_puct import puct_on, wavy_network
from agents.registry import AGENTS, JsonValue
from agents.solver import solver_engine
from agents.solver.solver_engine import solver_compilation
from envs import ConnectFour, ConnectX
from submission.bundle.bundle import build_bundle
from tests.helpers.bitbully_judge import Judge
from tests.helpers.bundle_games import FAULTS
from tests.helpers.processes import completed, output_of

ROOT = Path(__file__).parents[2]
COMPILED_AGENTS = [name for name, kind in AGENTS.items() if kind.compile is not Agent.compile]
EXACT = [fault for fault in FAULTS if fault != "one_core"]
"""The faults with which the perfect bundle is judged move by move."""
ALIKE = ["no_numpy", "numba_raises_on_import", "numba_raises_in_compiling"]
"""The faults that `compiles` finds before a search is asked for, as it finds that there is no
Numba: one agent plays with each of them, and the perfect one on one seat."""
FAULTS_OF = {
    "mcts": [*FAULTS],
    "perfect": ["one_core"],
    "level": ["no_numba_and_no_numpy", "numba_raises_on_import"],
}
"""By default the level's bundle compiles nothing; the perfect one is judged by `EXACT`, too."""


@pytest.fixture
def bank_of_patience(monkeypatch: pytest.MonkeyPatch) -> Patience:
    patience = Patience()
    monkeypatch.setattr("agents.compiled.compilation.PATIENCE", patience)
    return patience


# --- one compilation


def no_room() -> bool:
    raise OSError("no room")


@pytest.mark.parametrize(
    ("prove", "problem"),
    [(lambda: False, "its results differ when it is compiled"), (no_room, "OSError: no room")],
)
def test_a_search_that_cannot_be_compiled_is_told_once(
    prove: Callable[[], bool], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    compilation = Compilation("a test", prove)
    assert not compilation.has_failed()
    assert not compilation.is_ready()
    assert not compilation.is_ready()
    assert compilation.has_failed()
    told = f"a test: the search is run in plain Python ({problem})\n"
    assert capsys.readouterr().err == told


def test_what_takes_long_is_announced(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("agents.compiled.compilation.SILENT_SECONDS", 0.01)
    ended, anew = Event(), list[str]()
    monkeypatch.setattr("agents.compiled.compilation.COMPILED_ANEW", anew)

    def compile_slowly() -> bool:
        anew.append("a kernel")
        return read_slowly()

    def read_slowly() -> bool:
        return not ended.wait(0.4)

    assert Compilation("a test", read_slowly).is_ready()
    assert capfd.readouterr().err == ""
    assert Compilation("a test", compile_slowly).is_ready()
    told = "a test: the search is being compiled, which takes some seconds\n"
    assert capfd.readouterr().err == told


def test_what_was_interrupted_is_compiled_when_the_next_search_begins() -> None:
    """In a notebook, which goes on after Ctrl-C: all later searches ran in plain Python."""
    runs = list[int]()

    def prove() -> bool:
        runs.append(1)
        if len(runs) == 1:
            raise KeyboardInterrupt
        return True

    compilation = Compilation("a test", prove)
    with pytest.raises(KeyboardInterrupt):
        compilation.is_ready()
    assert compilation.is_ready()


def test_threads_that_ask_at_the_same_time_wait_for_one_compilation() -> None:
    runs, answers = list[int](), list[bool]()

    def prove() -> bool:
        runs.append(1)
        Event().wait(0.1)
        return True

    compilation = Compilation("a test", prove)
    threads = [Thread(target=lambda: answers.append(compilation.is_ready())) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (runs, answers, compilation.has_failed()) == ([1], [True] * 5, False)


def puct_of_wavy_network(env: ConnectX) -> Compilation:
    return puct_on(env, wavy_network(env))


@pytest.mark.parametrize(
    "on_board", [alpha_beta_on, mcts_on, puct_of_wavy_network, solver_compilation]
)
def test_threads_that_look_a_compilation_up_at_the_same_time_find_one(
    on_board: Callable[[ConnectX], Compilation], monkeypatch: pytest.MonkeyPatch
) -> None:
    def create_slowly(*_: object) -> None:
        Event().wait(0.05)

    monkeypatch.setattr(Compilation, "__init__", create_slowly)
    with ThreadPoolExecutor(4) as threads:
        found = [*threads.map(on_board, [ConnectX(9, 12, 9)] * 4)]
    for kept in (
        compilation._known_compilation,
        compiled_puct._puct,
        solver_engine._compilation_on,
    ):
        kept.cache_clear()
    assert [each is found[0] for each in found] == [True] * 4


def test_beside_a_game_nothing_is_waited_for_but_what_it_allows(bank_of_patience: Patience) -> None:
    goes_on = Event()
    bank_of_patience.compile_beside_games()
    compilation = Compilation("a test", lambda: goes_on.wait(60))
    begun = perf_counter()
    assert not compilation.is_ready()
    assert perf_counter() - begun < 5
    bank_of_patience.allow(0.2)
    assert not compilation.is_ready(patient=False)
    assert bank_of_patience.left == 0.2
    assert not compilation.is_ready()
    assert 0.2 <= perf_counter() - begun < 10
    assert bank_of_patience.left == 0.0
    bank_of_patience.allow(60.0)
    goes_on.set()
    assert compilation.is_ready()
    assert bank_of_patience.left > 0


def test_a_search_that_must_be_compiled_runs_in_plain_python_meanwhile(
    monkeypatch: pytest.MonkeyPatch, bank_of_patience: Patience
) -> None:
    goes_on = Event()
    bank_of_patience.compile_beside_games()
    slow = Compilation("alpha-beta", lambda: goes_on.wait(60))
    monkeypatch.setattr("agents.alpha_beta_agent.alpha_beta_on", lambda *_: slow)
    env = ConnectFour()
    agent = make_agent("alphabeta", depth=2, engine="compiled")
    meanwhile = agent.search(env, env.initial_state())
    counting = make_agent("alphabeta", depth=2, engine="reference", heuristic="open_lines")
    assert meanwhile.engine == "reference"
    assert meanwhile.action_values == counting.search(env, env.initial_state()).action_values
    goes_on.set()
    bank_of_patience.allow(60.0)
    assert agent.search(env, env.initial_state()).engine == "compiled"


@pytest.mark.parametrize(
    ("name", "on_board"),
    [("alphabeta", "alpha_beta_agent.alpha_beta_on"), ("mcts", "mcts_agent.mcts_on")],
)
def test_only_the_search_that_will_be_used_is_compiled(
    name: str, on_board: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = list[bool | None]()

    def begin(rounded: bool | None) -> bool:
        begun.append(rounded)
        return True

    def compilation(env: ConnectX, rounded: bool | None) -> Compilation:
        return Compilation("a test", partial(begin, rounded))

    monkeypatch.setattr(f"agents.{on_board}", compilation)
    make_agent(name).compile(ConnectFour())
    make_agent(name, weights=None).compile(ConnectFour())
    assert begun == [True, None]


def test_the_perfect_agent_compiles_its_solver_and_then_what_sees_traps(
    monkeypatch: pytest.MonkeyPatch, bank_of_patience: Patience
) -> None:
    """Without alpha-beta traps would be set for opponents who see three plies, all game long."""
    steps, goes_on = list[str](), Event()

    def prove(name: str) -> bool:
        steps.append(name)
        goes_on.wait(60)
        steps.append(f"{name} is ready")
        return True

    bank_of_patience.compile_beside_games()
    solver, alpha_beta = (Compilation(name, partial(prove, name)) for name in ("solver", "search"))
    monkeypatch.setattr("agents.perfect.solver_compilation", lambda env: solver)
    monkeypatch.setattr("agents.alpha_beta_agent.alpha_beta_on", lambda *_: alpha_beta)
    make_agent("perfect").compile(ConnectFour())
    assert not alpha_beta.is_ready()
    goes_on.set()
    bank_of_patience.allow(60)
    assert alpha_beta.is_ready()
    assert steps == ["solver", "solver is ready", "search", "search is ready"]


UNWRITABLE = """
import numba.core.caching
numba.core.caching.CacheImpl._locator_classes = []  # as where no folder can be written to
import numpy as np
from envs.compiled.jit import COMPILED_ANEW
from envs.learning.random_play import LegalActionSampler
print(LegalActionSampler(1).sample(np.eye(3, dtype=np.int8)).tolist(), COMPILED_ANEW)
"""


@pytest.mark.image
@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders cannot be made unwritable")
def test_where_nothing_can_be_kept_it_is_compiled_anew() -> None:
    """As in a read-only installation without a home; the tests may run as root."""
    compiled_anew = "[0, 1, 2] ['draw_of_masks']\n"
    assert output_of(UNWRITABLE, HOME="/nonexistent") == compiled_anew


# --- bundles


@cache
def bundle_path(agent: str, folder: Path) -> Path:
    path = folder / f"{agent}.py"
    path.write_text(build_bundle(agent, {}), encoding="utf-8")
    return path


@dataclass(frozen=True)
class Game:
    columns: list[int]
    seconds: list[float]
    bank: float
    won: bool


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bundles")


def play(folder: Path, agent: str, fault: str, seat: int, act_timeout: float, bank: float) -> Game:
    """The process is ended after the game: Python may take a while to leave a compiler."""
    process = subprocess.Popen(
        [
            *(sys.executable, "-P", str(ROOT / "tests" / "helpers" / "bundle_games.py")),
            *(str(bundle_path(agent, folder)), fault, str(seat), str(act_timeout), str(bank)),
        ],
        cwd=folder,
        env={**os.environ, "HOME": "/nonexistent"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        pytest.fail(process.communicate()[1])
    process.kill()
    process.communicate()
    return Game(**json.loads(line))


def game_in_time(folder: Path, agent: str, fault: str) -> Game:
    """Won at a tenth of a second a move; of the 8 seconds in the bank it waits for 2 at most."""
    game = play(folder, agent, fault, seat=1, act_timeout=0.1, bank=8.0)
    assert game.won
    assert game.bank > 2.0, game.seconds
    assert max(game.seconds[1:]) < 2.0, game.seconds
    return game


@pytest.mark.image
@pytest.mark.parametrize(
    ("agent", "fault"),
    [
        (agent, fault)
        for agent in COMPILED_AGENTS
        for fault in FAULTS_OF.get(agent, [fault for fault in FAULTS if fault not in ALIKE])
    ],
)
def test_a_bundle_plays_in_time_whatever_numba_does(folder: Path, agent: str, fault: str) -> None:
    game_in_time(folder, agent, fault)


@pytest.mark.image
@pytest.mark.parametrize(
    ("seat", "fault"),
    [*((1, fault) for fault in EXACT), *((2, fault) for fault in EXACT if fault not in ALIKE)],
)
def test_the_perfect_bundle_waits_for_nothing_and_plays_exactly(
    folder: Path, seat: int, fault: str
) -> None:
    if seat == 1:
        game = game_in_time(folder, "perfect", fault)
    else:
        game = play(folder, "perfect", fault, seat, act_timeout=0.1, bank=60.0)
        assert game.bank > 45.0
    judge = Judge()
    for ply in range(seat - 1, len(game.columns), 2):
        assert game.columns[ply] in judge.best_moves(game.columns[:ply]), game.columns


VALIDATION = """
import json, os, sys
from submission.kaggle import kaggle_environments
env = kaggle_environments().make("connectx", {"actTimeout": 0.05})
env.run(sys.argv[1:] * 2)
bank = env.state[0].observation.remainingOverageTime
print(json.dumps([[state.status for state in env.state], bank, env.logs]), flush=True)
os._exit(0)  # the compiler may be running
"""


@pytest.mark.image
@pytest.mark.parametrize(
    ("agent", "options"), [("perfect", {}), ("alphabeta", {"time_limit": 0.02, "weights": None})]
)
def test_both_seats_compile_at_once(
    tmp_path: Path, agent: str, options: dict[str, JsonValue]
) -> None:
    """Kaggle's validation: the same file against itself, in one process."""
    path = tmp_path / "submission.py"
    path.write_text(build_bundle(agent, options))
    statuses, bank, logs = json.loads(output_of(VALIDATION, path))
    assert statuses == ["DONE", "DONE"]
    assert bank > 15
    written = "".join(log.get("stderr", "") for both in logs for log in both).splitlines()
    assert written
    assert [line for line in written if not line.startswith("played with Python")] == []


@pytest.mark.parametrize(("agent", "seconds"), [("perfect", "0.7"), ("mcts", "2.5")])
def test_python_ends_in_order_while_a_bundle_is_compiled(
    folder: Path, agent: str, seconds: str
) -> None:
    """LLVM would crash if the interpreter ended under it."""
    script = "import sys, time; exec(open(sys.argv[1]).read()); time.sleep(float(sys.argv[2]))"
    command = [sys.executable, "-c", script, str(bundle_path(agent, folder)), seconds]
    assert completed(command).stderr == ""
