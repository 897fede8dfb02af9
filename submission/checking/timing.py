"""The seconds of a submission's moves, over the games that decide."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import fmean

from submission.checking.game_plan import SEATS, Limits
from submission.checking.game_watch import overtimes, overtimes_of_full_game
from submission.checking.observed_game import ObservedGame


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds, over the games that decide."""

    loading: float  # the longest time to load the file
    first_move: float  # the longest first move, including loading and compiling
    mean: float  # the mean of all moves
    percentile_99: float
    longest: float
    longest_later: float | None  # the longest move after a seat's first; None if there is none
    bank: float  # seconds that a game's moves may take beyond their limit, in total
    bank_taken: float  # the most that one seat took from the bank in a game, as far as played
    bank_of_full_game: float
    """Seconds that a full game would take from the bank; see `overtimes_of_full_game`."""

    @property
    def bank_left(self) -> float:
        """The least that a full game would leave of the bank, at least 0."""
        return max(0.0, self.bank - self.bank_of_full_game)


def timing_of(records: Sequence[ObservedGame], limits: Limits) -> Timing | None:
    """The timing of the games that decide; None if no move was made."""
    played = [seat for record in records for seat in record.moves.values() if seat]
    moves = sorted(move.seconds for seat in played for move in seat)
    loadings = [record.loaded.seconds for record in records if record.loaded]
    if not moves or not loadings:
        return None
    return Timing(
        loading=max(loadings),
        first_move=max(first.seconds for first, *_ in played),
        mean=fmean(moves),
        percentile_99=moves[ceil(0.99 * len(moves)) - 1],
        longest=moves[-1],
        longest_later=max((move.seconds for _, *later in played for move in later), default=None),
        bank=limits.bank,
        bank_taken=max(sum(overtimes(seat, limits.act_timeout)) for seat in played),
        bank_of_full_game=max(_of_full_games(records)),
    )


def _of_full_games(records: Sequence[ObservedGame]) -> Iterator[float]:
    """What a full game takes from the bank in each seat, judging by long games if there are any."""
    for seat in SEATS:
        of_seat = [record for record in records if record.moves.get(seat)]
        for record in [record for record in of_seat if record.plan.is_long] or of_seat:
            plan = record.plan
            moves, most = record.moves[seat], plan.most_moves(seat)
            yield sum(overtimes_of_full_game(moves, most, plan.rules.act_timeout))
