"""A trace in words: where the search goes, what it brings back, what it leaves out and why.

A trace in words: where the search goes, what it brings back, what it leaves out and why.

Numbers are the game's own. A node is called by the actions that lead to it, as in `1,0`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agents.alpha_beta import Bound
from agents.trace.labels import (
    action_label,
    number_label,
    path_label,
    value_label,
    why_unvisited,
    window_labels,
)
from agents.trace.trace import (
    ChildStatistics,
    Ending,
    Path,
    SearchTrace,
    Selection,
    Simulation,
    TracedNode,
)
from envs.protocol import CHANCE

LeafValues = Mapping[Path, float]
"""What leaves are worth, in the game's own numbers, whether or not a search has visited them."""

PLAYERS = ("chance", "max", "min")
"""What a node is called by whose turn it is."""


def branch_name(trace: SearchTrace, leaves: LeafValues, path: Path) -> str:
    """A branch that is left out: `the 4 at 1,1` where it is a leaf of known value, else `1,1`."""
    name = path_label(trace, path)
    return f"the {number_label(leaves[path])} at {name}" if path in leaves else name


def listing(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a; b and c`: names may hold commas of their own."""
    *first, last = names
    return f"{'; '.join(first)} and {last}" if first else last


def left_out(trace: SearchTrace, leaves: LeafValues, node: TracedNode) -> str:
    """`alpha 3 ≥ beta 2: the 4 at 1,1 and the 6 at 1,2 are not visited`.

    Args:
        trace: that the node is from.
        leaves: what leaves are worth.
        node: one with at least one child that was not visited.
    """
    branches = [branch_name(trace, leaves, (*node.path, action)) for action in node.unvisited]
    reason = why_unvisited(trace, node) or "the time is up"
    verb = "is" if len(branches) == 1 else "are"
    return f"{reason}: {listing(branches)} {verb} not visited"


INDENT = "  "
AT_LEAST_OR_MOST = {
    Bound.EXACT: "",
    Bound.LOWER: ": it is worth at least that",
    Bound.UPPER: ": it is worth at most that",
}


def tell_search(trace: SearchTrace, leaves: LeafValues) -> Iterator[str]:
    """The walk, a line for each step."""
    earlier = trace.nodes[-1].iteration
    if earlier:
        yield f"this is the last of {earlier + 1} searches, each one ply deeper than the one before"
    nodes = {node.path: node for node in trace.last_iteration()}
    yield from Walk(trace, leaves, nodes).visit(nodes[()])
    yield f"the search chooses {action_label(trace, trace.chosen)}"


@dataclass(frozen=True)
class Walk:
    """One search, told in the order of its visits."""

    trace: SearchTrace
    leaves: LeafValues
    nodes: dict[Path, TracedNode]
    """Its nodes by their paths."""

    def visit(self, node: TracedNode) -> Iterator[str]:
        """What happens from the entry of a node to the return from it."""
        indent, name = INDENT * len(node.path), path_label(self.trace, node.path)
        chance = "" if node.probability is None else f" with {number_label(node.probability)}"
        if not node.visited:
            yield f"{indent}{name}{chance}: {self._finding(node)}"
            return
        yield f"{indent}enter {name} ({self._kind(node)}){chance}{self._window(node)}"
        window = node.window
        for action in node.visited:
            child = self.nodes[*node.path, action]
            yield from self.visit(child)
            narrowed = narrower(window, node.player, child.value)
            yield from self._narrowing(indent + INDENT, window, narrowed)
            window = narrowed
        if node.unvisited:
            yield f"{indent}{INDENT}{left_out(self.trace, self.leaves, node)}"
        yield f"{indent}{name} {self._return(node)}"

    def _kind(self, node: TracedNode) -> str:
        """`max`, `min`, or `chance` where only probabilities are known of who decides."""
        is_mean = any(
            self.nodes[*node.path, action].probability is not None for action in node.visited
        )
        return PLAYERS[CHANCE] if is_mean else PLAYERS[node.player]

    def _finding(self, node: TracedNode) -> str:
        """What the search learns where it looks no deeper."""
        if node.value is None:
            return "the time is up"
        value = value_label(self.trace, node.value)
        if node.ending is Ending.TRANSPOSITION:
            return f"the table knows {value}{AT_LEAST_OR_MOST[node.bound]}"
        if node.ending is Ending.DEPTH:
            return f"as deep as the search looks, estimated at {value}"
        return value

    def _window(self, node: TracedNode) -> str:
        if node.window is None:
            return ""
        alpha, beta = window_labels(self.trace, node.window)
        return f", alpha {alpha}, beta {beta}"

    def _narrowing(
        self, indent: str, before: tuple[float, float] | None, after: tuple[float, float] | None
    ) -> Iterator[str]:
        if before is None or after is None:
            return
        for name, old, new in zip(("alpha", "beta"), before, after, strict=True):
            if old != new:
                yield f"{indent}{name} becomes {value_label(self.trace, new)}"

    def _return(self, node: TracedNode) -> str:
        if node.value is None:
            return "is given up: the time is up"
        return f"returns {value_label(self.trace, node.value)}{AT_LEAST_OR_MOST[node.bound]}"


def narrower(
    window: tuple[float, float] | None, player: int, value: float | None
) -> tuple[float, float] | None:
    """Alpha and beta of a node once a child is worth `value`; chance changes neither."""
    if window is None or value is None:
        return window
    alpha, beta = window
    if player == 1:
        return max(alpha, value), beta
    return (alpha, min(beta, value)) if player == 2 else window


def tell_simulations(trace: SearchTrace) -> Iterator[str]:
    """The simulations one after the other; n is a node's visits, t the total of its results."""
    for number, simulation in enumerate(trace.simulations, start=1):
        yield f"simulation {number}"
        for step in _steps(trace, simulation):
            yield f"  {step}"
    yield f"the search chooses {action_label(trace, trace.chosen)}"


def _steps(trace: SearchTrace, simulation: Simulation) -> Iterator[str]:
    for selection in simulation.selections:
        yield _choice(trace, selection)
    leaf = path_label(trace, simulation.path)
    if simulation.expanded:
        yield f"add {leaf}"
    if simulation.rollouts:
        yield f"rollout: {listing([value_label(trace, result) for result in simulation.rollouts])}"
    else:
        yield f"{leaf} is proven: {value_label(trace, simulation.result)}"
    yield "back up: " + "; ".join(
        f"{path_label(trace, path)} n {visits}, t {value_label(trace, total)}"
        for path, visits, total in simulation.backed_up
    )


def _choice(trace: SearchTrace, selection: Selection) -> str:
    bounds = [
        f"{action_label(trace, action)} {_standing(trace, child)}"
        for action, child in selection.children.items()
    ]
    chosen = action_label(trace, selection.chosen)
    return f"at {path_label(trace, selection.path)} select {chosen}: {listing(bounds)}"


def _standing(trace: SearchTrace, child: ChildStatistics) -> str:
    if child.proven is not None:
        return f"is proven {value_label(trace, child.proven)}"
    return f"has UCT {value_label(trace, child.uct)}"


def tell(trace: SearchTrace, leaves: LeafValues | None = None) -> list[str]:
    """What the search did, a line for each step; what happens below a node is indented.

    Of iterative deepening it is the walk of the last search.

    Args:
        trace: of any search.
        leaves: what leaves are worth; those that are left out are called by it.
    """
    if trace.simulations:
        return list(tell_simulations(trace))
    return list(tell_search(trace, leaves or {}))
