"""BitBully, an independent solver, as the judge of moves; installed with the extra `dev`."""

from collections.abc import Sequence
from functools import cache

import pytest

from benchmarks.solver.solver_peer import BitBully
from envs.board import moves_text


@cache
def bitbully_with_book() -> BitBully:
    """BitBully with its databases, which take half a second to read; skips if it is missing."""
    for package in ("bitbully.bitbully_core", "bitbully_databases"):
        pytest.importorskip(package)
    return BitBully(book=True)


class Judge:
    """Finds which moves are exactly best; skips the test if BitBully is not installed.

    The moves played so far are columns from 0, or a move string.
    """

    def __init__(self) -> None:
        self._bitbully = bitbully_with_book()

    def best_moves(self, moves: Sequence[int] | str) -> list[int]:
        """The columns, from 0, with the highest score."""
        scores = self.scores(moves)
        return [column for column, score in scores.items() if score == max(scores.values())]

    def moves_that_keep_the_outcome(self, moves: Sequence[int] | str) -> list[int]:
        """The columns after which the result, won, drawn or lost, is still the best possible."""
        outcomes = {
            column: (score > 0) - (score < 0) for column, score in self.scores(moves).items()
        }
        return [column for column, result in outcomes.items() if result == max(outcomes.values())]

    def scores(self, moves: Sequence[int] | str) -> dict[int, int]:
        """The score of each column, from 0, that is not full, for the player to move."""
        text = moves if isinstance(moves, str) else moves_text(moves)
        return self._bitbully.scores_of_moves(text)


def plies_of_score(played: int, score: int) -> int:
    """The plies left after `played` plies: the winner's `abs(score)`-th last stone wins."""
    mover_is_first = played % 2 == 0
    winner_is_first = mover_is_first == (score > 0)
    return 2 * (22 - abs(score)) - winner_is_first - played


def score_in_words(played: int, score: int) -> str:
    """The result of a move with this score after `played` plies; the winner's moves are counted."""
    if not score:
        return "draw"
    moves = (plies_of_score(played, score) + 1) // 2
    return f"{'wins' if score > 0 else 'loses'} in {moves} move{'' if moves == 1 else 's'}"
