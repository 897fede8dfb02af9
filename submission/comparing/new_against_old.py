"""The games of a new version of a player against the old one, until they decide."""

from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from math import inf
from time import perf_counter

from agents.agent import OnProgress
from envs.protocol import is_number
from submission.arena.game_record import GameConfiguration, GameRecord
from submission.arena.players import Pairing
from submission.comparing.finding import Finding, ThreeWayTest
from submission.match.completion import early_end
from submission.match.match import Match
from submission.match.pairing_stats import PairingStats
from submission.match.run import play_games
from submission.match.schedule import Arena, Settings, require_pairs, schedule
from submission.match.sprt import LARGEST_ELO


@dataclass(frozen=True, slots=True)
class ComparisonSettings:
    """The same settings and players give the same games, up to the players' clocks.

    Raises:
        ValueError: an odd number of games, a margin that is too small or too large, or a setting
            that `Settings` refuses.
    """

    margin: float = 50.0
    """The difference in Elo that matters, from 1 to 1000: less would take millions of games."""
    games: int = 1000
    """The most games."""
    seed: int = 0
    opening_plies: int = 4
    """Games begin in turn in all positions of this ply: 1120 of them after four plies."""
    act_timeout: float = 2.0
    """Seconds for a move."""

    def __post_init__(self) -> None:
        require_pairs(self.games)
        if not (is_number(self.margin) and 1 <= self.margin <= LARGEST_ELO):
            raise ValueError(
                f"the margin must be from 1 to {LARGEST_ELO:g} Elo, not {self.margin!r}"
            )
        _ = self.match

    @property
    def match(self) -> Settings:
        """The settings of the match."""
        rules = GameConfiguration(act_timeout=self.act_timeout)
        return Settings(self.games, self.seed, self.opening_plies, rules, Arena.OWN)


@dataclass(frozen=True, slots=True)
class Games:
    """The games of a new player against an old one, and their finding."""

    match: Match
    finding: Finding
    seconds: float  # the time that all games took, several at a time
    to_come: int  # about how many more would decide

    @property
    def stats(self) -> PairingStats:
        """The statistics of the one pairing."""
        return self.match.stats()[0]

    @property
    def seconds_to_come(self) -> float:
        """About how long these would take here."""
        return self.to_come * self.seconds / max(1, len(self.match.records))


FORECAST_SECONDS = 0.5  # from one forecast to the next


def play_until_decided(
    pairing: Pairing, settings: ComparisonSettings, executor: Executor, on_progress: OnProgress
) -> Games:
    """Play the new player against the old one, until the test decides or all games are played.

    Ctrl-C and the death of a worker process end it early, see `Match.completion`.
    """
    test, records = ThreeWayTest(settings.margin), dict[int, GameRecord]()
    forecast_at, forecast, begin = 0.0, "", perf_counter()
    games = schedule([pairing], settings.match)
    on_progress(0, settings.games, "")
    with (
        early_end() as ending,
        closing(play_games(games, lambda _: test.games is None, executor)) as played,
    ):
        for record in played:
            test.add(record)
            records[record.game] = record
            if (passed := perf_counter() - begin) > forecast_at + FORECAST_SECONDS:
                more, forecast_at = test.games_to_come([*records.values()]), passed
                time = duration(more * passed / len(records))
                forecast = f"about {more} games more, {time}"
            on_progress(len(records), settings.games, forecast)
    end = inf if test.games is None else test.games
    counted = [records[game] for game in sorted(records) if game < end]
    return Games(
        match=Match.of(
            [pairing], settings.match, completion=ending.completion, records=tuple(counted)
        ),
        finding=test.finding,
        seconds=perf_counter() - begin,
        to_come=test.games_to_come(counted),
    )


def duration(seconds: float) -> str:
    """A rough time, as in "40 seconds" or "3 minutes"."""
    for unit, length in (("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{max(1, round(seconds))} seconds" if seconds >= 1.5 else "a second"
