"""From game records to figures: results by seat, score and Elo, failures, move times."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from submission.evaluating.game_record import GameRecord, Result
from submission.evaluating.statistics import Estimate, elo_estimate, score_estimate


@dataclass(frozen=True, slots=True)
class Tally:
    """Games in which both statuses were DONE, from the player's view."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """How many games were won, drawn or lost."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """A win is one point, a draw half a point."""
        return self.wins + self.draws / 2


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
    """All games against one opponent."""

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
    """In [0, 1]; None where no game counts. A game in which the player failed counts 0, one in
    which the opponent failed does not count."""
    elo: Estimate | None
    """Elo points by which the player is above the opponent, by its score; may be infinite."""
    player_times: MoveTimes
    opponent_times: MoveTimes


def summarise(opponent: str, records: Iterable[GameRecord]) -> PairingSummary:
    """Summarise the games against one opponent; the records of others are left out."""
    games = [record for record in records if record.opponent == opponent]
    as_first = _tally([record for record in games if record.seat == 1])
    as_second = _tally([record for record in games if record.seat == 2])
    player_failures = _failures(games, Result.PLAYER_FAILED)
    score = _score(as_first, as_second, sum(player_failures.values()))
    return PairingSummary(
        opponent=opponent,
        games=len(games),
        distinct_games=len({(record.seat, record.columns) for record in games}),
        as_first=as_first,
        as_second=as_second,
        player_failures=player_failures,
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


def _score(as_first: Tally, as_second: Tally, failures: int) -> Estimate | None:
    games = as_first.games + as_second.games + failures
    return score_estimate(as_first.points + as_second.points, games) if games else None


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
