"""Makes the sets of positions: from random games, with BitBully's scores."""

from collections.abc import Iterator
from random import Random

from agents.guidance.ordering import winning_action
from benchmarks.solver.positions import SIZE, PositionSet, ScoredPosition
from benchmarks.solver.solver_peer import BitBully
from envs.board import BoardState, state_from_moves
from envs.connectx import ConnectFour


def make_set(kind: PositionSet, seed: int, bitbully: BitBully) -> Iterator[ScoredPosition]:
    """Make the positions of a set; the same seed gives the same ones.

    The number of plies is drawn uniformly, then the position by random games. None equals another
    or its mirror image, and none can be won at once.
    """
    rng = Random(f"{seed} {kind.name}")
    seen: set[BoardState] = set()
    while len(seen) < SIZE:
        moves = quiet_moves(rng.choice(kind.plies), rng)
        identity = mirror_free_identity(moves)
        if identity in seen:
            continue
        position = ScoredPosition(moves, bitbully.score(moves))
        if kind.admits(position):
            seen.add(identity)
            yield position


def quiet_moves(plies: int, rng: Random) -> str:
    """A random game of this many plies, in which the next player cannot win at once."""
    env = ConnectFour()
    while True:
        moves = random_moves(plies, rng)
        state = state_from_moves(env, moves)
        if not winning_action(env, state, env.get_available_actions(state)):
            return moves


def random_moves(plies: int, rng: Random) -> str:
    """A random game of this many plies, at most 41, that is not over after them."""
    env = ConnectFour()
    while True:
        state, moves = env.initial_state(), ""
        while len(moves) < plies and (actions := env.get_available_actions(state)):
            action = rng.choice(actions)
            state = env.get_next_state(state, action)
            moves += str(action + 1)
        if len(moves) == plies and env.get_available_actions(state):
            return moves


def mirror_free_identity(moves: str) -> BoardState:
    """A key that a position shares only with its mirror image."""
    env = ConnectFour()
    mirrored = "".join(str(env.columns + 1 - int(column)) for column in moves)
    return min(state_from_moves(env, moves), state_from_moves(env, mirrored))
