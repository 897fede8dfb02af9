"""The picture of what minimax, alpha-beta or expectimax visited and pruned."""

from collections.abc import Hashable, Mapping

from agents.tracing.cutoffs import why_unvisited
from agents.tracing.labels import (
    BOUND_SIGNS,
    action_label,
    number_label,
    value_label,
    window_labels,
)
from agents.tracing.pictures.picture import PictureNode, Shape
from agents.tracing.trace import Ending, Path, SearchTrace, TracedNode

Visits = Mapping[Path, TracedNode]
"""The nodes of one iteration by their paths."""

LEAVES = {Ending.TERMINAL: Shape.TERMINAL, Ending.DEPTH: Shape.DEPTH}
MARKS = {Ending.TRANSPOSITION: "from the table", Ending.TIME: "time was up"}


def search_picture(trace: SearchTrace) -> PictureNode:
    """The root of the picture of the last iteration; children in the order of the search."""
    visits = {node.path: node for node in trace.last_iteration()}
    places = {path: _search_node(trace, visits, node) for path, node in visits.items()}
    for path, node in visits.items():
        place = places[path]
        place.children = [places[*path, action] for action in node.visited]
        place.cutoff = why_unvisited(trace, node)
        if place.cutoff:
            place.children += [_unvisited(trace, path, action) for action in node.unvisited]
    for path in principal_paths(visits, trace.chosen):
        places[path].principal = True
    return places[()]


def principal_paths(visits: Visits, chosen: Hashable) -> list[Path]:
    """The root and the nodes of the line that the search expects, as far as players decide it."""
    paths: list[Path] = [()]
    path: Path = (chosen,)
    while path in visits and visits[path].probability is None:
        paths.append(path)
        node = visits[path]
        best = (
            action
            for action in node.visited
            if node.value is not None and visits[*path, action].value == node.value
        )
        path = (*path, next(best, None))
    return paths


def _search_node(trace: SearchTrace, visits: Visits, node: TracedNode) -> PictureNode:
    shape = _shape(visits, node)
    value = "" if node.value is None else value_label(trace, node.value)
    if shape not in LEAVES.values() and value:
        value = f"{BOUND_SIGNS[node.bound]} {value}"
    probability = "" if node.probability is None else number_label(node.probability)
    return PictureNode(
        node.path,
        shape,
        action=action_label(trace, node.path[-1]) if node.path else "",
        probability=probability,
        value=value,
        alpha=_change(trace, node, 0),
        beta=_change(trace, node, 1),
        mark=MARKS.get(node.ending, ""),
        board=node.board,
    )


def _shape(visits: Visits, node: TracedNode) -> Shape:
    if node.ending in LEAVES:
        return LEAVES[node.ending]
    is_average = any(visits[*node.path, action].probability is not None for action in node.visited)
    if is_average or node.player not in (1, 2):
        return Shape.CHANCE
    return Shape.MAX if node.player == 1 else Shape.MIN


def _change(trace: SearchTrace, node: TracedNode, index: int) -> str:
    """Alpha (0) or beta (1) of an interior node on entry, and on return if it has changed."""
    if node.window is None or node.ending in LEAVES:
        return ""
    entered = window_labels(trace, node.window)[index]
    if node.window_returned is None:
        return entered
    returned = window_labels(trace, node.window_returned)[index]
    return entered if entered == returned else f"{entered} → {returned}"


def _unvisited(trace: SearchTrace, path: Path, action: Hashable) -> PictureNode:
    return PictureNode((*path, action), Shape.UNVISITED, action=action_label(trace, action))
