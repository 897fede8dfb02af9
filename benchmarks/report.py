"""Shows measurements as tables and as JSON."""

import json
from collections.abc import Sequence
from statistics import median

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from benchmarks.catalogue import PUBLISHED_BY
from benchmarks.measure import Measurement

GOAL = 10
"""How many times faster than the published figures our searches are to be."""


def print_report(measurements: Sequence[Measurement], console: Console) -> None:
    """Print what was measured, and say which peers are missing."""
    console.print("\nBeside peers: processor time of a search; k/s: 1000 simulations a second")
    console.print(peer_table(measurements))
    console.print(f"Beside {PUBLISHED_BY}; goal: {GOAL} times faster", highlight=False)
    console.print(published_table(measurements))
    for requirement in sorted({p.requirement for m in measurements for p in m.missing}):
        console.print(f"{requirement} is missing: install it with `pip install {requirement}`")


def peer_table(measurements: Sequence[Measurement]) -> Table:
    """Our searches beside the peers', measured in the same run."""
    rows = table("work", "ours", "peer", "its figure", "times faster", words=("work", "peer"))
    for measurement in measurements:
        work, ours = measurement.workload.name, figure(measurement, measurement.ours.median)
        for peer in measurement.peers:
            faster = spread(measurement.ours.times_faster(peer))
            rows.add_row(work, ours, peer.name, figure(measurement, peer.median), faster)
            work = ours = ""  # said once for all peers
    return rows


def published_table(measurements: Sequence[Measurement]) -> Table:
    """Our searches beside the published figures."""
    rows = table("work", "ours", "published", "times faster", "goal", words=("work", "goal"))
    for measurement in measurements:
        published = measurement.workload.published
        if published is not None:
            factors = [published / seconds for seconds in measurement.ours.seconds]
            rows.add_row(
                measurement.workload.name,
                figure(measurement, measurement.ours.median),
                figure(measurement, published),
                spread(factors),
                "reached" if median(factors) >= GOAL else "missed",
            )
    return rows


def figure(measurement: Measurement, seconds: float) -> str:
    """A time, or a rate where simulations are counted."""
    simulations = measurement.workload.simulations
    if simulations is None:
        return f"{1000 * seconds:.1f} ms"
    return f"{simulations / seconds / 1000:.1f} k/s"


def spread(factors: Sequence[float]) -> str:
    """The median with the extremes."""
    decimals = 2 if max(factors) < 10 else 0
    return (
        f"{median(factors):.{decimals}f} ({min(factors):.{decimals}f}-{max(factors):.{decimals}f})"
    )


def as_json(measurements: Sequence[Measurement]) -> str:
    """All timings: processor seconds of a search, by round."""
    return json.dumps([_record(measurement) for measurement in measurements], indent=2) + "\n"


def table(*columns: str, words: Sequence[str]) -> Table:
    """An empty table: the columns of `words` to the left, those of figures to the right."""
    empty = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for column in columns:
        empty.add_column(column, justify="left" if column in words else "right", no_wrap=True)
    return empty


def _record(measurement: Measurement) -> dict[str, object]:
    return {
        "work": measurement.workload.name,
        "simulations": measurement.workload.simulations,
        "published_seconds": measurement.workload.published,
        "seconds": {
            timings.name: timings.seconds for timings in (measurement.ours, *measurement.peers)
        },
    }
