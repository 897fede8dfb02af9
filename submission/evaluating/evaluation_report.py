"""An evaluation as tables for the terminal."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from agents.stats import Estimate
from submission.evaluating.evaluation import Evaluation
from submission.evaluating.evaluation_notes import early_end, failures, repetitions
from submission.evaluating.judging.sequential_test import SequentialTest
from submission.evaluating.judging.sprt import Verdict
from submission.evaluating.summary import MoveTimes, PairingSummary
from submission.plain_table import plain_table

NOTHING = "-"

RULES = (
    "W-D-L: wins, draws and losses on the first and on the second seat, among the games in which "
    "both statuses were DONE. Score: of the pairs of games, one opening from both seats; a win is "
    "1, a draw 1/2, a failure of the player 0; left out are pairs in which the opponent failed, "
    "and games whose partner was not played. In brackets the 95 % interval by the spread between "
    "pairs, and for Elo the same limits by 400 log10(s / (1 - s)). The first move includes loading "
    "the submission."
)


def render_evaluation(evaluation: Evaluation) -> RenderableType:
    """Two tables of a player against its opponents, results and times, and notes on them."""
    summaries = evaluation.summaries()
    notes = [
        *_tests(evaluation),
        *failures(evaluation),
        *early_end(evaluation),
        *repetitions(evaluation),
        RULES,
    ]
    player = summaries[0].player
    return Group(
        _results_table(player, summaries),
        _times_table(player, summaries),
        *map(Text, notes),
    )


def _results_table(player: str, summaries: Sequence[PairingSummary]) -> Table:
    table = _table(
        f"Results of {player}",
        ("games", "W-D-L\nfirst", "W-D-L\nsecond", "score, %", "Elo", "failed"),
    )
    for summary in summaries:
        table.add_row(
            Text(summary.opponent),
            str(summary.games),
            str(summary.as_first),
            str(summary.as_second),
            _score(summary.score),
            _elo(summary.elo),
            f"{sum(summary.player_failures.values())} player\n"
            f"{sum(summary.opponent_failures.values())} opponent",
        )
    return table


def _times_table(player: str, summaries: Sequence[PairingSummary]) -> Table:
    own = ("first", "mean", "max")
    table = _table(
        f"Seconds for a move of {player}, and of its opponent",
        (*own, *(f"opponent's\n{heading}" for heading in own)),
    )
    for summary in summaries:
        table.add_row(
            Text(summary.opponent),
            *_seconds(summary.player_times),
            *_seconds(summary.opponent_times),
        )
    return table


def _table(title: str, headings: Sequence[str]) -> Table:
    """A table with a row for each opponent."""
    table = plain_table(title)
    table.add_column("against", overflow="fold")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _score(score: Estimate | None) -> str:
    if score is None:
        return NOTHING
    return f"{100 * score.value:.1f}\n[{100 * score.low:.1f}, {100 * score.high:.1f}]"


def _elo(elo: Estimate | None) -> str:
    if elo is None:
        return NOTHING
    return f"{elo.value:+.0f}\n[{elo.low:+.0f}, {elo.high:+.0f}]"


def _seconds(times: MoveTimes) -> list[str]:
    seconds = (times.first, times.mean, times.longest)
    return [NOTHING if number is None else f"{number:.3f}" for number in seconds]


def _tests(evaluation: Evaluation) -> Iterator[str]:
    """What the sequential test, if there is one, says of each pairing."""
    sprt = evaluation.settings.sprt
    if sprt is None:
        return
    for names in evaluation.pairings:
        test = SequentialTest(sprt)
        for record in evaluation.records:
            if record.pairing == names:
                test.add(record)
        yield f"Against {names[1]}: {_verdict(test)}"


def _verdict(test: SequentialTest) -> str:
    sprt, decision = test.sprt, test.decision
    question = f"Elo {sprt.elo0:+g} or {sprt.elo1:+g}?"
    bounds = f"log-likelihood ratio {test.llr:+.2f}, bounds {sprt.lower:+.2f} and {sprt.upper:+.2f}"
    if decision is None:
        return f"{question} Not decided ({bounds})."
    accepted = sprt.elo1 if decision.verdict is Verdict.ACCEPTED_ELO1 else sprt.elo0
    return (
        f"{question} {accepted:+g} accepted after {decision.games} games ({bounds}). A score at "
        "which a test has ended exaggerates; its interval covers about 90 %."
    )
