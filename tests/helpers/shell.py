"""The command line, run in the tests' own process."""

import io
import sys
from dataclasses import dataclass

import pytest
from rich.console import Console, RenderableType

from submission.__main__ import main
from tests.helpers.signals import handlers_kept


@dataclass
class Outcome:
    status: int
    stdout: str
    stderr: str


@dataclass
class Shell:
    """Runs the command line in this process."""

    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]

    def run(self, *words: str, stdin: object = "") -> Outcome:
        """Run a command; its standard input is a text, or what is given instead of one."""
        stdin = io.StringIO(stdin) if isinstance(stdin, str) else stdin
        self.monkeypatch.setattr(sys, "stdin", stdin)
        self.monkeypatch.setattr(sys, "argv", ["connectx", *words])
        self.monkeypatch.setenv("COLUMNS", "200")
        with handlers_kept(), pytest.raises(SystemExit) as ended:
            main()
        captured = self.capsys.readouterr()
        return Outcome(int(ended.value.code or 0), captured.out, captured.err)

    def output(self, *words: str, stdin: object = "") -> str:
        """The output of a command that must succeed."""
        outcome = self.run(*words, stdin=stdin)
        assert outcome.status == 0, outcome.stderr
        return outcome.stdout

    def refusal(self, *words: str, stdin: object = "") -> str:
        """The message about a mistake, which must be one line or the usage, and nothing else."""
        outcome = self.run(*words, stdin=stdin)
        lines = outcome.stderr.strip().splitlines()
        assert outcome.status == 2
        assert not outcome.stderr.startswith("\n")
        assert outcome.stdout == "" or words[0] == "prepare"  # which prints its steps
        assert len(lines) == 1 or (lines[0].startswith("Usage: ") and len(lines) <= 6), lines
        assert "Traceback" not in outcome.stderr
        return outcome.stderr.strip()


class Terminal(io.StringIO):
    """A standard input that is a terminal."""

    def isatty(self) -> bool:
        return True


def printed(renderable: RenderableType, width: int) -> str:
    """A report as printed in a terminal of this width."""
    output = io.StringIO()
    Console(file=output, width=width).print(renderable)
    return output.getvalue()
