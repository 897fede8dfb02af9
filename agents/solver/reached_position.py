"""Positions with the moves that lead to them, from move strings and files of move strings."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from agents.reporting.input_file import one_line
from envs.board import BoardState, state_from_moves
from envs.connectx import ConnectX

BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"


class ReachedPosition(NamedTuple):
    """An unfinished position, with the moves that lead to it."""

    env: ConnectX
    moves: str
    """A move string for `state_from_moves`, without blanks."""
    state: BoardState


def read_position(env: ConnectX, moves: str) -> ReachedPosition:
    """The position after a move string; a ValueError if it is invalid or ends the game."""
    state = state_from_moves(env, moves)
    if not env.get_available_actions(state):
        winner = env.winner(state)
        ending = "in a draw" if winner is None else f"and won by player {winner}"
        raise ValueError(f"after {moves!r} the game is over, {ending}: give fewer moves to solve")
    return ReachedPosition(env, re.sub(r"[\s,]+", ",", moves.strip()), state)


def read_positions(env: ConnectX, lines: Iterable[str]) -> Iterator[ReachedPosition]:
    """The positions of lines with one move string each, in a lazy iterator.

    Blank lines are skipped, and a byte order mark, which some editors put at the start of a file.
    A ValueError of `read_position` names the line.
    """
    for number, line in enumerate(lines, start=1):
        if moves := line.removeprefix(BYTE_ORDER_MARK if number == 1 else "").strip():
            try:
                yield read_position(env, moves)
            except ValueError as error:
                raise ValueError(f"line {number}: {one_line(error)}") from None
