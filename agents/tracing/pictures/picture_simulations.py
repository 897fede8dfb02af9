"""The picture of the tree that a Monte Carlo tree search has grown."""

from agents.tracing.labels import action_label, value_label
from agents.tracing.pictures.picture import PictureNode, Shape
from agents.tracing.trace import Path, SearchTrace

SHAPES = {0: Shape.CHANCE, 1: Shape.MAX, 2: Shape.MIN}


def simulations_picture(trace: SearchTrace) -> PictureNode:
    """The root of the picture after the last simulation; children by their visits."""
    statistics = {
        path: (visits, total)
        for simulation in trace.simulations
        for path, visits, total in simulation.backed_up
    }
    places = {path: _simulated_node(trace, path, *statistics.get(path, (0, 0.0))) for path in trace.players}
    for path, place in places.items():
        if path:
            places[path[:-1]].children.append(place)
    for place in places.values():
        if place.path in trace.proven and not place.children:
            place.shape = Shape.TERMINAL
        _compare_children(place)
    _mark_principal(places[()], places.get((trace.chosen,)))
    return places[()]


def _simulated_node(trace: SearchTrace, path: Path, visits: int, total: float) -> PictureNode:
    proven = trace.proven.get(path)
    return PictureNode(
        path,
        SHAPES[trace.players[path]],
        action=action_label(trace, path[-1]) if path else "",
        value=value_label(trace, total / visits) if visits else "",
        visits=visits,
        mark="" if proven is None else f"proven {value_label(trace, proven)}",
        board=trace.boards.get(path),
    )


def _compare_children(place: PictureNode) -> None:
    """Put the most visited child first, and give each its share of the simulations."""
    place.children.sort(key=lambda child: -(child.visits or 0))
    for child in place.children:
        child.share = (child.visits or 0) / (place.visits or 1)


def _mark_principal(root: PictureNode, chosen: PictureNode | None) -> None:
    """The chosen action, and from there the most visited one of each node."""
    root.principal = True
    while chosen is not None:
        chosen.principal = True
        chosen = chosen.children[0] if chosen.children else None
