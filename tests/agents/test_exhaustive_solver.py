"""The exhaustive solver against full minimax by value and length, and against the solver."""

import pytest

from agents.solver.plain_solver import ExhaustiveSolver
from agents.solver.solver import Solver
from envs import ConnectX, TicTacToe, state_from_moves
from tests.helpers.brute_force import BruteForce
from tests.helpers.strategies import unfinished_states


def test_every_position_of_tic_tac_toe() -> None:
    env = TicTacToe()
    solver, truth = ExhaustiveSolver(env), BruteForce(env)
    states = unfinished_states(env)
    assert len(states) == 4520, "5478 positions, 958 of them at the end of a game"
    for state in states:
        value = round(truth.value(state)) * (1 if state.player == 1 else -1)
        stones_at_end = state.mask.bit_count() + truth.plies(state)
        assert solver.score(state) == value * ((11 - stones_at_end) // 2)
        assert solver.outcome(state) == value
        assert max(solver.scores(state).values()) == solver.score(state)


def test_it_agrees_with_the_solver_where_stones_fall() -> None:
    env = ConnectX(3, 4, 3)
    exhaustive, solver = ExhaustiveSolver(env), Solver(env)
    for moves in ("", "1", "23", "2233", "12341"):
        state = state_from_moves(env, moves)
        assert exhaustive.score(state) == solver.score(state)
        assert exhaustive.scores(state) == {a: b.lower for a, b in solver.scores(state).items()}


def test_a_finished_game_has_no_score() -> None:
    env = TicTacToe()
    with pytest.raises(ValueError, match="the game is over"):
        ExhaustiveSolver(env).score(state_from_moves(env, "14253"))
