"""The figures of a ladder as texts for tables, in the terminal and on the page."""

from math import isfinite

from agents.stats import Estimate
from submission.ranking.ladder import Rung
from submission.ranking.standing import Standing

NOTHING = "-"
OPEN = "open"
ANCHOR = "anchor"
NEARLY_SURE = 0.999

RESULT_HEADINGS = ("games", "points, %", "W-D-L", "failed", "Elo", "above\nnext, %")
TIME_HEADINGS = ("mean", "longest")


def result_cells(rung: Rung, anchor: str) -> tuple[str, ...]:
    """A player's results, in the order of `RESULT_HEADINGS`."""
    standing = rung.standing
    sure = ANCHOR if rung.player == anchor else interval(rung.elo)
    return (
        str(standing.games),
        percent(standing.score),
        wins_draws_losses(standing),
        "\n".join(f"{count} {status}" for status, count in standing.failures.items()) or "0",
        f"{rung.elo.value:+.0f}\n{sure}",
        probability(rung.above_next),
    )


def time_cells(standing: Standing) -> tuple[str, ...]:
    """Seconds for a move, in the order of `TIME_HEADINGS`."""
    times = standing.mean_seconds, standing.longest_seconds
    return tuple(NOTHING if number is None else f"{number:.3f}" for number in times)


def interval(elo: Estimate) -> str:
    """The limits of an interval."""
    low, high = (f"{limit:+.0f}" if isfinite(limit) else OPEN for limit in (elo.low, elo.high))
    return f"[{low}, {high}]"


def percent(share: float | None, digits: int = 1) -> str:
    """A share in percent."""
    return NOTHING if share is None else f"{100 * share:.{digits}f}"


def probability(share: float | None) -> str:
    """A probability in percent, which a limited number of replicas cannot tell from certainty."""
    return f">{100 * NEARLY_SURE:.1f}" if share and share > NEARLY_SURE else percent(share)


def wins_draws_losses(standing: Standing) -> str:
    """The results, as in 12-1-7."""
    return f"{standing.wins}-{standing.draws}-{standing.losses}"
