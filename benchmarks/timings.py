"""Times work in processor time, which other processes on the machine disturb least."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from time import process_time
from typing import TypeVar

AnyPeer = TypeVar("AnyPeer")

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

    def times_faster(self, peer: "Timings") -> list[float]:
        """By which factor this was faster than the peer, in each round."""
        return [theirs / ours for ours, theirs in zip(self.seconds, peer.seconds, strict=True)]


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


def warm_up(
    peers: Iterable[AnyPeer], run: Callable[[AnyPeer], object]
) -> tuple[list[AnyPeer], list[AnyPeer]]:
    """Run each peer once; the peers that are installed, and those that are not."""
    installed: list[AnyPeer] = []
    missing: list[AnyPeer] = []
    for peer in peers:
        try:
            run(peer)
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


def spread(factors: Sequence[float]) -> str:
    """The median with the extremes."""
    decimals = 2 if max(factors) < 10 else 0
    return (
        f"{median(factors):.{decimals}f} ({min(factors):.{decimals}f}-{max(factors):.{decimals}f})"
    )
