"""The loops of the compiled boards of a vector environment: one rule, all games."""

from collections.abc import Callable
from functools import lru_cache

from envs.jit import fastest, jit
from envs.learning.vector_kernel import (
    Bytes,
    Flags,
    Rewards,
    Words,
    chosen_cell,
    drawn_cell,
    drawn_seat,
    obstacles,
    played,
    seen,
    stones_of_second,
)

PlayKernel = Callable[[Words, Flags, float, Words, Words, Flags, Rewards, Words, Words], None]


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
def draw_actions(
    turn: Flags, streams: Words, mask: Words, lowest: Words, cells: Words, actions: Words
) -> None:
    """Draw a legal action for each game whose turn it is."""
    for game in range(len(turn)):
        if turn[game]:
            actions[game], _, streams[game] = drawn_cell(streams[game], mask[game], lowest, cells)


@jit
def write_all_planes(
    which: Flags, viewers: Bytes, mover: Words, mask: Words, shifts: Words, planes: Bytes
) -> None:
    """Write the two planes of these games, of shape (games, 2, cells), as each viewer sees them."""
    for game in range(len(which)):
        if which[game]:
            own, other = seen(viewers[game], mover[game], mask[game])
            for cell in range(len(shifts)):
                planes[game, 0, cell] = (own >> shifts[cell]) & 1
            for cell in range(len(shifts)):
                planes[game, 1, cell] = (other >> shifts[cell]) & 1


@jit
def write_all_flat_boards(
    which: Flags, mover: Words, mask: Words, shifts: Words, boards: Bytes
) -> None:
    """Write Kaggle's boards of these games: 1 and 2 are the players' stones."""
    for game in range(len(which)):
        if which[game]:
            stones, second = mask[game], stones_of_second(mover[game], mask[game])
            for cell in range(len(shifts)):
                boards[game, cell] = ((stones >> shifts[cell]) & 1) + (second >> shifts[cell] & 1)


@jit
def write_all_action_masks(mask: Words, over: Flags, highest: Words, masks: Bytes) -> None:
    """Write 1 for each legal action of all games, 0 for the others."""
    for game in range(len(over)):
        stones = obstacles(over[game], mask[game])
        for action in range(len(highest)):
            masks[game, action] = (stones & highest[action]) == 0
