"""A ladder: the players of a round robin ranked by strength, with their ratings and results."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from rich.console import Group, RenderableType

from agents.reporting.stats import Estimate
from submission.arena.game_record import GameRecord, Result
from submission.match.match import Match, failures, played_in_words, repetitions
from submission.match.pairing_stats import MoveTimes, Tally, failures_of
from submission.match.schedule import Arena
from submission.rating.rating_chart import rating_chart
from submission.rating.ratings import encounters_of, rate
from submission.reports import (
    PlayerTable,
    Printed,
    counted,
    elo_in_words,
    finite,
    in_cell,
    percent,
    plain,
    seconds,
)


@dataclass(frozen=True, slots=True)
class PlayerStats(Tally):
    """A player's results in some games; a failure is a loss."""

    failures: Mapping[str, int]
    """The failures among the losses, by status: ERROR, INVALID or TIMEOUT."""
    times: MoveTimes

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float | None:
        """The share of the points, half a point for a draw; None if no game was played."""
        return (self.wins + self.draws / 2) / self.games if self.games else None


@dataclass(frozen=True, slots=True)
class Rung:
    """A player's place."""

    player: str
    elo: Estimate
    """Above the anchor, with the 95 % interval; limits that the games leave open are infinite."""
    above_next: float | None
    """Probability that the player is stronger than the next one; None for the last."""
    stats: PlayerStats
    against: tuple[PlayerStats, ...]
    """Its games against each player, in the ladder's order; none against itself."""


@dataclass(frozen=True, slots=True, repr=False)
class Ladder(Printed):
    """The players of a round robin, the strongest first."""

    match: Match
    anchor: str
    """The player whose rating is 0."""
    rungs: tuple[Rung, ...]

    def tables(self) -> RenderableType:
        """Ratings and results, the score of each pairing, move times, and the rules."""
        meetings = {
            rung.player: [percent(meeting.score, digits=0) for meeting in rung.against]
            for rung in self.rungs
        }
        ranks = [str(rank) for rank in range(1, len(self.rungs) + 1)]
        return Group(
            self.results_table(),
            _table("Points of the row's player against the column's, %", ranks, meetings),
            self.times_table(),
            *map(plain, _rules(self)),
        )

    def results_table(self) -> PlayerTable:
        """Ratings and results, the strongest player first."""
        headings = ("games", "points, %", "W-D-L", "failed", "Elo", "above\nnext, %")
        rows = {rung.player: _results(rung, self.anchor) for rung in self.rungs}
        return _table(ladder_title(self), headings, rows)

    def times_table(self) -> PlayerTable:
        """The players' seconds per move."""
        times = {rung.player: rung.stats.times for rung in self.rungs}
        rows = {name: (seconds(each.mean), seconds(each.longest)) for name, each in times.items()}
        return _table("Seconds for a move", ("mean", "longest"), rows)

    def summary(self) -> list[str]:
        """The failures, and the ratings, the strongest player first."""
        ratings = [
            f"{rank}  {rung.player}: Elo "
            f"{'0, the anchor' if rung.player == self.anchor else elo_in_words(rung.elo)}"
            for rank, rung in enumerate(self.rungs, start=1)
        ]
        return [*_warnings(self.match), *ratings]

    def pictures(self) -> list[str]:
        """The ratings with their intervals."""
        return [rating_chart({rung.player: rung.elo for rung in self.rungs}, self.anchor)]

    def to_dict(self) -> dict[str, Any]:
        """All fields, for `json.dumps`; an infinite limit is None."""
        rungs = [asdict(rung) for rung in self.rungs]
        return finite({"match": self.match.to_dict(), "anchor": self.anchor, "rungs": rungs})


def make_ladder(match: Match, anchor: str | None) -> Ladder:
    """Rate the players of a round robin; ValueError if the anchor is none of them."""
    names = [player.name for player in match.players]
    require_anchor(anchor, names)
    ratings = rate(
        len(names),
        encounters_of(names, match.records),
        anchor=None if anchor is None else names.index(anchor),
        seed=match.settings.seed,
    )
    order = sorted(range(len(names)), key=lambda player: -ratings.elo[player].value)
    ranked = [names[player] for player in order]
    above_next = [float(ratings.superiority[pair]) for pair in pairwise(order)]
    games: dict[frozenset[str], list[GameRecord]] = defaultdict(list)
    for record in match.records:
        games[frozenset(record.pairing)].append(record)
    return Ladder(
        match=match,
        anchor=names[ratings.anchor],
        rungs=tuple(
            Rung(
                player=name,
                elo=ratings.elo[player],
                above_next=above,
                stats=player_stats(name, match.records),
                against=tuple(
                    player_stats(name, games[frozenset((name, other))]) for other in ranked
                ),
            )
            for player, name, above in zip(order, ranked, [*above_next, None], strict=True)
        ),
    )


def require_round_robin(names: Sequence[str], anchor: str | None) -> None:
    """Refuse fewer than two players, a player named twice, or an anchor that does not play."""
    if len(names) < 2:
        raise ValueError("a ladder needs at least two players: name more")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name!r} is named twice: name each player once")
    require_anchor(anchor, names)


def require_anchor(anchor: str | None, names: Sequence[str]) -> None:
    """Refuse an anchor that does not play."""
    if anchor is not None and anchor not in names:
        raise ValueError(
            f"the anchor {anchor!r} is not among the players: name one of {', '.join(names)}"
        )


def player_stats(player: str, records: Iterable[GameRecord]) -> PlayerStats:
    """The statistics of a player, from those of the games in which it plays."""
    games = [record.seen_by(player) for record in records if player in record.pairing]
    results = Counter(game.result.outcome for game in games)
    return PlayerStats(
        wins=results[Result.WIN],
        draws=results[Result.DRAW],
        losses=results[Result.LOSS],
        failures=failures_of(game.status for game in games),
        times=MoveTimes.of([game.seconds for game in games]),
    )


NEARLY_SURE = 0.999  # the number of replicas cannot distinguish a higher probability from certainty


def _results(rung: Rung, anchor: str) -> tuple[str, ...]:
    stats, above_next = rung.stats, rung.above_next
    is_nearly_sure = above_next is not None and above_next > NEARLY_SURE
    return (
        str(stats.games),
        percent(stats.score),
        str(stats),
        "\n".join(f"{count} {status}" for status, count in stats.failures.items()) or "0",
        f"{rung.elo.value:+.0f}\nanchor"
        if rung.player == anchor
        else in_cell(elo_in_words(rung.elo)),
        f">{percent(NEARLY_SURE)}" if is_nearly_sure else percent(above_next),
    )


def _table(title: str, headings: Sequence[str], rows: Mapping[str, Sequence[str]]) -> PlayerTable:
    return PlayerTable(title, "player", headings, rows, is_ranking=True)


def ladder_title(ladder: Ladder) -> str:
    """The players and the games, as a title."""
    settings = ladder.match.settings
    configuration = settings.configuration
    referee = "Kaggle's environment" if settings.arena is Arena.KAGGLE else "the own arena"
    if configuration.referee.is_open_spiel:
        referee = configuration.referee
    return (
        f"Ladder of {len(ladder.rungs)} players: {len(ladder.match.records)} games on "
        f"{configuration.rows}x{configuration.columns}, {configuration.inarow} in a row, "
        f"{configuration.act_timeout:g} s a move, {referee}"
    )


RULES = (
    "W-D-L: wins, draws and losses; a failure is a loss. Elo: the likeliest ratings of the "
    "Bradley-Terry model, in which a draw is half a game won; points above {anchor}. The interval "
    "is the Bayesian bootstrap's over pairs of games, one opening from both seats; it is open on a "
    "side where the games set no limit. For both, each player counts one game won and one lost "
    "that were not played, spread over its opponents. Above next: how probable it is that the "
    "player is stronger than the one below."
)


def ladder_notes(ladder: Ladder) -> list[str]:
    """The warnings, the meaning of the columns, and the conditions."""
    return [*_warnings(ladder.match), *_rules(ladder)]


def _warnings(match: Match) -> list[str]:
    return [*played_in_words(match), *repetitions(match), *failures(match), *_few_games(match)]


def _rules(ladder: Ladder) -> list[str]:
    return [RULES.format(anchor=ladder.anchor), _conditions(ladder.match)]


ENOUGH_GAMES = 20
"""Games per pairing for intervals to contain the true rating about as often as they claim."""


def _few_games(match: Match) -> Iterator[str]:
    fewest = min(pairing.games for pairing in match.stats())
    if fewest < ENOUGH_GAMES:
        yield (
            f"Some players have met in only {counted(fewest, 'games')}: with fewer than "
            f"{ENOUGH_GAMES} the intervals are too narrow, and ratings that should be far apart "
            "are too close together."
        )


def _conditions(match: Match) -> str:
    """The conditions needed to play the same games again."""
    settings, versions = match.settings, match.versions
    return (
        f"Seed {settings.seed}, openings up to ply {settings.opening_plies}, at most "
        f"{settings.games} games per pair; connectx-agents {versions.package}, "
        f"kaggle-environments {versions.kaggle_environments or 'not installed'}, "
        f"Python {versions.python}."
    )
