"""Times work beside peers, in processor time, which other processes disturb the least."""

import gc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from time import process_time
from typing import Any

from rich.table import Table

from benchmarks.results import table

SECONDS_PER_TIMING = 0.1
"""Short work is repeated for this long, so that a timing is well above the clock's noise."""


@dataclass(frozen=True)
class Peer:
    """Another project's implementation of the same work."""

    name: str
    requirement: str
    """The peer's name for pip."""
    run: Callable[[], float]
    """Does the work once; what it returns depends on the workload.

    Raises ModuleNotFoundError if the peer is not installed.
    """


@dataclass(frozen=True)
class Workload:
    """Our work, and its peers."""

    name: str
    run: Callable[[], Any]
    """Does the work once."""
    peers: tuple[Peer, ...] = ()
    published: float | None = None
    """Published seconds of other code."""
    count: int | None = None
    """The simulations or plies of a run, if their rate is shown instead of the time."""


@dataclass(frozen=True)
class Timings:
    """Processor seconds of the same work, by round."""

    name: str
    seconds: list[float]

    @property
    def median(self) -> float:
        """The median over the rounds."""
        return median(self.seconds)

    def times_faster(self, peer: "Timings") -> list[float]:
        """The factor by which this work was faster than the peer's, in each round."""
        return [theirs / ours for ours, theirs in zip(self.seconds, peer.seconds, strict=True)]


@dataclass(frozen=True)
class Measurement:
    """The times of a workload and its peers."""

    workload: Workload
    ours: Timings
    peers: list[Timings]
    missing: list[Peer]
    """The peers that are not installed."""


def measure(workload: Workload, rounds: int) -> Measurement:
    """Time our work and each peer's in turn, `rounds` times over, after a warm-up of each."""
    workload.run()
    installed: list[Peer] = []
    missing: list[Peer] = []
    for peer in workload.peers:
        try:
            peer.run()
        except ModuleNotFoundError:
            missing.append(peer)
        else:
            installed.append(peer)
    gc.collect()  # so that the first timing does not collect garbage of the peers' imports
    ours, theirs = time_in_turn(
        partial(seconds_per_call, workload.run),
        [(peer.name, partial(seconds_per_call, peer.run)) for peer in installed],
        rounds,
    )
    return Measurement(workload, ours, theirs, missing)


def time_in_turn(
    ours: Callable[[], float], peers: Sequence[tuple[str, Callable[[], float]]], rounds: int
) -> tuple[Timings, list[Timings]]:
    """Take our timing and each named peer's in turn, `rounds` times over."""
    our_timings = Timings("ours", [])
    their_timings = [Timings(name, []) for name, _ in peers]
    for _ in range(rounds):
        our_timings.seconds.append(ours())
        for (_, theirs), timings in zip(peers, their_timings, strict=True):
            timings.seconds.append(theirs())
    return our_timings, their_timings


def seconds_per_call(function: Callable[[], object]) -> float:
    """The mean processor time of a call, over `SECONDS_PER_TIMING` or one call if it is longer."""
    start = process_time()
    calls = 0
    while True:
        function()
        calls += 1
        elapsed = process_time() - start
        if elapsed >= SECONDS_PER_TIMING:
            return elapsed / calls


def spread(factors: Sequence[float]) -> str:
    """The median with the extremes."""
    decimals = 2 if max(factors) < 10 else 0
    return (
        f"{median(factors):.{decimals}f} ({min(factors):.{decimals}f}-{max(factors):.{decimals}f})"
    )


def peer_table(
    kind: str, measurements: Iterable[Measurement], figure: Callable[[Workload, float], str]
) -> Table:
    """A table of our work beside the peers', measured in the same run.

    Args:
        kind: the heading of the workloads' column.
        measurements: a row for each, and for each of its peers.
        figure: formats the seconds that a workload took.
    """
    rows = table(kind, "ours", "peer", "its figure", "times faster", words=(kind, "peer"))
    for measured in measurements:
        work, ours = measured.workload.name, figure(measured.workload, measured.ours.median)
        for peer in measured.peers:
            faster = spread(measured.ours.times_faster(peer))
            rows.add_row(work, ours, peer.name, figure(measured.workload, peer.median), faster)
            work = ours = ""  # shown once for all peers
    return rows


def missing_peers(measurements: Iterable[Measurement]) -> list[str]:
    """A sentence for each peer that is not installed."""
    names = sorted({peer.requirement for each in measurements for peer in each.missing})
    return [f"{name} is missing: install it with `pip install '{name}'`" for name in names]
