"""Times workloads in processor time, which other processes on the machine disturb least."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import process_time

from benchmarks.workload import Peer, Workload

SECONDS_PER_TIMING = 0.1
"""Short searches are repeated for as long, so that a timing is well above the clock's noise."""


@dataclass(frozen=True)
class Timings:
    """Processor seconds of one search, by round."""

    name: str
    seconds: list[float]

    @property
    def median(self) -> float:
        """The median over the rounds."""
        return median(self.seconds)


@dataclass(frozen=True)
class Measurement:
    """What a workload and its peers took."""

    workload: Workload
    ours: Timings
    peers: list[Timings]
    missing: list[Peer]
    """The peers that are not installed."""

    def times_faster(self, peer: Timings) -> list[float]:
        """By which factor our search was faster than the peer's, in each round."""
        return [theirs / ours for ours, theirs in zip(self.ours.seconds, peer.seconds, strict=True)]


def measure(workload: Workload, rounds: int) -> Measurement:
    """Time our search and each peer's in turn, `rounds` times over, after a warm-up of each."""
    installed, missing = warm_up(workload)
    ours = Timings("ours", [])
    theirs = [Timings(peer.name, []) for peer in installed]
    for _ in range(rounds):
        ours.seconds.append(seconds_per_call(workload.search))
        for peer, timings in zip(installed, theirs, strict=True):
            timings.seconds.append(seconds_per_call(peer.search))
    return Measurement(workload, ours, theirs, missing)


def warm_up(workload: Workload) -> tuple[list[Peer], list[Peer]]:
    """Run each search once; the peers that are installed, and those that are not."""
    workload.search()
    installed: list[Peer] = []
    missing: list[Peer] = []
    for peer in workload.peers:
        try:
            peer.search()
        except ModuleNotFoundError:
            missing.append(peer)
        else:
            installed.append(peer)
    return installed, missing


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
