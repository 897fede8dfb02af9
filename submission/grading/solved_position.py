"""A position of Connect Four with the exact score of each column, and what is at stake in it."""

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cached_property

from agents.guidance.ordering import sensible_actions
from envs.board import BoardState
from envs.connectx import ConnectFour
from envs.notation import parse_moves, state_from_moves

GAME = ConnectFour()


class Outcome(IntEnum):
    """How the game ends under best play, from the view of the player to move."""

    LOSS = -1
    DRAW = 0
    WIN = 1

    @classmethod
    def of(cls, score: int) -> "Outcome":
        """The outcome that a score stands for."""
        return cls((score > 0) - (score < 0))


class Phase(StrEnum):
    """The thirds of a game, by the plies played: 0 to 13, 14 to 27, 28 to 41."""

    OPENING = "opening"
    MIDDLE_GAME = "middle game"
    ENDGAME = "endgame"

    @classmethod
    def at(cls, ply: int) -> "Phase":
        """The phase after so many plies."""
        return tuple(cls)[ply * 3 // (GAME.rows * GAME.columns)]


@dataclass(frozen=True)
class SolvedPosition:
    """An unfinished position.

    Scores are from the view of the player to move, on the scale of
    `agents.solver.solver.ScoreBounds`: from -21 to 21, above 0 for a win, more for a quicker one.
    """

    moves: str
    """The columns played so far, a digit each, counted from 1."""
    scores: tuple[int | None, ...]
    """The score of playing each column, from the left; None for a full one."""

    @property
    def ply(self) -> int:
        """How many plies were played."""
        return len(self.moves)

    @property
    def phase(self) -> Phase:
        """The phase of the game."""
        return Phase.at(self.ply)

    @property
    def opening(self) -> tuple[int, ...]:
        """The columns played so far, counted from 0."""
        return tuple(parse_moves(self.moves))

    @property
    def state(self) -> BoardState:
        """The position for searches and pictures."""
        return state_from_moves(GAME, self.moves)

    @cached_property
    def legal(self) -> dict[int, int]:
        """The score of each column that is not full; columns are counted from 0."""
        return {column: score for column, score in enumerate(self.scores) if score is not None}

    @cached_property
    def score(self) -> int:
        """The score of the position."""
        return max(self.legal.values())

    @property
    def outcome(self) -> Outcome:
        """The outcome of the position."""
        return Outcome.of(self.score)

    @cached_property
    def best(self) -> tuple[int, ...]:
        """The columns with the position's score."""
        return tuple(column for column, score in self.legal.items() if score == self.score)

    @cached_property
    def keeping(self) -> tuple[int, ...]:
        """The columns that keep the outcome."""
        outcomes = {column: Outcome.of(score) for column, score in self.legal.items()}
        return tuple(column for column, outcome in outcomes.items() if outcome is self.outcome)

    @property
    def is_at_stake(self) -> bool:
        """Whether some column gives the outcome away; in a lost position none does."""
        return len(self.keeping) < len(self.legal)

    @cached_property
    def is_tactical(self) -> bool:
        """Whether something is at stake, and two plies of look-ahead show how to keep it."""
        return self.is_at_stake and two_plies_decide(self.state)

    @property
    def is_hard(self) -> bool:
        """Whether only one of several columns keeps the outcome, and two plies do not show it."""
        return self.is_at_stake and len(self.keeping) == 1 and not self.is_tactical

    @property
    def has_choice(self) -> bool:
        """Whether some column scores less than the best."""
        return len(self.best) < len(self.legal)


def two_plies_decide(state: BoardState) -> bool:
    """Whether there is one column to play: that of a win, or of the answer to a threat."""
    return len(sensible_actions(GAME, state, GAME.get_available_actions(state))) == 1
