"""The players of a round robin by strength: their ratings, and their results against each other."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from submission.arena.game_record import GameRecord, Result
from submission.match.match import Match
from submission.match.pairing_stats import MoveTimes, failures_of
from submission.rating.ladder import Ladder, PlayerStats, Rung
from submission.rating.ratings import encounters_of, rate


def make_ladder(match: Match, anchor: str | None) -> Ladder:
    """Rate the players of a round robin.

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
