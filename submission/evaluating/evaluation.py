"""An evaluation as a value: who played, under what, and every game."""

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata
from typing import Any

from submission.evaluating.game_record import GameRecord
from submission.evaluating.players import Player, PlayerKind
from submission.evaluating.settings import Settings
from submission.evaluating.summary import PairingSummary, summarise


class Ending(StrEnum):
    """Why no more games were played."""

    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    WORKER_DIED = "worker died"
    UNFINISHED = "unfinished"
    """Games are missing in a results file, and may be being played at this moment."""


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions that the games were played with."""

    package: str
    kaggle_environments: str | None
    """None where it is not installed."""
    python: str

    @classmethod
    def current(cls) -> "Versions":
        """The versions of this process.

        Raises:
            ModuleNotFoundError: this package is not installed.
        """
        return cls(
            package=metadata.version("connectx-agents"),
            kaggle_environments=_version_if_installed("kaggle-environments"),
            python=platform.python_version(),
        )


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a player was: enough to recognise the same submission again."""

    name: str
    kind: PlayerKind
    sha256: str | None
    """Hash of the submission's content, in hexadecimal; None for one of Kaggle's built-ins."""

    @classmethod
    def of(cls, player: Player) -> "Identity":
        """The identity of a player."""
        return cls(player.name, player.kind, player.sha256)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "Identity":
        """The identity whose `dataclasses.asdict` went through JSON."""
        return cls(**{**fields, "kind": PlayerKind(fields["kind"])})


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The games of some pairings."""

    players: tuple[Identity, ...]
    """Everybody who played, each once."""
    pairings: tuple[tuple[str, str], ...]
    """The names of the player and the opponent of each."""
    settings: Settings
    versions: Versions
    ending: Ending
    records: tuple[GameRecord, ...]
    """The games that count, by pairing and number."""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.ending is Ending.INTERRUPTED

    def summaries(self) -> tuple[PairingSummary, ...]:
        """The figures of each pairing, in their order."""
        return tuple(
            summarise(names, [record for record in self.records if record.pairing == names])
            for names in self.pairings
        )


def _version_if_installed(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None
