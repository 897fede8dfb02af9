"""The most free cells with which a board's positions can be solved quickly by the thousand.

The solver takes far longer for low and wide boards than for others with as many free cells, and
neither rows nor columns predict how much longer. So positions of some games are solved, the latest
first. The number of nodes decides, not the time, so the result is the same on every machine.
"""

from functools import lru_cache
from random import Random

from agents.guidance.ordering import sensible_actions
from agents.solver.solver import Solver
from envs.board import BoardState
from envs.connectx import ConnectX

TRIED_LEFT = 26  # a board whose positions with this many free cells are easy has no limit
TRIAL_GAMES = 8
TRIAL_NODES = 8_000_000
"""Nodes for all these positions: Connect Four takes a tenth of them, 3 rows of 10 columns more."""
TRIAL_MEGABYTES = 4


@lru_cache
def most_solved_left(env: ConnectX) -> int:
    """The most free cells with which to solve positions; all cells of an easy board."""
    cells, solver = env.rows * env.columns, Solver(env, TRIAL_MEGABYTES)
    for state in sorted(_ends_of_games(env), key=lambda state: -state.ply):
        if not solver.bounds(state, node_limit=TRIAL_NODES - solver.nodes).exact:
            return cells - state.ply - 1
    return cells


def _ends_of_games(env: ConnectX) -> list[BoardState]:
    """Positions of random games without plain blunders, with at most `TRIED_LEFT` free cells."""
    found, rng = [], Random(0)
    for _ in range(TRIAL_GAMES):
        state = env.initial_state()
        while legal := env.get_available_actions(state):
            if env.rows * env.columns - state.ply <= TRIED_LEFT:
                found.append(state)
            state = env.get_next_state(state, rng.choice(sensible_actions(env, state, legal)))
    return found
