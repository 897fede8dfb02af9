"""What an evaluation is asked for, the players apart."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from submission.evaluating.game_record import GameConfiguration
from submission.evaluating.judging.sprt import Sprt


class Arena(StrEnum):
    """Whose referee holds the games."""

    KAGGLE = "kaggle"
    """Kaggle's own environment."""
    OWN = "own"
    """This package's: the same games, many times faster."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The same settings and players give the same games, up to the players' clocks.

    Raises:
        ValueError: no games, a negative seed or number of plies.
    """

    games: int
    """How many games a pairing plays; at most, where a sequential test may end it."""
    seed: int = 0
    opening_plies: int = 2
    """Games begin in turn in the positions after so many plies, each from both seats."""
    configuration: GameConfiguration = field(default_factory=GameConfiguration)
    arena: Arena = Arena.KAGGLE
    sprt: Sprt | None = None
    """The test that ends a pairing as soon as it is decided; None plays all games."""

    def __post_init__(self) -> None:
        if self.games < 1:
            raise ValueError(f"the number of games must be at least 1, not {self.games}")
        if self.seed < 0:
            raise ValueError(f"the seed must be at least 0, not {self.seed}")
        if self.opening_plies < 0:
            raise ValueError(f"an opening has at least 0 plies, not {self.opening_plies}")

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "Settings":
        """The settings whose `dataclasses.asdict` went through JSON.

        Raises:
            KeyError, TypeError, ValueError: a field is missing, unknown or of another type.
        """
        sprt = fields["sprt"]
        return cls(
            **{
                **fields,
                "configuration": GameConfiguration(**fields["configuration"]),
                "arena": Arena(fields["arena"]),
                "sprt": None if sprt is None else Sprt(**sprt),
            }
        )
