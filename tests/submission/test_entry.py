"""The entry point: always a legal plain int, in time, whatever Kaggle asks."""

import gc
import random
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents import Agent, GreedyAgent, MCTSAgent, RandomAgent, SearchResult, agent_names
from envs import Action, ConnectFour, Env, State
from envs.bitboard import fits_in_word
from submission.entry import KagglePlayer, Request, plan_seconds, read_request
from submission.kaggle import kaggle_environments
from tests.helpers.quick_agents import quick_agent


@dataclass
class StubAgent(Agent):
    """Answers what it is told to, or raises it; remembers the time that it was given."""

    answer: Any = 3
    time_limit: float | None = None

    def search(
        self, env: Env[State, Action], state: State, time_limit: float | None = None
    ) -> SearchResult[Action]:
        self.time_limit = time_limit
        if isinstance(self.answer, BaseException):
            raise self.answer
        return SearchResult(self.answer, value=0.0)


def observe(board: list[int], mark: int = 1, **more: Any) -> dict[str, Any]:
    return {"board": board, "mark": mark, "step": 0, "remainingOverageTime": 60, **more}


def filled(rows: int, columns: int, stones: int, rng: random.Random) -> list[int]:
    """A board on which `stones` stones of random colours lie at the bottom of random columns."""
    board = [0] * (rows * columns)
    for _ in range(min(stones, rows * columns)):
        column = rng.choice([c for c in range(columns) if board[c] == 0])
        row = max(r for r in range(rows) if board[r * columns + column] == 0)
        board[row * columns + column] = rng.choice((1, 2))
    return board


@st.composite
def questions(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """An observation and its configuration that leave no time."""
    rows, columns, inarow = draw(st.tuples(*[st.integers(1, 12)] * 3))
    stones, rng = int(draw(st.floats(0, 1)) * rows * columns), random.Random(draw(SEEDS))
    board, mark = filled(rows, columns, stones, rng), draw(st.sampled_from((1, 2)))
    size = {"rows": rows, "columns": columns, "inarow": inarow}
    return observe(board, mark, remainingOverageTime=0), {**size, "actTimeout": 0.001}


@pytest.fixture(autouse=True, scope="module")
def words_of_a_bundle() -> Iterator[None]:
    """A bundle has words of 64 bits alone, and compiles nothing for wider boards."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("agents.compiled.compilation.fits_in_wide_word", fits_in_word)
        yield


SEEDS = st.integers(0, 2**32)


@pytest.mark.parametrize("agent", agent_names())
@given(question=questions())
def test_a_legal_plain_int_on_every_board(agent: str, question: Any) -> None:
    observation, configuration = question
    answer = KagglePlayer(lambda: quick_agent(agent)).act(observation, configuration)
    require_legal(answer, observation["board"], configuration["columns"])


def require_legal(answer: object, board: list[Any], columns: int) -> None:
    """A plain int: a free column or, where there is none, 0."""
    assert type(answer) is int
    free = [column for column, cell in enumerate(board[:columns]) if cell == 0]
    assert answer in (free or [0])


ODD_VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 50),
    st.floats(),
    st.text(max_size=3),
    st.lists(st.one_of(st.integers(-1, 3), st.none(), st.text(max_size=1)), max_size=50),
    st.dictionaries(st.text(max_size=1), st.integers(), max_size=1),
)
OBSERVATIONS = st.dictionaries(
    st.sampled_from(("board", "mark", "step", "remainingOverageTime")), ODD_VALUES
)
CONFIGURATIONS = st.dictionaries(
    st.sampled_from(("rows", "columns", "inarow", "actTimeout")), ODD_VALUES
)


@settings(max_examples=100)
@given(
    observation=st.one_of(
        OBSERVATIONS, OBSERVATIONS.map(lambda o: SimpleNamespace(**o)), ODD_VALUES
    ),
    configuration=st.one_of(CONFIGURATIONS, ODD_VALUES),
)
def test_an_int_for_every_malformed_observation(observation: object, configuration: object) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("submission.entry.LARGEST_BOARD", 500)  # larger ones take long
        answer = KagglePlayer(GreedyAgent).act(observation, configuration)
    request = read_request(observation, configuration)
    require_legal(answer, request.board, request.columns)


@pytest.mark.parametrize("agent", agent_names())
def test_a_line_that_no_board_holds_is_answered_quickly(agent: str) -> None:
    started = time.perf_counter()
    configuration = {"inarow": 10**16, "actTimeout": 0.1}
    answer = KagglePlayer(lambda: quick_agent(agent)).act(observe([0] * 42), configuration)
    assert answer in range(7)
    assert time.perf_counter() - started < 60


def test_observation_of_player_2_under_env_train() -> None:
    trainer = kaggle_environments().make("connectx").train(["random", None])
    observation = trainer.reset()
    assert not hasattr(observation, "board") or observation["board"]
    assert KagglePlayer(GreedyAgent).act(observation, {}) in range(7)


THREATENED = [*[0] * 28, *(0, 0, 0, 0, 0, 1, 0), *(1, 2, 2, 2, 0, 1, 1)]
"""Column 0 is taken, so only column 4 blocks player 2."""


@pytest.mark.parametrize(
    "answer", [7, -1, 2.5, "3", None, True, RuntimeError("broken"), RecursionError(), MemoryError()]
)
def test_a_failing_agent_falls_back_to_a_sensible_column(
    answer: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    column = KagglePlayer(lambda: StubAgent(answer)).act(observe(THREATENED), {})
    is_legal = answer is True  # equal to 1
    assert column == (1 if is_legal else 4)
    assert type(column) is int
    assert ("falling back" in capsys.readouterr().err) == (not is_legal)


def test_a_board_of_numpy_integers_is_a_board() -> None:
    board = {"board": np.array(THREATENED), "mark": np.int64(1)}
    column = KagglePlayer(GreedyAgent).act(board, {})
    assert column == 4
    assert type(column) is int


@pytest.mark.parametrize(
    ("board", "size", "columns", "said"),
    [
        ([0, 0, 0, 1, 0, 0, 0] * 2 + [0] * 28, {}, {0, 1, 2, 4, 5, 6}, "floats"),
        ([1] * 42, {}, {0}, "no free column"),
        ([0] * 1_000_000, {"rows": 1000, "columns": 1000}, range(1000), "too large to search"),
    ],
)
def test_an_odd_board_is_answered_quickly_and_said(
    board: list[int],
    size: dict[str, int],
    columns: Collection[int],
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    started = time.perf_counter()
    assert KagglePlayer(lambda: StubAgent(3)).act(observe(board), size) in columns
    assert time.perf_counter() - started < 5
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("collecting", [True, False])
@pytest.mark.parametrize("answer", [3, RuntimeError("broken")])
def test_garbage_collection_is_as_before(collecting: bool, answer: Any) -> None:
    was_collecting = gc.isenabled()
    try:
        (gc.enable if collecting else gc.disable)()
        KagglePlayer(lambda: StubAgent(answer)).act(observe([0] * 42), {})
        assert gc.isenabled() is collecting
    finally:
        (gc.enable if was_collecting else gc.disable)()


def test_a_new_episode_starts_clean() -> None:
    def columns(player: KagglePlayer) -> list[int]:
        env, played = ConnectFour(), list[int]()
        state = env.initial_state()
        for ply in range(10):
            played.append(player.act(observe(env.to_board(state), 1 + ply % 2), {}))
            state = env.get_next_state(state, played[-1])
        return played

    def player() -> KagglePlayer:
        return KagglePlayer(lambda: MCTSAgent(simulations=20, seed=5, engine="reference"))

    first = player()
    assert columns(first) == columns(first) == columns(player())


def test_an_episode_keeps_its_agent() -> None:
    made: list[Agent] = []

    def make() -> Agent:
        made.append(RandomAgent(seed=1))
        return made[-1]

    player = KagglePlayer(make)
    board = [0] * 42
    for stones in range(0, 6, 2):
        player.act(observe(board), {})
        board[41 - stones], board[40 - stones] = 1, 2
    assert len(made) == 1
    player.act(observe([0] * 42), {})
    assert len(made) == 2
    player.act(observe([0] * 20), {"rows": 4, "columns": 5})
    assert len(made) == 3


def test_loading_counts_against_the_first_move_only() -> None:
    agent = StubAgent()
    player = KagglePlayer(lambda: agent, load_seconds=1.0)
    board = [0] * 42
    player.act(observe(board, remainingOverageTime=0), {"actTimeout": 2})
    first = agent.time_limit
    board[35] = 1
    player.act(observe(board, 2, remainingOverageTime=0), {"actTimeout": 2})
    assert first is not None
    assert agent.time_limit is not None
    assert first < 0.9
    assert 1.5 < agent.time_limit < 2


REQUESTS = st.builds(
    Request,
    board=st.lists(st.sampled_from((0, 1, 2)), min_size=1, max_size=60),
    mark=st.just(1),
    rows=st.just(6),
    columns=st.just(7),
    inarow=st.just(4),
    act_timeout=st.floats(0, 100),
    bank=st.floats(0, 60),
)


@given(request=REQUESTS, elapsed=st.floats(0, 10))
def test_the_plan_never_exceeds_what_is_there(request: Request, elapsed: float) -> None:
    seconds = plan_seconds(request, elapsed)
    assert seconds >= 0
    allowed = request.act_timeout + request.bank
    assert seconds + elapsed <= max(allowed, elapsed)
    assert plan_seconds(request._replace(bank=0), elapsed) <= seconds


def test_a_whole_game_leaves_most_of_the_bank() -> None:
    bank = 60.0
    for stones in range(0, 42, 2):
        request = Request([1] * stones + [0] * (42 - stones), 1, 6, 7, 4, 2.0, bank)
        bank -= max(0.0, plan_seconds(request, elapsed=0.0) - 2.0)
    assert bank > 30
