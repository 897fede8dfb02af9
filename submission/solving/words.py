"""Scores in words."""

from agents.exact.solver import ScoreBounds
from submission.solving.distance import moves_left
from submission.solving.position import Position

SCALE = (
    "A score of 3: the player to move wins with their third-last stone; -3: the opponent wins with "
    "theirs; 0: a draw. So a quick win scores more than a late one, and a late loss more than a "
    "quick one. Moves are counted for the winner, the winning one too."
)


def in_words(position: Position, bounds: ScoreBounds) -> str:
    """What a score means for the player to move, as in "wins in 5 moves".

    The moves are the winner's own, the winning one counted.
    """
    if bounds.lower > 0:
        return f"wins in {_moves(position, bounds.lower, bounds.exact)}"
    if bounds.upper < 0:
        return f"loses in {_moves(position, bounds.upper, bounds.exact)}"
    if bounds.exact:
        return "draw"
    if bounds.lower == 0:
        return "draws at least"
    if bounds.upper == 0:
        return "draws at most"
    return "not decided in this time"


def _moves(position: Position, score: int, exact: bool) -> str:
    cells = position.env.rows * position.env.columns
    moves = moves_left(cells, position.state.mask.bit_count(), score)
    count = "1 move" if moves == 1 else f"{moves} moves"
    return count if exact else f"at most {count}"


def score_text(bounds: ScoreBounds) -> str:
    """A score, or the bounds of one that is not known."""
    return str(bounds.lower) if bounds.exact else f"{bounds.lower}..{bounds.upper}"
