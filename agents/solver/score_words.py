"""Scores in words: who wins, how far away the end is, and which move leads there.

Scores are from the view of the player to move, on the scale of P. Pons' solver tutorial: k if
the player wins with the k-th last of their stones, -k if the opponent wins with the k-th last
of theirs, 0 for a draw. So quick wins score more than late ones, and late losses more than quick
ones.
"""

from agents.solver.solver import ScoreBounds
from envs.board import BoardGame, BoardState

SCALE = (
    "A score of 3: the player to move wins with their third-last stone; -3: the opponent wins with "
    "theirs; 0: a draw. So a quick win scores more than a late one, and a late loss more than a "
    "quick one. Moves are counted for the winner, the winning one too."
)

DRAW = "draw"


def plies_left(cells: int, plies: int, score: int) -> int:
    """The number of plies until the game ends under best play, including the last one."""
    if score == 0:
        return cells - plies
    winner_began = (plies % 2 == 0) == (score > 0)
    stones = (cells + 1) // 2 if winner_began else cells // 2
    last_stone = stones + 1 - abs(score)  # the number of the winning stone, counted from 1
    return 2 * last_stone - winner_began - plies


def in_words(env: BoardGame, state: BoardState, bounds: ScoreBounds) -> str:
    """A score in words, for the player to move: "wins in 5 moves"."""
    plies = plies_to_end(env.rows * env.columns, state.ply, bounds)
    return result_in_words(bounds, plies)


def column_in_words(env: BoardGame, state: BoardState, column: int, bounds: ScoreBounds) -> str:
    """The result of a column, counted from 0, in words: "column 3 loses in 4 moves"."""
    meaning = in_words(env, state, bounds)
    return f"column {column + 1} {'leads to a draw' if meaning == DRAW else meaning}"


def position_in_words(moves: str) -> str:
    """The position that a move string leads to, in words: "after 4453"."""
    return f"after {moves}" if moves else "on the empty board"


def plies_to_end(cells: int, plies: int, bounds: ScoreBounds) -> int | None:
    """As `plies_left`, but the most plies if the bounds differ, and None if the result is open."""
    if bounds.outcome is None:
        return None
    return plies_left(cells, plies, bounds.lower if bounds.outcome > 0 else bounds.upper)


def result_in_words(bounds: ScoreBounds, plies: int | None) -> str:
    """Put a result into words, for the player to move, with the most plies until the game ends.

    The words count only the winner's moves, with the winning one: "wins in 5 moves" is a win with
    the ninth ply.
    """
    if plies is not None and bounds.outcome:
        moves = (plies + 1) // 2
        count = f"{'' if bounds.exact else 'at most '}{moves} move{'' if moves == 1 else 's'}"
        return f"{'wins' if bounds.outcome > 0 else 'loses'} in {count}"
    if bounds.exact:
        return DRAW
    if bounds.lower >= 0:
        return "draws at least"
    return "draws at most" if bounds.upper <= 0 else "not decided yet"


def score_text(bounds: ScoreBounds) -> str:
    """An exact score, or its bounds."""
    return str(bounds.lower) if bounds.exact else f"{bounds.lower}..{bounds.upper}"
