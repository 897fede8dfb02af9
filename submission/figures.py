"""Figures as the cells of a table and the words of a sentence have them."""

from math import isfinite

from agents.reporting.stats import Estimate

NOTHING = "-"
"""Shown where there is no figure."""
OPEN = "open"


def percent(share: float | None, digits: int = 1) -> str:
    """A share in percent, as in "62.5"."""
    return NOTHING if share is None else f"{100 * share:.{digits}f}"


def seconds(time: float | None) -> str:
    """As in "0.125"."""
    return NOTHING if time is None else f"{time:.3f}"


def counted(number: int, things: str) -> str:
    """As in "1 game" and "2 games"."""
    return f"1 {things.removesuffix('s')}" if number == 1 else f"{number} {things}"


def elo_interval(elo: Estimate) -> str:
    """The limits, as in "[-35, open]"."""
    low, high = (f"{limit:+.0f}" if isfinite(limit) else OPEN for limit in (elo.low, elo.high))
    return f"[{low}, {high}]"


def elo_in_words(elo: Estimate) -> str:
    """As in "+89 [+1, open]"."""
    return f"{elo.value:+.0f} {elo_interval(elo)}"


def elo_in_cell(elo: Estimate) -> str:
    """The same in two lines."""
    return f"{elo.value:+.0f}\n{elo_interval(elo)}"


def share_interval(share: Estimate) -> str:
    """The limits in percent, as in "[50.1, 73.2]"."""
    return f"[{percent(share.low)}, {percent(share.high)}]"


def share_in_words(share: Estimate) -> str:
    """As in "62.5 % [50.1, 73.2]"."""
    return f"{percent(share.value)} % {share_interval(share)}"


def share_in_cell(share: Estimate) -> str:
    """The same in two lines, without the sign."""
    return f"{percent(share.value)}\n{share_interval(share)}"
