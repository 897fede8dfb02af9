"""The boards of a vector environment: as words, for kernels.

Kernels are compiled where a board fits a word, and run as they stand elsewhere, on Python's own
integers.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from envs.bitboard import cell_bit, fits_in_wide_word, has_line, word_of_board
from envs.board import BoardGame, BoardState
from envs.compiled.jit import Flags, Words, compiles, fastest, jit, words_of
from envs.learning.observations import FlatBoard, Planes
from envs.learning.vector.vector_kernels import (
    Bytes,
    Rewards,
    chosen_cell,
    played,
    write_action_mask,
    write_flat_board,
    write_planes,
)

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


class Boards:
    """Many positions of one game, on boards that `fits_in_wide_word`.

    `envs.learning.vector.vector_kernels` explains its arrays, which have a row for each position.
    `board` are all cells; `which` and `turn` choose positions.
    """

    is_compiled = True

    def __init__(self, game: BoardGame, count: int) -> None:
        cells = game.action_cells
        self.game = game
        self.board = self._word(sum(cells))
        self.mover, self.mask = self._words([0] * count), self._words([0] * count)
        self.cells = self._words(cells)
        self.lowest = self._words([column & -column for column in cells])
        self.highest = self._words([1 << (column.bit_length() - 1) for column in cells])
        self.shifts = np.array(
            [
                cell_bit(game.rows, row, column).bit_length() - 1
                for row in range(game.rows)
                for column in range(game.columns)
            ],
            np.int64,
        )

    def __len__(self) -> int:
        """Count the positions."""
        return len(self.mask)

    def kernel(self, kernel: Kernel) -> Kernel:
        """A kernel in the form that takes these arrays."""
        return fastest(kernel)

    def state(self, index: int) -> BoardState:
        """Return a position as the rules know it."""
        mover, mask = int(self.mover[index]), int(self.mask[index])
        won = has_line(mask ^ mover, self.game.line_steps)
        return BoardState.of_stones(mover, mask, won)

    def start(self, which: Flags, state: BoardState) -> None:
        """Set these positions to `state`."""
        self.mover[which], self.mask[which] = state.mover, state.mask

    def play(self, actions: Words, turn: Flags, sign: float, over: Flags, rewards: Rewards) -> None:
        """Play one ply in each game in `turn`.

        Where it ends the game, `over` is set; the reward is set to `sign` if it wins and to
        `-sign` if it was illegal, which leaves the board as it was.
        """
        play = self.kernel(make_play(self.game.rows, self.game.inarow, self.board))
        play(actions, turn, sign, self.mover, self.mask, over, rewards, self.lowest, self.cells)

    def write_planes(self, which: Flags, viewers: Bytes, planes: Bytes) -> None:
        """Write the observations `Planes` as each viewer (1 or 2; 0: who is to move) has them."""
        by_cell = planes.reshape(len(planes), 2, len(self.shifts))
        write = self.kernel(write_all_planes)
        write(which, viewers, self.mover, self.mask, self.shifts, by_cell)

    def write_flat_boards(self, which: Flags, viewers: Bytes, boards: Bytes) -> None:
        """Write the observations `FlatBoard`, which all viewers share."""
        by_cell = boards.reshape(len(boards), 1, len(self.shifts))
        self.kernel(write_all_flat_boards)(which, self.mover, self.mask, self.shifts, by_cell)

    def write_action_masks(self, over: Flags, masks: Bytes) -> None:
        """Write 1 for each legal action, 0 for the others and where the game is over."""
        self.kernel(write_all_action_masks)(self.mask, over, self.highest, masks)

    def _word(self, number: int) -> int:
        return word_of_board(*self.game.size)(number)

    def _words(self, numbers: Any) -> Words:
        word = word_of_board(*self.game.size)
        return words_of(numbers, word)


class PlainBoards(Boards):
    """The same on boards of any size, one Python call after the other."""

    is_compiled = False

    def __init__(self, game: BoardGame, count: int) -> None:
        super().__init__(game, count)
        self._planes, self._flat_board = Planes(game), FlatBoard(game)

    def kernel(self, kernel: Kernel) -> Kernel:
        """A kernel as it stands."""
        return kernel

    def write_planes(self, which: Flags, viewers: Bytes, planes: Bytes) -> None:
        """Write the observations `Planes`, faster than bit by bit."""
        for index in np.flatnonzero(which).tolist():
            state = self.state(index)
            planes[index] = self._planes.observe(state, int(viewers[index]) or state.player)

    def write_flat_boards(self, which: Flags, viewers: Bytes, boards: Bytes) -> None:
        """Write the observations `FlatBoard`, faster than bit by bit."""
        for index in np.flatnonzero(which).tolist():
            boards[index] = self._flat_board.observe(self.state(index), viewer=1)

    def _word(self, number: int) -> int:
        return number

    def _words(self, numbers: Any) -> Words:
        words: Any = np.empty(len(numbers), object)
        words[:] = numbers
        return words  # type: ignore[no-any-return]


def make_boards(game: BoardGame, count: int) -> Boards:
    """Make `count` empty boards of a game."""
    fits = fits_in_wide_word(*game.size)
    return Boards(game, count) if compiles() and fits else PlainBoards(game, count)


@lru_cache
def make_play(rows: int, inarow: int, board: int) -> Callable[..., None]:
    """Make the kernel that plays one ply in each game in `turn`."""

    @jit
    def play(
        actions: Words,
        turn: Flags,
        sign: float,
        mover: Words,
        mask: Words,
        over: Flags,
        rewards: Rewards,
        lowest: Words,
        cells: Words,
    ) -> None:
        for game in range(len(turn)):
            if turn[game]:
                cell = chosen_cell(actions[game], mask[game], lowest, cells)
                mover[game], mask[game], over[game], reward = played(
                    cell, mover[game], mask[game], rows, inarow, board
                )
                if reward != 0.0:
                    rewards[game] = sign * reward

    return play


@jit
def write_all_planes(
    which: Flags, viewers: Bytes, mover: Words, mask: Words, shifts: Words, planes: Bytes
) -> None:
    """Write the planes of these games, as each viewer sees them."""
    for game in range(len(which)):
        if which[game]:
            write_planes(planes, game, viewers[game], mover[game], mask[game], shifts)


@jit
def write_all_flat_boards(
    which: Flags, mover: Words, mask: Words, shifts: Words, boards: Bytes
) -> None:
    """Write Kaggle's boards of these games."""
    for game in range(len(which)):
        if which[game]:
            write_flat_board(boards, game, mover[game], mask[game], shifts)


@jit
def write_all_action_masks(mask: Words, over: Flags, highest: Words, masks: Bytes) -> None:
    """Write the legal actions of all games."""
    for game in range(len(over)):
        write_action_mask(masks, game, over[game], mask[game], highest)
