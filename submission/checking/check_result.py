"""The outcome of a check, and how it is made of its games."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import ceil
from pathlib import Path
from statistics import fmean
from typing import Any

from submission.checking.diagnosis import Fault, describe_choice, doubt_choice
from submission.checking.kaggle_image import doubt_import
from submission.checking.observed_game import Choice, Limits, ObservedGame, bank_taken
from submission.checking.source_facts import SourceFacts
from submission.kaggle import Referee, upload_command
from submission.reports import Printed
from submission.sandbox.causes import PACK_THE_DATA
from submission.sandbox.file_guard import PROJECT_MODULES
from submission.sandbox.move import STDERR_LINES, Move
from submission.sandbox.player import RuntimeVersions
from submission.sandbox.player_process import LIMITS_MEMORY

LARGE_BYTES = 5_000_000
"""Submissions below this size are safe."""

FALL_BACK = "; falling back"
"""Ends a line by which a bundle says that its agent gave no column; see `submission.entry`."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """One game that was played."""

    name: str
    """Size and seat, as in `6x7x4 on seat 1`."""
    decides: bool
    """Whether Kaggle plays such games, so that the submission has to pass it."""
    act_timeout: float
    """Seconds for a move."""
    moves: int
    """How many moves the submission made."""
    longest: float | None
    """Seconds of its longest move; None without moves."""
    is_complete: bool
    """False for a game that was stopped when it had shown enough."""
    fault: Fault | None


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds, over the games that decide."""

    loading: float
    """The longest time of loading the file."""
    first_move: float
    """The longest first move, loading included."""
    mean: float
    """Of all moves."""
    percentile_99: float
    longest: float
    longest_later: float | None
    """The longest move other than a seat's first; None without such."""
    bank: float
    """Seconds that a game's moves may take beyond their limit, in all."""
    bank_taken: float
    """The most that one game took of it."""

    @property
    def bank_left(self) -> float:
        """The least that was left of the bank, at least 0."""
        return max(0.0, self.bank - self.bank_taken)


@dataclass(frozen=True, slots=True, repr=False)
class CheckReport(Printed):
    """All that a check has found."""

    path: str
    referee: Referee
    """The environment of kaggle-environments whose games were played."""
    size: int
    """Bytes."""
    standard_imports: tuple[str, ...] | None
    """None, as `other_imports`, where the source could not be parsed."""
    other_imports: tuple[str, ...] | None
    """Modules that are not Python's own."""
    versions: RuntimeVersions | None
    """Of Python and the libraries that the games were played with; None where none was begun."""
    speed: float
    """The share of one core that the submission had, with all that it started; 1 is no limit."""
    memory: int | None
    """Bytes that it might use; None on systems that hold no process to a limit."""
    kept_from: tuple[str, ...]
    """What it could not reach: the network and the home folder, where the system offers that."""
    agent: str | None
    """The callable that Kaggle takes; None where the file could not be loaded."""
    timing: Timing | None
    """None where no move was made."""
    games: tuple[GameResult, ...]
    planned: int
    """How many games there would have been; a fault or the lack of time leaves some out."""
    warnings: tuple[str, ...]
    stderr: str
    """The end of what the submission wrote to standard error."""

    @property
    def accepted(self) -> bool:
        """Whether Kaggle would accept the submission: it passed every game that decides."""
        return all(game.fault is None for game in self.games if game.decides)

    @property
    def upload_command(self) -> str:
        """The command that submits the file to Kaggle's ConnectX competition."""
        return upload_command(self.path, "MESSAGE")

    def to_dict(self) -> dict[str, Any]:
        """All fields, `accepted` and `upload_command`, as what `json.dumps` takes."""
        return {
            "accepted": self.accepted,
            "upload_command": self.upload_command,
            **asdict(self),
        }


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
        referee=records[0].plan.referee,
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
        moves=len(_moves(record)),
        longest=max((move.seconds for move in _moves(record)), default=None),
        is_complete=record.is_complete,
        fault=game.fault,
    )


def _moves(record: ObservedGame) -> list[Move]:
    """Those of the submission, on whichever seat."""
    return [move for moves in record.moves.values() for move in moves]


def _stderr(games: Sequence[JudgedGame]) -> str:
    """Quote the last words of the first failing game, or else of the first that wrote anything."""
    failing_first = sorted(games, key=lambda game: game.fault is None)
    tails = [game.record.stderr.strip().splitlines()[-STDERR_LINES:] for game in failing_first]
    return "\n".join(next(filter(None, tails), []))


def _timing(records: Sequence[ObservedGame], limits: Limits) -> Timing | None:
    moves = sorted(move.seconds for record in records for move in _moves(record))
    loadings = [record.load_seconds for record in records if record.load_seconds is not None]
    if not moves or not loadings:
        return None
    played = [seat for record in records for seat in record.moves.values() if seat]
    return Timing(
        loading=max(loadings),
        first_move=max(first.seconds for first, *_ in played),
        mean=fmean(moves),
        percentile_99=moves[ceil(0.99 * len(moves)) - 1],
        longest=moves[-1],
        longest_later=max((move.seconds for _, *later in played for move in later), default=None),
        bank=limits.bank,
        bank_taken=max(bank_taken(seat, limits.act_timeout) for seat in played),
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
    decisive_moves = [move for record in records if record.plan.decides for move in _moves(record)]
    if any(move.returned == "NoneType" for move in decisive_moves):
        yield "the agent returned None, which Kaggle plays as column 0: return a column"
    if failures := _fallen_back(records):
        moves = sum(len(_moves(record)) for record in records)
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
    """Warn of imports, but for those that a fault names already."""
    causes = [game.fault.cause for game in games if game.fault]
    for entry in source.imports or ():
        doubt = doubt_import(entry)
        is_told = any(f"module {entry.module}" in cause for cause in causes)
        if doubt and not is_told and entry.module not in PROJECT_MODULES:
            yield doubt


def _file_warnings(games: Sequence[JudgedGame]) -> Iterator[str]:
    """Warn of paths that were asked for in vain, but for those that a fault names."""
    causes = [game.fault.cause for game in games if game.fault]
    for path in dict.fromkeys(path for game in games for path in game.record.hidden):
        if not any(path in cause for cause in causes):
            yield (f"it asks for {path}, which is not on Kaggle's machine: {PACK_THE_DATA}")


def _fallen_back(records: Sequence[ObservedGame]) -> list[str]:
    """Why a bundle's agent gave no column, for each time that standard error says so."""
    return [
        line.removesuffix(FALL_BACK)
        for record in records
        for line in record.stderr.splitlines()
        if line.endswith(FALL_BACK)
    ]
