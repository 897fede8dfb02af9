"""Checks of sources in tests, and the reports on them."""

from pathlib import Path
from typing import Any

from submission.checking.check import check_submission
from submission.checking.check_report import CheckReport
from submission.checking.observed_game import Fault
from tests.helpers.shell import printed

FIRST_FREE = "[c for c in range(conf.columns) if obs.board[c] == 0][0]"

GOOD = f"def agent(obs, conf):\n    return {FIRST_FREE}\n"

MEMORY = 2**30


def check_file(path: Path, **options: Any) -> CheckReport:
    """The check, without the games that do not affect its verdict."""
    return check_submission(path, **{"memory": MEMORY, "patience": 0, **options})


def check_source(source: str, folder: Path, **options: Any) -> CheckReport:
    path = folder / "submission.py"
    path.write_text(source)
    return check_file(path, **options)


def check_pair(source: str, folder: Path, **options: Any) -> CheckReport:
    """The check of a source by its first two games only."""
    return check_source(source, folder, pair_only=True, **options)


def first_fault(report: CheckReport) -> Fault:
    return next(game.fault for game in report.games if game.fault)


def told(fault: Fault) -> str:
    return f"{fault.when}, {fault.cause}"


def text_of(report: CheckReport) -> str:
    return printed(report, width=250)


def rows_of(report: CheckReport) -> dict[str, str]:
    """The values by name in the first lines of a report."""
    lines = [line.partition("  ") for line in text_of(report).splitlines()]
    return {name: fact.strip() for name, _, fact in lines}
