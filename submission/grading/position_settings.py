"""What a set of positions is asked to hold."""

from dataclasses import dataclass

LAST_PLY = 40
"""The last ply after which a column can give something away."""


@dataclass(frozen=True, slots=True)
class PositionSettings:
    """The same settings give the same positions.

    Raises:
        ValueError: no positions, a negative seed, or plies without positions.
    """

    per_ply: int = 12
    """How many positions for each number of plies played; after the first plies there are fewer."""
    seed: int = 0
    first_ply: int = 0
    last_ply: int = LAST_PLY

    def __post_init__(self) -> None:
        if self.per_ply < 1:
            raise ValueError(f"the positions for each ply must be at least 1, not {self.per_ply}")
        if self.seed < 0:
            raise ValueError(f"the seed must be at least 0, not {self.seed}")
        if not 0 <= self.first_ply <= self.last_ply <= LAST_PLY:
            raise ValueError(
                f"the plies must go from 0 or more up to at most {LAST_PLY}, after which nothing "
                f"is at stake, not from {self.first_ply} to {self.last_ply}"
            )

    @property
    def plies(self) -> range:
        """The numbers of plies played."""
        return range(self.first_ply, self.last_ply + 1)

    @property
    def command(self) -> str:
        """The command that makes the positions."""
        return (
            f"connectx positions --per-ply {self.per_ply} --seed {self.seed} "
            f"--first-ply {self.first_ply} --last-ply {self.last_ply}"
        )
