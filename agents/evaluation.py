"""Heuristics: guesses of what an unfinished state is worth, from player 1's view, inside (-1, 1).

A heuristic is a plain function `(env, state) -> float`. Its values stay strictly between -1 and 1,
so that no guess ever outranks a proven win or loss.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from agents.threats import odd_even_threats
from agents.tic_tac_toe_heuristics import graded_squares, open_twos
from envs.board import BoardGame, BoardState

Heuristic = Callable[[Any, Any], float]


def zero(env: object, state: object) -> float:
    """Know nothing: every unfinished state is worth 0."""
    return 0.0


def open_lines(env: BoardGame, state: BoardState) -> float:
    """Count the lines that are still open to one player alone, longer beginnings for more.

    A line with one stone too few to win counts 1, each further missing stone divides by 4; the
    difference d of the two players' sums becomes d / (4 + |d|).
    """
    player_1, player_2 = env.stones(state)
    weights = _line_weights(env.inarow)
    difference = 0.0
    for line in env.lines:
        own = line & player_1
        other = line & player_2
        if own:
            if not other:
                difference += weights[own.bit_count()]
        elif other:
            difference -= weights[other.bit_count()]
    return difference / (4.0 + abs(difference))


@cache
def _line_weights(inarow: int) -> tuple[float, ...]:
    return tuple(4.0 ** (stones + 1 - inarow) for stones in range(inarow + 1))


def automatic(env: object, state: Any) -> float:
    """`open_lines` for line games on a board, `zero` for every other game."""
    return open_lines(env, state) if isinstance(env, BoardGame) else 0.0


HEURISTICS: Mapping[str, Heuristic] = {
    "auto": automatic,
    "open_lines": open_lines,
    "zero": zero,
    "open_twos": open_twos,
    "squares": graded_squares,
    "threats": odd_even_threats,
}
"""Of these `open_twos` and `squares` are for tic-tac-toe alone, `threats` for ConnectX alone."""
