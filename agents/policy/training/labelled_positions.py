"""Labelled positions: the solver's scores for a network to learn, as arrays.

On boards that need more than 64 bits (`envs.bitboard.bits_needed`) the words in these arrays are
Python integers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from agents.book.book_positions import keys_of_stones
from agents.solver.position_bounds import win_score
from agents.solver.score_table import MOST_CELLS
from agents.solver.solver_engine import fits_solver
from envs.bitboard import board_masks, fits_in_word, has_run
from envs.board import BoardState
from envs.compiled.jit import WORDS, Words
from envs.connectx import ConnectX

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Scores: TypeAlias = npt.NDArray[np.int8]
else:
    Scores = object

ILLEGAL = -128  # in place of the score of a column that is full


def require_labelled_board(env: ConnectX) -> None:
    """Check that positions of a board can be labelled; a ValueError if it is too large."""
    if not fits_solver(*env.size):
        raise ValueError(
            f"labelled positions need a board that the solver takes, of at most {MOST_CELLS} cells "
            f"and {max(WORDS)} bits, not {env!r}"
        )


def states_of(movers: Words, masks: Words) -> list[BoardState]:
    """The unfinished positions that these words hold."""
    return [*map(BoardState.of_stones, movers.tolist(), masks.tolist())]


def label_words(env: ConnectX, numbers: Sequence[int]) -> Words:
    """An array of a board's words: 64-bit numbers, or Python integers."""
    import numpy as np

    return np.array(numbers, np.int64 if fits_in_word(*env.size) else object)


@dataclass(frozen=True, eq=False)
class LabelledPositions:
    """Unfinished positions of one game with the exact score of each move.

    Scores are for the player who makes the move, on the scale of
    `agents.solver.solver.ScoreBounds`.

    Raises:
        ValueError: the arrays do not match each other, or a board that the solver takes.
    """

    env: ConnectX
    movers: Words
    """[n] Stones of the player to move, laid out as in `envs.bitboard`."""
    masks: Words
    """[n] Stones of both players."""
    scores: Scores
    """[n, columns] The score of each column, `ILLEGAL` for a full one."""

    def __post_init__(self) -> None:
        env, count = self.env, len(self.movers)
        shapes = self.movers.shape, self.masks.shape, self.scores.shape
        require_labelled_board(env)
        if shapes != ((count,), (count,), (count, env.columns)):
            raise ValueError(f"arrays of the shapes {shapes} are not positions of {env!r}")

    def __len__(self) -> int:
        return len(self.movers)

    @property
    def states(self) -> list[BoardState]:
        """The positions as states of the game."""
        return states_of(self.movers, self.masks)

    @cached_property
    def plies(self) -> Words:
        """[n] How many plies were played."""
        return self._stones(self.masks)

    @cached_property
    def keys(self) -> Words:
        """[n] A number that each position shares only with its mirror image."""
        return keys_of_stones(self.env, self.movers, self.masks)

    def _stones(self, words: Words) -> Words:
        """[n] The numbers of stones in words."""
        import numpy as np

        return np.array([word.bit_count() for word in words.tolist()], np.int64)

    def require_sound(self) -> None:
        """Raise ValueError unless all are unfinished positions with possible scores."""
        env, masks, movers = self.env, self.masks, self.movers
        plies: Any = self.plies
        board = board_masks(*env.size)
        sound = (masks & ~board.board) == 0
        sound &= ((masks + board.bottom) & masks) & board.board == 0
        sound &= (movers & ~masks == 0) & (self._stones(movers) == self.plies // 2)
        players: Any = (movers, masks ^ movers)
        for stones in players:
            lines: Any = has_run(stones, env.rows, env.inarow)
            sound &= ~lines
        least, most = -win_score(board.cells, plies + 1), win_score(board.cells, plies)
        for cells, scores in zip(env.action_cells, self.scores.T, strict=True):
            is_full, has_score = masks & cells == cells, scores != ILLEGAL
            sound &= is_full != has_score
            sound &= is_full | ((least <= scores) & (scores <= most))
        if not sound.all():
            raise ValueError(f"some are not positions of {env!r}, or have impossible scores")

    def without(self, states: Sequence[BoardState]) -> "LabelledPositions":
        """The positions, without some given ones and their mirror images."""
        import numpy as np

        movers = label_words(self.env, [state.mover for state in states])
        masks = label_words(self.env, [state.mask for state in states])
        scores = np.zeros((len(states), self.env.columns), np.int8)
        unwanted = LabelledPositions(self.env, movers, masks, scores)
        return self.take(~np.isin(self.keys, unwanted.keys))

    def take(self, places: Any) -> "LabelledPositions":
        """The positions at some places: a slice, their numbers, or a flag for each position."""
        return LabelledPositions(
            self.env, self.movers[places], self.masks[places], self.scores[places]
        )


def joined(env: ConnectX, parts: list[LabelledPositions]) -> LabelledPositions:
    """The positions of all parts, one after the other."""
    import numpy as np

    none = label_words(env, [])
    return LabelledPositions(
        env,
        np.concatenate([none, *(part.movers for part in parts)]),
        np.concatenate([none, *(part.masks for part in parts)]),
        np.concatenate([np.zeros((0, env.columns), np.int8), *(part.scores for part in parts)]),
    )
