"""Measures how long compiled searches take to be ready, with and without cached machine code."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from tempfile import TemporaryDirectory

from benchmarks.results import Report, table
from benchmarks.searches.first_call import KERNELS


@dataclass(frozen=True)
class Readiness:
    """Seconds from the imports to the first answer, in a fresh process."""

    kernels: str
    compiling: float
    """With nothing compiled on disk."""
    loading: float
    """With the machine code on disk that the previous process left."""


def measure_compilation() -> Iterator[Readiness]:
    """Start each of `first_call.KERNELS` twice, each kind with its own cache folder."""
    for kernels in KERNELS:
        with TemporaryDirectory() as cache:
            yield Readiness(kernels, first_call(kernels, cache), first_call(kernels, cache))


def first_call(kernels: str, cache: str) -> float:
    """Seconds until the first answer, with Numba's cache in the folder `cache`."""
    answer = subprocess.run(
        [sys.executable, "-m", "benchmarks.searches.first_call", kernels],
        env=os.environ | {"NUMBA_CACHE_DIR": cache},
        capture_output=True,
        check=True,
        text=True,
    )
    return float(answer.stdout)


def compilation_report(measured: Sequence[Readiness]) -> Report:
    """A row for each kind of kernels."""
    rows = table("kernels", "compiling", "compiled before", words=("kernels",))
    for readiness in measured:
        rows.add_row(
            readiness.kernels, f"{readiness.compiling:.1f} s", f"{readiness.loading:.1f} s"
        )
    return ["From the imports to the first answer, in a fresh process, by the clock", rows]
