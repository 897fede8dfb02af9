"""What a grade is asked for, the player apart."""

from dataclasses import dataclass

from submission.evaluating.game_record import GameConfiguration


@dataclass(frozen=True, slots=True)
class GradeSettings:
    """The same settings and player give the same answers, up to the player's clock.

    Raises:
        ValueError: a negative seed, or a time that is not positive and finite.
    """

    seed: int = 0
    """Of the player's random numbers."""
    act_timeout: float = 2.0
    """Seconds for a move; beyond them the bank of 60 s is used, which is full in each position."""

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ValueError(f"the seed must be at least 0, not {self.seed}")
        GameConfiguration(act_timeout=self.act_timeout)
