"""Ladders: the players of a round robin by strength, with their results and lost games."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from agents.reporting.stats import Estimate
from submission.arena.game_record import GameRecord, Result
from submission.match.match import Match, MoveTimes, Tally, failures_of, finite
from submission.rating.ratings import encounters_of, rate
from submission.reports import Printed


@dataclass(frozen=True, slots=True)
class PlayerStats(Tally):
    """The results of some games of a player; who fails has lost."""

    failures: Mapping[str, int]
    """The failures among the losses, by the status: ERROR, INVALID or TIMEOUT."""
    times: MoveTimes

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float | None:
        """The share of the points, a draw being half a point; None where no game was played."""
        return (self.wins + self.draws / 2) / self.games if self.games else None


@dataclass(frozen=True, slots=True)
class Rung:
    """A player's place."""

    player: str
    elo: Estimate
    """Above the anchor, with the 95 % interval; limits that the games do not set are infinite."""
    above_next: float | None
    """Probability that the player is stronger than the next one; None for the last."""
    stats: PlayerStats
    against: tuple[PlayerStats, ...]
    """Its games against each player of the ladder, in their order; none against itself."""


@dataclass(frozen=True, slots=True, repr=False)
class Ladder(Printed):
    """The players of a round robin, the strongest first."""

    match: Match
    anchor: str
    """The player whose rating is 0."""
    rungs: tuple[Rung, ...]

    def to_dict(self) -> dict[str, Any]:
        """All fields as what `json.dumps` takes; a limit that the games do not set is None."""
        fields: dict[str, Any] = finite(
            {"anchor": self.anchor, "rungs": [asdict(rung) for rung in self.rungs]}
        )
        return {"match": self.match.to_dict(), **fields}


def make_ladder(match: Match, anchor: str | None) -> Ladder:
    """Rate the players of a round robin.

    Args:
        match: the games; fewer than were asked for after an interrupt.
        anchor: whose rating is 0; None takes the player in the middle.

    Raises:
        ValueError: the anchor is none of the players.
        ModuleNotFoundError: choix is not installed.
    """
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
    return Ladder(
        match=match,
        anchor=names[ratings.anchor],
        rungs=tuple(
            Rung(
                player=name,
                elo=ratings.elo[player],
                above_next=above,
                stats=player_stats(name, match.records),
                against=_against(name, ranked, match.records),
            )
            for player, name, above in zip(order, ranked, [*above_next, None], strict=True)
        ),
    )


def _against(
    name: str, ranked: Sequence[str], records: Sequence[GameRecord]
) -> tuple[PlayerStats, ...]:
    return tuple(
        player_stats(name, [record for record in records if {*record.pairing} == {name, other}])
        for other in ranked
    )


def require_round_robin(names: Sequence[str], anchor: str | None) -> None:
    """See to it that players with these names can play a round robin.

    Raises:
        ValueError: fewer than two, one that is named twice, or an anchor that does not play.
    """
    if len(names) < 2:
        raise ValueError("a ladder takes at least two players: name more of them")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name!r} is named twice: name each player once")
    require_anchor(anchor, names)


def require_anchor(anchor: str | None, names: Sequence[str]) -> None:
    """Check that the one whose rating is 0 plays.

    Raises:
        ValueError: nobody has that name.
    """
    if anchor is not None and anchor not in names:
        raise ValueError(
            f"the anchor {anchor!r} is not among the players: name one of {', '.join(names)}"
        )


def player_stats(player: str, records: Iterable[GameRecord]) -> PlayerStats:
    """The statistics of a player, from those of the games in which it plays."""
    games = [record for record in records if player in record.pairing]
    results = Counter(result_of(player, record) for record in games)
    return PlayerStats(
        wins=sum(results[result] for result in WON),
        draws=results[Result.DRAW],
        losses=sum(results[result] for result in LOST),
        failures=failures_of(player, games),
        times=MoveTimes.of([game.durations[game.seat_of(player) - 1] for game in games]),
    )


WON = (Result.WIN, Result.OPPONENT_FAILED)
LOST = (Result.LOSS, Result.PLAYER_FAILED)


def result_of(player: str, record: GameRecord) -> Result:
    """The result from the view of one of the two who played; who fails has lost, be it both."""
    if player in record.failing_players:
        return Result.PLAYER_FAILED
    return record.result if player == record.player else record.result.for_opponent


@dataclass(frozen=True, slots=True)
class LostGames:
    """The games that a player has lost to one opponent."""

    opponent: str
    shown: tuple[GameRecord, ...]
    left_out: int
    """The number of the others."""


def lost_games(player: str, records: Iterable[GameRecord], most: int) -> list[LostGames]:
    """List what a player has lost, by opponent: its failures first, then the quickest losses.

    Args:
        player: the loser.
        records: games, also of others.
        most: how many are shown of each opponent.
    """
    by_opponent: dict[str, list[GameRecord]] = defaultdict(list)
    for record in records:
        if player in record.pairing and result_of(player, record) in LOST:
            first, second = record.pairing
            by_opponent[second if player == first else first].append(record)
    return [_chosen(opponent, games, most) for opponent, games in by_opponent.items()]


def _chosen(opponent: str, games: Sequence[GameRecord], most: int) -> LostGames:
    told = sorted(games, key=lambda game: (not game.failing_players, len(game.columns)))
    return LostGames(opponent, tuple(told[:most]), max(0, len(told) - most))
