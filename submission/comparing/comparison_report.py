"""Reports of a comparison: tables and sentences for the terminal, and a page with positions."""

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite

from rich.console import Group, RenderableType
from rich.text import Text

from submission.comparing.comparison import Comparison, duration
from submission.comparing.finding import Finding
from submission.comparing.paired_answers import AnswerPair, PairedAnswers
from submission.comparing.trials import SlowMoves
from submission.grading.grade_report import mistake_svg, where
from submission.grading.grade_stats import ALL, HARD, Answer, Mistake, mistake_in_words
from submission.grading.solved_positions import Phase
from submission.match.match import Completion
from submission.match.match_report import failures, repetitions, results_table
from submission.reports import NOTHING, PlayerTable, render_page
from submission.summaries import elo_in_words, percent

SHOWN, SHOWN_ON_PAGE = 5, 48
"""The most positions that are told in the terminal, and shown on the page."""

RULES = (
    "Better, worse or equal: by two sequential tests of the same games, from openings that both "
    "play from either seat. About one comparison of equal players in twenty calls them better or "
    "worse, and as many pass over a difference of the margin; a smaller one may be called equal. A "
    "score at which a test has ended exaggerates. Kept: the share of the moves that keep the win "
    "or the draw under best play, in solved positions in which some move gives it away."
)


def render_comparison(comparison: Comparison) -> RenderableType:
    """The results, what both keep, the times on a slow machine, and what the new player loses."""
    return Group(
        results_table([comparison.games.stats]),
        *([_answers_table(comparison)] if comparison.grades else []),
        *([_times_table(comparison.slow_moves)] if comparison.slow_moves else []),
        Text(RULES, "dim"),
        *map(Text, _lost(comparison)),
    )


def comparison_page(comparison: Comparison) -> str:
    """The same, with the positions in which the new player loses what the old one kept."""
    return render_page(
        "comparison.html",
        title=_title(comparison),
        summary=comparison_summary(comparison),
        tables=[
            results_table([comparison.games.stats]),
            *([_answers_table(comparison)] if comparison.grades else []),
            *([_times_table(comparison.slow_moves)] if comparison.slow_moves else []),
        ],
        rules=RULES,
        new=comparison.new,
        old=comparison.old,
        lost=comparison.answers.lost[:SHOWN_ON_PAGE],
        picture=_picture,
        where=where,
        in_words=_in_words,
    )


def _title(comparison: Comparison) -> str:
    return f"{comparison.new} against {comparison.old}"


def _answers_table(comparison: Comparison) -> PlayerTable:
    pairs = comparison.answers.pairs
    kinds: dict[str, list[AnswerPair]] = {
        **{phase: [pair for pair in pairs if pair.new.position.phase == phase] for phase in Phase},
        HARD: [pair for pair in pairs if pair.new.position.is_hard],
        ALL: [*pairs],
    }
    return PlayerTable(
        "Results kept in solved positions",
        "",
        ("positions", "kept by\nboth", "by the new\none alone", "by the old\none alone", "by none"),
        {kind: _counts(PairedAnswers(tuple(of_kind))) for kind, of_kind in kinds.items()},
    )


def _counts(answers: PairedAnswers) -> list[str]:
    count, lost, gained = len(answers.pairs), len(answers.lost), len(answers.gained)
    both = sum(pair.new.keeps and pair.old.keeps for pair in answers.pairs)
    return [*map(str, (count, both, gained, lost, count - both - lost - gained))]


def _times_table(players: Sequence[SlowMoves]) -> PlayerTable:
    return PlayerTable(
        "Seconds for a move at a third of this machine's speed",
        "",
        ("first, with\nloading", "mean", "longest\nlater", "bank left in\na full game"),
        {moves.player: _times(moves) for moves in players},
    )


def _times(moves: SlowMoves) -> list[str]:
    timing = moves.timing
    if timing is None:
        return [NOTHING] * 4
    later = NOTHING if timing.longest_later is None else f"{timing.longest_later:.3f}"
    return [
        f"{timing.first_move:.3f}",
        f"{timing.mean:.3f}",
        later,
        f"{timing.bank_left:.1f} of {timing.bank:g}",
    ]


def _lost(comparison: Comparison) -> Iterator[str]:
    lost = comparison.answers.lost
    if lost:
        yield f"{comparison.new} loses what {comparison.old} kept (columns from 1):"
    for pair in lost[:SHOWN]:
        moves = pair.new.position.moves or '""'
        yield f"  connectx solve {moves}: {_in_words(pair)}"
    if len(lost) > SHOWN:
        yield f"  and {len(lost) - SHOWN} more, in --html and --json"


def _in_words(pair: AnswerPair) -> str:
    """What the new player's answer does, and what a best one would."""
    mistake = _mistake(pair.new)
    if mistake is not None:
        return mistake_in_words(mistake)
    return "no move" if pair.new.failure is None else f"no move, {pair.new.failure.cause}"


def _mistake(answer: Answer) -> Mistake | None:
    if answer.column is None:
        return None
    return Mistake(answer.position, answer.column, answer.half_points_lost)


def _picture(pair: AnswerPair) -> str:
    mistake = _mistake(pair.new)
    return "" if mistake is None else mistake_svg(mistake)


EARLY_ENDINGS: Mapping[Completion, str] = {
    Completion.INTERRUPTED: "Interrupted after {played} games.",
    Completion.WORKER_DIED: (
        "A worker process died after {played} games, perhaps for want of memory: take fewer "
        "--workers."
    ),
}


def comparison_summary(comparison: Comparison) -> list[str]:
    """All that went wrong, the moves, the times, and at last what the games tell."""
    match = comparison.games.match
    early = EARLY_ENDINGS.get(comparison.completion, "").format(played=len(match.records))
    return [
        *([early] if early else []),
        *failures(match),
        *repetitions(match),
        *_slow_faults(comparison.slow_moves),
        *_kept(comparison),
        finding_in_words(comparison),
    ]


def _slow_faults(players: Sequence[SlowMoves]) -> Iterator[str]:
    for moves in players:
        if moves.fault is not None:
            yield f"{moves.player} fails at a third of the speed: {moves.fault}."
        elif moves.timing is not None:
            mean, left = moves.timing.mean, moves.timing.bank_left
            yield (
                f"At a third of the speed {moves.player} takes {mean:.3f} s for a move, and a full "
                f"game leaves {left:.1f} s of its bank."
            )


def _kept(comparison: Comparison) -> Iterator[str]:
    answers = comparison.answers
    if answers.pairs:
        change = answers.difference()
        yield (
            f"In {len(answers.pairs)} solved positions {comparison.new} loses "
            f"{len(answers.lost)} of the results that {comparison.old} kept, and keeps "
            f"{len(answers.gained)} that it lost: {100 * change.value:+.1f} % "
            f"[{100 * change.low:+.1f}, {100 * change.high:+.1f}]."
        )


def finding_in_words(comparison: Comparison) -> str:
    """The one answer."""
    new, old, games = comparison.new, comparison.old, comparison.games
    margin = f"{comparison.settings.margin:g} Elo"
    match comparison.finding:
        case Finding.BETTER:
            return f"{new} is better than {old}: {_score(comparison)}."
        case Finding.WORSE:
            return f"{new} is worse than {old}: {_score(comparison)}."
        case Finding.EQUAL:
            return f"{new} and {old} are equal within {margin}: {_score(comparison)}."
        case Finding.REPEATED:
            return (
                f"{new} and {old} only repeat their games, so that this score is exact in these "
                f"openings, and others need more --opening-plies: {_score(comparison)}."
            )
    enough = comparison.settings.games + games.to_come
    return (
        f"Not decided whether {new} is better than {old} ({_score(comparison)}): it takes about "
        f"{games.to_come} games more, {duration(games.seconds_to_come)}, by --games "
        f"{enough + enough % 2}."
    )


def _score(comparison: Comparison) -> str:
    stats = comparison.games.stats
    if stats.score is None or stats.elo is None:
        return "no pair of games counts"
    elo = elo_in_words(stats.elo) if isfinite(stats.elo.value) else f"{stats.elo.value:+.0f}"
    return f"{percent(stats.score)} of the points in {stats.games} games, Elo {elo}"
