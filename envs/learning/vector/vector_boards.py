"""The boards of a vector environment: arrays of words, on which kernels play and observe.

The kernels are compiled if a board fits a word. On larger boards, and without Numba, they run in
plain Python, on its own integers.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, TypeVar

import numpy as np

from envs.bitboard import fits_in_wide_word, has_line, word_of_board
from envs.board import BoardGame, BoardState
from envs.compiled.jit import Flags, Words, compiles, fastest, jit, words_of
from envs.learning.observations import OBSERVERS
from envs.learning.vector.vector_kernels import (
    Bytes,
    Rewards,
    chosen_cell,
    played,
    write_action_mask,
    write_observation,
)
from envs.protocol import illegal_action

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


class Boards:
    """Many positions of one game.

    Its arrays have a row for each position; `envs.learning.vector.vector_kernels` explains them.
    `board` is the mask of all cells; the flags `which` and `turn` select positions.
    """

    def __init__(self, game: BoardGame, count: int) -> None:
        self.is_compiled = compiles() and fits_in_wide_word(*game.size)
        words: Callable[[list[int]], Words] = partial(np.array, dtype=object)
        if self.is_compiled:
            words = partial(words_of, word=word_of_board(*game.size))
        cells = list(game.action_cells)
        self.game = game
        self._observers = {name: make(game) for name, make in OBSERVERS.items()}
        self.board = word_of_board(*game.size)(sum(cells)) if self.is_compiled else sum(cells)
        self.mover, self.mask = words([0] * count), words([0] * count)
        self.cells = words(cells)
        self.lowest = words([column & -column for column in cells])
        self.highest = words([1 << (column.bit_length() - 1) for column in cells])
        self.shifts = np.array([cell.bit_length() - 1 for cell in game.cell_masks], np.int64)

    def __len__(self) -> int:
        return len(self.mask)

    def kernel(self, kernel: Kernel) -> Kernel:
        """Return a kernel, compiled if these boards are."""
        return fastest(kernel) if self.is_compiled else kernel

    def state(self, index: int) -> BoardState:
        """Return a position as a state of the rules."""
        mover, mask = int(self.mover[index]), int(self.mask[index])
        won = has_line(mask ^ mover, self.game.line_steps)
        return BoardState.of_stones(mover, mask, won)

    def start(self, which: Flags, state: BoardState) -> None:
        """Set these positions to `state`."""
        self.mover[which], self.mask[which] = state.mover, state.mask

    def play(self, actions: Words, turn: Flags, sign: float, over: Flags, rewards: Rewards) -> None:
        """Play one ply in each game in `turn`.

        If the ply ends the game, `over` is set. The reward is set to `sign` if the ply wins, and to
        `-sign` if it is illegal, which leaves the board as it was.
        """
        play = self.kernel(make_play(self.game.rows, self.game.inarow, self.board))
        play(actions, turn, sign, self.mover, self.mask, over, rewards, self.lowest, self.cells)

    def observe(self, which: Flags, viewers: Bytes, name: str, observations: Bytes) -> None:
        """Write the observations of the positions in `which`; `name` is one of `OBSERVERS`.

        Each position has a viewer: player 1 or 2, or 0 for the player to move.
        """
        if self.is_compiled:
            by_cell = observations.reshape(len(self), -1, len(self.shifts))
            write = self.kernel(write_observations)
            write(which, viewers, name == "flat", self.mover, self.mask, self.shifts, by_cell)
            return
        for index in np.flatnonzero(which).tolist():  # faster than the kernel in plain Python
            state = self.state(index)
            viewer = int(viewers[index]) or state.player
            observations[index] = self._observers[name].observe(state, viewer)

    def write_action_masks(self, over: Flags, masks: Bytes) -> None:
        """Write 1 for each legal action, 0 for the others and where the game is over."""
        self.kernel(write_action_masks)(self.mask, over, self.highest, masks)

    def require_legal(
        self, actions: Words, turn: Flags, masks: Bytes, opponent: object = None
    ) -> None:
        """Raise ValueError if an action in `turn` is illegal by the masks.

        If an opponent is given, the message names it as the one who chose.
        """
        known = actions.clip(0, len(self.cells) - 1)
        illegal = turn & ((known != actions) | (masks[np.arange(len(self)), known] == 0))
        if illegal.any():
            index = int(illegal.argmax())
            action, legal = int(actions[index]), np.flatnonzero(masks[index]).tolist()
            place = f"sub-environment {index}: "
            raise illegal_action(action, self.state(index), legal, opponent, place)


@lru_cache
def make_play(rows: int, inarow: int, board: int) -> Callable[..., None]:
    """Make the kernel of `Boards.play`."""

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
def write_observations(
    which: Flags,
    viewers: Bytes,
    flat: bool,
    mover: Words,
    mask: Words,
    shifts: Words,
    observations: Bytes,
) -> None:
    """Write the observations of these games."""
    for game in range(len(which)):
        if which[game]:
            write_observation(
                observations, game, flat, viewers[game], mover[game], mask[game], shifts
            )


@jit
def write_action_masks(mask: Words, over: Flags, highest: Words, masks: Bytes) -> None:
    """Write the legal actions of all games."""
    for game in range(len(over)):
        write_action_mask(masks, game, over[game], mask[game], highest)
