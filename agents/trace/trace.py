"""A trace: the nodes that a search visited, in its order, and why it turned back at each.

Values, alpha and beta are from player 1's view. `SearchTrace.scale` turns them into the game's own
numbers: in a tree of scale 16.0 a leaf written as 14 has the value 0.875. Labels show these numbers
to readers.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf, isinf

from agents.alpha_beta import Bound

Path = tuple[Hashable, ...]
"""The actions that lead from the root to a node: integers or strings; () is the root."""

Window = tuple[float, float]  # alpha and beta

BOUND_SIGNS = {Bound.EXACT: "=", Bound.LOWER: "≥", Bound.UPPER: "≤"}
"""The relation of a value to the true value."""

LONGEST_LABEL = 24  # the most characters of an action's name in a picture
UNPRINTABLE = "\N{REPLACEMENT CHARACTER}"
DECIMALS = 3
FINEST_DECIMALS = 12
ALL_DECIMALS = 17  # from this number of decimals on, a number is written in full
SMALLEST_IN_FULL, LARGEST_IN_FULL = 1e-9, 1e12
"""Absolute numbers outside of this range are written with a power of ten."""


@dataclass
class SearchTrace:
    """The record of one search. Hand it to `agents.trace.recording.recorded`.

    Each search empties it first.
    """

    algorithm: str = ""
    """`minimax`, `alphabeta`, `expectimax` or `mcts`."""
    scale: float = 1.0
    decimals: int = DECIMALS
    """Decimals that show the numbers of a tree as they are written; see `decimals_of`."""
    rows: int | None = None
    columns: int | None = None
    """The size of the board; None in games without one."""
    nodes: "list[TracedNode]" = field(default_factory=list, repr=False)
    """In the order in which they were entered."""
    simulations: "list[Simulation]" = field(default_factory=list, repr=False)
    """The simulations of a Monte Carlo tree search; none of another search."""
    players: dict[Path, int] = field(default_factory=dict, repr=False)
    """Whose turn it is at each node of a Monte Carlo tree: 1, 2, or 0 for chance."""
    proven: dict[Path, float] = field(default_factory=dict, repr=False)
    """The nodes of a Monte Carlo tree whose value was proven in the end, with it."""
    boards: dict[Path, tuple[int, ...]] = field(default_factory=dict, repr=False)
    """The cells at each node of a Monte Carlo tree, as in `TracedNode.board`."""
    principal_variation: Path = ()
    """The actions that the search expects, the chosen one first; none before it has chosen."""

    def clear(self) -> None:
        """Empty the trace."""
        vars(self).update(vars(SearchTrace()))

    @property
    def chosen(self) -> Hashable | None:
        """The action that the search chose; None before that, or where the action is None."""
        return self.principal_variation[0] if self.principal_variation else None

    @property
    def steps(self) -> int:
        """The number of simulations, or of visited nodes; 0 if no search is recorded."""
        return len(self.simulations) or len(self.nodes)

    def last_iteration(self) -> "list[TracedNode]":
        """The nodes of the last search of iterative deepening, or of the only search."""
        last = max((node.iteration for node in self.nodes), default=0)
        return [node for node in self.nodes if node.iteration == last]

    def action_label(self, action: Hashable) -> str:
        """An action as it is shown: columns and cells of a board from 1, all others as they are.

        Characters that cannot be shown are replaced.
        """
        if self.columns is not None and isinstance(action, int):
            action += 1
        return "".join(char if char.isprintable() else UNPRINTABLE for char in str(action))

    def path_label(self, path: Path) -> str:
        """The actions that lead to a node, or `the root`."""
        return ",".join(self.action_label(action) for action in path) or "the root"

    def value_label(self, value: float) -> str:
        """A value in the numbers of the game."""
        return self.number_label(value * self.scale)

    def number_label(self, number: float) -> str:
        """A number of the game as it is shown."""
        return number_label(number, self.decimals)

    def window_labels(self, window: Window) -> tuple[str, str]:
        """Alpha and beta in the numbers of the game.

        A game with a scale of its own has no best and no worst value: there they begin at -∞ and ∞.
        """
        alpha, beta = window
        if self.scale != 1.0:
            alpha, beta = -inf if alpha <= -1.0 else alpha, inf if beta >= 1.0 else beta
        return self.value_label(alpha), self.value_label(beta)

    def why_unvisited(self, node: "TracedNode") -> str:
        """The reason, in the numbers of the game; "" where no child was left out for good."""
        if node.ending is ReturnReason.CUTOFF and node.window_returned is not None:
            alpha, beta = self.window_labels(node.window_returned)
            return f"alpha {alpha} ≥ beta {beta}"
        if node.ending is ReturnReason.COMPLETE and node.unvisited:
            return "probability 0"
        return ""


class ReturnReason(StrEnum):
    """The reason for which a search returned from a node."""

    TERMINAL = "terminal"  # the game is over there
    DEPTH = "depth"  # it lies as deep as the search looks: its value is the heuristic's
    TRANSPOSITION = "transposition"  # the transposition table knew enough
    CUTOFF = "cutoff"  # alpha reached beta: what the other children are worth changes nothing
    COMPLETE = "complete"  # all children were visited that chance or the modelled opponent can take
    TIME = "time"  # the time was up: its value is unknown
    NOT_YET = "not yet"  # the search is still below it


@dataclass
class TracedNode:
    """One visit of a node by minimax, alpha-beta or expectimax."""

    path: Path
    player: int
    """Whose turn it is: 1 (the maximiser), 2 (the minimiser), 0 (chance). Who would be next, where
    the game is over."""
    actions: Path
    """The legal actions, in the game's own order; () where the game is over."""
    visited: list[Hashable] = field(default_factory=list)
    """The actions whose children were visited, in the order of the search."""
    window: Window | None = None
    """Alpha and beta on entry; None where the search has no window."""
    window_returned: Window | None = None
    """Alpha and beta on return: alpha >= beta is what a cutoff rests on."""
    value: float | None = None
    """As the search returned it; None where the time was up."""
    bound: Bound = Bound.EXACT
    """The true value at this depth is `value`, at least that or at most that."""
    ending: ReturnReason = ReturnReason.NOT_YET
    probability: float | None = None
    """The probability of the last action of the path; None where a player chooses it."""
    iteration: int = 0
    """The number of its search in iterative deepening, from 0."""
    board: tuple[int, ...] | None = None
    """The cells, row 0 on top: 0 free, 1 and 2 the players'; None in games without a board."""

    @property
    def unvisited(self) -> tuple[Hashable, ...]:
        """The actions that were never tried, in the game's own order."""
        return tuple(action for action in self.actions if action not in self.visited)


@dataclass
class Simulation:
    """One simulation of a Monte Carlo tree search."""

    selections: "list[Selection]"
    """From the root on; none where chance decides."""
    path: Path
    """The node that it ended at; its last action is new in the tree if `expanded`."""
    expanded: bool
    result: float
    """The sum of its rollouts, or the proven value once for each, from player 1's view.

    It is added to each node of the path, from the end to the root; where the player whose turn it
    is can fall back on a proven value, a worse result becomes that value from there on.
    """
    rollouts: list[float]
    """The result of each rollout; none where the value of the node is proven."""
    backed_up: list[tuple[Path, int, float]]
    """Each node of the path, the root last, with its visits and its total afterwards."""


@dataclass
class Selection:
    """The choice of one child on a simulation's way down."""

    path: Path
    """The node that chooses."""
    children: "Mapping[Hashable, ChildStatistics]"
    chosen: Hashable


@dataclass(frozen=True)
class ChildStatistics:
    """A child at the moment of a selection."""

    visits: int
    total: float
    """Sum of the results, from player 1's view."""
    uct: float
    """The bound by which it is selected, from the view of the player who selects."""
    proven: float | None = None
    """Its exact value, from player 1's view, where the solver knows it and passes it over."""

    @property
    def mean(self) -> float:
        """The mean result, from player 1's view."""
        return self.total / self.visits


def narrowed(window: Window | None, value: float, at_least: bool, at_most: bool) -> Window | None:
    """The window once a value is known that is exact, or a lower or an upper bound."""
    if window is None:
        return None
    alpha, beta = window
    return max(alpha, value) if at_least else alpha, min(beta, value) if at_most else beta


def shortened(label: str, most: int = LONGEST_LABEL) -> str:
    """A label, cut to at most this number of characters."""
    return label if len(label) <= most else label[: most - 1] + "…"


def decimals_of(numbers: Iterable[float]) -> int:
    """The fewest decimals, at least 3, that tell the numbers apart and show written ones in full.

    A number that takes more than 12 decimals is assumed to be computed, like a third, and is
    shortened.
    """
    different = set(numbers)
    by_hand = [number for number in different if round(number, FINEST_DECIMALS) == number]

    def suffice(decimals: int) -> bool:
        labels = {number_label(number, decimals) for number in different}
        return len(labels) == len(different) and all(
            float(number_label(number, decimals)) == number for number in by_hand
        )

    enough = filter(suffice, range(DECIMALS, FINEST_DECIMALS + 1))
    return next(enough, ALL_DECIMALS)


def number_label(number: float, least: int = DECIMALS) -> str:
    """A number with enough decimals to tell it from a whole one, at least 3 if it has them.

    So no guess of 0.9999 is shown as the 1 of a proven win. `least` takes the place of 3; from
    `ALL_DECIMALS` on the number is shown in full.
    """
    if isinf(number):
        return "∞" if number > 0 else "-∞"
    if least >= ALL_DECIMALS:
        return repr(number + 0.0).removesuffix(".0")  # -0.0 becomes 0
    if number and not SMALLEST_IN_FULL <= abs(number) < LARGEST_IN_FULL:
        return f"{number:.6g}"
    number = float(f"{number:.{FINEST_DECIMALS}g}")  # 3 / 14 * 14 may miss 3 by a last bit
    if number.is_integer():
        return str(int(number))
    decimals = next(
        (
            decimals
            for decimals in range(least, FINEST_DECIMALS)
            if not round(number, decimals).is_integer()
        ),
        FINEST_DECIMALS,
    )
    return f"{number:.{decimals}f}".rstrip("0")
