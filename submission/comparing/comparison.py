"""Compares a new version of a player with the old one: games, moves and times of both."""

from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import closing
from dataclasses import asdict, dataclass
from math import inf
from time import perf_counter
from typing import Any

from agents.agent import OnProgress
from submission.arena.game_record import GameConfiguration, GameRecord
from submission.arena.players import Identity, Pairing
from submission.comparing.finding import Finding, ThreeWayTest
from submission.comparing.paired_answers import AnswerPair, PairedAnswers
from submission.comparing.trials import SlowMoves
from submission.executors.versions import Versions
from submission.grading.grading import Grade
from submission.match.match import Completion, Match, PairingStats
from submission.match.run import play_games
from submission.match.schedule import Arena, Settings, require_pairs, schedule
from submission.reports import Printed

FORMAT = "connectx comparison, version 1"


@dataclass(frozen=True, slots=True)
class ComparisonSettings:
    """The same settings and players give the same games, up to the players' clocks.

    Raises:
        ValueError: an odd number of games, or a setting that `Settings` refuses.
    """

    margin: float = 50.0
    """The difference in Elo that matters."""
    games: int = 1000
    """The most games."""
    seed: int = 0
    opening_plies: int = 4
    """Games begin in turn in all positions of this ply: 1120 of them after four plies."""
    act_timeout: float = 2.0
    """Seconds for a move."""

    def __post_init__(self) -> None:
        require_pairs(self.games)
        ThreeWayTest(self.margin)
        _ = self.match

    @property
    def match(self) -> Settings:
        """Those of the games."""
        return Settings(
            games=self.games,
            seed=self.seed,
            opening_plies=self.opening_plies,
            configuration=GameConfiguration(act_timeout=self.act_timeout),
            arena=Arena.OWN,
        )


@dataclass(frozen=True, slots=True)
class Games:
    """The games of a new player against an old one, and what they tell."""

    match: Match
    finding: Finding
    seconds: float
    """That all of them took, several at a time."""
    to_come: int
    """About how many more would decide."""

    @property
    def stats(self) -> PairingStats:
        """The statistics of the one pairing."""
        return self.match.stats()[0]

    @property
    def seconds_to_come(self) -> float:
        """About how long those would take here."""
        return self.to_come * self.seconds / max(1, len(self.match.records))


FORETELLING_SECONDS = 0.5
"""From one forecast to the next."""


def play_until_decided(
    pairing: Pairing, settings: ComparisonSettings, executor: Executor, on_progress: OnProgress
) -> Games:
    """Play the new player against the old one, until the test decides or all games are played.

    Ctrl-C and the death of a worker process end it early, see `Match.completion`.

    Args:
        pairing: the new player and the old one.
        settings: which games, and what is to be told apart.
        executor: any executor of the `concurrent.futures` kind.
        on_progress: told the games, the most games, and how many more will do, as a text.
    """
    test, records = ThreeWayTest(settings.margin), dict[int, GameRecord]()
    completion, told, foretold = Completion.COMPLETE, 0.0, ""
    begin = perf_counter()
    games = schedule([pairing], settings.match)
    try:
        on_progress(0, settings.games, "")
        with closing(play_games(games, lambda _: test.games is None, executor)) as played:
            for record in played:
                test.add(record)
                records[record.game] = record
                if (passed := perf_counter() - begin) > told + FORETELLING_SECONDS:
                    more, told = test.games_to_come([*records.values()]), passed
                    foretold = forecast(more, more * passed / len(records))
                on_progress(len(records), settings.games, foretold)
    except KeyboardInterrupt:
        completion = Completion.INTERRUPTED
    except BrokenExecutor:
        completion = Completion.WORKER_DIED
    end = inf if test.games is None else test.games
    counted = tuple(records[game] for game in sorted(records) if game < end)
    return Games(
        match=Match(
            players=(Identity.of(pairing.player), Identity.of(pairing.opponent)),
            pairings=(pairing.names,),
            settings=settings.match,
            versions=Versions.current(),
            completion=completion,
            records=counted,
        ),
        finding=test.finding,
        seconds=perf_counter() - begin,
        to_come=test.games_to_come(counted),
    )


def forecast(games: int, seconds: float) -> str:
    """As in "about 240 games more, 3 minutes"."""
    return f"about {games} games more, {duration(seconds)}"


def duration(seconds: float) -> str:
    """A rough time, as in "40 seconds" or "3 minutes"."""
    for unit, length in (("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{max(1, round(seconds))} seconds" if seconds >= 1.5 else "a second"


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Printed):
    """A new version of a player beside the old one."""

    settings: ComparisonSettings
    games: Games
    grades: tuple[Grade, ...] = ()
    """Of the new player and the old one, for the same positions; fewer after an early end."""
    slow_moves: tuple[SlowMoves, ...] = ()
    """Of those players whose moves could be slowed down, after an early end of none."""

    @property
    def new(self) -> str:
        """The name of the new player."""
        return self.games.stats.player

    @property
    def old(self) -> str:
        """The name of the old player."""
        return self.games.stats.opponent

    @property
    def finding(self) -> Finding:
        """What the games tell."""
        return self.games.finding

    @property
    def answers(self) -> PairedAnswers:
        """What both have answered in solved positions."""
        if len(self.grades) < 2:
            return PairedAnswers(())
        new, old = self.grades
        return PairedAnswers.of(new.answers, old.answers)

    @property
    def completion(self) -> Completion:
        """Whether all of it was done, or why not."""
        endings = [self.games.match.completion, *(grade.completion for grade in self.grades)]
        early = (ending for ending in endings if ending is not Completion.COMPLETE)
        return next(early, Completion.COMPLETE)

    def to_dict(self) -> dict[str, Any]:
        """All of it as what `json.dumps` takes; columns from 0."""
        return {
            "format": FORMAT,
            "finding": self.finding,
            "settings": asdict(self.settings),
            "seconds": self.games.seconds,
            "games_to_come": self.games.to_come,
            "seconds_to_come": self.games.seconds_to_come,
            "match": self.games.match.to_dict(),
            "kept": asdict(self.answers.difference()),
            "lost": _told(self.answers.lost),
            "gained": _told(self.answers.gained),
            "grades": [grade.to_dict() for grade in self.grades],
            "slow_moves": [asdict(moves) for moves in self.slow_moves],
        }


def _told(pairs: Sequence[AnswerPair]) -> list[dict[str, Any]]:
    return [
        {
            "moves": pair.new.position.moves,
            "new": pair.new.column,
            "old": pair.old.column,
            "half_points_lost": pair.half_points_lost,
        }
        for pair in pairs
    ]
