"""A comparison of a player's new version with the old one: games, moves and times, in words."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from submission.checking.game_watch import Timing
from submission.comparing.finding import ComparisonSettings, Finding
from submission.comparing.paired_answers import AnswerPair, PairedAnswers
from submission.executors.work import Completion, early_end_in_words
from submission.grading.answers import ALL, HARD
from submission.grading.grade import Grade
from submission.grading.grade_charts import figure_of
from submission.grading.solved_positions import Phase
from submission.match.match import Match, failures, repetitions, results_table
from submission.match.pairing_stats import PairingStats
from submission.reports import (
    NOTHING,
    PlayerTable,
    Printed,
    counted,
    elo_in_words,
    render_page,
    seconds,
)

FORMAT = "connectx comparison, version 1"

SHOWN, SHOWN_ON_PAGE = 5, 48  # the most positions in the terminal, and on the page

RULES = (
    "Better, worse or equal: by two sequential tests of the same games, from openings that both "
    "play from either seat. About one comparison of equal players in twenty calls them better or "
    "worse, and as many miss a difference of the margin; a smaller one may be called equal. The "
    "score at which a test ends exaggerates the difference. Kept: the share of the moves that keep "
    "the win or the draw under best play, in solved positions in which some move gives it away."
)


@dataclass(frozen=True, slots=True)
class SlowMoves:
    """A player's moves on a machine a third as fast."""

    player: str
    timing: Timing | None  # None if it made no move
    fault: str | None  # what went wrong there


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Printed):
    """A new version of a player compared with the old one."""

    settings: ComparisonSettings
    match: Match
    finding: Finding  # of the games
    seconds: float  # time taken by all games, several at a time
    games_to_come: int  # about how many more would decide the test
    grades: tuple[Grade, ...] = ()
    """Of the new player and of the old one, for the same positions; fewer after an early end."""
    slow_moves: tuple[SlowMoves, ...] = ()
    """Of the players that could be slowed down; none after an early end."""

    @property
    def new(self) -> str:
        """The name of the new player."""
        return self.match.pairings[0][0]

    @property
    def old(self) -> str:
        """The name of the old player."""
        return self.match.pairings[0][1]

    @property
    def stats(self) -> PairingStats:
        """The statistics of the games."""
        return self.match.stats()[0]

    @property
    def seconds_to_come(self) -> float:
        """About how long `games_to_come` would take here."""
        return self.games_to_come * self.seconds / max(1, len(self.match.records))

    @property
    def answers(self) -> PairedAnswers:
        """Both players' answers in solved positions."""
        if len(self.grades) < 2:
            return PairedAnswers(())
        new, old = self.grades
        return PairedAnswers.of(new.answers, old.answers)

    @property
    def completion(self) -> Completion:
        """How the games and grades have ended."""
        endings = [self.match.completion, *(grade.completion for grade in self.grades)]
        early = (ending for ending in endings if ending is not Completion.COMPLETE)
        return next(early, Completion.COMPLETE)

    def tables(self) -> RenderableType:
        """The results, the answers, the times on a slow machine, and the new player's losses."""
        return Group(*_tables(self), Text(RULES, "dim"), *map(Text, _lost(self)))

    def summary(self) -> list[str]:
        """The failures, the moves, the times, and finally the finding of the games."""
        match = self.match
        return [
            *early_end_in_words(self.completion, counted(len(match.records), "games")),
            *failures(match),
            *repetitions(match),
            *_slow_faults(self.slow_moves),
            *_kept(self),
            finding_in_words(self),
        ]

    def to_dict(self) -> dict[str, Any]:
        """All fields, for `json.dumps`; columns are counted from 0."""
        return {
            "format": FORMAT,
            "finding": self.finding,
            "settings": asdict(self.settings),
            "seconds": self.seconds,
            "games_to_come": self.games_to_come,
            "seconds_to_come": self.seconds_to_come,
            "match": self.match.to_dict(),
            "kept": asdict(self.answers.difference()),
            "lost": _told(self.answers.lost),
            "gained": _told(self.answers.gained),
            "grades": [grade.to_dict() for grade in self.grades],
            "slow_moves": [asdict(moves) for moves in self.slow_moves],
        }


def _told(pairs: Sequence[AnswerPair]) -> list[dict[str, Any]]:
    return [
        {
            "moves": pair.new.position.moves,
            "new": pair.new.column,
            "old": pair.old.column,
            "half_points_lost": pair.half_points_lost,
        }
        for pair in pairs
    ]


def comparison_page(comparison: Comparison) -> str:
    """The comparison as a page, with positions where the new player loses what the old one kept."""
    return render_page(
        "positions.html",
        title=f"{comparison.new} against {comparison.old}",
        sentences=comparison.summary(),
        tables=_tables(comparison),
        chart="",
        heading=f"Where {comparison.new} loses what {comparison.old} kept",
        player=comparison.new,
        figures=[figure_of(pair.new) for pair in comparison.answers.lost[:SHOWN_ON_PAGE]],
        rules=RULES,
    )


def _tables(comparison: Comparison) -> list[PlayerTable]:
    answers, slow_moves = comparison.answers, comparison.slow_moves
    kept = PlayerTable(
        "Results kept in solved positions",
        "",
        ("positions", "kept by\nboth", "by the new\none alone", "by the old\none alone", "by none"),
        {kind: _counts(answers.of_kind(kind)) for kind in (*Phase, HARD, ALL)},
    )
    times = PlayerTable(
        "Seconds for a move at a third of this machine's speed",
        "",
        ("first, with\nloading", "mean\nof all", "longest\nlater", "bank left in\na full game"),
        {moves.player: _times(moves) for moves in slow_moves},
    )
    results = results_table([comparison.stats])
    return [results, *([kept] if comparison.grades else []), *([times] if slow_moves else [])]


def _counts(answers: PairedAnswers) -> list[str]:
    count, lost, gained = len(answers.pairs), len(answers.lost), len(answers.gained)
    both = sum(pair.new.keeps and pair.old.keeps for pair in answers.pairs)
    return [*map(str, (count, both, gained, lost, count - both - lost - gained))]


def _times(moves: SlowMoves) -> list[str]:
    timing = moves.timing
    if timing is None:
        return [NOTHING] * 4
    times = timing.first_move, timing.mean, timing.longest_later
    return [*map(seconds, times), f"{timing.bank_left:.1f} of {timing.bank:g}"]


def _lost(comparison: Comparison) -> Iterator[str]:
    lost = comparison.answers.lost
    if lost:
        yield f"{comparison.new} loses what {comparison.old} kept (columns from 1):"
    for pair in lost[:SHOWN]:
        moves = pair.new.position.moves or '""'
        yield f"  connectx solve {moves}: {pair.new.in_words}"
    if len(lost) > SHOWN:
        yield f"  and {len(lost) - SHOWN} more, in --html and --json"


def _slow_faults(players: Sequence[SlowMoves]) -> Iterator[str]:
    for moves in players:
        if moves.fault is not None:
            yield f"{moves.player} fails at a third of the speed: {moves.fault}."
        elif moves.timing is not None:
            mean, left = moves.timing.mean, moves.timing.bank_left
            yield (
                f"At a third of the speed {moves.player} takes {mean:.3f} s for a move on average, "
                f"loading included, and a full game leaves {left:.1f} s of its bank."
            )


def _kept(comparison: Comparison) -> Iterator[str]:
    answers = comparison.answers
    if answers.pairs:
        change = answers.difference()
        yield (
            f"In {counted(len(answers.pairs), 'solved positions')} {comparison.new} loses "
            f"{len(answers.lost)} of the results that {comparison.old} kept, and keeps "
            f"{len(answers.gained)} that it lost: {100 * change.value:+.1f} "
            f"[{100 * change.low:+.1f}, {100 * change.high:+.1f}] percentage points."
        )


def finding_in_words(comparison: Comparison) -> str:
    """The finding as a sentence, with advice if it is undecided."""
    new, old, to_come = comparison.new, comparison.old, comparison.games_to_come
    decided = {
        Finding.BETTER: f"{new} is better than {old}",
        Finding.WORSE: f"{new} is worse than {old}",
        Finding.EQUAL: f"{new} and {old} are equal within {comparison.settings.margin:g} Elo",
        Finding.REPEATED: f"{new} and {old} only repeat their games, so that this score is exact "
        "in these openings; give more --opening-plies for others",
    }
    if comparison.finding in decided:
        return f"{decided[comparison.finding]}: {_score(comparison)}."
    enough = len(comparison.match.records) + to_come  # perhaps fewer were played than allowed
    advice = f", with --games {enough + enough % 2}" if enough > comparison.settings.games else ""
    return (
        f"Not decided whether {new} is better than {old} ({_score(comparison)}): it takes about "
        f"{to_come} more games, {duration(comparison.seconds_to_come)}{advice}."
    )


def duration(seconds: float) -> str:
    """A rough time, such as "40 seconds" or "3 minutes"."""
    for unit, length in (("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{max(1, round(seconds))} seconds" if seconds >= 1.5 else "a second"


def _score(comparison: Comparison) -> str:
    stats = comparison.stats
    if stats.elo is None:
        return stats.points_in_words
    elo = elo_in_words(stats.elo) if isfinite(stats.elo.value) else f"{stats.elo.value:+.0f}"
    return f"{stats.points_in_words}, Elo {elo}"
