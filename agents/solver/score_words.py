"""Scores in words: who wins, how far away the end is, and which move leads there.

Scores are from the view of the player to move, on the scale of P. Pons' solver tutorial: k where
the player wins with the k-th last of their stones, -k where the opponent wins with the k-th last
of theirs, 0 for a draw. So a win is worth more the sooner it comes, a loss the later.
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
    """Plies until the game ends if both play their best, the last one counted."""
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
    """Say what a column, counted from 0, leads to: "column 3 loses in 4 moves"."""
    meaning = in_words(env, state, bounds)
    return f"column {column + 1} {'leads to a draw' if meaning == DRAW else meaning}"


def position_in_words(moves: str) -> str:
    """Say which position a move string leads to, as in "after 4453"."""
    return f"after {moves}" if moves else "on the empty board"


def plies_to_end(cells: int, plies: int, bounds: ScoreBounds) -> int | None:
    """As `plies_left`; the most plies if the bounds differ, None without a result."""
    if bounds.outcome is None:
        return None
    return plies_left(cells, plies, bounds.lower if bounds.outcome > 0 else bounds.upper)


def result_in_words(bounds: ScoreBounds, plies: int | None) -> str:
    """Put a result into words, for the player to move.

    Args:
        bounds: of the score.
        plies: until the game ends, at most. The words count the winner's own moves, with the
            winning one: "wins in 5 moves" is a win with the ninth ply.
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
    """A score, or its bounds while it is not known."""
    return str(bounds.lower) if bounds.exact else f"{bounds.lower}..{bounds.upper}"
