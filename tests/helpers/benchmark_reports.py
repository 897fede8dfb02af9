"""Benchmarks run as commands, and their printed reports."""

import io

import pytest
from rich.console import Console
from typer.testing import CliRunner

from benchmarks import __main__ as command_line
from benchmarks.results import Report, print_report


def report_text(report: Report, width: int = 120) -> str:
    """A report as printed in a terminal of this width."""
    output = io.StringIO()
    print_report(report, Console(file=output, width=width))
    return output.getvalue()


def run_benchmark(*words: str, status: int = 0) -> str:
    """The output of `python -m benchmarks` with these words, which must end with this status."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command_line, "console", Console(width=400))
        outcome = CliRunner().invoke(command_line.app, words)
    assert outcome.exit_code == status, outcome.output
    assert "Traceback" not in outcome.output
    return " ".join(outcome.output.replace("│", " ").split())
