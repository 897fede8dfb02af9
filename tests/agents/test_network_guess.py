"""Guesses of where a strong opponent errs, by the doubts of networks."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from statistics import fmean

import pytest

from agents.book.building.trap_book import SEEN_STONES, network_guess, shipped_networks
from agents.compiled.learned_value import LearnedValue
from agents.registry import make_agent
from agents.solver.position_bounds import sign
from agents.traps.trap_search import promise
from agents.traps.trap_tree import Turn
from envs import BoardState, ConnectX, state_from_moves
from envs.board import moves_text
from tests.helpers.bitbully_judge import Judge
from tests.helpers.game_records import unfinished_game

ENV = ConnectX()
STATE = state_from_moves(ENV, "44")
MOVES = (2, 3)


def guess_of(values: Mapping[str, float]) -> Callable[[BoardState, Turn], list[float]]:
    """Guesses by a network that has these values of positions, from player 1's view."""
    known = {state_from_moves(ENV, moves).key: value for moves, value in values.items()}

    class Known(LearnedValue):
        def __init__(self) -> None:
            pass

        def __call__(self, env: object, state: BoardState, rng: object = None) -> float:
            return known[state.key]

    guess = network_guess(ENV, [Known(), Known()])
    return lambda state, turn: [*guess(state, turn)]


@pytest.mark.parametrize(("score", "replies"), [(-20, 0), (-15, 5), (-8, 12), (-1, 12)])
def test_doubts_of_a_certain_win_raise_the_guess(score: int, replies: int) -> None:
    """By hand: atanh .99 = 2.6467 and atanh .5 = .5493; two networks, .03 mistakes a unit.

    The opponent has 20 stones left, and errs neither with the last 8 nor when about to win.
    """
    guesses = guess_of({"443": -0.5, "444": -0.99})(STATE, Turn(score, MOVES))
    mistakes = (0.005 + 2 * 0.03 * (2.6467 - 0.5493), 0.005)
    expected = [0.5 * (1 - (1 - mistake) ** replies) for mistake in mistakes]
    assert guesses == pytest.approx(expected, abs=1e-4)


def test_a_guess_for_a_lost_position_is_no_more_than_a_draw() -> None:
    guesses = guess_of({"443": 1.0, "444": -1.0})(STATE, Turn(-1, MOVES))
    assert 0.4 < guesses[0] < 0.5


@pytest.mark.parametrize(("stones", "is_examined"), [(SEEN_STONES + 1, True), (SEEN_STONES, False)])
def test_a_lost_position_near_the_end_is_not_examined(stones: int, is_examined: bool) -> None:
    """Player 2 is to move; the opponent has as many stones left as the test says."""
    state = state_from_moves(ENV, "1212122121213434344343435656566565"[: 42 - 2 * stones - 1])
    guess = network_guess(ENV, shipped_networks(ENV))
    assert bool(guess(state, Turn(-1, (6,)))) is is_examined
    assert guess(state, Turn(0, (6,)))


def test_values_far_from_a_draw_raise_the_guess_for_a_drawn_position() -> None:
    """Two networks of the same values: their distances from a draw add up, to no more than 1."""
    guess = guess_of({"443": -0.1, "444": 0.9, "447": 0.0})
    guesses = guess(STATE, Turn(0, (2, 3, 6)))
    assert guesses == pytest.approx([promise(20, 0, 0.004), promise(20, 0, 0.02), 0.5])


def test_networks_of_the_package_know_connect_four_alone() -> None:
    assert [len(shipped_networks(env)) for env in (ENV, ConnectX(5, 6), ConnectX(9, 9))] == [
        2,
        0,
        0,
    ]


@pytest.mark.parametrize(("result", "positions"), [(1, 160), (0, 80)])
def test_a_search_errs_where_the_shipped_networks_are_wrong(result: int, positions: int) -> None:
    """Of won or drawn positions, alpha-beta gives away those that seem least certain."""
    judge, rng, guess = Judge(), Random(6), network_guess(ENV, shipped_networks(ENV))
    opponent = make_agent("alphabeta", depth=4, time_limit=None, weights=None)
    guesses = list[tuple[float, bool]]()
    while len(guesses) < positions:
        actions = unfinished_game(rng, 18)
        results = {action: sign(score) for action, score in judge.scores(actions).items()}
        if max(results.values()) == result > min(results.values()):
            before, after = (state_from_actions(moves) for moves in (actions[:-1], actions))
            (guessed,) = guess(before, Turn(-result, (actions[-1],)))
            guesses.append((guessed, results[opponent.act(ENV, after)] < result))
    erred = [errs for _, errs in sorted(guesses)]
    most = positions * 3 // 4
    assert fmean(erred[most:]) > 3 * fmean(erred[:most])


def state_from_actions(actions: Sequence[int]) -> BoardState:
    return state_from_moves(ENV, moves_text(actions))
