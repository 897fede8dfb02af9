"""A trace: the nodes that a search visited, in order, and why it returned from each.

Values, alpha and beta are from player 1's view. Multiplying them by `SearchTrace.scale` gives the
game's own numbers, which labels show: in a tree of scale 16.0 a leaf written as 14 has the value
0.875.
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
"""Numbers with an absolute value outside this range are written with a power of ten."""


@dataclass
class SearchTrace:
    """The record of one search, filled by the agent of `agents.trace.recording.recorded`.

    Each search empties it first.
    """

    algorithm: str = ""
    """`minimax`, `alphabeta`, `expectimax` or `mcts`."""
    scale: float = 1.0
    decimals: int = DECIMALS
    """The number of decimals to show a tree's numbers as written; see `decimals_of`."""
    rows: int | None = None
    columns: int | None = None
    """The size of the board; None in games without one."""
    nodes: "list[TracedNode]" = field(default_factory=list, repr=False)
    """The visited nodes of a depth-first search, in the order of entry."""
    simulations: "list[Simulation]" = field(default_factory=list, repr=False)
    """The simulations of a Monte Carlo tree search; empty for other searches."""
    players: dict[Path, int] = field(default_factory=dict, repr=False)
    """The player to move at each node of a Monte Carlo tree: 1, 2, or 0 for chance."""
    proven: dict[Path, float] = field(default_factory=dict, repr=False)
    """The final proven values of nodes of a Monte Carlo tree."""
    boards: dict[Path, tuple[int, ...]] = field(default_factory=dict, repr=False)
    """The cells at each node of a Monte Carlo tree, as in `TracedNode.board`."""
    principal_variation: Path = ()
    """The expected actions, the chosen one first; empty before the search has chosen."""

    def clear(self) -> None:
        """Empty the trace."""
        vars(self).update(vars(SearchTrace()))

    @property
    def chosen(self) -> Hashable | None:
        """The action that the search chose; None before that, or if the action is None."""
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
        """The label of an action; columns and cells of a board are counted from 1.

        Unprintable characters are replaced.
        """
        if self.columns is not None and isinstance(action, int):
            action += 1
        return "".join(char if char.isprintable() else UNPRINTABLE for char in str(action))

    def path_label(self, path: Path) -> str:
        """The actions that lead to a node, or `the root`."""
        return ",".join(self.action_label(action) for action in path) or "the root"

    def value_label(self, value: float) -> str:
        """The label of a value, on the game's own scale."""
        return self.number_label(value * self.scale)

    def number_label(self, number: float) -> str:
        """The label of a number on the game's own scale."""
        return number_label(number, self.decimals)

    def window_labels(self, window: Window) -> tuple[str, str]:
        """The labels of alpha and beta, on the game's own scale.

        A game with its own scale has no best and no worst value: its window begins as -∞ and ∞.
        """
        alpha, beta = window
        if self.scale != 1.0:
            alpha, beta = -inf if alpha <= -1.0 else alpha, inf if beta >= 1.0 else beta
        return self.value_label(alpha), self.value_label(beta)

    def why_unvisited(self, node: "TracedNode") -> str:
        """The reason for unvisited children, on the game's own scale; "" if there is none."""
        if node.ending is ReturnReason.CUTOFF and node.window_returned is not None:
            alpha, beta = self.window_labels(node.window_returned)
            return f"alpha {alpha} ≥ beta {beta}"
        if node.ending is ReturnReason.COMPLETE and node.unvisited:
            return "probability 0"
        return ""


class ReturnReason(StrEnum):
    """The reason why a search returned from a node."""

    TERMINAL = "terminal"  # the game is over
    DEPTH = "depth"  # the depth limit: the value is the heuristic's
    TRANSPOSITION = "transposition"  # the transposition table decided the node
    CUTOFF = "cutoff"  # alpha >= beta: the values of the other children do not matter
    COMPLETE = "complete"  # all children of positive probability were visited
    TIME = "time"  # the time was up: the value is unknown
    NOT_YET = "not yet"  # the search has not returned yet


@dataclass
class TracedNode:
    """One visit of a node by minimax, alpha-beta or expectimax."""

    path: Path
    player: int
    """The player to move: 1 (the maximiser), 2 (the minimiser), 0 (chance). If the game is over,
    the player who would be next."""
    actions: Path
    """The legal actions, in the game's own order; () if the game is over."""
    visited: list[Hashable] = field(default_factory=list)
    """The actions whose children were visited, in the order of the search."""
    window: Window | None = None
    """Alpha and beta on entry; None if the search has no window."""
    window_returned: Window | None = None
    """Alpha and beta on return: alpha >= beta explains a cutoff."""
    value: float | None = None
    """The value that the search returned; None if the time was up."""
    bound: Bound = Bound.EXACT
    """Whether the true value at this depth is `value`, at least `value` or at most `value`."""
    ending: ReturnReason = ReturnReason.NOT_YET
    probability: float | None = None
    """The probability of the last action of the path; None if a player chooses it."""
    iteration: int = 0
    """The number of its search in iterative deepening, from 0."""
    board: tuple[int, ...] | None = None
    """The cells, row 0 at the top: 0 free, else the player; None in games without a board."""

    @property
    def unvisited(self) -> tuple[Hashable, ...]:
        """The actions whose children were not visited, in the game's own order."""
        return tuple(action for action in self.actions if action not in self.visited)


@dataclass
class Simulation:
    """One simulation of a Monte Carlo tree search."""

    selections: "list[Selection]"
    """The choices from the root on; chance nodes have none."""
    path: Path
    """The last node of the simulation; new in the tree if `expanded`."""
    expanded: bool
    result: float
    """The sum of its rollouts, or the proven value times rollouts per leaf, from player 1's view.

    It is added to each node of the path, from the last one to the root. At a node where the player
    to move can choose a better proven value, it is replaced by that value from there on.
    """
    rollouts: list[float]
    """The result of each rollout; empty if the value of the node is proven."""
    backed_up: list[tuple[Path, int, float]]
    """Each node of the path, the root last, with its visits and its total after the simulation."""


@dataclass
class Selection:
    """The selection of a child in a simulation."""

    path: Path
    """The node whose child is selected."""
    children: "Mapping[Hashable, ChildStatistics]"
    chosen: Hashable


@dataclass(frozen=True)
class ChildStatistics:
    """A child at the moment of a selection."""

    visits: int
    total: float
    """The sum of the results, from player 1's view."""
    uct: float
    """The bound by which it is selected, from the view of the player who selects."""
    proven: float | None = None
    """Its proven value, from player 1's view, for which the solver skips the child."""

    @property
    def mean(self) -> float:
        """The mean result, from player 1's view."""
        return self.total / self.visits


def narrowed(window: Window | None, value: float, at_least: bool, at_most: bool) -> Window | None:
    """The window, narrowed by a value that is a lower bound, an upper bound, or both (exact)."""
    if window is None:
        return None
    alpha, beta = window
    return max(alpha, value) if at_least else alpha, min(beta, value) if at_most else beta


def shortened(label: str, most: int = LONGEST_LABEL) -> str:
    """A label, cut to at most this number of characters."""
    return label if len(label) <= most else label[: most - 1] + "…"


def decimals_of(numbers: Iterable[float]) -> int:
    """The fewest decimals, at least 3, that distinguish the numbers and show written ones in full.

    A number with more than 12 decimals is assumed to be computed, like a third, and is shortened.
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
    """A number with at least `least` decimals, if it has them, and enough to differ from integers.

    So a guess of 0.9999 is not shown as 1, a proven win. If `least` is `ALL_DECIMALS` or more, the
    number is shown in full.
    """
    if isinf(number):
        return "∞" if number > 0 else "-∞"
    if least >= ALL_DECIMALS:
        return repr(number + 0.0).removesuffix(".0")  # -0.0 becomes 0
    if number and not SMALLEST_IN_FULL <= abs(number) < LARGEST_IN_FULL:
        return f"{number:.6g}"
    number = float(f"{number:.{FINEST_DECIMALS}g}")  # 3 / 14 * 14 may differ from 3 in the last bit
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
