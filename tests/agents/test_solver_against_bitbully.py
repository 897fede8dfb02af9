"""The solver against BitBully on random positions of at least 14 plies."""

from random import Random

import pytest

from agents.solver.solver import Solver
from envs import ConnectFour, state_from_moves
from tests.helpers.strategies import quiet_game


@pytest.mark.parametrize("positions", [500, pytest.param(100_000, marks=pytest.mark.slow)])
def test_random_positions(positions: int) -> None:
    """With all 100 000 it takes some quarter of an hour."""
    core = pytest.importorskip("bitbully.bitbully_core")
    env, rng = ConnectFour(), Random(positions)
    judge, solver = core.BitBullyCore(), Solver(env)
    for _ in range(positions):
        moves = quiet_game(env, rng.randint(14, 41), rng)
        board = core.BoardCore()
        assert all(board.play(int(column) - 1) for column in moves)
        score = solver.score(state_from_moves(env, moves))
        assert judge.mtdf(board, 0) == score, moves
