"""The figures of one pairing: results by seat, failures, the score with its interval, and times."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from agents.reporting.stats import Estimate, elo_estimate, paired_score_estimate
from submission.arena.game_record import GameRecord, Result
from submission.kaggle import DONE
from submission.reports import counted, share_in_words


@dataclass(frozen=True, slots=True)
class Tally:
    """Wins, draws and losses from a player's view."""

    wins: int
    draws: int
    losses: int

    def __str__(self) -> str:
        return f"{self.wins}-{self.draws}-{self.losses}"


@dataclass(frozen=True, slots=True)
class MoveTimes:
    """Seconds for moves; None where no move was made."""

    first: float | None
    """The longest first move of a game, which includes loading the submission."""
    mean: float | None
    """Mean over all moves."""
    longest: float | None
    """The longest of all moves."""

    @classmethod
    def of(cls, durations: Sequence[Sequence[float]]) -> "MoveTimes":
        """The times of a player, given the seconds of its moves in each game."""
        moves = [seconds for game in durations for seconds in game]
        if not moves:
            return cls(None, None, None)
        return cls(
            first=max(game[0] for game in durations if game),
            mean=sum(moves) / len(moves),
            longest=max(moves),
        )


@dataclass(frozen=True, slots=True)
class PairingStats:
    """The statistics of one pairing; both tallies leave out games in which somebody failed."""

    player: str
    opponent: str
    games: int
    distinct_games: int
    """The number of games that differ in the seats or in a move."""
    as_first: Tally
    """The player's results in seat 1."""
    as_second: Tally
    """The player's results in seat 2."""
    player_failures: dict[str, int]
    """How many games the player failed in, by its status: ERROR, INVALID or TIMEOUT."""
    opponent_failures: dict[str, int]
    """The same for the opponent."""
    scored_games: int
    """The number of games in the pairs that `points_of_pairs` counts."""
    score: Estimate | None
    """The player's score in these games, in [0, 1]; None if there are none."""
    elo: Estimate | None
    """The player's Elo above the opponent, from its score; may be infinite."""
    player_times: MoveTimes
    opponent_times: MoveTimes

    @property
    def points_in_words(self) -> str:
        """Such as "62.5 % [50.1, 73.2] of the points in 40 games", or "in 36 of 40 games"."""
        if self.score is None:
            return f"no pair of games counts, of {counted(self.games, 'games')}"
        scored = f"{self.scored_games} of " if self.scored_games < self.games else ""
        games = counted(self.games, "games")
        return f"{share_in_words(self.score)} of the points in {scored}{games}"


def pairing_stats(names: tuple[str, str], games: Sequence[GameRecord]) -> PairingStats:
    """The statistics of the games of one pairing."""
    player, opponent = names
    pairs = points_of_pairs(games)
    score = paired_score_estimate(pairs) if pairs else None
    return PairingStats(
        player=player,
        opponent=opponent,
        games=len(games),
        distinct_games=len({game.course for game in games}),
        as_first=tally_of(game for game in games if game.seat == 1),
        as_second=tally_of(game for game in games if game.seat == 2),
        player_failures=failures_of(game.status for game in games),
        opponent_failures=failures_of(game.statuses[2 - game.seat] for game in games),
        scored_games=2 * len(pairs),
        score=score,
        elo=None if score is None else elo_estimate(score),
        player_times=MoveTimes.of([game.seconds for game in games]),
        opponent_times=MoveTimes.of([game.durations[2 - game.seat] for game in games]),
    )


def pair_points(first: GameRecord, second: GameRecord) -> float | None:
    """The player's points in a pair, from 0 to 2; None if the opponent failed in either game.

    Such a pair is left out as a whole, because a single game's opening would favour one player.
    """
    if Result.OPPONENT_FAILED in (first.result, second.result):
        return None
    return first.result.points + second.result.points


def points_of_pairs(records: Iterable[GameRecord]) -> list[float]:
    """The points of each pair of a pairing's games, without incomplete pairs and those left out."""
    in_order = sorted(records, key=attrgetter("game"))
    pairs = (list(games) for _, games in groupby(in_order, key=attrgetter("pair")))
    found = (pair_points(*games) for games in pairs if len(games) == 2)
    return [points for points in found if points is not None]


def tally_of(games: Iterable[GameRecord]) -> Tally:
    """The player's results in these games, without those in which somebody failed."""
    results = Counter(game.result for game in games)
    return Tally(results[Result.WIN], results[Result.DRAW], results[Result.LOSS])


def failures_of(statuses: Iterable[str]) -> dict[str, int]:
    """The number of failures among a player's statuses, by Kaggle's status."""
    return dict(Counter(status for status in statuses if status != DONE))
