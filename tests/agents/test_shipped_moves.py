"""The moves of Connect Four that come with the package, against the solver and against BitBully.

Those of the repertoire are best, those of the book of traps give no result away. A sample is judged
always; `pytest -m slow tests/agents/test_shipped_moves.py` has 42 000 positions judged by the
solver and 4 000 by BitBully.
"""

from collections.abc import Callable, Collection, Iterator
from random import Random

import pytest

from agents import PerfectAgent
from agents.book.book_format import SHIPPED_TRAPS, shipped_repertoire, shipped_traps, traps_content
from agents.book.opening_book import shipped_book
from agents.book.repertoire import Repertoire, promising_moves
from agents.solver.solver import Solver
from envs import BoardState, ConnectFour, state_from_moves
from envs.board import moves_text
from tests.helpers.bitbully_judge import Judge

ENV = ConnectFour()
TRAPS = shipped_traps()

GoodMoves = Callable[[list[int]], Collection[int]]


def positions(of_traps: bool, number: int, seed: int) -> Iterator[list[int]]:
    """The moves to a number of positions that two plies of look-ahead do not settle.

    They are met in games against a player who makes no mistake of two plies and is random else. In
    every fourth game the repertoire looks on in the first plies, which are random on both sides.
    """
    rng, seen, book = Random(seed), set[BoardState](), TRAPS if of_traps else shipped_repertoire()
    while len(seen) < number:
        player = 2 if of_traps else rng.choice((1, 2))
        random_plies = 0 if of_traps else rng.choice((0, 0, 0, book.scope.all_plies + 1))
        moves, state = list[int](), ENV.initial_state()
        while ENV.get_available_actions(state):
            promising = promising_moves(book.board, state)
            move = rng.choice(promising)
            if state.player == player:
                column = book.move(state)
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


def good_by_solver(of_traps: bool) -> GoodMoves:
    """By the book of scores, all of which are tested, and by search."""
    solver = Solver(ENV, threads=2, book=shipped_book())

    def best(moves: list[int]) -> Collection[int]:
        bounds = solver.scores(state_after(moves))
        assert all(score.exact for score in bounds.values())
        highest = max(score.lower for score in bounds.values())
        return [action for action, score in bounds.items() if score.lower == highest]

    def keeping(moves: list[int]) -> Collection[int]:
        state = state_after(moves)
        outcome = solver.outcome(state)
        return [
            action
            for action in ENV.get_available_actions(state)
            if (solver.after(state, action, within=(-1, 1)).outcome or 0) >= outcome
        ]

    return keeping if of_traps else best


def good_by_bitbully(of_traps: bool) -> GoodMoves:
    judge = Judge()
    return judge.moves_that_keep_the_outcome if of_traps else judge.best_moves


@pytest.mark.parametrize("of_traps", [False, True], ids=["repertoire", "traps"])
@pytest.mark.parametrize(
    ("judge", "number", "seed"),
    [
        pytest.param(good_by_solver, 10, 1, marks=pytest.mark.thorough),
        pytest.param(good_by_bitbully, 20, 2, marks=pytest.mark.thorough),
        pytest.param(good_by_solver, 21_000, 3, marks=pytest.mark.slow),
        pytest.param(good_by_bitbully, 2_000, 4, marks=pytest.mark.slow),
    ],
)
def test_moves_are_best_or_keep_the_result(
    of_traps: bool, judge: Callable[[bool], GoodMoves], number: int, seed: int
) -> None:
    book: Repertoire = TRAPS if of_traps else shipped_repertoire()
    good_moves = judge(of_traps)
    for moves in positions(of_traps, number, seed):
        assert book.move(state_after(moves)) in good_moves(moves), moves


def test_every_first_move_has_an_answer_by_heart() -> None:
    agent = PerfectAgent(time_limit=0.0)
    for column in range(7):
        state = ENV.get_next_state(ENV.initial_state(), column)
        assert agent.act(ENV, state) == TRAPS.move(state)


def test_traps_are_of_player_2_alone_and_reach_half_the_board() -> None:
    assert TRAPS.scope == (6, 7, 4, -1, -1, 20)
    assert TRAPS.move(ENV.initial_state()) is None
    assert len(traps_content(SHIPPED_TRAPS)) < 300_000


def test_with_longest_resistance_the_book_of_traps_is_not_opened() -> None:
    """1. 4 is answered by 4, the exactly best move, and not by a trap."""
    state = state_from_moves(ENV, "4")
    assert PerfectAgent(resistance="longest").act(ENV, state) == 3
    assert PerfectAgent().act(ENV, state) != 3
