"""From a score to the end of the game.

Scores are from the view of the player to move, on the scale of P. Pons' solver tutorial: k where
the player wins with the k-th last of their stones, -k where the opponent wins with the k-th last
of theirs, 0 for a draw. So a win is worth more the sooner it comes, a loss the later.
"""


def plies_left(cells: int, plies: int, score: int) -> int:
    """Plies until the game ends if both play their best, the last one counted.

    Args:
        cells: of the board.
        plies: played so far.
        score: of the position.
    """
    if score == 0:
        return cells - plies
    winner_began = (plies % 2 == 0) == (score > 0)
    stones = (cells + 1) // 2 if winner_began else cells // 2
    last_stone = stones + 1 - abs(score)  # with which the winner wins, counted from 1
    return 2 * last_stone - winner_began - plies


def moves_left(cells: int, plies: int, score: int) -> int:
    """Moves of the winner's own until the game is won."""
    return (plies_left(cells, plies, score) + 1) // 2
