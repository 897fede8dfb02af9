"""A grade: a player's answers to solved positions, with tables, charts and a page."""

from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from rich.console import Group as Renderables
from rich.console import RenderableType
from rich.text import Text

from agents.agent import Clock, OnProgress
from agents.parallel.workers import Workers
from agents.solver.score_words import position_in_words
from submission.arena.players import Identity, Player
from submission.executors.local_workers import Versions
from submission.executors.work import Completion, EarlyEnd, early_end_in_words
from submission.grading.answers import (
    HARD,
    Answer,
    AnswerStats,
    GradeSettings,
    Measured,
    answer_shard,
    answer_stats,
    by_kind,
    by_ply,
    shards_of,
    worst_mistakes,
)
from submission.grading.grade_charts import figure_of, ply_chart
from submission.grading.solved_positions import AskedPositions, SolvedPosition
from submission.reports import (
    NOTHING,
    PlayerTable,
    Printed,
    counted,
    in_cell,
    percent,
    render_page,
    share_in_words,
)

WORST, WORST_ON_PAGE = 5, 24  # the most mistakes in the terminal, and on the page

RULES = (
    "Kept: the share of the moves that keep the win or the draw under best play, among the "
    "positions in which some move gives it away; a lost position has nothing to keep. Best: the "
    "share of the moves with the highest score, among all positions: the quickest win, the slowest "
    "loss. Half points lost: 2 where a win becomes a loss, 1 where it becomes a draw or a draw a "
    "loss. Hard: only one move keeps the result, and two plies of look-ahead do not show it. "
    "Tactical: they do, by a win at once or the answer to a threat. Random: the average of all "
    "legal moves. In brackets the 95 % interval (Wilson's). A failure counts as a loss."
)


FORMAT = "connectx grade, version 1"


@dataclass(frozen=True, slots=True, repr=False)
class Grade(Printed):
    """A player's answers to solved positions."""

    player: Identity
    positions_sha256: str
    """`AskedPositions.sha256` of the positions of the set."""
    asked: int
    """The number of those positions."""
    settings: GradeSettings
    versions: Versions
    completion: Completion
    answers: tuple[Answer, ...]
    """The answers, in the order of the positions; fewer after an early end."""

    @property
    def title(self) -> str:
        """The player and the positions."""
        return (
            f"{self.player.name} in {counted(len(self.answers), 'solved positions')}, "
            f"{self.settings.act_timeout:g} s a move"
        )

    def tables(self) -> RenderableType:
        """The statistics by kind of position, the rules, and the worst mistakes."""
        mistakes = worst_mistakes(self.answers, WORST)
        told = [
            f"  {position_in_words(shown.position.moves)}: {shown.in_words}" for shown in mistakes
        ]
        return Renderables(
            self.kinds_table(),
            Text(RULES, "dim"),
            *map(Text, ["The worst mistakes, columns counted from 1:", *told] if told else []),
        )

    def kinds_table(self) -> PlayerTable:
        """The statistics by kind of position."""
        shares = ("kept, %\n/ random", "best, %\n/ random")
        return PlayerTable(
            self.title,
            "",
            ("positions\n/ at stake", *shares, "half points\nlost / random", "failed"),
            {
                name: (
                    f"{stats.positions}\n/ {stats.at_stake}",
                    in_cell(_beside_random(stats.kept)),
                    in_cell(_beside_random(stats.best)),
                    in_cell(_beside_random(stats.half_points_lost, unit=1, digits=2)),
                    str(stats.failures),
                )
                for name, stats in by_kind(self.answers).items()
            },
        )

    def plies_table(self) -> PlayerTable:
        """The statistics by the plies played."""
        return PlayerTable(
            "By plies played",
            "ply",
            ("at\nstake", "kept, %\n/ random", "all", "best, %\n/ random"),
            {
                str(ply): (
                    str(stats.at_stake),
                    _beside_random(stats.kept),
                    str(stats.positions),
                    _beside_random(stats.best),
                )
                for ply, stats in by_ply(self.answers).items()
            },
        )

    def summary(self) -> list[str]:
        """The kinds of answers, the share of good moves, and the same in hard positions."""
        kinds = by_kind(self.answers)
        return [
            *_notes(self),
            *_kept(self, answer_stats(self.answers), "in all"),
            *(_kept(self, kinds[HARD], "in hard positions") if HARD in kinds else []),
        ]

    def pictures(self) -> list[str]:
        """A chart of the statistics by ply, and the worst mistakes on their boards, as SVG."""
        plies = by_ply(self.answers)
        chart = [ply_chart(plies)] if plies else []
        mistakes = worst_mistakes(self.answers, WORST)
        return [*chart, *(picture for picture, _ in map(figure_of, mistakes))]

    def to_dict(self) -> dict[str, Any]:
        """All fields and figures, for `json.dumps`; columns are counted from 0."""
        return {
            "format": FORMAT,
            "player": asdict(self.player),
            "positions_sha256": self.positions_sha256,
            "asked": self.asked,
            "settings": asdict(self.settings),
            "versions": asdict(self.versions),
            "ending": self.completion,
            "by_kind": _stats(by_kind(self.answers)),
            "by_ply": _stats(by_ply(self.answers)),
            "answers": [_answer(answer) for answer in self.answers],
        }


def grade_player(
    player: Player,
    position_set: AskedPositions,
    settings: GradeSettings,
    executor: Executor,
    on_progress: OnProgress,
) -> Grade:
    """Ask a player for its move in each position of a set.

    Ctrl-C and the death of a worker process end it early with the answers so far; see
    `Grade.completion`. The executor affects only the time taken.
    """
    positions = position_set.positions
    versions, answers = Versions.current(), dict[SolvedPosition, Answer]()
    on_progress(0, len(positions), "")
    with EarlyEnd() as ending:
        shards = shards_of(positions)
        tasks = ((shard, partial(answer_shard, player, shard, settings)) for shard in shards)
        for _, answered in Workers(executor, len(shards)).run(tasks, Clock()):
            answers |= {answer.position: answer for answer in answered}
            on_progress(len(answers), len(positions), "")
    return Grade(
        player=Identity.of(player),
        positions_sha256=position_set.sha256,
        asked=len(positions),
        settings=settings,
        versions=versions,
        completion=ending.completion,
        answers=tuple(answers[position] for position in positions if position in answers),
    )


def _stats(groups: Mapping[Any, AnswerStats]) -> dict[str, Any]:
    return {str(name): asdict(stats) for name, stats in groups.items()}


def _answer(answer: Answer) -> dict[str, Any]:
    return {
        **answer.position.to_dict(),
        "hard": answer.position.is_hard,
        "column": answer.column,
        "keeps": answer.keeps,
        "best": answer.is_best,
        "half_points_lost": answer.half_points_lost,
        "seconds": answer.seconds,
        "failure": None if answer.failure is None else answer.failure._asdict(),
    }


def _beside_random(measured: Measured | None, unit: int = 100, digits: int = 1) -> str:
    """The player's mean beside that of random play, and its interval, by default in percent."""
    if measured is None:
        return f"{NOTHING} / {NOTHING}"
    player = measured.player
    value, low, high, random = (
        f"{unit * number:.{digits}f}"
        for number in (player.value, player.low, player.high, measured.random)
    )
    return f"{value} / {random} [{low}, {high}]"


def grade_page(grade: Grade) -> str:
    """The statistics, a chart of them by ply, and the worst mistakes on their boards."""
    plies = by_ply(grade.answers)
    return render_page(
        "positions.html",
        title=grade.title,
        sentences=grade.summary(),
        tables=[grade.kinds_table(), grade.plies_table()],
        chart=ply_chart(plies) if plies else "",
        heading="The worst mistakes",
        player=grade.player.name,
        figures=[*map(figure_of, worst_mistakes(grade.answers, WORST_ON_PAGE))],
        rules=RULES,
    )


def _notes(grade: Grade) -> Iterator[str]:
    """Notes on an early end, repeated positions, times, failures, and what competitors count."""
    done = f"{len(grade.answers)} of {grade.asked} positions"
    yield from early_end_in_words(grade.completion, done)
    distinct = len({answer.position.state for answer in grade.answers})
    if distinct < len(grade.answers):
        yield (
            "Positions were repeated, but the intervals take all as independent. Distinct "
            f"positions: {distinct} of {len(grade.answers)}."
        )
    seconds = [answer.seconds for answer in grade.answers if answer.failure is None]
    if seconds:
        mean = sum(seconds) / len(seconds)
        yield f"Seconds for a move: {mean:.3f} on average, {max(seconds):.3f} at most."
    failures = [
        (answer.position, answer.failure) for answer in grade.answers if answer.failure is not None
    ]
    for status, count in Counter(failure.status for _, failure in failures).items():
        position, failure = next(pair for pair in failures if pair[1].status == status)
        yield f"{count} {status}, the first {position_in_words(position.moves)}: {failure.cause}."
    stats = answer_stats(grade.answers)
    if stats.good is not None and stats.best is not None:
        yield (
            "As Kaggle's competitors count, in all positions: good moves "
            f"{percent(stats.good.player.value)} %, perfect moves "
            f"{percent(stats.best.player.value)} %."
        )


def _kept(grade: Grade, stats: AnswerStats, which: str) -> Iterator[str]:
    if stats.kept is not None:
        yield (
            f"{grade.player.name}, {which}: keeps the result in "
            f"{share_in_words(stats.kept.player)} (random play: {percent(stats.kept.random)} %) of "
            f"{counted(stats.at_stake, 'positions')} in which a move can lose it."
        )
