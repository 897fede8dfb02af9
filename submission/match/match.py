"""A match as a value: who played, under what, every game, and the figures that follow."""

import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata
from itertools import chain
from typing import Any

from agents.stats import Estimate, elo_estimate, paired_score_estimate
from submission.match.game_record import GameRecord, Result
from submission.match.players import Player, PlayerKind
from submission.match.schedule import Settings
from submission.match.sprt import points_of_pairs


@dataclass(frozen=True, slots=True)
class Tally:
    """Games in which both statuses were DONE, from the player's view."""

    wins: int
    draws: int
    losses: int

    def __str__(self) -> str:
        return f"{self.wins}-{self.draws}-{self.losses}"


@dataclass(frozen=True, slots=True)
class MoveTimes:
    """Seconds for moves; None where no move was made."""

    first: float | None
    """The longest first move of a game, which includes loading the submission."""
    mean: float | None
    """Mean over all moves."""
    longest: float | None
    """The longest of all moves."""


@dataclass(frozen=True, slots=True)
class PairingSummary:
    """All games of one pairing."""

    player: str
    opponent: str
    games: int
    distinct_games: int
    """How many games differ in the seats or in a move."""
    as_first: Tally
    """The player on seat 1."""
    as_second: Tally
    """The player on seat 2."""
    player_failures: Mapping[str, int]
    """How often the player ended with which status other than DONE."""
    opponent_failures: Mapping[str, int]
    """The same of the opponent."""
    score: Estimate | None
    """In [0, 1], over the pairs of games that `points_of_pairs` counts; None if there is none."""
    elo: Estimate | None
    """Elo points by which the player is above the opponent, by its score; may be infinite."""
    player_times: MoveTimes
    opponent_times: MoveTimes


def summarise(names: tuple[str, str], games: Sequence[GameRecord]) -> PairingSummary:
    """Summarise the games of one pairing, the player and the opponent of these names."""
    player, opponent = names
    as_first = _tally([record for record in games if record.seat == 1])
    as_second = _tally([record for record in games if record.seat == 2])
    pairs = points_of_pairs(games)
    score = paired_score_estimate(pairs) if pairs else None
    return PairingSummary(
        player=player,
        opponent=opponent,
        games=len(games),
        distinct_games=len({(record.seat, record.columns) for record in games}),
        as_first=as_first,
        as_second=as_second,
        player_failures=_failures(games, Result.PLAYER_FAILED),
        opponent_failures=_failures(games, Result.OPPONENT_FAILED),
        score=score,
        elo=None if score is None else elo_estimate(score),
        player_times=_move_times([record.durations[record.seat - 1] for record in games]),
        opponent_times=_move_times(
            [record.durations[record.opponent_seat - 1] for record in games]
        ),
    )


def failing_status(record: GameRecord) -> str:
    """The status of the seat that failed, in a game in which one did."""
    failed = record.seat if record.result is Result.PLAYER_FAILED else record.opponent_seat
    return record.statuses[failed - 1]


def _tally(records: Sequence[GameRecord]) -> Tally:
    results = Counter(record.result for record in records)
    return Tally(results[Result.WIN], results[Result.DRAW], results[Result.LOSS])


def _failures(records: Sequence[GameRecord], result: Result) -> dict[str, int]:
    return dict(Counter(failing_status(record) for record in records if record.result is result))


def _move_times(games: Sequence[Sequence[float]]) -> MoveTimes:
    """From the seconds of each move of each game."""
    moves = list(chain.from_iterable(games))
    if not moves:
        return MoveTimes(None, None, None)
    return MoveTimes(
        first=max(durations[0] for durations in games if durations),
        mean=sum(moves) / len(moves),
        longest=max(moves),
    )


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
