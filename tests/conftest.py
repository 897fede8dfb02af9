"""What all tests share: the command line, and Hypothesis without a clock on a shared machine."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.shell import Shell

settings.register_profile(
    "shared-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("shared-machine")


@pytest.fixture
def shell(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Shell:
    """The command line in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return Shell(monkeypatch, capsys)
