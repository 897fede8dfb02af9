"""The ten levels: from random to perfect, by fixed depths and a seeded share of slips."""

import json
import re
from collections.abc import Sequence
from itertools import pairwise, product
from random import Random
from typing import Any

import pytest

from agents import Agent, RandomAgent, make_agent
from agents.compiled.compilation import Compilation
from agents.compiled.level_kernel import level_opponent
from agents.levels import EXACT, LEVELS, LevelAgent, affordable_depth
from envs import BoardGame, ConnectFour, ConnectX, TicTacToe, state_from_moves
from envs.board import BoardState
from envs.compiled.random_stream import stream_of_seed
from tests.helpers.documents import README, ROOT, SEARCHES, text_of
from tests.helpers.kaggle_rules import kaggle_game
from tests.helpers.quick_agents import end_of_game, points
from tests.helpers.strategies import random_game

ENV = ConnectFour()
NUMBERS = [level.n for level in LEVELS]
every_level = pytest.mark.parametrize("n", NUMBERS)


def level(n: int, seed: int | None = 1) -> Agent:
    return make_agent("level", n=n, seed=seed)


def positions(count: int) -> list[BoardState]:
    """Positions of random games in which the game goes on."""
    rng = Random(5)
    return [rng.choice(random_game(ENV, rng)[:-1]) for _ in range(count)]


# --- the table


def test_there_are_ten_from_random_to_perfect() -> None:
    assert [*range(1, 11)] == NUMBERS
    assert (LEVELS[0].name, LEVELS[0].depth) == ("random", 0)
    assert (LEVELS[-1].name, LEVELS[-1].depth, LEVELS[-1].slips) == ("perfect", EXACT, 0.0)
    assert len({each.name for each in LEVELS}) == len(LEVELS)
    for lower, higher in pairwise(LEVELS):
        assert lower.depth <= higher.depth
        assert lower.slip_depth <= higher.slip_depth


def test_neighbours_are_as_far_apart_as_was_measured() -> None:
    results = ROOT / "benchmarks" / "results" / "levels.json"
    rows = next(
        part["rows"]
        for part in json.loads(results.read_text(encoding="utf-8"))["report"]
        if not isinstance(part, str)
    )
    measured = {row[0]: row[2] for row in rows}
    assert measured == {str(each.n): f"{each.elo:+d}" if each.elo else "0" for each in LEVELS}
    assert all(100 <= higher.elo - lower.elo <= 250 for lower, higher in pairwise(LEVELS))


def test_the_documents_show_the_table() -> None:
    figures = [f"{each.elo:+d}" if each.elo else "0" for each in LEVELS]
    assert f"| Elo | {' | '.join(figures)} |" in text_of(README)
    for each, figure in zip(LEVELS, figures, strict=True):
        row = rf"^\| {each.n} \| {each.name} \|.*\| {re.escape(figure)} \|$"
        assert re.search(row, text_of(SEARCHES), flags=re.MULTILINE)


@pytest.mark.parametrize("n", [0, 11, -1, "3", 3.0, None])
def test_there_is_no_other_level(n: Any) -> None:
    with pytest.raises(ValueError, match=f"^the level n must be from 1 to 10, not {n!r}$"):
        LevelAgent(n=n)


# --- how they play


@pytest.mark.parametrize(("weaker", "stronger"), [(1, 2), (2, 4), (3, 5), (4, 6), (5, 7)])
def test_a_higher_level_wins(weaker: int, stronger: int) -> None:
    """By the games of one seed, which are the same on every machine."""
    total = 0.0
    for opening, seat in product(range(3), (1, 2)):
        state = state_from_moves(ENV, f"{opening % 7 + 1}{opening * 3 % 7 + 1}")
        total += points(ENV, level(stronger, opening), level(weaker, opening), seat, state)
    assert total >= 4.5


def test_wins_and_blocks_are_seen_ever_more_reliably() -> None:
    """By Kaggle's rule functions; from level 6 on always, and no earlier level without fail."""
    wins, blocks = [], []
    for state in positions(300):
        game = kaggle_game(ENV, state)
        if game.winning_columns():
            wins.append((state, game.winning_columns()))
        elif 0 < len(game.safe_columns()) < len(game.open_columns):
            blocks.append((state, game.safe_columns()))
    assert min(len(wins), len(blocks)) > 30
    for tasks in (wins, blocks):
        shares = [share_right(n, tasks) for n in range(1, 8)]
        assert shares[5:] == [1.0, 1.0]
        assert shares[0] < shares[2] < shares[4]
    assert share_right(4, blocks) < 0.9


def share_right(n: int, tasks: Sequence[tuple[BoardState, list[int]]]) -> float:
    agent = level(n)
    return sum(agent.act(ENV, state) in right for state, right in tasks) / len(tasks)


def test_the_highest_plays_the_best() -> None:
    perfect = make_agent("perfect")
    for moves in ("", "44", "4444", "12", "35"):
        state = state_from_moves(ENV, moves)
        assert level(10).act(ENV, state) == perfect.act(ENV, state)


@every_level
def test_a_seed_gives_the_same_moves_whatever_the_clock_says(n: int) -> None:
    moves = ["", "4", "4453", "445352"] if n >= 9 else ["", "4", "4453", "44535261", "1234567"]
    states = [state_from_moves(ENV, text) for text in moves]
    first, second = level(n), level(n)
    assert [first.act(ENV, s) for s in states] == [second.act(ENV, s) for s in states]


def test_without_a_seed_slips_differ() -> None:
    state = state_from_moves(ENV, "44")
    games = {tuple(level(2, None).act(ENV, state) for _ in range(6)) for _ in range(20)}
    assert len(games) > 10


def test_up_to_the_seventh_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(compilation: Compilation) -> None:
        raise AssertionError("compiles")

    monkeypatch.setattr(Compilation, "begin", refuse)
    for n in range(1, 8):
        agent = level(n)
        agent.compile(ENV)
        for moves in ("", "44", "121212", "44535261"):
            state = state_from_moves(ENV, moves)
            assert agent.act(ENV, state) in ENV.get_available_actions(state)


@pytest.mark.parametrize("n", [7, 8])
def test_boards_of_any_size_take_a_bounded_search(n: int) -> None:
    env = ConnectX(20, 20, 5)
    result = level(n).search(env, env.initial_state())
    assert result.nodes < 5000
    assert affordable_depth(12, 20) < affordable_depth(12, 7) < affordable_depth(12, 2) == 12
    assert affordable_depth(12, 400) == 2
    assert affordable_depth(1, 400) == 1


# --- as a kernel


@pytest.mark.parametrize("n", range(1, 8))
@pytest.mark.parametrize(
    "env", [ENV, TicTacToe(), ConnectX(5, 4, 3), ConnectX(8, 8, 4), ConnectX(3, 3, 2)], ids=repr
)
def test_the_kernel_chooses_as_the_agent(env: BoardGame, n: int) -> None:
    """In plain Python here; as compiled code it plays in `tests/envs/test_vector_env.py`."""
    agent = make_agent("level", n=n, seed=9)
    assert isinstance(agent, LevelAgent)
    kernel = level_opponent(agent, env)
    assert kernel is not None
    tables, stream, rng = kernel.tables(2), stream_of_seed(9), Random(n)
    for _ in range(12 if n < 6 else 3):
        state = rng.choice(random_game(env, rng)[:-1])
        action, stream = kernel.reply(tables, 1, stream, state.mover, state.mask)
        assert action == agent.act(env, state)


def test_levels_that_compile_or_solve_have_no_kernel() -> None:
    for n in (8, 9, 10):
        agent = LevelAgent(n)
        assert level_opponent(agent, ENV) is None
        assert (level_opponent(agent, TicTacToe()) is None) == (n > 8)


@every_level
def test_every_level_plays_tic_tac_toe(n: int) -> None:
    env = TicTacToe()
    winner = env.winner(end_of_game(env, level(n), RandomAgent(seed=n)))
    assert n < 9 or winner != 2
