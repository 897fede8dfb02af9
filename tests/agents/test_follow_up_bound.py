"""The follow-up bound against its specification, pair by pair, and against the truth."""

from collections import Counter
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agents.solver.position_bounds import follow_up_bound, position_of
from envs import BoardState, ConnectX
from envs.bitboard import board_masks
from tests.helpers.brute_force import BruteForce, score_by_brute_force
from tests.helpers.follow_up import follow_up_by_pairs
from tests.helpers.strategies import connect_games, late_positions

games = connect_games(largest=9, longest_line=6).filter(lambda env: env.inarow > 1)


def bound_of(env: ConnectX, state: BoardState) -> int:
    board = board_masks(env.rows, env.columns, env.inarow)
    position = position_of(board, board.board & state.mover, board.board & state.mask)
    return follow_up_bound(board, position.mover, position.mask, position.threats)


def leading_states(env: ConnectX, seed: int) -> list[BoardState]:
    """The states of a game without wins in which the player to move could not win at once.

    Its moves are random, up to where each one wins; so it lasts long, and few lines are left.
    """
    rng, state = Random(seed), env.initial_state()
    found = []
    while actions := env.get_available_actions(state):
        children = [env.get_next_state(state, action) for action in actions]
        quiet = [child for child in children if not child.won]
        if len(quiet) == len(children):
            found.append(state)
        if not quiet:
            break
        state = rng.choice(quiet)
    return found


@given(games, st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_the_bound_is_that_of_the_pairs_one_by_one(env: ConnectX, seed: int) -> None:
    assume((env.rows + 1) * env.columns not in (64, 128, 256))
    for state in leading_states(env, seed):
        assert bound_of(env, state) == follow_up_by_pairs(env, state)


def test_each_kind_of_bound_is_met() -> None:
    """None; a draw; a loss by the last stone; a loss before that, in an odd column."""
    met = Counter[int]()
    for env in (ConnectX(6, 7), ConnectX(6, 5), ConnectX(5, 6), ConnectX(7, 7)):
        for seed in range(100):
            for state in leading_states(env, seed):
                bound = bound_of(env, state)
                met[max(-2, min(bound, 1))] += 1
                if bound < 1:  # nine in ten have none
                    assert bound == follow_up_by_pairs(env, state)
    assert min(met[kind] for kind in (1, 0, -1, -2)) >= 30, met


@pytest.mark.parametrize("size", [(7, 8), (7, 16), (15, 16)])
def test_where_a_guard_would_be_the_sign_there_is_none(size: tuple[int, int]) -> None:
    env = ConnectX(*size)
    for state in leading_states(env, 1):
        assert bound_of(env, state) == env.rows * env.columns


@given(late_positions(connect_games(largest=6, longest_line=5), most_free_cells=11))
@settings(deadline=None)
def test_no_score_is_above_the_bound(position: tuple[ConnectX, BoardState]) -> None:
    env, state = position
    actions = env.get_available_actions(state)
    assume(env.inarow > 1 and not any(env.get_next_state(state, a).won for a in actions))
    score = score_by_brute_force(env, BruteForce(env), state)
    assert score <= follow_up_by_pairs(env, state)
