"""What a player did in all games of a tournament."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from statistics import fmean

from submission.evaluating.game_record import GameRecord, Result
from submission.evaluating.summary import failing_status

OTHER_VIEW = {
    Result.WIN: Result.LOSS,
    Result.DRAW: Result.DRAW,
    Result.LOSS: Result.WIN,
    Result.PLAYER_FAILED: Result.OPPONENT_FAILED,
    Result.OPPONENT_FAILED: Result.PLAYER_FAILED,
}
"""A result as the opponent sees it."""

WON = (Result.WIN, Result.OPPONENT_FAILED)
LOST = (Result.LOSS, Result.PLAYER_FAILED)


@dataclass(frozen=True, slots=True)
class Standing:
    """The results of some games of a player; who fails has lost."""

    wins: int
    draws: int
    losses: int
    failures: Mapping[str, int]
    """How many of the losses were failures, by the status: ERROR, INVALID or TIMEOUT."""
    mean_seconds: float | None
    """Mean over all moves; None where no move was made."""
    longest_seconds: float | None
    """The longest of all moves."""

    @property
    def games(self) -> int:
        """How many games were played."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float | None:
        """The share of the points, a draw being half a point; None where no game was played."""
        return (self.wins + self.draws / 2) / self.games if self.games else None


def standing_of(player: str, records: Iterable[GameRecord]) -> Standing:
    """The standing of a player in those of the games in which it plays."""
    games = [record for record in records if player in record.pairing]
    results = Counter(result_of(player, record) for record in games)
    failed = [game for game in games if game.failing_player == player]
    seconds = [*chain.from_iterable(game.durations[seat_of(player, game) - 1] for game in games)]
    return Standing(
        wins=sum(results[result] for result in WON),
        draws=results[Result.DRAW],
        losses=sum(results[result] for result in LOST),
        failures=Counter(map(failing_status, failed)),
        mean_seconds=fmean(seconds) if seconds else None,
        longest_seconds=max(seconds, default=None),
    )


def result_of(player: str, record: GameRecord) -> Result:
    """The result from the view of one of the two who played."""
    return record.result if player == record.player else OTHER_VIEW[record.result]


def seat_of(player: str, record: GameRecord) -> int:
    """The seat of one of the two who played: 1 moves first, 2 second."""
    return record.seat if player == record.player else record.opponent_seat
