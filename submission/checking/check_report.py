"""The report of a check, and its tables and sentences for the terminal."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from submission.checking.game_watch import Timing
from submission.checking.kaggle_image import kaggles_versions
from submission.checking.observed_game import Fault
from submission.kaggle import Referee, upload_command
from submission.reports import NOTHING, Printed, plain, plain_table, seconds
from submission.sandbox.messages import RuntimeVersions


class CheckVerdict(StrEnum):
    """The verdict of a check."""

    ACCEPTED = "accepted"  # Kaggle would accept it: it passed every game that decides
    REFUSED = "refused"
    UNDECIDED = "undecided"
    """It failed, perhaps only because a module that Kaggle has is missing: see `Fault.missing`."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """One game of a check."""

    name: str  # size and seat, such as `6x7x4 on seat 1`
    decides: bool  # whether Kaggle plays such games, so that the submission has to pass it
    act_timeout: float  # seconds for a move
    moves: int  # the number of moves that the submission made
    longest: float | None  # seconds of its longest move; None without moves
    is_complete: bool  # False for a game that was stopped when it had shown enough
    fault: Fault | None


@dataclass(frozen=True, slots=True, repr=False)
class CheckReport(Printed):
    """The findings of a check."""

    name: str  # the path of the file, or the name of a function that was never saved as a file
    path: str | None  # None where there is only a temporary file
    referee: Referee  # the environment of kaggle-environments whose games were played
    size: int  # bytes
    standard_imports: tuple[str, ...] | None
    """None, like `other_imports`, if the source could not be parsed."""
    other_imports: tuple[str, ...] | None  # modules outside of Python's standard library
    versions: RuntimeVersions | None
    """The versions of Python and the libraries in the games; None if no game was started."""
    speed: float
    """The share of one core for the submission and all of its processes; 1 means no limit."""
    memory: int | None  # bytes that it could use; None on systems that do not enforce a limit
    kept_from: tuple[str, ...]
    """What was out of its reach: the network and the home folder, if the system offers that."""
    agent: str | None  # the callable that Kaggle takes; None if the file could not be loaded
    timing: Timing | None  # None if no move was made
    games: tuple[GameResult, ...]
    planned: int  # the number of games planned
    left_out: str | None  # why some of them were not played; None if all were
    makeshift: int
    """For how many moves of the deciding games its agent gave no playable column, as a bundle
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
        if not self.accepted or self.is_makeshift or self.referee.is_open_spiel:
            return None
        return None if self.path is None else upload_command(self.path, "MESSAGE")

    def tables(self) -> RenderableType:
        """Facts, games and warnings."""
        parts: list[RenderableType] = [_facts(self), _games(self.games)]
        if self.left_out:
            missing = self.planned - len(self.games)
            words = f"{missing} of {self.planned} games were not played: {self.left_out}."
            parts.append(Text(words))
        parts += [_line("Warning: ", "yellow", warning) for warning in self.warnings]
        if self.stderr:
            parts += [Text("The end of its standard error:", style="dim"), plain(self.stderr)]
        return Group(*parts)

    def summary(self) -> list[Text]:
        """The faults, the verdict, and what to do next."""
        return [*_faults(self.games), _verdict(self), *_upload(self)]

    def to_dict(self) -> dict[str, Any]:
        """All fields, `verdict`, `accepted` and `upload_command`, as what `json.dumps` takes."""
        return {
            "verdict": self.verdict,
            "accepted": self.accepted,
            "upload_command": self.upload_command,
            **asdict(self),
        }


SECONDS = re.compile(r"\d+\.\d s\b")  # in a cause: they differ in every game

UNCONTAINED = "nothing that its user can reach: this system forbids namespaces, or lacks them"
"""Shown for a submission that could have reached the network and the user's home."""

PASSED = {
    CheckVerdict.ACCEPTED: ("passed", "green"),
    CheckVerdict.REFUSED: ("failed", "bold red"),
    CheckVerdict.UNDECIDED: ("could not be judged here", "bold yellow"),
}


def render_pair(report: CheckReport) -> RenderableType:
    """Show what a pair of games adds to the findings of a check shown before."""
    return Group(
        Text.assemble(
            f"A pair of games at {report.speed:.2g} of this machine's speed: ",
            PASSED[report.verdict],
        ),
        _grid({"played with": str(report.versions or NOTHING), **_timing(report.timing)}),
        _games(report.games),
        *_faults(report.games),
    )


def _verdict(report: CheckReport) -> Text:
    judge = report.referee if report.referee.is_open_spiel else "Kaggle"
    match report.verdict:
        case CheckVerdict.ACCEPTED:
            return _line("Accepted: ", "bold green", f"{judge} would take {report.name}")
        case CheckVerdict.REFUSED:
            return _line("Not accepted: ", "bold red", f"{judge} would refuse {report.name}")
    are = "is" if len(report.missing) == 1 else "are"
    return _line(
        "Could not be judged here: ",
        "bold yellow",
        f"{' and '.join(report.missing)}, which Kaggle has, {are} missing in this Python, and "
        f"{report.name} fails here, but perhaps not on Kaggle",
    )


def _facts(report: CheckReport) -> Table:
    facts = {
        "size": f"{report.size:,} bytes",
        "imports": _modules(report.other_imports, "only of Python's standard library"),
        "standard library": _modules(report.standard_imports, NOTHING),
        "played with": str(report.versions or NOTHING),
        "Kaggle plays with": kaggles_versions(),
        **({"speed": f"{report.speed:g} of one core"} if report.speed < 1 else {}),
        **({} if report.memory else {"memory": "without a limit, which only Linux enforces"}),
        "kept from": " and ".join(report.kept_from) or UNCONTAINED,
        "agent": report.agent or "could not be loaded",
        **_timing(report.timing),
    }
    return _grid(facts)


def _grid(facts: Mapping[str, str]) -> Table:
    table = Table.grid(padding=(0, 2))
    for name, fact in facts.items():
        table.add_row(Text(name, style="dim"), plain(fact))
    return table


def _modules(names: tuple[str, ...] | None, if_empty: str) -> str:
    if names is None:
        return "could not be read"
    return ", ".join(names) or if_empty


def _timing(timing: Timing | None) -> dict[str, str]:
    if timing is None:
        return {}
    later = timing.longest_later
    return {
        "loading": f"{timing.loading:.3f} s",
        "first move": f"{timing.first_move:.3f} s with loading, and compiling if there is any",
        "longest later move": NOTHING if later is None else f"{later:.3f} s",
        "a move": f"mean {timing.mean:.3f} s, 99 % within {timing.percentile_99:.3f} s, "
        f"longest {timing.longest:.3f} s",
        "bank": f"at most {timing.bank_taken:.1f} s taken of {timing.bank:g} s; a full game would "
        f"leave {timing.bank_left:.1f} s",
    }


def _games(games: tuple[GameResult, ...]) -> Table:
    table = plain_table("", "game")
    for heading in ("limit, s", "moves", "max, s"):
        table.add_column(heading, justify="right")
    table.add_column("status")
    for game in games:
        table.add_row(
            game.name,
            f"{game.act_timeout:g}",
            str(game.moves),
            seconds(game.longest),
            _status(game),
        )
    return table


def _status(game: GameResult) -> Text:
    if game.fault is not None:
        return Text(game.fault.status, style="red" if game.decides else "yellow")
    return Text("DONE" if game.is_complete else "in order, stopped early", style="green")


def _faults(games: tuple[GameResult, ...]) -> Iterator[Text]:
    """Each distinct fault once, with all games that show it."""
    alike = dict[Fault, list[tuple[Fault, GameResult]]]()
    for game in games:
        if game.fault is not None:
            untimed = replace(game.fault, cause=SECONDS.sub("", game.fault.cause))
            alike.setdefault(untimed, []).append((game.fault, game))
    for same in alike.values():
        yield from _fault(same)


def _fault(same: list[tuple[Fault, GameResult]]) -> Iterator[Text]:
    fault, _ = same[0]
    if not any(game.decides for _, game in same):
        where = ", ".join(game.name for _, game in same)
        head = f"Warning, {fault.status} in {where}: "
        yield _line(head, "yellow", f"{fault.cause}; {fault.mend}.")
        return
    yield _line(f"{fault.status}: ", "bold red", f"{fault.cause}.")
    for shown, game in same:
        yield plain(f"  in {game.name} at {game.act_timeout:g} s, {shown.when}")
    for line in fault.lines:
        yield plain(f"    {line}")
    yield _line("  To fix it: ", "bold", f"{fault.mend}.")


def _upload(report: CheckReport) -> Iterator[Text]:
    if report.upload_command is not None:
        command = plain(report.upload_command)
        command.no_wrap, command.overflow = True, "ignore"  # it is there to be copied
        yield Text("Submit it with:", style="bold")
        yield command
    elif report.accepted and report.is_makeshift:
        moves = sum(game.moves for game in report.games if game.decides)
        yield Text(
            f"Do not submit it yet: its agent chose only {moves - report.makeshift} of {moves} "
            "moves in the games that decide; the warning says why."
        )
    elif report.accepted and report.path is None:
        yield Text(
            "Save it first, and submit that file: connectx.build(...).save() writes submission.py."
        )


def _line(head: str, style: str, rest: str) -> Text:
    return Text.assemble((head, style), plain(rest))
