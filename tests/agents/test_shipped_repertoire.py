"""The shipped repertoire of Connect Four against the solver and against BitBully.

A sample is judged always; `pytest -m slow tests/agents/test_shipped_repertoire.py` has 21 000
positions judged by the solver and 2 000 by BitBully.
"""

from collections.abc import Callable, Collection, Iterator
from random import Random

import pytest

from agents.book.book_format import shipped_repertoire
from agents.book.opening_book import shipped_book
from agents.book.repertoire import promising_moves
from agents.solver.solver import Solver
from envs import BoardState, ConnectFour, state_from_moves
from envs.board import moves_text
from tests.helpers.bitbully_judge import Judge

ENV = ConnectFour()

BestMoves = Callable[[list[int]], Collection[int]]


def positions(number: int, seed: int) -> Iterator[list[int]]:
    """The moves to so many different positions that two plies of look-ahead do not settle.

    They are met in games against a player who makes no mistake of two plies and is random else. In
    every fourth game the repertoire looks on in the first plies, which are random on both sides.
    """
    rng, repertoire = Random(seed), shipped_repertoire()
    seen = set[BoardState]()
    while len(seen) < number:
        player = rng.choice((1, 2))
        random_plies = rng.choice((0, 0, 0, repertoire.scope.all_plies + 1))
        moves, state = list[int](), ENV.initial_state()
        while ENV.get_available_actions(state):
            promising = promising_moves(repertoire.board, state)
            move = rng.choice(promising)
            if state.player == player:
                column = repertoire.move(state)
                if column is None:
                    break
                if len(promising) > 1 and state not in seen and len(seen) < number:
                    seen.add(state)
                    yield list(moves)
                if len(moves) >= random_plies:
                    move = column
            moves.append(move)
            state = ENV.get_next_state(state, move)


def state_after(moves: list[int]) -> BoardState:
    return state_from_moves(ENV, moves_text(moves))


def best_by_solver() -> BestMoves:
    """By the book of scores, all of which are tested, and by search."""
    solver = Solver(ENV, threads=2, book=shipped_book())

    def best(moves: list[int]) -> Collection[int]:
        bounds = solver.scores(state_after(moves))
        assert all(score.exact for score in bounds.values())
        highest = max(score.lower for score in bounds.values())
        return [action for action, score in bounds.items() if score.lower == highest]

    return best


def check(number: int, seed: int, best_moves: BestMoves) -> None:
    for moves in positions(number, seed):
        assert shipped_repertoire().move(state_after(moves)) in best_moves(moves), moves


@pytest.mark.thorough
def test_some_moves_are_best_by_the_solver() -> None:
    check(60, 1, best_by_solver())


@pytest.mark.thorough
def test_some_moves_are_best_by_bitbully() -> None:
    check(60, 2, Judge().best_moves)


@pytest.mark.slow
def test_many_moves_are_best_by_the_solver() -> None:
    check(21_000, 3, best_by_solver())


@pytest.mark.slow
def test_many_moves_are_best_by_bitbully() -> None:
    check(2_000, 4, Judge().best_moves)
