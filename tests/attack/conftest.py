"""The counts of all attacks, told at the end."""

import sys
from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest

from tests.helpers.attacks import SEED, Tally

TOLD = "attack"


@pytest.fixture
def tally(request: pytest.FixtureRequest) -> Tally:
    """Counts a test's attacks; the test fails at the end if any was not withstood."""
    if sys.platform != "linux":
        pytest.skip("attacks are made where all that guards against them is there: on Linux")
    tally = Tally()
    request.node.user_properties.append((TOLD, tally.counts))
    return tally


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Function) -> Generator[None]:
    yield
    tally = item.funcargs.get("tally")
    if isinstance(tally, Tally) and tally.broken:
        pytest.fail("did not hold:\n" + "\n".join(tally.broken), pytrace=False)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [
        report
        for kind in terminalreporter.stats.values()
        for report in kind
        if isinstance(report, pytest.TestReport) and "tests/attack/" in report.nodeid
    ]
    counts = Counter[str]()
    for report in reports:
        told: dict[str, Any] = dict(report.user_properties) if report.when == "call" else {}
        counts.update(told.get(TOLD, {}))
    if not counts:
        return
    terminalreporter.section(f"attack with seed {SEED}")
    for what, number in sorted(counts.items()):
        terminalreporter.write_line(f"{number:>12,}  {what}".replace(",", " "))
    broken = [report for report in reports if report.failed]
    terminalreporter.write_line(f"{len(broken):>12}  attacks that did not hold")
    for report in broken:
        terminalreporter.write_line(f"              {report.nodeid}")
