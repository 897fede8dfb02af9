"""The heuristics that tutorials give for tic-tac-toe: values of unfinished states, player 1's view.

Each is antisymmetric: with the colours exchanged the value changes its sign.
"""

from collections.abc import Sequence

from envs.board import BoardGame, BoardState

GRADES = 24
"""The sum of all squares' grades."""


def open_twos(env: BoardGame, state: BoardState) -> float:
    """Count the lines in which a player has two stones and the third square is free.

    The difference of the two players' counts, divided by one more than the number of lines.

    Raises:
        ValueError: another game than tic-tac-toe.
    """
    _require_tic_tac_toe("open_twos", env)
    player_1, player_2 = env.stones(state)
    lines = env.lines
    difference = _twos(lines, player_1, player_2) - _twos(lines, player_2, player_1)
    return difference / (len(lines) + 1)


def graded_squares(env: BoardGame, state: BoardState) -> float:
    """Add up the grades of a player's squares: the centre 4, a corner 3, an edge 2.

    A square's grade is the number of lines through it. The difference of the two players' sums,
    divided by one more than the sum of all grades.

    Raises:
        ValueError: another game than tic-tac-toe.
    """
    _require_tic_tac_toe("squares", env)
    player_1, player_2 = env.stones(state)
    grades = 0
    for line in env.lines:
        grades += (line & player_1).bit_count() - (line & player_2).bit_count()
    return grades / (GRADES + 1)


def _twos(lines: Sequence[int], own: int, other: int) -> int:
    return sum((line & own).bit_count() == 2 and not line & other for line in lines)


def _require_tic_tac_toe(heuristic: str, env: object) -> None:
    if not isinstance(env, BoardGame) or (env.rows, env.columns, env.inarow) != (3, 3, 3):
        raise ValueError(
            f"the heuristic {heuristic} is for tic-tac-toe, not for {env!r}: choose auto"
        )
