"""The searches beside their peers and the published figures, as tables."""

from collections.abc import Sequence
from statistics import median

from rich.table import Table

from benchmarks.results import Report, table
from benchmarks.searches.catalogue import PUBLISHED_BY
from benchmarks.timings import Measurement, Workload, missing_peers, peer_table, spread

GOAL = 10
"""How many times faster than the published figures our searches are to be."""


def search_report(measurements: Sequence[Measurement]) -> Report:
    """What was measured, and which peers are missing."""
    return [
        "Beside peers: processor time of a search; k/s: 1000 simulations a second",
        peer_table("work", measurements, figure),
        f"Beside {PUBLISHED_BY}; goal: {GOAL} times faster",
        published_table(measurements),
        *missing_peers(measurements),
    ]


def published_table(measurements: Sequence[Measurement]) -> Table:
    """Our searches beside the published figures."""
    rows = table("work", "ours", "published", "times faster", "goal", words=("work", "goal"))
    for measurement in measurements:
        published = measurement.workload.published
        if published is not None:
            factors = [published / seconds for seconds in measurement.ours.seconds]
            rows.add_row(
                measurement.workload.name,
                figure(measurement.workload, measurement.ours.median),
                figure(measurement.workload, published),
                spread(factors),
                "reached" if median(factors) >= GOAL else "missed",
            )
    return rows


def figure(workload: Workload, seconds: float) -> str:
    """A time, or a rate where simulations are counted."""
    if workload.count is None:
        return f"{1000 * seconds:.1f} ms"
    return f"{workload.count / seconds / 1000:.1f} k/s"


def search_timings(measurement: Measurement) -> dict[str, object]:
    """All timings: processor seconds of a search, by round."""
    return {
        "work": measurement.workload.name,
        "simulations": measurement.workload.count,
        "published_seconds": measurement.workload.published,
        "seconds": {
            timings.name: timings.seconds for timings in (measurement.ours, *measurement.peers)
        },
    }
