"""Ranks a player among the ten levels: adaptive games against those that are about as strong."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import cache
from math import inf, sqrt
from operator import attrgetter
from time import monotonic
from typing import Any

from agents.agent import OnProgress
from agents.levels import LEVELS, Level
from agents.reporting.stats import Z_95, Estimate, expected_score
from submission.arena.game_record import GameRecord
from submission.arena.players import Identity, Pairing, Player, PlayerKind
from submission.bundle.bundle import unbundled_agent
from submission.executors.versions import Versions
from submission.match.match import Completion, Match, finite
from submission.match.run import play_games
from submission.match.schedule import (
    Arena,
    GameSpecification,
    Settings,
    game_seed,
    shuffled_openings,
)
from submission.rating.ratings import ELO, RATING_POINTS
from submission.reports import Printed

ROUND = 8
"""Games against one level, from four openings, before the next opponent is chosen."""
FIRST = LEVELS[4]
"""The first opponent."""
WIDEST = 4000.0
"""No estimate is farther from 0, in Elo."""
BISECTIONS = 40


@dataclass(frozen=True, slots=True)
class LevelScore:
    """The points that a player took from a level."""

    level: Level
    games: int
    points: float


@dataclass(frozen=True, slots=True, repr=False)
class Rank(Printed):
    """A player's place among the levels."""

    match: Match
    """Its games, a pairing for each level that it met."""
    scores: tuple[LevelScore, ...]
    """By level, from the weakest on."""
    elo: Estimate
    """Above level 1, with the 95 % interval; a limit that the games do not set is infinite."""
    seconds: float

    @property
    def player(self) -> str:
        """The name of the player."""
        return self.match.players[0].name

    @property
    def nearest(self) -> Level:
        """The level whose rating is nearest."""
        return nearest_level(self.elo.value)

    def to_dict(self) -> dict[str, Any]:
        """All of it as what `json.dumps` takes; a limit that the games do not set is None."""
        fields: dict[str, Any] = finite(
            {
                "player": self.player,
                "elo": asdict(self.elo),
                "nearest": asdict(self.nearest),
                "scores": [asdict(score) for score in self.scores],
                "seconds": self.seconds,
            }
        )
        return {**fields, "match": self.match.to_dict()}


def rank_player(
    player: Player,
    settings: Settings,
    seconds: float,
    executor: Executor,
    on_progress: OnProgress,
) -> Rank:
    """Play against the levels, always the one that is nearest to the estimate so far.

    Its games tell most where each side wins as often. The games do not depend on the number of
    workers, but for the time limit, after which no further one begins.

    Args:
        player: whom to rank.
        settings: the most games, in the own arena.
        seconds: after so long no further game begins.
        executor: any executor of the `concurrent.futures` kind.
        on_progress: told the games, the most games, and the next opponent.
    """
    begin = monotonic()
    records: list[GameRecord] = []
    completion = Completion.COMPLETE
    openings = shuffled_openings(settings.configuration, settings.opening_plies, settings.seed)

    def specification(level: Level, game: int) -> GameSpecification:
        pairing = Pairing(player, level_player(level))
        return GameSpecification(
            pairing=pairing,
            game=game,
            seed=game_seed(settings.seed, pairing, game),
            opening=openings[game // 2 % len(openings)],
            configuration=settings.configuration,
            arena=Arena.OWN,
        )

    def is_time_left() -> bool:
        return monotonic() - begin < seconds

    try:
        while len(records) < settings.games and is_time_left():
            level = next_level(scores_of(records))
            on_progress(len(records), settings.games, f"against level {level.n}")
            numbers = range(len(records), min(len(records) + ROUND, settings.games))
            games = [specification(level, number) for number in numbers]
            with closing(play_games(games, lambda _: is_time_left(), executor)) as played:
                for record in played:
                    records.append(record)
                    on_progress(len(records), settings.games, f"against level {level.n}")
    except KeyboardInterrupt:
        completion = Completion.INTERRUPTED
    except BrokenExecutor:
        completion = Completion.WORKER_DIED
    return _ranked(player, settings, records, completion, monotonic() - begin)


def _ranked(
    player: Player,
    settings: Settings,
    records: Sequence[GameRecord],
    completion: Completion,
    seconds: float,
) -> Rank:
    scores = scores_of(records)
    levels = [level_player(score.level) for score in scores]
    return Rank(
        match=Match(
            players=(Identity.of(player), *map(Identity.of, levels)),
            pairings=tuple((player.name, level.name) for level in levels),
            settings=settings,
            versions=Versions.current(),
            completion=completion,
            records=tuple(sorted(records, key=attrgetter("game"))),
        ),
        scores=tuple(scores),
        elo=estimated_elo(scores),
        seconds=seconds,
    )


@cache
def level_player(level: Level) -> Player:
    """The level as a player, by a name that nobody has who is ranked."""
    make = unbundled_agent("level", {"n": level.n})
    return Player(f"level {level.n}", PlayerKind.AGENT, make_agent=make)


def scores_of(records: Iterable[GameRecord]) -> list[LevelScore]:
    """The points from each level that was met; who fails has lost."""
    points: dict[str, list[float]] = defaultdict(list)
    for record in records:
        points[record.opponent].append(RATING_POINTS[record.result])
    return [
        LevelScore(level, len(points[name]), sum(points[name]))
        for level in LEVELS
        if (name := level_player(level).name) in points
    ]


def next_level(scores: Sequence[LevelScore]) -> Level:
    """The opponent of whom the next games tell most."""
    return nearest_level(estimated_elo(scores).value) if scores else FIRST


def nearest_level(elo: float) -> Level:
    """The level whose rating is nearest."""
    return min(LEVELS, key=lambda level: abs(level.elo - elo))


def estimated_elo(scores: Sequence[LevelScore]) -> Estimate:
    """The likeliest rating above level 1, with its 95 % interval.

    The points are as likely as Elo's logistic expectation says, with the levels' ratings known, and
    as in ladders two games count that were not played, one won and one lost, spread over the
    opponents. The interval is that of the normal distribution with Fisher's information, the sum of
    p (1 - p) over the games. Draws vary less than that, so it is rather too wide than too narrow;
    it is open on the side where nothing was won, or nothing was lost.
    """
    games, points = sum(score.games for score in scores), sum(score.points for score in scores)
    if not games:
        return Estimate(0.0, -inf, inf)
    unplayed = 1 / games

    def surplus(elo: float) -> float:
        """The points beyond the expected ones; they fall as the rating rises."""
        return sum(
            score.points
            + score.games * unplayed
            - score.games * (1 + 2 * unplayed) * expected_score(elo - score.level.elo)
            for score in scores
        )

    low, high = -WIDEST, WIDEST
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if surplus(middle) > 0 else (low, middle)
    half = Z_95 * ELO / sqrt(_information(scores, low))
    return Estimate(low, low - half if points else -inf, low + half if points < games else inf)


def _information(scores: Sequence[LevelScore], elo: float) -> float:
    expected = [(score.games, expected_score(elo - score.level.elo)) for score in scores]
    return sum(games * share * (1 - share) for games, share in expected)
