"""An evaluation as tables for the terminal."""

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from submission.evaluating.evaluation import Ending, Evaluation
from submission.evaluating.game_record import GameRecord, Result
from submission.evaluating.statistics import Estimate
from submission.evaluating.summary import MoveTimes, PairingSummary, Tally, failing_status

NOTHING = "-"

RULES = (
    "W-D-L: wins, draws and losses on the first and on the second seat, among the games in which "
    "both statuses were DONE. Score: a win is 1, a draw 1/2, a failure of the player 0; a failure "
    "of the opponent is left out. In brackets the 95 % interval: Wilson's, and for Elo the same "
    "limits by 400 log10(s / (1 - s)). The first move includes loading the submission."
)

EARLY_ENDINGS = {
    Ending.INTERRUPTED: "Interrupted: {played} of {asked} games were played.",
    Ending.WORKER_DIED: (
        "A worker process died after {played} of {asked} games: a player ended it or took too "
        "much memory; run `connectx check` on each submission."
    ),
}


def render_evaluation(evaluation: Evaluation) -> RenderableType:
    """Two tables, results and times, with what needs to be said about them below."""
    summaries = evaluation.summaries()
    notes = [*_failures(evaluation), *_caveats(evaluation, summaries), RULES]
    return Group(
        _results_table(evaluation.player.name, summaries),
        _times_table(evaluation.player.name, summaries),
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
            _wins_draws_losses(summary.as_first),
            _wins_draws_losses(summary.as_second),
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
    table = Table(
        title=Text(title, style="bold"),
        title_justify="left",
        box=SIMPLE_HEAD,
        collapse_padding=True,
        pad_edge=False,
    )
    table.add_column("against", overflow="fold")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _wins_draws_losses(tally: Tally) -> str:
    return f"{tally.wins}-{tally.draws}-{tally.losses}"


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


def _failures(evaluation: Evaluation) -> Iterator[str]:
    """A line for each player and status other than DONE, with the first cause."""
    failures = [record for record in evaluation.records if record.cause is not None]
    counts = Counter(_failure(evaluation, record) for record in failures)
    for (name, status), count in counts.items():
        first = next(game for game in failures if _failure(evaluation, game) == (name, status))
        yield (
            f"{name}: {count} {status}, the first in game {first.game} against "
            f"{first.opponent}: {first.cause}."
        )


def _failure(evaluation: Evaluation, record: GameRecord) -> tuple[str, str]:
    """Who failed, and with which status."""
    failed_player = record.result is Result.PLAYER_FAILED
    name = evaluation.player.name if failed_player else record.opponent
    return name, failing_status(record)


def _caveats(evaluation: Evaluation, summaries: Sequence[PairingSummary]) -> Iterator[str]:
    """What makes the figures less than they look."""
    if evaluation.ending in EARLY_ENDINGS:
        yield EARLY_ENDINGS[evaluation.ending].format(
            played=len(evaluation.records), asked=evaluation.games * len(evaluation.opponents)
        )
    for summary in summaries:
        if summary.distinct_games < summary.games:
            yield (
                f"Only {summary.distinct_games} of the {summary.games} games against "
                f"{summary.opponent} are distinct; the intervals take all as independent."
            )
