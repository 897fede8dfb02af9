"""What a player's process is told, and what it tells by its end."""

from dataclasses import dataclass
from pathlib import Path

MAIN = "main.py"
"""Kaggle's name for a submission's file."""

CHANNEL_LOST = 86
"""The process's exit status when the channel has been closed from inside."""

HUNG_UP = "closed the connection by which it is asked for moves"
"""What is said of a player that has closed it."""


@dataclass(frozen=True, slots=True)
class PlayerJob:
    """JSON-able through `dataclasses.asdict`."""

    home: str
    """A folder of this player alone, which is removed when the player has ended."""
    seed: int
    """Seeds Python's and numpy's global random numbers; from 0 to 2**32 - 1."""
    memory: int
    """Bytes of address space beyond those that the process starts with."""
    key: str
    """What every answer carries: whatever else is written into the channel is passed over."""

    @property
    def main(self) -> Path:
        """The submission, alone in a folder as after an upload."""
        return Path(self.home, "agent", MAIN)

    @property
    def working(self) -> Path:
        """The current, home and temporary folder of the process."""
        return Path(self.home, "working")

    def lay_out(self, source: bytes) -> None:
        """Make the folders and write the submission."""
        self.main.parent.mkdir(parents=True)
        self.working.mkdir()
        self.main.write_bytes(source)
