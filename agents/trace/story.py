"""A trace as text: the walk of the search step by step, and its tree with the values.

Numbers are on the game's own scale. A node is named by the actions that lead to it, as in `1,0`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isclose

from agents.alpha_beta import Bound
from agents.trace.pictures.picture import (
    LIMIT,
    NO_SEARCH,
    PictureNode,
    Shape,
    picture_of,
    player_shape,
    which_search,
    worths_to_come,
)
from agents.trace.trace import (
    ChildStatistics,
    Path,
    ReturnReason,
    SearchTrace,
    Selection,
    Simulation,
    TracedNode,
    Window,
    narrowed,
)
from envs.protocol import CHANCE

LeafValues = Mapping[Path, float]
"""The values of all leaves, visited or not, on the game's own scale."""

ROUNDING = 1e-9  # the tolerance between a sum of results and a total
INDENT = "  "
AT_LEAST_OR_MOST = {
    Bound.EXACT: "",
    Bound.LOWER: ": it is worth at least that",
    Bound.UPPER: ": it is worth at most that",
}
BRANCHES = {
    (False, False): "├─ ",
    (False, True): "└─ ",
    (True, False): "╞═ ",
    (True, True): "╘═ ",
}
"""By whether the node is on the principal variation, and whether it is its parent's last child."""
LEAF_WORDS = {Shape.TERMINAL: "", Shape.DEPTH: "estimated"}
"""The word before a leaf's value; before that of other nodes it is their shape."""


def tell(trace: SearchTrace, leaves: LeafValues | None = None, first: int = 1) -> list[str]:
    """The walk of the search in words, a line for each step, indented by the depth of the node.

    With iterative deepening it is the last search, with Monte Carlo tree search it starts at the
    simulation `first`, counted from 1. Unvisited leaves are named by their values in `leaves`. A
    ValueError if the trace holds no search.
    """
    if not trace.steps:
        raise ValueError(NO_SEARCH)
    lines = _simulations(trace, first) if trace.simulations else _walk(trace, leaves or {})
    if not trace.principal_variation:
        return [*lines]
    return [*lines, f"the search chooses {trace.action_label(trace.chosen)}"]


def _walk(trace: SearchTrace, leaves: LeafValues) -> Iterator[str]:
    if which := which_search(trace):
        yield f"this is {which}"
    if worths := worths_to_come(trace):
        yield worths
    nodes = {node.path: node for node in trace.last_iteration()}
    yield from Walk(trace, leaves, nodes).visit(nodes[()])


@dataclass(frozen=True)
class Walk:
    """The walk of one search, in the order of its visits."""

    trace: SearchTrace
    leaves: LeafValues
    nodes: dict[Path, TracedNode]  # its nodes by their paths

    def visit(self, node: TracedNode) -> Iterator[str]:
        """The lines from the entry of a node to the return from it."""
        indent, name = INDENT * len(node.path), self.trace.path_label(node.path)
        chance = (
            "" if node.probability is None else f" with {self.trace.number_label(node.probability)}"
        )
        is_open = node.ending is ReturnReason.NOT_YET
        if not node.visited and not is_open:
            yield f"{indent}{name}{chance}: {self._finding(node)}"
            return
        kind = player_shape(self.nodes, node)
        yield f"{indent}enter {name} ({kind}){chance}{self._window(node)}"
        window = node.window
        for action in node.visited:
            child = self.nodes[*node.path, action]
            yield from self.visit(child)
            if child.value is not None:
                is_max, is_min = node.player == 1, node.player == 2  # chance narrows nothing
                before, window = window, narrowed(window, child.value, is_max, is_min)
                yield from self._narrowing(indent + INDENT, before, window)
        if is_open:
            return
        if node.unvisited:
            yield f"{indent}{INDENT}{left_out(self.trace, self.leaves, node)}"
        yield f"{indent}{name} {self._return(node)}"

    def _finding(self, node: TracedNode) -> str:
        """The value of a node without visited children, in words."""
        if node.value is None:
            return "the time is up"
        value = self.trace.value_label(node.value)
        if node.ending is ReturnReason.TRANSPOSITION:
            return f"the table knows {value}{AT_LEAST_OR_MOST[node.bound]}"
        if node.ending is ReturnReason.DEPTH:
            return f"as deep as the search looks, estimated at {value}"
        return value

    def _window(self, node: TracedNode) -> str:
        if node.window is None:
            return ""
        alpha, beta = self.trace.window_labels(node.window)
        return f", alpha {alpha}, beta {beta}"

    def _narrowing(self, indent: str, before: Window | None, after: Window | None) -> Iterator[str]:
        if before is None or after is None:
            return
        for name, old, new in zip(("alpha", "beta"), before, after, strict=True):
            if old != new:
                yield f"{indent}{name} becomes {self.trace.value_label(new)}"

    def _return(self, node: TracedNode) -> str:
        if node.value is None:
            return "is given up: the time is up"
        return f"returns {self.trace.value_label(node.value)}{AT_LEAST_OR_MOST[node.bound]}"


def branch_name(trace: SearchTrace, leaves: LeafValues, path: Path) -> str:
    """The name of a branch: `the 4 at 1,1` if it is a leaf of known value, else `1,1`."""
    name = trace.path_label(path)
    return f"the {trace.number_label(leaves[path])} at {name}" if path in leaves else name


def listing(names: Sequence[str]) -> str:
    """A list in words, `a`, `a and b` or `a; b and c`: names may contain commas."""
    *first, last = names
    return f"{'; '.join(first)} and {last}" if first else last


def left_out(trace: SearchTrace, leaves: LeafValues, node: TracedNode) -> str:
    """The unvisited branches: `alpha 3 ≥ beta 2: the 4 at 1,1 and the 6 at 1,2 are not visited`."""
    branches = [branch_name(trace, leaves, (*node.path, action)) for action in node.unvisited]
    reason = trace.why_unvisited(node) or "the time is up"
    verb = "is" if len(branches) == 1 else "are"
    return f"{reason}: {listing(branches)} {verb} not visited"


def _simulations(trace: SearchTrace, first: int) -> Iterator[str]:
    """The simulations in order; n is the number of a node's visits, t the total of its results."""
    known: dict[Path, tuple[int, float]] = {}
    for number, simulation in enumerate(trace.simulations, start=1):
        if number >= first:
            yield f"simulation {number}"
            yield from (f"  {step}" for step in _steps(trace, simulation, known))
        known |= {path: (visits, total) for path, visits, total in simulation.backed_up}
    if () in trace.proven:
        yield f"the root is proven: {trace.value_label(trace.proven[()])}"


def _steps(
    trace: SearchTrace, simulation: Simulation, known: Mapping[Path, tuple[int, float]]
) -> Iterator[str]:
    """The steps of one simulation; `known` has the visits and totals before it."""
    selections = {selection.path: selection for selection in simulation.selections}
    for depth, action in enumerate(simulation.path):
        path = simulation.path[:depth]
        if path in selections:
            yield _choice(trace, selections[path])
        elif trace.players.get(path) == CHANCE:
            yield f"at {trace.path_label(path)} chance draws {trace.action_label(action)}"
    leaf = trace.path_label(simulation.path)
    if simulation.expanded:
        yield f"add {leaf}"
    if simulation.rollouts:
        yield f"rollout: {listing([trace.value_label(result) for result in simulation.rollouts])}"
    else:
        proven = trace.proven.get(simulation.path, simulation.result)
        yield f"{leaf} is proven: {trace.value_label(proven)}"
    yield "back up: " + "; ".join(_backed_up(trace, simulation, known))


def _backed_up(
    trace: SearchTrace, simulation: Simulation, known: Mapping[Path, tuple[int, float]]
) -> Iterator[str]:
    """The nodes that the result is added to, with remarks where a player has a better one."""
    result = simulation.result
    for path, visits, total in simulation.backed_up:
        earlier_visits, earlier_total = known.get(path, (0, 0.0))
        added = total - earlier_total
        fallback = ""
        if not isclose(added, result, abs_tol=ROUNDING):
            worth = trace.value_label(added / (visits - earlier_visits or 1))
            fallback = f", for the player can fall back on {worth}"
            result = added
        yield f"{trace.path_label(path)} n {visits}, t {trace.value_label(total)}{fallback}"


def _choice(trace: SearchTrace, selection: Selection) -> str:
    sign = 1 if trace.players.get(selection.path) == 1 else -1
    bounds = [
        f"{trace.action_label(action)} {_standing(trace, child, sign)}"
        for action, child in selection.children.items()
    ]
    chosen = trace.action_label(selection.chosen)
    return f"at {trace.path_label(selection.path)} select {chosen}: {listing(bounds)}"


def _standing(trace: SearchTrace, child: ChildStatistics, sign: int) -> str:
    """A child's proof, or its UCT as the sum of the two terms, from the chooser's view."""
    if child.proven is not None:
        return f"is proven {trace.value_label(child.proven)}"
    mean = sign * child.mean
    bound, mean_label, exploration = map(trace.value_label, (child.uct, mean, child.uct - mean))
    return f"has UCT {bound} = {mean_label} + {exploration}"


def trace_text(trace: SearchTrace, limit: int = LIMIT) -> str:
    """The tree of a search as lines of text, with the same content as `draw`.

    Subtrees without room become one line `+ n nodes`. Arguments and errors are as in `draw`.
    """
    picture = picture_of(trace, limit)
    legend = ["Double lines: the line that is expected."] if trace.principal_variation else []
    return "\n".join([picture.title, *picture.notes, *legend, "", *picture_lines(picture.root)])


def picture_lines(root: PictureNode) -> Iterator[str]:
    """A line for each place in a tree, before those of its children."""
    yield _node_words(root)
    waiting = [("", root, child) for child in reversed(root.children)]
    while waiting:
        indent, parent, node = waiting.pop()
        is_last = node is parent.children[-1]
        yield indent + BRANCHES[node.principal, is_last] + _described(parent, node)
        below = indent + ("   " if is_last else "│  ")
        waiting += [(below, node, child) for child in reversed(node.children)]


def _described(parent: PictureNode, node: PictureNode) -> str:
    if node.shape is Shape.FOLDED:
        return f"{node.value} {node.mark}"
    label = f"{node.action} ({node.probability})" if node.probability else node.action
    if node.shape is Shape.UNVISITED:
        return f"{label} not visited: {parent.cutoff}"
    return f"{label}: {_node_words(node)}"


def _node_words(node: PictureNode) -> str:
    kind = LEAF_WORDS.get(node.shape, node.shape)
    mean = "" if node.visits is None else f"n {node.visits}, mean"
    window = f"  alpha {node.alpha}, beta {node.beta}" if node.alpha else ""
    return " ".join(filter(None, (kind, mean, node.value, window, node.mark)))
