"""The walk of minimax, alpha-beta or expectimax in words."""

from collections.abc import Iterator
from dataclasses import dataclass

from agents.tracing.labels import action_label, number_label, path_label, value_label, window_labels
from agents.tracing.stories.story_cuts import left_out
from agents.tracing.stories.story_names import PLAYERS, LeafValues
from agents.tracing.trace import Ending, Path, SearchTrace, TracedNode
from agents.transposition import Bound
from envs.protocol import CHANCE

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
