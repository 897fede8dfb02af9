"""The boards of a vector environment: compiled where they fit a word, plain Python elsewhere."""

from collections.abc import Callable
from functools import lru_cache
from typing import Protocol

import numpy as np

from envs.bitboard import cell_bit, fits_in_wide_word, has_line, word_of_board
from envs.board import BoardGame, BoardState
from envs.compiled.jit import compiles, fastest, jit, words_of, zeros
from envs.learning.observations import FlatBoard, Planes, action_mask
from envs.learning.vector.vector_kernels import (
    Bytes,
    Flags,
    Rewards,
    Words,
    chosen_cell,
    drawn_seat,
    played,
    write_action_mask,
    write_flat_board,
    write_planes,
)


class Boards(Protocol):
    """Many positions of one game; arrays have a row for each of them.

    `which` and `turn` say for each position whether it is meant.
    """

    def __len__(self) -> int:
        """Count the positions."""

    def state(self, index: int) -> BoardState:
        """Return a position as the rules know it."""

    def start(self, which: Flags, state: BoardState) -> None:
        """Set these positions to `state`."""

    def play(self, actions: Words, turn: Flags, sign: float, over: Flags, rewards: Rewards) -> None:
        """Play one ply in each game in `turn`.

        Where it ends the game, `over` is set; the reward is set to `sign` if it wins and to
        `-sign` if it was illegal, which leaves the board as it was.
        """

    def write_planes(self, which: Flags, viewers: Bytes, planes: Bytes) -> None:
        """Write the observations `Planes` as each viewer (1 or 2; 0: who is to move) has them."""

    def write_flat_boards(self, which: Flags, viewers: Bytes, boards: Bytes) -> None:
        """Write the observations `FlatBoard`, which all viewers share."""

    def write_action_masks(self, over: Flags, masks: Bytes) -> None:
        """Write 1 for each legal action, 0 for the others and where the game is over."""


class CompiledBoards:
    """Positions as two words each, on boards that `fits_in_wide_word`.

    Its arrays and its `board` (all cells) are those that `envs.learning.vector.vector_kernels`
    speaks of.
    """

    def __init__(self, game: BoardGame, count: int) -> None:
        cells = game.action_cells
        self._game = game
        self._word = word = word_of_board(game.rows, game.columns, game.inarow)
        self.board = word(sum(cells))
        self._play = make_play(game.rows, game.inarow, self.board)
        self.mover = zeros(count, word=word)
        self.mask = zeros(count, word=word)
        self.cells = words_of(cells, word)
        self.lowest = words_of([column & -column for column in cells], word)
        self.highest = words_of([1 << (column.bit_length() - 1) for column in cells], word)
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

    def state(self, index: int) -> BoardState:
        """Return a position as the rules know it."""
        mover, mask = int(self.mover[index]), int(self.mask[index])
        won = has_line(mask ^ mover, self._game.line_steps)
        return BoardState.of_stones(mover, mask, won)

    def start(self, which: Flags, state: BoardState) -> None:
        """Set these positions to `state`."""
        mover, mask = self._word(state.mover), self._word(state.mask)
        fastest(start_games)(which, mover, mask, self.mover, self.mask)

    def play(self, actions: Words, turn: Flags, sign: float, over: Flags, rewards: Rewards) -> None:
        """Play one ply in each game in `turn`."""
        self._play(
            actions, turn, sign, self.mover, self.mask, over, rewards, self.lowest, self.cells
        )

    def write_planes(self, which: Flags, viewers: Bytes, planes: Bytes) -> None:
        """Write the observations `Planes`."""
        by_cell = planes.reshape(len(planes), 2, len(self.shifts))
        fastest(write_all_planes)(which, viewers, self.mover, self.mask, self.shifts, by_cell)

    def write_flat_boards(self, which: Flags, viewers: Bytes, boards: Bytes) -> None:
        """Write the observations `FlatBoard`."""
        by_cell = boards.reshape(len(boards), 1, len(self.shifts))
        fastest(write_all_flat_boards)(which, self.mover, self.mask, self.shifts, by_cell)

    def write_action_masks(self, over: Flags, masks: Bytes) -> None:
        """Write the legal actions."""
        fastest(write_all_action_masks)(self.mask, over, self.highest, masks)


class PlainBoards:
    """Positions as states of the rules: any board, one Python call for each ply."""

    def __init__(self, game: BoardGame, count: int) -> None:
        self._game = game
        self._actions = len(game.action_cells)
        self._planes = Planes(game)
        self._flat_board = FlatBoard(game)
        self._states = [game.initial_state()] * count

    def __len__(self) -> int:
        """Count the positions."""
        return len(self._states)

    def state(self, index: int) -> BoardState:
        """Return a position as the rules know it."""
        return self._states[index]

    def start(self, which: Flags, state: BoardState) -> None:
        """Set these positions to `state`."""
        for index in np.flatnonzero(which):
            self._states[index] = state

    def play(self, actions: Words, turn: Flags, sign: float, over: Flags, rewards: Rewards) -> None:
        """Play one ply in each game in `turn`."""
        for index in np.flatnonzero(turn):
            state, action = self._states[index], int(actions[index])
            if action not in self._game.get_available_actions(state):
                over[index] = True
                rewards[index] = -sign
                continue
            state = self._states[index] = self._game.get_next_state(state, action)
            over[index] = not self._game.get_available_actions(state)
            if state.won:
                rewards[index] = sign

    def write_planes(self, which: Flags, viewers: Bytes, planes: Bytes) -> None:
        """Write the observations `Planes`."""
        for index in np.flatnonzero(which):
            state = self._states[index]
            planes[index] = self._planes.observe(state, int(viewers[index]) or state.player)

    def write_flat_boards(self, which: Flags, viewers: Bytes, boards: Bytes) -> None:
        """Write the observations `FlatBoard`."""
        for index in np.flatnonzero(which):
            boards[index] = self._flat_board.observe(self._states[index], int(viewers[index]))

    def write_action_masks(self, over: Flags, masks: Bytes) -> None:
        """Write the legal actions."""
        for index, state in enumerate(self._states):
            legal = () if over[index] else self._game.get_available_actions(state)
            masks[index] = action_mask(legal, self._actions)


def make_boards(game: BoardGame, count: int) -> Boards:
    """Make so many empty boards of a game."""
    if compiles() and fits_in_wide_word(game.rows, game.columns, game.inarow):
        return CompiledBoards(game, count)
    return PlainBoards(game, count)


PlayKernel = Callable[[Words, Flags, float, Words, Words, Flags, Rewards, Words, Words], None]


@lru_cache
def make_play(rows: int, inarow: int, board: int) -> PlayKernel:
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

    return fastest(play)


@jit
def start_games(which: Flags, first_mover: int, first_mask: int, mover: Words, mask: Words) -> None:
    """Set these games to the position of two words."""
    for game in range(len(which)):
        if which[game]:
            mover[game] = first_mover
            mask[game] = first_mask


@jit
def draw_seats(which: Flags, streams: Words, seats: Bytes) -> None:
    """Draw who the learner is, player 1 or 2, in each of these games."""
    for game in range(len(which)):
        if which[game]:
            seats[game], streams[game] = drawn_seat(streams[game])


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
