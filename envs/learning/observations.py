"""What a learner sees of a position: arrays of the board, and which actions are legal."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np
from gymnasium.spaces import Box, Space
from numpy.typing import NDArray

from envs.bitboard import cell_bit
from envs.board import BoardGame, BoardState

PARITY = bytes(number & 1 for number in range(256))
"""Translates the digits `0` and `1` of a text into the numbers 0 and 1."""


class Observer(Protocol):
    """Turns positions of one game into arrays."""

    space: Space[NDArray[np.int8]]
    """What the arrays are like."""

    def observe(self, state: BoardState, viewer: int) -> NDArray[np.int8]:
        """A new array of a position as player `viewer` (1 or 2) sees it."""


class Planes:
    """Two planes of 0 and 1, int8 of shape (2, rows, columns), row 0 on top.

    Plane 0 has the viewer's stones, plane 1 the other player's.
    """

    def __init__(self, game: BoardGame) -> None:
        shape = (2, game.rows, game.columns)
        self.space: Space[NDArray[np.int8]] = Box(0, 1, shape, np.int8)
        self._board_bits = game.columns * (game.rows + 1)
        # The viewer's board is above the other's, written as a number of as many binary digits.
        self._digits = f"0{2 * self._board_bits}b"
        lower = [
            2 * self._board_bits - cell_bit(game.rows, row, column).bit_length()
            for row in range(game.rows)
            for column in range(game.columns)
        ]
        upper = [digit - self._board_bits for digit in lower]
        self._places = np.array([upper, lower]).reshape(shape)

    def observe(self, state: BoardState, viewer: int) -> NDArray[np.int8]:
        """A new array of a position as player `viewer` (1 or 2) sees it."""
        mover, mask, player, _ = state
        own = mover if player == viewer else mask ^ mover
        digits = format(own << self._board_bits | mask ^ own, self._digits)
        stones = np.frombuffer(digits.encode().translate(PARITY), np.int8)
        planes: NDArray[np.int8] = stones[self._places]
        return planes


class FlatBoard:
    """Kaggle's board, int8 of shape (rows * columns,): row by row from the top.

    0 is an empty cell, 1 and 2 are the stones of player 1 and of player 2, whoever views them.
    Whose turn it is follows from the number of stones.
    """

    def __init__(self, game: BoardGame) -> None:
        cells = game.rows * game.columns
        self.space: Space[NDArray[np.int8]] = Box(0, 2, (cells,), np.int8)
        self._planes = Planes(game)

    def observe(self, state: BoardState, viewer: int) -> NDArray[np.int8]:
        """A new array of a position; it is the same for both players."""
        player_1, player_2 = self._planes.observe(state, viewer=1)
        board: NDArray[np.int8] = player_1 + 2 * player_2
        return board.ravel()


OBSERVERS: Mapping[str, type[Planes] | type[FlatBoard]] = {"planes": Planes, "flat": FlatBoard}


def make_observer(observation: str, game: BoardGame) -> Observer:
    """The observer of this name.

    Raises:
        ValueError: there is none; the message lists the known ones.
    """
    if observation not in OBSERVERS:
        raise ValueError(
            f"unknown observation {observation!r}: choose one of {', '.join(OBSERVERS)}"
        )
    return OBSERVERS[observation](game)


def action_count(game: BoardGame) -> int:
    """How many actions the game numbers: those of the empty board."""
    return len(game.get_available_actions(game.initial_state()))


def action_mask(legal: Sequence[int], actions: int) -> NDArray[np.int8]:
    """A new array of shape (actions,): 1 for each legal action, 0 for the others.

    Args:
        legal: the legal actions; none once the game is over.
        actions: how many actions the game numbers.
    """
    return _known_mask(tuple(legal), actions).copy()


@lru_cache(maxsize=4096)
def _known_mask(legal: tuple[int, ...], actions: int) -> NDArray[np.int8]:
    mask = np.zeros(actions, np.int8)
    mask[list(legal)] = 1
    return mask
