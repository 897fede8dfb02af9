"""A match: the games of some pairings of players, and their statistics."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from math import inf
from typing import Any, Self

from rich.console import Group, RenderableType
from rich.text import Text

from agents.reporting.stats import Estimate
from submission.arena.game_record import GameRecord
from submission.arena.players import Identity, Pairing, players_of
from submission.executors.local_workers import Versions
from submission.executors.work import Completion, early_end_in_words
from submission.match.pairing_stats import PairingStats, pairing_stats
from submission.match.schedule import GameSpecification, Settings
from submission.match.sprt import ENOUGH_REPEATS, SequentialTest, Sprt
from submission.reports import (
    NOTHING,
    PlayerTable,
    Printed,
    counted,
    elo_in_words,
    finite,
    in_cell,
    seconds,
    share_in_words,
)


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """The players, pairings and settings of a match."""

    players: tuple[Identity, ...]
    """All players, each once."""
    pairings: tuple[tuple[str, str], ...]
    """The names of the player and the opponent of each pairing."""
    settings: Settings
    versions: Versions

    @classmethod
    def of(cls, pairings: Sequence[Pairing], settings: Settings, **more: Any) -> Self:
        """The plan of a match played here; `more` has the further fields of a subclass."""
        return cls(
            players=tuple(map(Identity.of, players_of(pairings))),
            pairings=tuple(pairing.names for pairing in pairings),
            settings=settings,
            versions=Versions.current(),
            **more,
        )

    @property
    def is_ladder(self) -> bool:
        """Whether it is more than one player's games against others."""
        return len({player for player, _ in self.pairings}) > 1


@dataclass(frozen=True, slots=True, repr=False)
class Match(Printed, MatchPlan):
    """The games of some pairings."""

    completion: Completion
    records: tuple[GameRecord, ...]
    """The games that count, by pairing and number."""

    def games_of(self, pairing: tuple[str, str]) -> list[GameRecord]:
        """The games of one pairing, by number."""
        return [record for record in self.records if record.pairing == pairing]

    def fails_throughout(self, name: str) -> bool:
        """Whether a player has failed in every game; true if none was played."""
        return all(name in record.failures for record in self.records)

    def stats(self) -> tuple[PairingStats, ...]:
        """The statistics of each pairing, in their order."""
        return tuple(pairing_stats(names, self.games_of(names)) for names in self.pairings)

    def tests(self) -> Iterator[tuple[tuple[str, str], SequentialTest]]:
        """The sequential test of each pairing, after its games; nothing without a test."""
        sprt = self.settings.sprt
        if sprt is None:
            return
        for names in self.pairings:
            test = SequentialTest(sprt)
            for record in self.games_of(names):
                test.add(record)
            yield names, test

    def tables(self) -> RenderableType:
        """Tables of a player's results and times against its opponents, and how they count."""
        stats = self.stats()
        return Group(results_table(stats), _times_table(stats), Text(RULES))

    def summary(self) -> list[str]:
        """The failures, the verdicts of a sequential test, and the score of each pairing."""
        return [*match_notes(self), *map(_score_in_words, self.stats())]

    def to_dict(self) -> dict[str, Any]:
        """All fields, and the statistics and the sequential test, if any, of each pairing.

        A limit that is not finite is None, and so is the verdict of a test that has not decided.
        """
        stats, tests = [asdict(each) for each in self.stats()], [*map(_told, self.tests())]
        return finite({**asdict(self), "stats": stats, "tests": tests})


class ScoreBoard:
    """Collects the games of some pairings, in any order."""

    def __init__(self, pairings: Iterable[tuple[str, str]], sprt: Sprt | None) -> None:
        self._games: dict[tuple[str, str], dict[int, GameRecord]] = {
            names: {} for names in pairings
        }
        self._tests = {} if sprt is None else {names: SequentialTest(sprt) for names in self._games}

    def add(self, record: GameRecord) -> None:
        """Add a game; ValueError if its players are not among the pairings."""
        if record.pairing not in self._games:
            raise ValueError(f"{record.player} against {record.opponent} is not among the pairings")
        self._games[record.pairing][record.game] = record
        if self._tests:
            self._tests[record.pairing].add(record)

    def needs(self, specification: GameSpecification) -> bool:
        """Whether this game is still to be played."""
        names, game = specification.pairing.names, specification.game
        return game not in self._games[names] and game < self._end(names)

    def is_complete(self, games: int) -> bool:
        """Whether each pairing has played this number of games, or is decided."""
        return all(
            len(played) == games or self._end(names) < inf for names, played in self._games.items()
        )

    def _end(self, names: tuple[str, str]) -> float:
        """The number of games that decided a pairing; infinite while it is undecided."""
        test = self._tests.get(names)
        return inf if test is None or test.decision is None else test.decision.games

    @property
    def records(self) -> tuple[GameRecord, ...]:
        """The games by pairing and number; of a decided pairing, only those that decided it.

        Games in progress at the decision are left out, so that the number of workers has no effect.
        """
        return tuple(
            games[number]
            for names, games in self._games.items()
            for number in sorted(games)
            if number < self._end(names)
        )


RULES = (
    "W-D-L: wins, draws and losses on the first and on the second seat, among the games in which "
    "both statuses were DONE. Score: of the pairs of games, one opening from both seats; a win is "
    "1, a draw 1/2, a failure of the player 0; left out are pairs in which the opponent failed, "
    "and games whose partner was not played. In brackets the 95 % interval by the spread between "
    "pairs, and for Elo the same limits by 400 log10(s / (1 - s)). The first move includes loading "
    "the submission, and compiling where there is any."
)


def match_notes(match: Match) -> list[str]:
    """The verdicts of the sequential test, the failures, and missing or repeated games."""
    return [*_verdicts(match), *failures(match), *played_in_words(match), *repetitions(match)]


def results_table(stats: Sequence[PairingStats]) -> PlayerTable:
    """The results of a player against each opponent."""
    return PlayerTable(
        f"Results of {stats[0].player}",
        "against",
        ("games", "W-D-L\nfirst", "W-D-L\nsecond", "score, %", "Elo", "failed"),
        {
            pairing.opponent: (
                str(pairing.games),
                str(pairing.as_first),
                str(pairing.as_second),
                NOTHING if pairing.score is None else in_cell(share_in_words(pairing.score)),
                NOTHING if pairing.elo is None else in_cell(elo_in_words(pairing.elo)),
                f"{sum(pairing.player_failures.values())} player\n"
                f"{sum(pairing.opponent_failures.values())} opponent",
            )
            for pairing in stats
        },
    )


def _times_table(stats: Sequence[PairingStats]) -> PlayerTable:
    own = ("first", "mean", "max")
    return PlayerTable(
        f"Seconds for a move of {stats[0].player}, and of its opponent",
        "against",
        (*own, *(f"opponent's\n{heading}" for heading in own)),
        {
            pairing.opponent: [
                seconds(time)
                for times in (pairing.player_times, pairing.opponent_times)
                for time in (times.first, times.mean, times.longest)
            ]
            for pairing in stats
        },
    )


def played_in_words(match: Match) -> list[str]:
    """Say why games are missing, if any are."""
    return early_end_in_words(
        match.completion,
        f"{len(match.records)} of {match.settings.games * len(match.pairings)} games",
        "play fewer games at a time; if there is a results file, --resume goes on from it",
    )


def repetitions(match: Match) -> Iterator[str]:
    """Name the pairings that played a game more than once."""
    repeated = [
        f"{pairing.player} and {pairing.opponent} {pairing.distinct_games} of {pairing.games}"
        for pairing in match.stats()
        if pairing.distinct_games < pairing.games
    ]
    if repeated:
        yield (
            "Games were repeated, but the intervals take all pairs as independent. Distinct games: "
            f"{'; '.join(repeated)}."
        )


def failures(match: Match) -> Iterator[str]:
    """For each player that failed: how often, and the first failure with its cause."""
    for player in match.players:
        failed = [game for game in match.records if player.name in game.failures]
        if failed:
            first = failed[0]
            yield (
                f"{player.name} failed in {counted(len(failed), 'games')}, first in {first}: "
                f"{first.failures[player.name]}, {first.cause}."
            )


def _verdicts(match: Match) -> Iterator[str]:
    for names, test in match.tests():
        games = match.games_of(names)
        verdict = _verdict(test, pairing_stats(names, games).score)
        is_complete = match.completion is Completion.COMPLETE
        if test.decision is None and is_complete and len(games) < match.settings.games:
            # The test has ended the pairing, because the players repeat their games.
            count = len({record.opening for record in games})
            openings = "opening" if count == 1 else f"{count} openings"
            verdict += (
                f" Then {ENOUGH_REPEATS} pairs repeated earlier ones move for move: the "
                f"score is exact for the {openings} of these games, and says nothing about others."
            )
        yield f"Against {names[1]}: {verdict}"


def _told(tested: tuple[tuple[str, str], SequentialTest]) -> dict[str, Any]:
    (player, opponent), test = tested
    decision = test.decision
    return {
        "player": player,
        "opponent": opponent,
        "verdict": None if decision is None else decision.verdict,
        "games": None if decision is None else decision.games,
        "log_likelihood_ratio": test.llr,
    }


def _verdict(test: SequentialTest, score: Estimate | None) -> str:
    sprt, decision = test.sprt, test.decision
    question = f"Elo {sprt.elo0:+g} or {sprt.elo1:+g}?"
    bounds = f"log-likelihood ratio {test.llr:+.2f}, bounds {sprt.lower:+.2f} and {sprt.upper:+.2f}"
    if decision is None or decision.verdict is None or score is None:
        return f"{question} Not decided ({bounds})."
    found = sprt.in_words(decision.verdict)
    if found.startswith("not"):
        found += f"; by the games {_compared(score)}, with {100 * score.value:.1f} % of the points"
    return (
        f"{question} {found[0].upper()}{found[1:]}. Decided after {decision.games} games "
        f"({bounds}). The score at which a test ends exaggerates the difference; its interval "
        "covers about 90 %."
    )


def _compared(score: Estimate) -> str:
    """The player compared with its opponent, as far as the interval of the score decides."""
    if score.high < 0.5:
        return "weaker"
    return "stronger" if score.low > 0.5 else "neither stronger nor weaker for certain"


def _score_in_words(stats: PairingStats) -> str:
    """Such as "a against b: 62.5 % [50.1, 73.2] of the points in 40 games, Elo +89 [+1, +175]."."""
    elo = "" if stats.elo is None else f", Elo {elo_in_words(stats.elo)}"
    return f"{stats.player} against {stats.opponent}: {stats.points_in_words}{elo}."
