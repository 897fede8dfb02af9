"""Ranks a player among the ten levels, by games against levels of about its own strength."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from functools import cache, partial
from math import inf, sqrt
from operator import attrgetter
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from agents.agent import Clock, OnProgress
from agents.levels import LEVELS, Level
from agents.parallel.workers import Workers
from agents.reporting.stats import Z_95, Estimate, expected_score, likeliest_elo
from submission.arena.game_record import GameRecord
from submission.arena.players import Pairing, Player, PlayerKind
from submission.bundle.bundle import unbundled_agent
from submission.executors.work import EarlyEnd, early_end_in_words
from submission.match.match import Match, failures, repetitions
from submission.match.run import play_game
from submission.match.schedule import Settings, game_of, shuffled_openings
from submission.rating.ratings import ELO
from submission.reports import PlayerTable, Printed, counted, elo_in_words, finite, percent

ROUND = 8  # games against one level, from four openings, before the next opponent is chosen
FIRST = LEVELS[4]  # the first opponent


@dataclass(frozen=True, slots=True)
class LevelScore:
    """A player's points against a level."""

    level: Level
    games: int
    points: float


@dataclass(frozen=True, slots=True, repr=False)
class Rank(Printed):
    """A player's place among the levels."""

    player: str
    match: Match
    """Its games, a pairing for each level that it met."""
    scores: tuple[LevelScore, ...]
    """By level, the weakest first."""
    elo: Estimate
    """Above level 1, with the 95 % interval; a limit that the games leave open is infinite."""
    seconds: float

    @property
    def nearest(self) -> Level:
        """The level whose rating is nearest."""
        return nearest_level(self.elo.value)

    def tables(self) -> RenderableType:
        """The results against each level, and the rules."""
        scores = PlayerTable(
            f"{self.player} against the levels",
            "level",
            ("Elo", "games", "W-D-L\nfirst", "W-D-L\nsecond", "points, %"),
            {
                f"{score.level.n}, {score.level.name}": (
                    f"{score.level.elo:+d}",
                    str(stats.games),
                    str(stats.as_first),
                    str(stats.as_second),
                    percent(score.points / score.games),
                )
                for score, stats in zip(self.scores, self.match.stats(), strict=True)
            },
        )
        return Group(scores, Text(RULES, "dim"))

    def summary(self) -> list[str]:
        """The failures, and the rank."""
        played, asked = len(self.match.records), self.match.settings.games
        early = early_end_in_words(self.match.completion, counted(played, "games"))
        if not early and played < asked:
            early = [f"The time was up after {played} of {asked} games: give more with --minutes."]
        return [*early, *repetitions(self.match), *failures(self.match), self._in_words()]

    def _in_words(self) -> str:
        if not self.match.records:
            return "No game was played."
        if self.match.fails_throughout(self.player):
            return f"{self.player} has no rank, because none of its games came to an end."
        level, last = self.nearest, LEVELS[-1]
        return (
            f"{self.player} plays about like level {level.n}, {level.name}: Elo "
            f"{elo_in_words(self.elo)} by {len(self.match.records)} games, on the scale on which "
            f"{LEVELS[0].name} play has 0, level {level.n} has {level.elo:+d} and {last.name} play "
            f"has {last.elo:+d}."
        )

    def to_dict(self) -> dict[str, Any]:
        """All fields, for `json.dumps`; an infinite limit is None.

        The Elo and the nearest level are also None if the player has finished no game.
        """
        is_ranked = not self.match.fails_throughout(self.player)
        return finite(
            {
                "player": self.player,
                "elo": asdict(self.elo) if is_ranked else None,
                "nearest": asdict(self.nearest) if is_ranked else None,
                "scores": [asdict(score) for score in self.scores],
                "seconds": self.seconds,
                "match": self.match.to_dict(),
            }
        )


RULES = (
    "Elo: the likeliest rating by the games, above level 1, with its 95 % interval; one game won "
    "and one lost that were not played also count. The levels' own ratings are taken as known; "
    "they come from 540 games of each, with intervals of 60 to 130 Elo on either side."
)


def rank_player(
    player: Player,
    settings: Settings,
    seconds: float,
    executor: Executor,
    workers: int,
    on_progress: OnProgress,
) -> Rank:
    """Play against the levels, always against the one nearest to the estimate so far.

    Games are most informative if both sides win equally often. They do not depend on the number of
    workers, except that none begins after the time limit. Games already begun are finished, because
    quick games would otherwise count too much.
    """
    clock, records = Clock(seconds), list[GameRecord]()
    openings = shuffled_openings(settings)
    with EarlyEnd() as ending:
        while len(records) < settings.games and not clock.expired():
            level = next_level(scores_of(records))
            on_progress(len(records), settings.games, f"against level {level.n}")
            numbers = range(len(records), min(len(records) + ROUND, settings.games))
            pairing = Pairing(player, level_player(level))
            games = (game_of(pairing, number, settings, openings) for number in numbers)
            tasks = ((game.game, partial(play_game, game)) for game in games if not clock.expired())
            for _, record in Workers(executor, workers).run(tasks, Clock()):
                records.append(record)
                on_progress(len(records), settings.games, f"against level {level.n}")
    scores = scores_of(records)
    pairings = [Pairing(player, level_player(score.level)) for score in scores]
    in_order = tuple(sorted(records, key=attrgetter("game")))
    match = Match.of(pairings, settings, completion=ending.completion, records=in_order)
    return Rank(player.name, match, tuple(scores), estimated_elo(scores), clock.elapsed)


@cache
def level_player(level: Level) -> Player:
    """The level as a player, with a name that no ranked player can have."""
    make = unbundled_agent("level", {"n": level.n})
    return Player(f"level {level.n}", PlayerKind.AGENT, make_agent=make)


def scores_of(records: Iterable[GameRecord]) -> list[LevelScore]:
    """The points against each level that was met; a failure is a loss."""
    points: dict[str, list[float]] = defaultdict(list)
    for record in records:
        points[record.opponent].append(record.result.points)
    return [
        LevelScore(level, len(points[name]), sum(points[name]))
        for level in LEVELS
        if (name := level_player(level).name) in points
    ]


def next_level(scores: Sequence[LevelScore]) -> Level:
    """The opponent against whom the next games are most informative."""
    return nearest_level(estimated_elo(scores).value) if scores else FIRST


def nearest_level(elo: float) -> Level:
    """The level whose rating is nearest."""
    return min(LEVELS, key=lambda level: abs(level.elo - elo))


def estimated_elo(scores: Sequence[LevelScore]) -> Estimate:
    """The likeliest rating above level 1, with its 95 % interval.

    The likelihood is that of Elo's logistic model with the levels' ratings known. As in ladders, a
    virtual win and a virtual loss are spread over the opponents. The interval is that of a normal
    distribution with Fisher's information, the sum of p (1 - p) over the games; as draws vary less,
    it is rather too wide than too narrow. It is open below if no point was won, and open above if
    none was lost.
    """
    games, points = sum(score.games for score in scores), sum(score.points for score in scores)
    if not games:
        return Estimate(0.0, -inf, inf)
    opponents = [(score.level.elo, score.games * (1 + 2 / games)) for score in scores]
    elo = likeliest_elo(points + 1, opponents)
    expected = [(score.games, expected_score(elo - score.level.elo)) for score in scores]
    information = sum(number * share * (1 - share) for number, share in expected)
    half = Z_95 * ELO / sqrt(information)
    return Estimate(elo, elo - half if points else -inf, elo + half if points < games else inf)
