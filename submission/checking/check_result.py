"""Makes the report of a check from its games."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from submission.checking.check_report import CheckReport, GameResult
from submission.checking.diagnosis import Fault, describe_choice, doubt_choice
from submission.checking.game_plan import Limits
from submission.checking.kaggle_image import OLDER, doubt_import
from submission.checking.observed_game import ObservedGame
from submission.checking.source_facts import SourceFacts
from submission.checking.timing import Timing, timing_of
from submission.entry import PLAYED_WITH
from submission.sandbox.causes import of_hidden
from submission.sandbox.inside.containment import LINUX
from submission.sandbox.inside.file_guard import PROJECT_MODULES
from submission.sandbox.inside.kaggle_agent import LONGEST_TEXT
from submission.sandbox.messages import Choice
from submission.sandbox.move import STDERR_LINES, Move

LARGE_BYTES = 5_000_000  # submissions below this size are safe

FALL_BACK = "; falling back"
"""The end of a bundle's message that its agent gave no column; see `submission.entry`."""

KAGGLES_TRACEBACK = re.compile(
    r'^Traceback \(most recent call last\):\n  File "[^"\n]*kaggle_environments', re.MULTILINE
)

CHAINED = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)
"""The lines above the second and further tracebacks of a chain."""

FRAME = r'^  File "[^"\n]*", line \d+ in .*\n?'
"""Pattern of a frame in the stack of a process that crashed or was ended."""

UNTOLD = re.compile(
    r'^  File "(?:[^"\n]*(?:kaggle_environments|submission.sandbox)[^"\n]*|<string>)", line \d+ in '
    r".*\n?|^Extension modules: .*\n?"
    r'|^  File "(?![^"\n]*", line \d+ in .)[^\n]*\Z',  # the process ended within this line
    re.MULTILINE,
)

OUTER_FRAMES = re.compile(f"((?:{FRAME}){{3}})(?:{FRAME})+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class JudgedGame:
    """A game and its fault; None if the submission passed it."""

    record: ObservedGame
    fault: Fault | None


def summarise(
    path: Path,
    source: SourceFacts,
    limits: Limits,
    games: Sequence[JudgedGame],
    planned: int,
    patience: float,
) -> CheckReport:
    """The report of a check."""
    records = [game.record for game in games]
    deciding = [record for record in records if record.plan.decides]
    ready = next((record.ready for record in records if record.ready), None)
    choice = next((record.loaded.choice for record in records if record.loaded), None)
    size = path.stat().st_size
    timing = timing_of(deciding, limits)
    faults_first = sorted(games, key=lambda game: game.fault is None)
    return CheckReport(
        name=str(path),
        path=str(path),
        referee=records[0].plan.rules.referee,
        size=size,
        standard_imports=source.modules(standard=True),
        other_imports=source.modules(standard=False),
        versions=ready.versions if ready else None,
        speed=limits.speed,
        memory=limits.memory if LINUX else None,
        kept_from=ready.kept_from if ready else (),
        agent=describe_choice(choice, source) if choice else None,
        timing=timing,
        games=tuple(map(_result, games)),
        planned=planned,
        left_out=_why_left_out(records, planned, patience),
        makeshift=len(fallen_back(deciding)),
        warnings=tuple(_warnings(size, source, choice, timing, games)),
        stderr=last_words([game.record for game in faults_first if game.record.plan.decides]),
    )


def _why_left_out(records: Sequence[ObservedGame], planned: int, patience: float) -> str | None:
    if len(records) == planned:
        return None
    if not any(len(record.plan.seats) == 2 for record in records):
        return "the submission had failed"
    if patience == 0:
        return "those that only warn were left out on purpose, by a patience of 0"
    return "there was no time left; give more with --patience SECONDS"


def _result(game: JudgedGame) -> GameResult:
    record = game.record
    return GameResult(
        name=str(record.plan),
        decides=record.plan.decides,
        act_timeout=record.plan.rules.act_timeout,
        moves=len(_moves(record)),
        longest=max((move.seconds for move in _moves(record)), default=None),
        is_complete=record.is_complete,
        fault=game.fault,
    )


def _moves(record: ObservedGame) -> list[Move]:
    return [move for moves in record.moves.values() for move in moves]


def _warnings(
    size: int,
    source: SourceFacts,
    choice: Choice | None,
    timing: Timing | None,
    games: Sequence[JudgedGame],
) -> Iterator[str]:
    told = "\n".join(game.fault.cause for game in games if game.fault)
    records = [game.record for game in games]
    if size > LARGE_BYTES:
        yield f"{size / 1e6:.1f} MB is large for Kaggle: stay well below {LARGE_BYTES / 1e6:g} MB"
    doubt = doubt_choice(choice, source)
    if doubt is not None and doubt not in told:
        yield doubt
    decisive_moves = [move for record in records if record.plan.decides for move in _moves(record)]
    if any(move.returned == "NoneType" for move in decisive_moves):
        yield "the agent returned None, which Kaggle plays as column 0: return a column"
    if failures := fallen_back(records):
        moves = sum(len(_moves(record)) for record in records)
        yield (
            f"in {len(failures)} of {moves} moves the agent gave no column that could be played, "
            f"and a makeshift one was played instead: fix its search ({failures[0]})"
        )
    if timing is not None and timing.bank / 2 < timing.bank_of_full_game <= timing.bank:
        yield (
            f"a full game would take about {timing.bank_of_full_game:.1f} s of the "
            f"{timing.bank:g} s in the bank: leave more, because Kaggle's machine may be slower"
        )
    if source.newer_line not in (None, source.unreadable_line):
        yield (
            f"Python {OLDER}, with which Kaggle may play, cannot read line {source.newer_line}: "
            "write it without the syntax of newer versions"
        )
    if source.early_line is not None:
        yield (
            f"an annotation in line {source.early_line} has a name that has no value there, but "
            "needs one in Kaggle's Python: begin with `from __future__ import annotations`"
        )
    for entry in source.imports or ():
        doubt, is_ours = doubt_import(entry), entry.module in PROJECT_MODULES
        if doubt and not is_ours and f"module {entry.module}" not in told:
            yield doubt
    for asked in dict.fromkeys(asked for record in records for asked in record.hidden):
        cause = of_hidden(asked)
        if cause.text not in told:
            yield f"{cause.text}: {cause.mend}"


def last_words(records: Sequence[ObservedGame]) -> str:
    """The last lines of standard error of the first of these games that has any.

    The traceback that Kaggle's runner writes when an exception ends a game is left out, because the
    fault contains the lines that concern the submission. Other stacks keep their innermost frames,
    without frames of Kaggle or of this project. The versions that a bundle reports are left out.
    """
    for record in records:
        text = OUTER_FRAMES.sub(r"\1", UNTOLD.sub("", _own_words(record)))
        lines = text.splitlines()
        words = "\n".join(line for line in lines if not line.startswith(PLAYED_WITH)).strip()
        if words:
            return "\n".join(words.splitlines()[-STDERR_LINES:])
    return ""


def _own_words(record: ObservedGame) -> str:
    """Standard error up to the traceback that Kaggle's runner wrote when it ended the game.

    Only the end of a move's output is kept, so the traceback's beginning may be missing.
    """
    text, failure = record.stderr, record.failure
    last_move = max(0, len(text) - LONGEST_TEXT)
    if failure is None or failure.status != "ERROR" or '  File "' not in text[last_move:]:
        return text
    begin = KAGGLES_TRACEBACK.search(text, last_move)
    own = text[: begin.start()].rstrip() if begin else ""
    if own and not any(own.endswith(chain) or chain.endswith(own) for chain in CHAINED):
        return own
    return text[:last_move] if begin or failure.lines else text


def fallen_back(records: Sequence[ObservedGame]) -> list[str]:
    """The reasons that a bundle wrote to standard error each time its agent gave no column."""
    return [
        line.removesuffix(FALL_BACK)
        for record in records
        for line in record.stderr.splitlines()
        if line.endswith(FALL_BACK)
    ]
