"""The positions that games begin in, so that players without randomness play more than one game."""

from collections.abc import Mapping
from random import Random

from envs.board import BoardState
from envs.connectx import ConnectX
from submission.evaluating.game_record import GameConfiguration

Opening = tuple[int, ...]
"""The columns, from 0, that lead from the empty board to a position."""

MOST_OPENINGS = 50_000
"""More than any match plays; on Kaggle's board those after six plies are the last to be fewer."""


def openings(configuration: GameConfiguration, plies: int) -> list[Opening]:
    """Every position in which the game goes on after so many plies, as one way to get there.

    Different orders of the same moves lead to one position, and count once. Mirror images are two:
    nothing makes an agent play them alike, and leaving one out would favour one side of the board.

    Returns:
        The openings in ascending order, the same in every process; after two plies on Kaggle's
        board there are 49.

    Raises:
        ValueError: negative plies, so many that all games are over by then, or so many that there
            are more than `MOST_OPENINGS` positions.
    """
    if plies < 0:
        raise ValueError(f"an opening has at least 0 plies, not {plies}")
    env = ConnectX(configuration.rows, configuration.columns, configuration.inarow)
    found = {env.initial_state(): Opening()}
    for ply in range(1, plies + 1):
        found = _one_ply_later(env, found)
        if not found:
            raise ValueError(
                f"every game on this board is over after {ply} plies at the latest: "
                f"begin with openings of at most {ply - 1} plies, not {plies}"
            )
        if len(found) > MOST_OPENINGS:
            raise ValueError(
                f"there are more than {MOST_OPENINGS} positions after {ply} plies on this board: "
                f"begin with openings of at most {ply - 1} plies, not {plies}"
            )
    return list(found.values())


def shuffled_openings(configuration: GameConfiguration, plies: int, seed: int) -> list[Opening]:
    """All openings, in the order in which each pairing takes them.

    The order is random, so that a match which ends early has not seen one side of the board only.

    Raises:
        ValueError: as `openings`.
    """
    order = openings(configuration, plies)
    Random(seed).shuffle(order)
    return order


def _one_ply_later(env: ConnectX, found: Mapping[BoardState, Opening]) -> dict[BoardState, Opening]:
    """The positions after one more ply, each with the first way to it in ascending order.

    It gives up as soon as there are more than `MOST_OPENINGS`.
    """
    later: dict[BoardState, Opening] = {}
    for state, opening in found.items():
        for column in env.get_available_actions(state):
            child = env.get_next_state(state, column)
            if env.get_available_actions(child):
                later.setdefault(child, (*opening, column))
        if len(later) > MOST_OPENINGS:
            break
    return later
