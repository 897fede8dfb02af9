"""The shipped book of traps against the solver and against BitBully: it gives no result away.

A sample is judged always; `pytest -m slow tests/agents/test_shipped_traps.py` has 20 000 positions
judged by the solver and 2 000 by BitBully.
"""

from collections.abc import Callable, Collection, Iterator
from random import Random

import pytest

from agents import PerfectAgent
from agents.book.book_format import SHIPPED_TRAPS, known_traps, traps_content
from agents.book.opening_book import shipped_book
from agents.book.repertoire import promising_moves
from agents.solver.solver import Solver
from envs import BoardState, ConnectFour, state_from_moves
from envs.board import moves_text
from tests.helpers.bitbully_judge import Judge

ENV = ConnectFour()
TRAPS = known_traps(SHIPPED_TRAPS)

KeepingMoves = Callable[[list[int]], Collection[int]]


def positions(number: int, seed: int) -> Iterator[list[int]]:
    """The moves to so many different positions that player 2 meets and that are not settled.

    Player 1 plays at random but for what two plies of look-ahead show.
    """
    rng, seen = Random(seed), set[BoardState]()
    while len(seen) < number:
        moves, state = list[int](), ENV.initial_state()
        while ENV.get_available_actions(state) and len(seen) < number:
            promising = promising_moves(TRAPS.board, state)
            move: int | None = rng.choice(promising)
            if state.player == 2:
                move = TRAPS.move(state)
                if move is None:
                    break
                if len(promising) > 1 and state not in seen:
                    seen.add(state)
                    yield list(moves)
            assert move is not None
            moves.append(move)
            state = ENV.get_next_state(state, move)


def keeping_by_solver() -> KeepingMoves:
    """By the book of scores, all of which are tested, and by search."""
    solver = Solver(ENV, threads=2, book=shipped_book())

    def keeping(moves: list[int]) -> Collection[int]:
        state = state_from_moves(ENV, moves_text(moves))
        outcome = solver.outcome(state)
        return [
            action
            for action in ENV.get_available_actions(state)
            if left(ENV.get_next_state(state, action)) >= outcome
        ]

    def left(child: BoardState) -> int:
        known = solver.known(child) or solver.bounds(child, within=(-1, 1))
        return known.for_opponent().outcome or 0

    return keeping


def check(number: int, seed: int, keeping: KeepingMoves) -> None:
    for moves in positions(number, seed):
        assert TRAPS.move(state_from_moves(ENV, moves_text(moves))) in keeping(moves), moves


@pytest.mark.thorough
def test_some_moves_keep_the_result_by_the_solver() -> None:
    check(60, 1, keeping_by_solver())


@pytest.mark.thorough
def test_some_moves_keep_the_result_by_bitbully() -> None:
    check(60, 2, Judge().moves_that_keep_the_outcome)


@pytest.mark.slow
def test_many_moves_keep_the_result_by_the_solver() -> None:
    check(20_000, 3, keeping_by_solver())


@pytest.mark.slow
def test_many_moves_keep_the_result_by_bitbully() -> None:
    check(2_000, 4, Judge().moves_that_keep_the_outcome)


def test_every_first_move_has_an_answer_by_heart() -> None:
    agent = PerfectAgent(time_limit=0.0)
    for column in range(7):
        state = ENV.get_next_state(ENV.initial_state(), column)
        assert agent.act(ENV, state) == TRAPS.move(state)


def test_it_is_of_player_2_alone_and_reaches_half_the_board() -> None:
    assert TRAPS.scope == (6, 7, 4, -1, -1, 20)
    assert TRAPS.move(ENV.initial_state()) is None
    assert len(traps_content(SHIPPED_TRAPS)) < 300_000


def test_with_longest_resistance_the_book_is_not_opened() -> None:
    """1. 4 is answered by 4, the exactly best move, and not by a trap."""
    state = state_from_moves(ENV, "4")
    assert PerfectAgent(resistance="longest").act(ENV, state) == 3
    assert PerfectAgent().act(ENV, state) != 3
