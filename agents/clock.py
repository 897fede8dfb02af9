"""The time that a search has."""

from time import perf_counter


class TimeUp(Exception):
    """The search has used up its time."""


class Clock:
    """Runs from its creation to the shortest of the limits.

    Args:
        *time_limits: seconds each; None is no limit.
    """

    def __init__(self, *time_limits: float | None) -> None:
        self._start = perf_counter()
        self._end = self._start + min(
            (limit for limit in time_limits if limit is not None), default=float("inf")
        )

    @property
    def elapsed(self) -> float:
        """Seconds since the clock was created."""
        return perf_counter() - self._start

    @property
    def left(self) -> float:
        """Seconds until the time is up, at least 0; inf without a limit."""
        return max(0.0, self._end - perf_counter())

    def expired(self) -> bool:
        """Whether the time is up."""
        return perf_counter() >= self._end

    def check(self) -> None:
        """Let the search go on, or end it.

        Raises:
            TimeUp: the time is up.
        """
        if perf_counter() >= self._end:
            raise TimeUp
