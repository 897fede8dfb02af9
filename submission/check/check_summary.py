"""From the games of a check to its report."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from statistics import fmean

from submission.checking.check_result import CheckReport, GameResult, Timing
from submission.checking.choice import describe_choice, doubt_choice
from submission.checking.diagnosis import Fault
from submission.checking.game_watch import Limits, overtime
from submission.checking.kaggle_image import doubt_import
from submission.checking.observed_game import Choice, ObservedGame, Stopped
from submission.checking.source_facts import SourceFacts
from submission.isolation.project_hiding import PROJECT_PACKAGES

LARGE_BYTES = 5_000_000
"""Submissions below this size are safe."""

FALL_BACK = "; falling back"
"""How a line ends by which a bundle says that its agent gave no column; see `submission.entry`."""

STDERR_LINES = 10
"""How many lines of standard error the report shows."""


@dataclass(frozen=True, slots=True)
class JudgedGame:
    """A game and the fault it has shown, None where the submission passed it."""

    record: ObservedGame
    fault: Fault | None


def summarise(
    path: Path, source: SourceFacts, limits: Limits, games: Sequence[JudgedGame], planned: int
) -> CheckReport:
    """The report of a check, of whose planned games some may not have been played."""
    records = [game.record for game in games]
    deciding = [record for record in records if record.plan.decides]
    choice = next((record.choice for record in records if record.choice), None)
    size = path.stat().st_size
    timing = _timing(deciding, limits)
    return CheckReport(
        path=str(path),
        size=size,
        standard_imports=source.standard_imports(),
        other_imports=source.other_imports(),
        versions=records[0].versions,
        speed=limits.speed,
        agent=describe_choice(choice, source) if choice else None,
        timing=timing,
        games=tuple(map(_result, games)),
        planned=planned,
        warnings=(
            *_warnings(size, _new_doubt(choice, source, games), timing, records),
            *_import_warnings(source, games),
            *_file_warnings(games),
        ),
        stderr=_stderr(games),
    )


def _result(game: JudgedGame) -> GameResult:
    record = game.record
    return GameResult(
        name=str(record.plan),
        decides=record.plan.decides,
        act_timeout=record.plan.act_timeout,
        moves=len(record.moves),
        longest=max((move.seconds for move in record.moves), default=None),
        is_complete=not isinstance(record.ending, Stopped),
        fault=game.fault,
    )


def _stderr(games: Sequence[JudgedGame]) -> str:
    """What the first failing game wrote last, or else the first game that wrote anything."""
    failing_first = sorted(games, key=lambda game: game.fault is None)
    tails = [game.record.stderr.strip().splitlines()[-STDERR_LINES:] for game in failing_first]
    return "\n".join(next(filter(None, tails), []))


def _timing(records: Sequence[ObservedGame], limits: Limits) -> Timing | None:
    moves = sorted(move.seconds for record in records for move in record.moves)
    loadings = [record.load_seconds for record in records if record.load_seconds is not None]
    if not moves or not loadings:
        return None
    played = [
        [move.seconds for move in record.moves if move.seat == seat]
        for record in records
        for seat in {move.seat for move in record.moves}
    ]
    taken = [
        overtime(record.moves, seat, limits.act_timeout)
        for record in records
        for seat in record.plan.seats
    ]
    return Timing(
        loading=max(loadings),
        first_move=max(first for first, *_ in played),
        mean=fmean(moves),
        percentile_99=moves[ceil(0.99 * len(moves)) - 1],
        longest=moves[-1],
        longest_later=max((move for _, *later in played for move in later), default=None),
        bank=limits.bank,
        bank_taken=max(taken),
    )


def _new_doubt(
    choice: Choice | None, source: SourceFacts, games: Sequence[JudgedGame]
) -> str | None:
    """Why the wrong callable may have been taken, unless a fault says so already."""
    doubt = doubt_choice(choice, source) if choice else None
    is_told = any(doubt in game.fault.cause for game in games if doubt and game.fault)
    return None if is_told else doubt


def _warnings(
    size: int,
    doubt: str | None,
    timing: Timing | None,
    records: Sequence[ObservedGame],
) -> Iterator[str]:
    if size > LARGE_BYTES:
        yield f"{size / 1e6:.1f} MB is large for Kaggle: stay well below {LARGE_BYTES / 1e6:g} MB"
    if doubt is not None:
        yield doubt
    decisive_moves = [move for record in records if record.plan.decides for move in record.moves]
    if any(move.type == "NoneType" for move in decisive_moves):
        yield "the agent returned None, which Kaggle plays as column 0: return a column"
    if failures := _fallen_back(records):
        moves = sum(len(record.moves) for record in records)
        yield (
            f"in {len(failures)} of {moves} moves the agent gave no column that could be played, "
            f"and a makeshift one was played instead: mend its search ({failures[0]})"
        )
    if timing is not None and timing.bank_left < timing.bank / 2:
        yield (
            f"a game took {timing.bank_taken:.1f} s of the {timing.bank:g} s in the bank: "
            "Kaggle's machine may be slower"
        )


def _import_warnings(source: SourceFacts, games: Sequence[JudgedGame]) -> Iterator[str]:
    """What is said of the imports, but for those that a fault names already."""
    causes = [game.fault.cause for game in games if game.fault]
    for entry in source.imports or ():
        doubt = doubt_import(entry)
        is_told = any(f"module {entry.module}" in cause for cause in causes)
        if doubt and not is_told and entry.module not in PROJECT_PACKAGES:
            yield doubt


def _file_warnings(games: Sequence[JudgedGame]) -> Iterator[str]:
    """What is said of paths that were asked for in vain, but for those that a fault names."""
    causes = [game.fault.cause for game in games if game.fault]
    for path in dict.fromkeys(path for game in games for path in game.record.hidden):
        if not any(path in cause for cause in causes):
            yield (
                f"it asks for {path}, which is not on Kaggle's machine: put the data into the "
                "file itself, or pack a .tar.gz with main.py at its top"
            )


def _fallen_back(records: Sequence[ObservedGame]) -> list[str]:
    """Why a bundle's agent gave no column, for each time that standard error says so."""
    return [
        line.removesuffix(FALL_BACK)
        for record in records
        for line in record.stderr.splitlines()
        if line.endswith(FALL_BACK)
    ]
