"""The searches beside their peers and the published figures, as tables."""

from collections.abc import Sequence
from statistics import median

from rich.table import Table

from benchmarks.results import Report, table
from benchmarks.searches.catalogue import PUBLISHED_BY
from benchmarks.searches.search_times import Measurement
from benchmarks.timings import spread

GOAL = 10
"""How many times faster than the published figures our searches are to be."""


def search_report(measurements: Sequence[Measurement]) -> Report:
    """What was measured, and which peers are missing."""
    missing = sorted({peer.requirement for each in measurements for peer in each.missing})
    return [
        "Beside peers: processor time of a search; k/s: 1000 simulations a second",
        peer_table(measurements),
        f"Beside {PUBLISHED_BY}; goal: {GOAL} times faster",
        published_table(measurements),
        *(f"{name} is missing: install it with `pip install {name}`" for name in missing),
    ]


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


def search_timings(measurement: Measurement) -> dict[str, object]:
    """All timings: processor seconds of a search, by round."""
    return {
        "work": measurement.workload.name,
        "simulations": measurement.workload.simulations,
        "published_seconds": measurement.workload.published,
        "seconds": {
            timings.name: timings.seconds for timings in (measurement.ours, *measurement.peers)
        },
    }
