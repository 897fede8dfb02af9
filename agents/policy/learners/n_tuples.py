"""N-tuples of cells: which cells of a board are looked at together.

As in M. Thill, P. Koch and W. Konen, "Reinforcement Learning with N-Tuples on the Game Connect-4"
(2012): random walks from cell to neighbouring cell, diagonals too.
"""

from random import Random

import numpy as np
from numpy.typing import NDArray

from envs.board import BoardGame

ATTEMPTS = 20
"""Walks for each n-tuple that is wanted: a small board may have fewer."""


def random_tuples(env: BoardGame, count: int, length: int, seed: int) -> NDArray[np.int64]:
    """Draw n-tuples of cells.

    Args:
        env: the board.
        count: how many n-tuples, at most: none is drawn twice.
        length: cells of each, at most those of the board.
        seed: the same seed draws the same ones.

    Returns:
        Shape (n-tuples, cells): the bits of the cells (`envs.bitboard`), ascending.
    """
    rng = Random(seed)
    length = min(length, env.rows * env.columns)
    drawn: set[tuple[int, ...]] = set()
    for _ in range(ATTEMPTS * count):
        if len(drawn) < count:
            drawn.add(random_walk(env, length, rng))
    return np.array(sorted(drawn), np.int64).reshape(len(drawn), length)


def random_walk(env: BoardGame, length: int, rng: Random) -> tuple[int, ...]:
    """The bits of the first cells, so many different ones, that a random walk meets, ascending."""
    row, column = rng.randrange(env.rows), rng.randrange(env.columns)
    met = {(row, column)}
    while len(met) < length:
        row = min(max(row + rng.randint(-1, 1), 0), env.rows - 1)
        column = min(max(column + rng.randint(-1, 1), 0), env.columns - 1)
        met.add((row, column))
    return tuple(sorted(column * (env.rows + 1) + row for row, column in met))
