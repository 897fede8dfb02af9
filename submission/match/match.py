"""A match: the games that some pairings of players have played, and what they come to.

`Match` is the whole as a value, `ScoreBoard` what its games are collected on, and `PairingStats`
the figures of one pairing.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import chain
from math import inf, isfinite
from typing import Any

from agents.reporting.stats import Estimate, elo_estimate, paired_score_estimate
from submission.arena.game_record import GameRecord, Result
from submission.arena.players import Identity
from submission.executors.versions import Versions
from submission.match.schedule import GameSpecification, Settings
from submission.match.sprt import Decision, SequentialTest, Sprt, course_of, points_of_pairs
from submission.reports import Printed


class Completion(StrEnum):
    """Whether all was played that was asked for, or why not."""

    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    WORKER_DIED = "worker died"
    UNFINISHED = "unfinished"
    """Games are missing in a results file, and may be being played at this moment."""


@dataclass(frozen=True, slots=True, repr=False)
class Match(Printed):
    """The games of some pairings."""

    players: tuple[Identity, ...]
    """Everybody who played, each once."""
    pairings: tuple[tuple[str, str], ...]
    """The names of the player and the opponent of each."""
    settings: Settings
    versions: Versions
    completion: Completion
    records: tuple[GameRecord, ...]
    """The games that count, by pairing and number."""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.completion is Completion.INTERRUPTED

    def games_of(self, pairing: tuple[str, str]) -> list[GameRecord]:
        """The games of one pairing, by number."""
        return [record for record in self.records if record.pairing == pairing]

    def stats(self) -> "tuple[PairingStats, ...]":
        """The statistics of each pairing, in their order."""
        return tuple(pairing_stats(names, self.games_of(names)) for names in self.pairings)

    def to_dict(self) -> dict[str, Any]:
        """All fields, and the statistics of each pairing, as what `json.dumps` takes.

        A limit that the games do not set is None.
        """
        fields: dict[str, Any] = finite(
            {**asdict(self), "stats": [asdict(each) for each in self.stats()]}
        )
        return fields


def finite(value: Any) -> Any:
    """The same for JSON, which has no infinite numbers: None stands for them."""
    match value:
        case float() if not isfinite(value):
            return None
        case Mapping():
            return {key: finite(each) for key, each in value.items()}
        case list() | tuple():
            return [finite(each) for each in value]
    return value


class ScoreBoard:
    """Collects the games of some pairings, which come in any order.

    Args:
        pairings: the names of the player and the opponent of each; each pairing once.
        sprt: the test that decides a pairing; None decides none.
    """

    def __init__(self, pairings: Iterable[tuple[str, str]], sprt: Sprt | None) -> None:
        self._games: dict[tuple[str, str], dict[int, GameRecord]] = {
            names: {} for names in pairings
        }
        self._tests = {} if sprt is None else {names: SequentialTest(sprt) for names in self._games}

    def add(self, record: GameRecord) -> None:
        """Take a game.

        Raises:
            ValueError: its pairing is not among those of the match, or it is there already.
        """
        games = self._games.get(record.pairing)
        if games is None:
            raise ValueError(f"{record.player} against {record.opponent} is not to be played")
        if record.game in games:
            raise ValueError(f"{record} was played twice")
        games[record.game] = record
        if self._tests:
            self._tests[record.pairing].add(record)

    def needs(self, specification: GameSpecification) -> bool:
        """Whether this game is still to be played."""
        names = specification.pairing.names
        return specification.game not in self._games[names] and names not in self.decisions

    @property
    def decisions(self) -> dict[tuple[str, str], Decision]:
        """Ends of the sequential test, by pairing; undecided ones are left out."""
        return {
            names: test.decision for names, test in self._tests.items() if test.decision is not None
        }

    @property
    def records(self) -> tuple[GameRecord, ...]:
        """The games by pairing and number; of a decided pairing, those that decided it.

        Games that were under way by then are left out, so that the number of workers changes
        nothing.
        """
        ends = {names: decision.games for names, decision in self.decisions.items()}
        return tuple(
            games[number]
            for names, games in self._games.items()
            for number in sorted(games)
            if number < ends.get(names, inf)
        )


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
    def of(cls, games: Sequence[Sequence[float]]) -> "MoveTimes":
        """The times of a player, from its seconds for each move of each game."""
        moves = list(chain.from_iterable(games))
        if not moves:
            return cls(None, None, None)
        return cls(
            first=max(durations[0] for durations in games if durations),
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
    """Games that differ in the seats or in a move."""
    as_first: Tally
    """The player on seat 1."""
    as_second: Tally
    """The player on seat 2."""
    player_failures: dict[str, int]
    """Games in which the player failed, by its status: ERROR, INVALID or TIMEOUT."""
    opponent_failures: dict[str, int]
    """The same of the opponent."""
    score: Estimate | None
    """In [0, 1], over the pairs of games that `points_of_pairs` counts; None if there is none."""
    elo: Estimate | None
    """Elo points by which the player is above the opponent, by its score; may be infinite."""
    player_times: MoveTimes
    opponent_times: MoveTimes


def pairing_stats(names: tuple[str, str], games: Sequence[GameRecord]) -> PairingStats:
    """The statistics of the games of one pairing.

    Args:
        names: of the player and the opponent.
        games: all of them theirs.
    """
    player, opponent = names
    pairs = points_of_pairs(games)
    score = paired_score_estimate(pairs) if pairs else None
    return PairingStats(
        player=player,
        opponent=opponent,
        games=len(games),
        distinct_games=len(set(map(course_of, games))),
        as_first=_tally(game for game in games if game.seat == 1),
        as_second=_tally(game for game in games if game.seat == 2),
        player_failures=failures_of(player, games),
        opponent_failures=failures_of(opponent, games),
        score=score,
        elo=None if score is None else elo_estimate(score),
        player_times=MoveTimes.of([game.durations[game.seat - 1] for game in games]),
        opponent_times=MoveTimes.of([game.durations[game.opponent_seat - 1] for game in games]),
    )


def _tally(games: Iterable[GameRecord]) -> Tally:
    results = Counter(game.result for game in games)
    return Tally(results[Result.WIN], results[Result.DRAW], results[Result.LOSS])


def failures_of(name: str, games: Iterable[GameRecord]) -> dict[str, int]:
    """How many of the games a player failed in, by its status: ERROR, INVALID or TIMEOUT.

    Args:
        name: of the player.
        games: all of them with it.
    """
    return dict(Counter(game.status_of(name) for game in games if name in game.failing_players))
