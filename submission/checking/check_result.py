"""The outcome of a check, made from its games."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from submission.checking.diagnosis import Fault, describe_choice, doubt_choice
from submission.checking.game_plan import Limits
from submission.checking.kaggle_image import OLDER, doubt_import
from submission.checking.last_words import fallen_back, last_words
from submission.checking.observed_game import Choice, ObservedGame
from submission.checking.source_facts import SourceFacts
from submission.checking.timing import Timing, timing_of
from submission.kaggle import Referee, upload_command
from submission.reports import Printed
from submission.sandbox.causes import of_hidden
from submission.sandbox.file_guard import PROJECT_MODULES
from submission.sandbox.move import Move
from submission.sandbox.player import RuntimeVersions
from submission.sandbox.player_process import LIMITS_MEMORY

LARGE_BYTES = 5_000_000  # submissions below this size are safe


class CheckVerdict(StrEnum):
    """The verdict of a check."""

    ACCEPTED = "accepted"  # Kaggle would accept it: it passed every game that decides
    REFUSED = "refused"
    UNDECIDED = "undecided"
    """It failed, perhaps only because a module that Kaggle has is missing: see `Fault.missing`."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """One game that was played."""

    name: str  # size and seat, as in `6x7x4 on seat 1`
    decides: bool  # whether Kaggle plays such games, so that the submission has to pass it
    act_timeout: float  # seconds for a move
    moves: int  # how many moves the submission made
    longest: float | None  # seconds of its longest move; None without moves
    is_complete: bool  # false for a game that was stopped when it had shown enough
    fault: Fault | None


@dataclass(frozen=True, slots=True, repr=False)
class CheckReport(Printed):
    """The findings of a check."""

    name: str  # the path of the file, or the name of a function that was never saved as a file
    path: str | None  # none where there is only a temporary file
    referee: Referee  # the environment of kaggle-environments whose games were played
    size: int  # bytes
    standard_imports: tuple[str, ...] | None
    """None, as `other_imports`, where the source could not be parsed."""
    other_imports: tuple[str, ...] | None  # modules that are not Python's own
    versions: RuntimeVersions | None
    """The versions of Python and the libraries in the games; None where none was begun."""
    speed: float
    """The share of one core for the submission and all of its processes; 1 is no limit."""
    memory: int | None  # bytes that it might use; None on systems that hold no process to a limit
    kept_from: tuple[str, ...]
    """What was out of its reach: the network and the home folder, if the system offers that."""
    agent: str | None  # the callable that Kaggle takes; None where the file could not be loaded
    timing: Timing | None  # none where no move was made
    games: tuple[GameResult, ...]
    planned: int  # how many games there would have been
    left_out: str | None  # why some of them were not played; None where all were
    makeshift: int
    """The moves of the deciding games for which its agent gave no playable column, as a bundle
    itself reports."""
    warnings: tuple[str, ...]
    stderr: str  # the end of what the submission wrote to standard error

    @property
    def verdict(self) -> CheckVerdict:
        """Whether Kaggle would accept the submission, as far as it can be judged here."""
        faults = [game.fault for game in self.games if game.decides and game.fault]
        if not faults:
            return CheckVerdict.ACCEPTED
        return CheckVerdict.UNDECIDED if all(f.missing for f in faults) else CheckVerdict.REFUSED

    @property
    def accepted(self) -> bool:
        """Whether Kaggle would accept the submission."""
        return self.verdict is CheckVerdict.ACCEPTED

    @property
    def is_makeshift(self) -> bool:
        """Whether most moves of the deciding games were not its agent's own."""
        return 2 * self.makeshift > sum(game.moves for game in self.games if game.decides)

    @property
    def missing(self) -> tuple[str, ...]:
        """The missing modules of Kaggle's image that may be the reason for faults."""
        found = (game.fault.missing for game in self.games if game.decides and game.fault)
        return tuple(dict.fromkeys(module for modules in found for module in modules))

    @property
    def upload_command(self) -> str | None:
        """The command that submits the file to Kaggle's ConnectX competition.

        None if there is nothing to submit: the submission was not accepted, most of its moves are
        makeshift, its file is temporary, or the games were not ConnectX's.
        """
        if not self.accepted or self.is_makeshift:
            return None
        if self.path is None or self.referee.is_open_spiel:
            return None
        return upload_command(self.path, "MESSAGE")

    def tables(self) -> RenderableType:
        """Facts, games and warnings."""
        from submission.checking.check_report import render_check

        return render_check(self)

    def summary(self) -> list[Text]:
        """The faults, the verdict, and what to do next."""
        from submission.checking.check_report import check_summary

        return check_summary(self)

    def to_dict(self) -> dict[str, Any]:
        """All fields, `verdict`, `accepted` and `upload_command`, as what `json.dumps` takes."""
        return {
            "verdict": self.verdict,
            "accepted": self.accepted,
            "upload_command": self.upload_command,
            **asdict(self),
        }


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
    choice = next((record.choice for record in records if record.choice), None)
    size = path.stat().st_size
    timing = timing_of(deciding, limits)
    return CheckReport(
        name=str(path),
        path=str(path),
        referee=records[0].plan.rules.referee,
        size=size,
        standard_imports=source.standard_imports(),
        other_imports=source.other_imports(),
        versions=next((record.versions for record in records if record.versions), None),
        speed=limits.speed,
        memory=limits.memory if LIMITS_MEMORY else None,
        kept_from=next((record.kept_from for record in records if record.versions), ()),
        agent=describe_choice(choice, source) if choice else None,
        timing=timing,
        games=tuple(map(_result, games)),
        planned=planned,
        left_out=_why_left_out(records, planned, patience),
        makeshift=len(fallen_back(deciding)),
        warnings=tuple(_warnings(size, source, choice, timing, games)),
        stderr=last_words(
            [
                game.record
                for game in sorted(games, key=lambda game: game.fault is None)
                if game.record.plan.decides
            ]
        ),
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
    """The warnings that no fault includes."""
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
            f"and a makeshift one was played instead: mend its search ({failures[0]})"
        )
    if timing is not None and timing.bank / 2 < timing.bank_of_full_game <= timing.bank:
        yield (
            f"a full game takes {timing.bank_of_full_game:.1f} s of the {timing.bank:g} s in the "
            "bank, as far as can be told: "
            "Kaggle's machine may be slower"
        )
    if source.newer_line is not None:
        yield (
            f"Python {OLDER}, with which Kaggle may play, cannot read line {source.newer_line}: "
            "write it without the syntax of newer versions"
        )
    if source.early_line is not None:
        yield (
            f"an annotation in line {source.early_line} has a name without a value there, which it "
            "must have with Kaggle's Python: begin with `from __future__ import annotations`"
        )
    for entry in source.imports or ():
        doubt, is_ours = doubt_import(entry), entry.module in PROJECT_MODULES
        if doubt and not is_ours and f"module {entry.module}" not in told:
            yield doubt
    for asked in dict.fromkeys(asked for record in records for asked in record.hidden):
        cause = of_hidden(asked)
        if cause.text not in told:
            yield f"{cause.text}: {cause.mend}"
