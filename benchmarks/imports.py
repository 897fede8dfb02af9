"""Times the imports of packages, and the help of commands."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.results import Report, table

CONNECTX = str(Path(sys.executable).with_name("connectx"))
HELP = "connectx --help"
STARTS: dict[str, Sequence[str]] = {
    "python": [sys.executable, "-c", "pass"],
    HELP: [CONNECTX, "--help"],
    **{
        f"import {name}": [sys.executable, "-c", f"import {name}"]
        for name in ("agents", "envs", "submission", "connectx", "click", "httpx", "gymnasium")
        if find_spec(name)
    },
}
"""What is timed; peers that are not installed are left out."""


@dataclass(frozen=True)
class Start:
    """The seconds from a process's start to its end: the median over rounds."""

    name: str
    clock: float
    processor: float


def measure_imports(rounds: int) -> Iterator[Start]:
    """Time each start in turn, round after round, once all bytecode is compiled."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in STARTS}
    for number in range(rounds + 1):
        for name, command in STARTS.items():
            timed = _timed(command)
            if number:
                times[name].append(timed)
    for name, timings in times.items():
        clock, processor = zip(*timings, strict=True)
        yield Start(name, median(clock), median(processor))


def _timed(command: Sequence[str]) -> tuple[float, float]:
    begun, used = perf_counter(), os.times()
    subprocess.run(command, check=True, capture_output=True)
    after = os.times()
    processor = after.children_user + after.children_system
    return perf_counter() - begun, processor - used.children_user - used.children_system


def import_report(starts: Sequence[Start]) -> Report:
    """A row for each start."""
    rows = table("start", "by the clock", "processor", words=("start",))
    for start in starts:
        rows.add_row(start.name, f"{start.clock:.2f} s", f"{start.processor:.2f} s")
    return ["Seconds from the start of a process to its end, medians", rows]
