"""Parallel searches find what serial ones find, whatever runs them."""

import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from time import sleep
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents import Agent, make_agent
from agents.agent import Clock, TimeUp
from agents.depth_first import DepthFirstAgent
from agents.mcts_agent import MCTSAgent
from agents.parallel.parallel_search import parallel_search
from agents.parallel.workers import Workers
from agents.registry import AGENTS
from envs import BoardState, ConnectFour, ConnectX, TicTacToe, state_from_moves
from tests.helpers.brute_force import BruteForce
from tests.helpers.processes import output_of
from tests.helpers.strategies import Position, connect_games, late_positions, unfinished_positions
from tests.helpers.systems import needs_linux

THREADS = ThreadPoolExecutor(3)
"""One for all tests: threads wait without a cost."""
CONNECT_FOUR = ConnectFour()
PARALLEL = [
    name for name, agent in AGENTS.items() if issubclass(agent, DepthFirstAgent | MCTSAgent)
]
FIXED_DEPTH = [
    *((name, {**AGENTS[name].quick}) for name in PARALLEL if "depth" in AGENTS[name].quick),
    ("minimax", {"depth": 3}),
    ("expectimax", {"depth": 3}),
    ("alphabeta", {"depth": 5, "time_limit": None, "engine": "reference"}),
    ("alphabeta", {"depth": 5, "time_limit": None, "iterative_deepening": False}),
    ("alphabeta", {"depth": 7, "time_limit": None}),
]


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
        yield executor


def opening(moves: str) -> BoardState:
    return state_from_moves(CONNECT_FOUR, moves)


class CountingExecutor(Executor):
    """Runs what it is given by threads, and remembers it."""

    def __init__(self, threads: int) -> None:
        self.pool = ThreadPoolExecutor(threads)
        self.futures: list[Future[Any]] = []
        self.most_at_a_time = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        running = sum(not future.done() for future in self.futures)
        self.most_at_a_time = max(self.most_at_a_time, running + 1)
        self.futures.append(self.pool.submit(fn, *args, **kwargs))
        return self.futures[-1]


@pytest.mark.parametrize(("name", "options"), FIXED_DEPTH)
@settings(max_examples=12)
@given(
    position=unfinished_positions(connect_games(largest=6, longest_line=4)),
    workers=st.integers(1, 3),
)
def test_the_value_and_the_action_are_the_serial_searchs(
    name: str, options: dict[str, Any], position: Position, workers: int
) -> None:
    agent = make_agent(name, **options)
    serial = agent.search(position.env, position.state)
    parallel = parallel_search(agent, position.env, position.state, THREADS, workers=workers)
    assert parallel.value == serial.value
    assert parallel.action == serial.action
    assert parallel.depth == serial.depth
    assert parallel.engine == serial.engine
    assert parallel.principal_variation[0] == parallel.action


def test_minimax_visits_each_node_once() -> None:
    """Of tic-tac-toe's 549,946, those below a first move in the centre."""
    agent = make_agent("minimax", depth=None)
    env = TicTacToe()
    result = parallel_search(agent, env, state_from_moves(env, "5"), THREADS, workers=3)
    assert result.nodes == 55_505
    assert result.value == 0.0


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_merged_trees_repeat_with_the_seed(engine: str) -> None:
    def search(seed: int) -> Any:
        agent = make_agent("mcts", simulations=501, seed=seed, engine=engine)
        result = parallel_search(agent, CONNECT_FOUR, opening("44"), THREADS, workers=3)
        assert result.simulations == 501
        assert result.engine == engine
        return result.action, result.value, result.action_values

    assert search(1) == search(1)
    assert search(1) != search(2)


class LastInFirstOut(CountingExecutor):
    """The later of three tasks at a time end first."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        seconds = 0.05 * (3 - len(self.futures) % 3)

        def later() -> Any:
            sleep(seconds)
            return fn(*args, **kwargs)

        return super().submit(later)


def test_merged_trees_do_not_depend_on_which_arrives_first() -> None:
    agent = make_agent("mcts", simulations=3, seed=2, engine="reference")
    orders = [
        list(parallel_search(agent, CONNECT_FOUR, opening(""), executor, workers=3).action_values)
        for executor in (THREADS, LastInFirstOut(threads=3))
    ]
    assert orders[0] == orders[1]
    assert len(orders[0]) > 1


@pytest.mark.parametrize(
    ("name", "options"),
    [("alphabeta", {"depth": 5, "time_limit": None}), ("mcts", {"simulations": 300, "seed": 5})],
)
def test_processes_find_what_threads_find(
    name: str, options: dict[str, Any], processes: Executor
) -> None:
    by_threads, by_processes = (
        parallel_search(
            make_agent(name, **options), CONNECT_FOUR, opening("4453"), executor, workers=2
        )
        for executor in (THREADS, processes)
    )
    assert (by_processes.value, by_processes.action) == (by_threads.value, by_threads.action)
    assert name == "alphabeta" or by_processes.action_values == by_threads.action_values


def test_the_trees_differ_and_their_results_are_added_up() -> None:
    """With as many simulations as workers each tree knows one action, by its own seed."""
    agent = make_agent("mcts", simulations=30, seed=1, engine="reference", decisive_moves=False)
    result = parallel_search(agent, CONNECT_FOUR, opening(""), THREADS, workers=30)
    assert result.simulations == 30
    assert set(result.action_values) == set(range(7))


@settings(max_examples=25)
@given(position=late_positions(connect_games(largest=4, longest_line=3), 7))
def test_merged_trees_keep_what_each_has_proven(position: Position) -> None:
    truth = BruteForce(position.env)
    agent = make_agent("mcts", simulations=None, seed=1)
    result = parallel_search(agent, position.env, position.state, THREADS, workers=2)
    assert result.value == truth.value(position.state)
    assert truth.action_value(position.state, result.action) == result.value


@pytest.mark.parametrize("name", PARALLEL)
def test_time_ends_the_search_with_what_is_complete(name: str) -> None:
    agent = make_agent(name, **(AGENTS[name].unlimited or {"depth": None}))
    parallel_search(agent, CONNECT_FOUR, opening(""), THREADS, workers=2, time_limit=0.01)
    clock = Clock()
    result = parallel_search(agent, CONNECT_FOUR, opening(""), THREADS, workers=2, time_limit=0.3)
    assert 0.25 < clock.elapsed < 2
    assert result.action in range(7)


def test_a_win_at_hand_is_taken_in_the_shortest_time() -> None:
    agent = make_agent("minimax", depth=None)
    state = opening("414141")  # player 1 wins with a fourth stone in column 4
    result = parallel_search(agent, CONNECT_FOUR, state, THREADS, workers=2, time_limit=0.05)
    assert result.action == 3


class Broken(ConnectX):
    """Fails in the middle of a search."""

    def get_next_state(self, state: BoardState, action: int) -> BoardState:
        if state.mask.bit_count() == 3:
            raise ZeroDivisionError("a rule that fails")
        return super().get_next_state(state, action)


@pytest.mark.parametrize("name", PARALLEL)
def test_what_a_worker_raises_reaches_the_caller(name: str, processes: Executor) -> None:
    env = Broken()
    executor = CountingExecutor(threads=1)
    with pytest.raises(ZeroDivisionError, match="a rule that fails"):
        parallel_search(make_agent(name), env, env.initial_state(), executor, workers=4)
    executor.pool.shutdown()
    assert all(future.done() for future in executor.futures)
    with pytest.raises(ZeroDivisionError, match="a rule that fails"):
        parallel_search(make_agent(name), env, env.initial_state(), processes, workers=2)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_no_more_tasks_run_than_there_are_workers(workers: int) -> None:
    executor = CountingExecutor(threads=8)
    agent = make_agent("minimax", depth=3)
    parallel_search(agent, CONNECT_FOUR, opening(""), executor, workers=workers)
    assert executor.most_at_a_time == workers
    assert len(executor.futures) == 7


ON_ONE_PROCESSOR = """
import os
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
from agents.parallel.workers import CORES
print(CORES)
"""


@needs_linux
def test_a_process_may_use_fewer_processors_than_there_are() -> None:
    assert output_of(ON_ONE_PROCESSOR) == "1\n"


def test_no_more_tasks_run_than_there_are_processors_that_may_be_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Waiting(Executor):
        submitted = 0

        def submit(self, *call: Any, **options: Any) -> Future[Any]:
            self.submitted += 1
            return Future()

    monkeypatch.setattr("agents.parallel.parallel_search.CORES", 2)
    env, executor = ConnectFour(), Waiting()
    minimax = make_agent("minimax")
    parallel_search(minimax, env, env.initial_state(), executor, time_limit=0.01)
    assert executor.submitted == 2


def test_what_no_worker_has_begun_is_taken_back() -> None:
    executor = CountingExecutor(threads=1)
    tasks = ((number, lambda: sleep(0.2)) for number in range(9))
    with pytest.raises(TimeUp):
        list(Workers(executor, 4).run(tasks, Clock(0.05)))
    assert [future.cancelled() for future in executor.futures] == [False, True, True, True]


def test_searches_that_cannot_be_shared_are_refused() -> None:
    def require_refused(name: str, sentence: str, moves: str = "", workers: Any = 2) -> None:
        with pytest.raises(ValueError, match=sentence):
            parallel_search(
                make_agent(name), CONNECT_FOUR, opening(moves), THREADS, workers=workers
            )

    for name in PARALLEL:
        require_refused(name, "the game is over", moves="1212121")
    require_refused("minimax", "workers must be at least 1", workers=0)
    require_refused("minimax", "workers must be a whole number, not 1.5", workers=1.5)
    with pytest.raises(ValueError, match="4 is no executor: give one, such as"):
        parallel_search(make_agent("mcts"), CONNECT_FOUR, opening(""), 4)  # type: ignore[arg-type]


def test_the_agent_is_left_as_it_was() -> None:
    agent: Agent = make_agent("mcts", simulations=50, seed=3, engine="reference")
    fresh = make_agent("mcts", simulations=50, seed=3, engine="reference")
    parallel_search(agent, CONNECT_FOUR, opening("44"), THREADS, workers=2)
    alone, first = (a.search(CONNECT_FOUR, opening("")) for a in (agent, fresh))
    assert alone.action_values == first.action_values
