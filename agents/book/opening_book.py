"""The opening book: a look-up of the exact scores of all positions of the first plies."""

from dataclasses import dataclass
from functools import lru_cache

from agents.book.book_format import BookContent, decode_book
from agents.book.book_positions import (
    BookScope,
    drops_into_columns,
    keys_of_stones,
    most_positions,
    positions_by_ply,
)
from agents.book.repertoire import highest_stones
from agents.package_file import PackageFile
from agents.solver.position_bounds import win_score
from envs.board import BoardGame, BoardState
from envs.compiled.jit import Words
from envs.connectx import ConnectX

OPENINGS = PackageFile("agents.book", "openings.cxbk")  # Connect Four, 8 plies


@dataclass(frozen=True)
class OpeningBook:
    """The scores of all positions of a board up to `scope.plies`; created by `open_book`."""

    scope: BookScope
    keys: tuple[Words, ...]
    """The keys of the positions after each number of plies, in ascending order."""
    scores: tuple[Words, ...]
    """The scores of these positions."""

    def score(self, state: BoardState) -> int | None:
        """The exact score, from the view of the player to move; see `ScoreBounds`.

        None if the position is not in the book: it has too many stones, it is finished, or it is
        unreachable.
        """
        import numpy as np

        ply = state.ply
        if ply > self.scope.plies:
            return None
        keys = self.keys[ply]
        key = keys_of_stones(self.scope, *np.array([[state.mover], [state.mask]], np.int64))[0]
        place = np.searchsorted(keys, key)
        known = place < len(keys) and keys[place] == key
        return int(self.scores[ply][place]) if known else None

    def least_score(self, state: BoardState) -> int | None:
        """A lower bound of the score of a position one ply beyond the book.

        Whichever stone was the last one, that move was at most as good as the best move of the
        position before it. None for other plies, or if none of these positions is in the book.
        """
        if state.ply != self.scope.plies + 1:
            return None
        board = self.scope.board
        other = state.mask ^ state.mover
        before = (
            BoardState(other ^ stone, state.mask ^ stone, 3 - state.player, won=False)
            for stone in highest_stones(board, state.mask, other)
        )
        scores = [score for parent in before if (score := self.score(parent)) is not None]
        return max((-score for score in scores), default=None)


@lru_cache(maxsize=1)
def shipped_book() -> OpeningBook:
    """The book that comes with the package: 6 rows, 7 columns, 4 in a row."""
    return open_book(decode_book(OPENINGS.read()))


def shipped_book_of(env: BoardGame) -> OpeningBook | None:
    """The shipped book if it is for this game, or None."""
    is_its_game = isinstance(env, ConnectX) and env.size == ConnectX().size
    return shipped_book() if is_its_game else None


def open_book(content: BookContent) -> OpeningBook:
    """A book ready for look-ups; a ValueError if the number of scores does not match."""
    scope, deepest_scores = content
    keys = positions_by_ply(scope, most_positions(len(deepest_scores)))
    if len(deepest_scores) != len(keys[-1]):
        raise ValueError(
            f"the opening book has {len(deepest_scores)} scores for {len(keys[-1])} positions: "
            "build it again with `connectx book`"
        )
    scores = [deepest_scores]
    for ply in reversed(range(scope.plies)):
        scores.insert(0, scores_before(scope, ply, keys[ply], keys[ply + 1], scores[0]))
    return OpeningBook(scope, keys, tuple(scores))


def scores_before(
    scope: BookScope, ply: int, keys: Words, next_keys: Words, next_scores: Words
) -> Words:
    """The scores of all positions after `ply` plies, from the scores one ply later."""
    import numpy as np

    win = win_score(scope.cells, ply)
    best = np.full(len(keys), -scope.cells)
    for drop in drops_into_columns(scope, keys):
        best[drop.wins] = win
        places = np.searchsorted(next_keys, drop.keys[drop.going_on])
        best[drop.going_on] = np.maximum(best[drop.going_on], -next_scores[places])
    return best
