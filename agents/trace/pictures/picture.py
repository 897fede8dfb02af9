"""Pictures of traces before they are drawn: the shape and the texts of each node, and cutoffs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from agents.options import require_at_least
from agents.trace.recording import RECORDED_SEARCHES
from agents.trace.trace import BOUND_SIGNS, Path, ReturnReason, SearchTrace, TracedNode, shortened
from envs.protocol import CHANCE

LIMIT = 300  # nodes that a picture shows by default
NO_SEARCH = "the trace is empty: search with recorded(agent, trace) first"


class Shape(StrEnum):
    """The kind of a place in the tree."""

    MAX = "max"  # player 1 chooses
    MIN = "min"  # player 2 chooses
    CHANCE = "chance"  # chance decides, or an opponent model's probabilities
    TERMINAL = "terminal"  # the game is over
    DEPTH = "depth"  # the depth limit
    UNVISITED = "unvisited"  # a branch that was pruned, or has probability 0
    FOLDED = "folded"  # a mark for nodes without room


@dataclass(frozen=True)
class Picture:
    """A tree with the title and the notes above it."""

    title: str
    notes: tuple[str, ...]
    root: "PictureNode"


@dataclass(eq=False)
class PictureNode:
    """A place in the tree, with its texts on the game's own scale; missing ones are ""."""

    path: Path
    shape: Shape
    action: str = ""  # the action that leads here
    probability: str = ""  # the probability of that action, unless a player chooses it
    value: str = ""
    visits: int | None = None  # the number of simulations through it
    alpha: str = ""  # on entry, and on return if it changed: `-14 → 3`
    beta: str = ""
    cutoff: str = ""  # why children of this node were not visited
    mark: str = ""  # a further remark
    board: tuple[int, ...] | None = None
    principal: bool = False  # whether it is on the principal variation
    share: float = 0.0  # the share of its parent's visits that went through it, in [0, 1]
    children: list["PictureNode"] = field(default_factory=list)

    def walk(self) -> Iterator["PictureNode"]:
        """This place and all below it in pre-order, from left to right."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))


Visits = Mapping[Path, TracedNode]  # the nodes of one iteration by their paths

LEAVES = {ReturnReason.TERMINAL: Shape.TERMINAL, ReturnReason.DEPTH: Shape.DEPTH}
MARKS = {
    ReturnReason.TRANSPOSITION: "from the table",
    ReturnReason.TIME: "time was up",
    ReturnReason.NOT_YET: "not yet known",
}
PLAYER_SHAPES = {CHANCE: Shape.CHANCE, 1: Shape.MAX, 2: Shape.MIN}  # by the player to move


def picture_of(trace: SearchTrace, limit: int) -> Picture:
    """The picture of a trace, folded to at most `limit` nodes.

    In Monte Carlo tree search it keeps the nodes with the most visits, else the upper levels. A
    ValueError if the trace holds no search, or the limit is below 1.
    """
    require_at_least("limit", limit, 1)
    picture = whole_picture(trace)
    nodes = by_importance(picture.root)
    fold(nodes, limit)
    if len(nodes) <= limit:
        return picture
    which = "with the most visits" if trace.simulations else "of the upper levels"
    folded = f"Folded: {limit} of {len(nodes)} nodes are shown, those {which}."
    return replace(picture, notes=(*picture.notes, folded))


def whole_picture(trace: SearchTrace, top: Path = ()) -> Picture:
    """The picture of a trace below the node `top`; a ValueError without a search or this node."""
    if not trace.steps:
        raise ValueError(NO_SEARCH)
    root = simulations_picture(trace) if trace.simulations else search_picture(trace)
    for node in root.walk():
        if node.path == top and node.shape is not Shape.UNVISITED:
            return Picture(_title(trace), tuple(_notes(trace)), node)
    raise ValueError(f"the search has no node at {trace.path_label(top)}")


def _title(trace: SearchTrace) -> str:
    known = RECORDED_SEARCHES.get(trace.algorithm)
    title = trace.algorithm if known is None else known.title
    if trace.principal_variation:
        title += f" chooses {shortened(trace.action_label(trace.chosen))}"
    if trace.simulations:
        return title
    root = trace.last_iteration()[0]
    if not trace.principal_variation and root.iteration > 0:
        title += f", search {root.iteration + 1}"
    return title if root.value is None else f"{title}, worth {trace.value_label(root.value)}"


def _notes(trace: SearchTrace) -> Iterator[str]:
    if trace.simulations:
        yield (
            f"{_counted(len(trace.simulations), 'simulation')}, "
            f"{_counted(len(trace.players), 'node')}; children by their visits n; "
            "means t/n are player 1's, who maximises them."
        )
        return
    yield (
        f"{_counted(len(trace.last_iteration()), 'node')}, children in the order of the search; "
        "values are player 1's, who maximises them."
    )
    if which := which_search(trace):
        yield f"This is {which}."
    if worths := worths_to_come(trace):
        yield f"{worths.capitalize()}."


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def which_search(trace: SearchTrace) -> str:
    """Which search of iterative deepening a trace shows, in words; "" if there is only one."""
    count = trace.nodes[-1].iteration + 1
    if count == 1:
        return ""
    if not trace.principal_variation:  # others may follow
        return f"search {count}, one ply deeper than the one before"
    return f"the last of {count} searches, each one ply deeper than the one before"


def worths_to_come(trace: SearchTrace) -> str:
    """The bounds of unvisited outcomes in Star1, in words; "" without chance nodes with a window.

    They are needed to check its cutoffs, because the leaves of a tree may be far from them.
    """
    if all(node.window is None or node.player != CHANCE for node in trace.last_iteration()):
        return ""
    least, most = trace.value_label(-1.0), trace.value_label(1.0)
    return f"where chance decides, outcomes still to come count as worth {least} to {most}"


def search_picture(trace: SearchTrace) -> PictureNode:
    """The root of the picture of the last iteration; children in the order of the search."""
    visits = {node.path: node for node in trace.last_iteration()}
    places = {path: _search_node(trace, visits, node) for path, node in visits.items()}
    for path, node in visits.items():
        place = places[path]
        place.children = [places[*path, action] for action in node.visited]
        place.cutoff = trace.why_unvisited(node)
        if place.cutoff:
            place.children += [
                PictureNode((*path, action), Shape.UNVISITED, action=trace.action_label(action))
                for action in node.unvisited
            ]
    return _with_line(trace, places)


def _with_line(trace: SearchTrace, places: Mapping[Path, PictureNode]) -> PictureNode:
    """Mark the visited part of the principal variation, and return the root."""
    for depth in range(len(trace.principal_variation) + 1):
        if place := places.get(trace.principal_variation[:depth]):
            place.principal = True
    return places[()]


def _search_node(trace: SearchTrace, visits: Visits, node: TracedNode) -> PictureNode:
    shape = LEAVES.get(node.ending) or player_shape(visits, node)
    value = "" if node.value is None else trace.value_label(node.value)
    if shape not in LEAVES.values() and value:
        value = f"{BOUND_SIGNS[node.bound]} {value}"
    probability = "" if node.probability is None else trace.number_label(node.probability)
    return PictureNode(
        node.path,
        shape,
        action=trace.action_label(node.path[-1]) if node.path else "",
        probability=probability,
        value=value,
        alpha=_change(trace, node, 0),
        beta=_change(trace, node, 1),
        mark=MARKS.get(node.ending, ""),
        board=node.board,
    )


def player_shape(visits: Visits, node: TracedNode) -> Shape:
    """The shape of a node by the player to move; chance if a model gives probabilities."""
    is_mean = any(visits[*node.path, action].probability is not None for action in node.visited)
    return Shape.CHANCE if is_mean else PLAYER_SHAPES[node.player]


def _change(trace: SearchTrace, node: TracedNode, index: int) -> str:
    """Alpha (0) or beta (1) of an interior node on entry, and on return if it changed."""
    if node.window is None or node.ending in LEAVES:
        return ""
    entered = trace.window_labels(node.window)[index]
    if node.window_returned is None:
        return entered
    returned = trace.window_labels(node.window_returned)[index]
    return entered if entered == returned else f"{entered} → {returned}"


def simulations_picture(trace: SearchTrace) -> PictureNode:
    """The root of the picture after the last simulation; children are sorted by visits."""
    statistics = {
        path: (visits, total)
        for simulation in trace.simulations
        for path, visits, total in simulation.backed_up
    }
    places: dict[Path, PictureNode] = {}
    for path in trace.players:
        places[path] = _simulated_node(trace, path, *statistics.get(path, (0, 0.0)))
        if path:
            places[path[:-1]].children.append(places[path])
    for path, place in places.items():
        if path in trace.proven and not place.children:
            place.shape = Shape.TERMINAL
        place.children.sort(key=lambda child: -(child.visits or 0))
        for child in place.children:
            child.share = (child.visits or 0) / (place.visits or 1)
    return _with_line(trace, places)


def _simulated_node(trace: SearchTrace, path: Path, visits: int, total: float) -> PictureNode:
    return PictureNode(
        path,
        PLAYER_SHAPES[trace.players[path]],
        action=trace.action_label(path[-1]) if path else "",
        value=trace.value_label(total / visits) if visits else "",
        visits=visits,
        mark=f"proven {trace.value_label(trace.proven[path])}" if path in trace.proven else "",
        board=trace.boards.get(path),
    )


def by_importance(root: PictureNode, way: Path = ()) -> list[PictureNode]:
    """The visited nodes of a tree, each after its parent, so that the first n of them are a tree.

    The nodes on the principal variation and on the path `way` come first; then those with the most
    visits or, if visits are not counted, the upper levels; among equals the leftmost.
    """
    nodes = [node for node in root.walk() if node.shape is not Shape.UNVISITED]
    nodes.sort(
        key=lambda node: (
            not (node.principal or node.path == way[: len(node.path)]),
            len(node.path) if node.visits is None else -node.visits,
        )
    )
    return nodes


def fold(nodes: list[PictureNode], limit: int) -> None:
    """Keep the first `limit` nodes of `by_importance`; replace others by marks `+ n nodes`."""
    kept = set(nodes[:limit])
    left_out = set(nodes[limit:])
    for node in kept:
        folded = [child for child in node.children if child in left_out]
        if folded:
            count = sum(below in left_out for child in folded for below in child.walk())
            noun = "node" if count == 1 else "nodes"
            mark = PictureNode(node.path, Shape.FOLDED, value=f"+ {count}", mark=noun)
            node.children[node.children.index(folded[0])] = mark
            node.children = [child for child in node.children if child not in left_out]
