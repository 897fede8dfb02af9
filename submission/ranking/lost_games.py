"""Which games of a ladder are worth looking at: those that a player has lost."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from submission.evaluating.game_record import GameRecord
from submission.ranking.standing import LOST, result_of


@dataclass(frozen=True, slots=True)
class LostGames:
    """The games that a player has lost to one opponent."""

    opponent: str
    shown: tuple[GameRecord, ...]
    left_out: int
    """How many more there are."""


def lost_games(player: str, records: Iterable[GameRecord], most: int) -> list[LostGames]:
    """What a player has lost, by opponent: its failures first, then the quickest losses.

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
    told = sorted(games, key=lambda game: (game.failing_player is None, len(game.columns)))
    return LostGames(opponent, tuple(told[:most]), max(0, len(told) - most))
