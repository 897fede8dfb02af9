"""The compiled part of a vector environment: many games, each two words of 64 bits.

`mover` and `mask` hold the fields of a `BoardState` for each game, on boards that
`envs.board_kernels.fits_in_word`. A game is told to the kernels by the cells that each action
fills, from `lowest` up: the columns of ConnectX; in tic-tac-toe each cell is a column of its own.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from envs.board_kernels import has_run
from envs.jit import inlined, jit
from envs.random_kernels import drawn, following

Words = NDArray[np.int64]
Flags = NDArray[np.bool_]
Bytes = NDArray[np.int8]
Rewards = NDArray[np.float64]

PlayKernel = Callable[[Words, Flags, float, Words, Words, Flags, Rewards, Words, Words], None]
RandomGamesKernel = Callable[[int, int, Words, Words], tuple[int, int, int, int]]


@inlined
def landing_cell(mask: int, lowest: int, cells: int) -> int:
    """The cell that a stone takes, or 0: the sum carries through the stones to the free one."""
    return (mask + lowest) & cells


@lru_cache
def make_play(rows: int, inarow: int, board: int) -> PlayKernel:
    """The kernel that plays one ply in each game whose turn it is."""

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
            if not turn[game]:
                continue
            action = actions[game]
            cell = 0
            if 0 <= action < len(cells):
                cell = landing_cell(mask[game], lowest[action], cells[action])
            if cell == 0:  # illegal: the board stays as it is
                over[game] = True
                rewards[game] = -sign
                continue
            own = mover[game] | cell
            mover[game] ^= mask[game]
            mask[game] |= cell
            if has_run(own, rows, inarow):
                over[game] = True
                rewards[game] = sign
            elif mask[game] == board:
                over[game] = True

    return play


@lru_cache
def make_random_games(rows: int, inarow: int, board: int) -> RandomGamesKernel:
    """The kernel that plays whole games; it counts wins of either player, draws and plies."""

    @jit
    def random_games(
        games: int, stream: int, lowest: Words, cells: Words
    ) -> tuple[int, int, int, int]:
        wins_first, wins_second, plies = 0, 0, 0
        for _ in range(games):
            mover, mask = 0, 0
            while mask != board:
                cell = 0
                while cell == 0:
                    stream = following(stream)
                    action = drawn(stream, len(cells))
                    cell = landing_cell(mask, lowest[action], cells[action])
                own = mover | cell
                mover ^= mask
                mask |= cell
                if has_run(own, rows, inarow):
                    by_first = mask.bit_count() & 1
                    wins_first += by_first
                    wins_second += 1 - by_first
                    break
            plies += mask.bit_count()
        return wins_first, wins_second, games - wins_first - wins_second, plies

    return random_games


@jit
def start(which: Flags, first_mover: int, first_mask: int, mover: Words, mask: Words) -> None:
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
            streams[game] = following(streams[game])
            seats[game] = 1 + drawn(streams[game], 2)


@jit
def draw_actions(
    turn: Flags, streams: Words, mask: Words, lowest: Words, cells: Words, actions: Words
) -> None:
    """Draw a legal action for each game whose turn it is, as `random_stream.random_action` does."""
    for game in range(len(turn)):
        if not turn[game]:
            continue
        stream = streams[game]
        cell = 0
        while cell == 0:
            stream = following(stream)
            action = drawn(stream, len(cells))
            cell = landing_cell(mask[game], lowest[action], cells[action])
            actions[game] = action
        streams[game] = stream


@jit
def write_planes(
    which: Flags, viewers: Bytes, mover: Words, mask: Words, shifts: Words, planes: Bytes
) -> None:
    """Write the two planes of these games, one after the other: the viewer's, the other's.

    Args:
        which: the games to write.
        viewers: 1 or 2 for each game, the player who sees it; 0 is whoever is to move.
        mover: the stones of the player to move.
        mask: the stones of both players.
        shifts: for each cell of a plane, its place in a word.
        planes: of shape (games, 2, cells).
    """
    for game in range(len(which)):
        if which[game]:
            to_move = 1 + (mask[game].bit_count() & 1)
            is_mover = viewers[game] == 0 or viewers[game] == to_move
            other = mask[game] ^ mover[game]
            own, other = (mover[game], other) if is_mover else (other, mover[game])
            for cell in range(len(shifts)):
                planes[game, 0, cell] = (own >> shifts[cell]) & 1
            for cell in range(len(shifts)):
                planes[game, 1, cell] = (other >> shifts[cell]) & 1


@jit
def write_flat_boards(
    which: Flags, mover: Words, mask: Words, shifts: Words, boards: Bytes
) -> None:
    """Write Kaggle's boards of these games: 1 and 2 are the players' stones."""
    for game in range(len(which)):
        if which[game]:
            second = mask[game] ^ mover[game] if mask[game].bit_count() & 1 == 0 else mover[game]
            for cell in range(len(shifts)):
                boards[game, cell] = ((mask[game] >> shifts[cell]) & 1) + (
                    (second >> shifts[cell]) & 1
                )


@jit
def write_action_masks(mask: Words, over: Flags, highest: Words, masks: Bytes) -> None:
    """Write 1 for each legal action, those whose highest cell is free; none when a game is over."""
    for game in range(len(over)):
        stones = -1 if over[game] else mask[game]
        for action in range(len(highest)):
            masks[game, action] = (stones & highest[action]) == 0


@jit
def draw_of_masks(masks: Bytes, stream: int, actions: Words) -> int:
    """Draw an action of each mask, all that are not 0 equally likely; 0 where none is.

    Returns:
        The stream where it stopped.
    """
    numbers = masks.shape[1]
    for game in range(len(masks)):
        legal = 0
        for action in range(numbers):
            legal |= masks[game, action]
        actions[game] = 0
        if legal != 0:
            stream = following(stream)
            while masks[game, drawn(stream, numbers)] == 0:
                stream = following(stream)
            actions[game] = drawn(stream, numbers)
    return stream
