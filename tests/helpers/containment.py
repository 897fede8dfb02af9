"""Players on systems that refuse namespaces, as macOS, Windows and most containers do."""

from typing import Any

import pytest

from submission.sandbox.interpreter import child_command

REFUSING = """
from submission.sandbox import containment
def refuse(*arguments): raise PermissionError(1, "refused")
containment._System.unshare = refuse
"""


def refuse_namespaces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have players' processes started as where the system permits no namespaces."""

    def command(*arguments: Any) -> list[str]:
        *python, program = child_command(*arguments)
        path, _, main = program.rpartition("; from")
        return [*python, f"{path}\n{REFUSING}\nfrom{main}"]

    monkeypatch.setattr("submission.sandbox.launcher.child_command", command)
