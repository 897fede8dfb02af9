"""An evaluation as a value: who played, under what, and every game; to JSON and back."""

import json
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from importlib import metadata
from math import isinf
from typing import Any

from submission.evaluating.game_record import GameConfiguration, GameRecord
from submission.evaluating.players import Player, PlayerKind
from submission.evaluating.summary import PairingSummary, summarise
from submission.kaggle import kaggle_environments

FORMAT = "connectx evaluation, version 1"

ADVICE = "write the file anew with `connectx evaluate --json FILE`"


class Ending(StrEnum):
    """Why no more games were played."""

    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    WORKER_DIED = "worker died"


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions that the games were played with."""

    package: str
    kaggle_environments: str
    python: str

    @classmethod
    def current(cls) -> "Versions":
        """The versions of this process.

        Raises:
            ModuleNotFoundError: the package or kaggle_environments is not installed.
        """
        return cls(
            package=metadata.version("connectx-agents"),
            kaggle_environments=kaggle_environments().__version__,
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
    """The games of a player against its opponents."""

    player: Identity
    opponents: tuple[Identity, ...]
    configuration: GameConfiguration
    seed: int
    games: int
    """How many games were asked for against each opponent."""
    versions: Versions
    ending: Ending
    records: tuple[GameRecord, ...]
    """The games that were played, by opponent and number."""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.ending is Ending.INTERRUPTED

    def summaries(self) -> tuple[PairingSummary, ...]:
        """The figures of each pairing, in the order of the opponents."""
        return tuple(summarise(opponent.name, self.records) for opponent in self.opponents)

    def to_json(self) -> str:
        """All of it as JSON, with the summaries for other programs to read.

        An infinite Elo difference is the string "inf" or "-inf", which JSON has no number for.
        """
        summaries = [asdict(summary) for summary in self.summaries()]
        document = {"format": FORMAT, **asdict(self), "summaries": _finite(summaries)}
        return json.dumps(document, indent=1, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Evaluation":
        """The evaluation that `to_json` wrote; the summaries are made afresh.

        Raises:
            ValueError: the text is no evaluation, or one of another version.
        """
        document = _parse(text)
        try:
            return cls(
                player=Identity.from_dict(document["player"]),
                opponents=tuple(map(Identity.from_dict, document["opponents"])),
                configuration=GameConfiguration(**document["configuration"]),
                seed=document["seed"],
                games=document["games"],
                versions=Versions(**document["versions"]),
                ending=Ending(document["ending"]),
                records=tuple(map(GameRecord.from_dict, document["records"])),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"the evaluation is damaged ({error!r}): {ADVICE}") from error


def _parse(text: str) -> dict[str, Any]:
    """The JSON object of an evaluation of this version."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise ValueError(f"an evaluation must be JSON ({error}): {ADVICE}") from error
    found = document.get("format") if isinstance(document, dict) else None
    if found != FORMAT:
        raise ValueError(f"an evaluation must have the format {FORMAT!r}, not {found!r}: {ADVICE}")
    return dict(document)


def _finite(value: Any) -> Any:
    """The same JSON value with infinite numbers as strings."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return str(value) if isinstance(value, float) and isinf(value) else value
