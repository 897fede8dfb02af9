"""Labels: how a reader of a trace sees actions, values and cutoffs."""

from collections.abc import Hashable
from math import inf, isinf

from agents.alpha_beta import Bound
from agents.trace.trace import Ending, Path, SearchTrace, TracedNode

BOUND_SIGNS = {Bound.EXACT: "=", Bound.LOWER: "≥", Bound.UPPER: "≤"}
"""What a value says of the true value."""

ALPHA, BETA = "\N{GREEK SMALL LETTER ALPHA}", "\N{GREEK SMALL LETTER BETA}"

LONGEST_LABEL = 24
"""Characters of an action's name that a picture has room for."""
UNPRINTABLE = "\N{REPLACEMENT CHARACTER}"
DECIMALS = 3
FINEST_DECIMALS = 12
SMALLEST_IN_FULL, LARGEST_IN_FULL = 1e-9, 1e12
"""Of absolute numbers; others are written with a power of ten."""


def action_label(trace: SearchTrace, action: Hashable) -> str:
    """An action as it is shown: columns and cells of a board from 1, all others as they are.

    Characters that cannot be shown are replaced.
    """
    if trace.columns is not None and isinstance(action, int):
        action += 1
    return "".join(char if char.isprintable() else UNPRINTABLE for char in str(action))


def path_label(trace: SearchTrace, path: Path) -> str:
    """The actions that lead to a node, or `the root`."""
    return ",".join(action_label(trace, action) for action in path) or "the root"


def shortened(label: str) -> str:
    """A label that leaves room for others."""
    return label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1] + "…"


def value_label(trace: SearchTrace, value: float) -> str:
    """A value of the trace, in the numbers of the game."""
    return number_label(value * trace.scale)


def window_labels(trace: SearchTrace, window: tuple[float, float]) -> tuple[str, str]:
    """Alpha and beta, in the numbers of the game.

    A game with a scale of its own has no best and no worst value: there they begin at -∞ and ∞.
    """
    alpha, beta = window
    if trace.scale != 1.0:
        alpha, beta = -inf if alpha <= -1.0 else alpha, inf if beta >= 1.0 else beta
    return value_label(trace, alpha), value_label(trace, beta)


def number_label(number: float) -> str:
    """A number with as many decimals as tell it from a whole one, at least 3 where it has them.

    So no guess of 0.9999 is shown as the 1 of a proven win.
    """
    if isinf(number):
        return "∞" if number > 0 else "-∞"
    if number and not SMALLEST_IN_FULL <= abs(number) < LARGEST_IN_FULL:
        return f"{number:.6g}"
    number = float(f"{number:.{FINEST_DECIMALS}g}")  # 3 / 14 * 14 may miss 3 by a last bit
    if number.is_integer():
        return str(int(number))
    decimals = next(
        (
            decimals
            for decimals in range(DECIMALS, FINEST_DECIMALS)
            if not round(number, decimals).is_integer()
        ),
        FINEST_DECIMALS,
    )
    return f"{number:.{decimals}f}".rstrip("0")


def why_unvisited(trace: SearchTrace, node: TracedNode) -> str:
    """The reason, in the numbers of the game; "" where no child was left out for good."""
    if node.ending is Ending.CUTOFF and node.window_returned is not None:
        alpha, beta = window_labels(trace, node.window_returned)
        return f"alpha {alpha} ≥ beta {beta}"
    if node.ending is Ending.COMPLETE and node.unvisited:
        return "they never happen"
    return ""
