"""Sets of solved positions and their files.

A file has a line of JSON for each position, with its moves as `connectx solve` takes them, its ply,
its phase, and the score of each column (null for a full one). The first line says what the file is,
how it was made, how many positions of which kinds it holds, and the SHA-256 of the lines below it.
"""

import json
from collections import Counter
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from submission.grading.position_settings import PositionSettings
from submission.grading.solved_position import SolvedPosition

FORMAT = "connectx positions, version 1"

SHIPPED_POSITIONS = Path(__file__).with_name("positions.jsonl")
"""The set that comes with the package."""

ADVICE = "make one with `connectx positions --output FILE`"


@dataclass(frozen=True, slots=True)
class PositionSet:
    """Solved positions, by ply, and what made them."""

    settings: PositionSettings
    positions: tuple[SolvedPosition, ...]

    @property
    def sha256(self) -> str:
        """Tells this set from others, in hexadecimal."""
        return _hash(self._lines())

    def sample(self, count: int, seed: int) -> "PositionSet":
        """Some of the positions, in their order.

        Args:
            count: how many.
            seed: the same seed gives the same ones.

        Raises:
            ValueError: fewer than one, or more than there are.
        """
        if not 1 <= count <= len(self.positions):
            raise ValueError(
                f"the sample must be of 1 to {len(self.positions)} positions, which are all that "
                f"there are, not of {count}"
            )
        chosen = sorted(Random(seed).sample(range(len(self.positions)), count))
        return replace(self, positions=tuple(self.positions[number] for number in chosen))

    def to_text(self) -> str:
        """The content of its file."""
        lines = self._lines()
        header = {
            "format": FORMAT,
            "command": self.settings.command,
            "settings": asdict(self.settings),
            "positions": len(self.positions),
            "phases": Counter(position.phase.value for position in self.positions),
            "outcomes": Counter(position.outcome.name.lower() for position in self.positions),
            "at_stake": sum(position.is_at_stake for position in self.positions),
            "hard": sum(position.is_hard for position in self.positions),
            "tactical": sum(position.is_tactical for position in self.positions),
            "sha256": _hash(lines),
        }
        return "".join(f"{line}\n" for line in [json.dumps(header), *lines])

    def _lines(self) -> list[str]:
        return [
            json.dumps(
                {
                    "moves": position.moves,
                    "ply": position.ply,
                    "phase": position.phase,
                    "scores": position.scores,
                }
            )
            for position in self.positions
        ]


def read_position_set(path: Path) -> PositionSet:
    """The set of a file that `PositionSet.to_text` has made.

    Raises:
        OSError: the file cannot be read.
        ValueError: it holds something else, a set of another version, or one that was changed.
    """
    try:
        header, *lines = path.read_text(encoding="utf-8").splitlines() or [""]
    except OSError as error:
        raise OSError(f"cannot read the positions {path} ({error.strerror}): {ADVICE}") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} holds no positions: {ADVICE}") from error
    about = _read_header(path, header)
    if about.get("sha256") != _hash(lines):
        raise ValueError(f"the positions {path} were changed after they were made: {ADVICE}")
    try:
        settings = PositionSettings(**about["settings"])
        return PositionSet(settings, tuple(map(_read_position, lines)))
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"the positions {path} are damaged ({error!r}): {ADVICE}") from error


def _read_header(path: Path, line: str) -> dict[str, Any]:
    try:
        about = json.loads(line)
    except ValueError:
        about = None
    found = about.get("format") if isinstance(about, dict) else None
    if found != FORMAT:
        raise ValueError(f"{path} must begin with the format {FORMAT!r}, not {found!r}: {ADVICE}")
    return dict(about)


def _read_position(line: str) -> SolvedPosition:
    fields = json.loads(line)
    return SolvedPosition(fields["moves"], tuple(fields["scores"]))


def _hash(lines: list[str]) -> str:
    return sha256("\n".join(lines).encode()).hexdigest()
