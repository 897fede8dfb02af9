"""Searches that can be watched while they run, and their state after any step.

A step of a depth-first search is the visit of a node, a step of Monte Carlo tree search is a
simulation.
"""

from collections.abc import Mapping
from dataclasses import replace
from threading import Semaphore, Thread
from time import perf_counter
from typing import Any, NamedTuple

from agents.agent import Agent
from agents.alpha_beta import Bound
from agents.options import require_within
from agents.trace.pictures.picture import Picture, PictureNode, Shape, by_importance, whole_picture
from agents.trace.recorder import LIMIT, TraceFull
from agents.trace.recording import recorded
from agents.trace.story import tell
from agents.trace.trace import Path, ReturnReason, SearchTrace, Simulation, TracedNode, narrowed

LAST_WORDS = 8  # the number of last lines of the walk that accompany a picture
TEXTS = ("action", "probability", "value", "alpha", "beta", "cutoff", "mark")
"""The text fields of a node in a picture; empty ones are left out."""


def trace_after(trace: SearchTrace, step: int) -> SearchTrace:
    """A trace as it was after a step; with iterative deepening, only its iteration at that step.

    Nodes from which the search had not returned have no value. Raises ValueError if there is no
    such step.
    """
    require_within("the step", step, 1, trace.steps)
    line = trace.principal_variation if step == trace.steps else ()
    earlier = replace(trace, principal_variation=line)
    if trace.simulations:
        return _grown(earlier, trace.simulations[:step])
    earlier.nodes = _walked(trace.nodes, step)
    return earlier


def _walked(nodes: list[TracedNode], step: int) -> list[TracedNode]:
    """The nodes of the current iteration as they were after a step."""
    iteration = nodes[step - 1].iteration
    entered = {node.path: node for node in nodes[:step] if node.iteration == iteration}
    following = nodes[step] if step < len(nodes) else None
    way = following.path if following and following.iteration == iteration else ()
    for path, node in reversed(entered.items()):  # children before their parents
        if path == way[: len(path)] != way or node.ending is ReturnReason.NOT_YET:
            entered[path] = _still_open(node, entered)
    return [*entered.values()]


def _still_open(node: TracedNode, entered: Mapping[Path, TracedNode]) -> TracedNode:
    """A node as it was before the search left it, with the window after its last child so far."""
    visited = [action for action in node.visited if (*node.path, action) in entered]
    window = node.window
    if visited:
        last = entered[*node.path, visited[-1]]
        window = last.window
        if last.value is not None:
            window = narrowed(window, last.value, node.player == 1, node.player == 2)
    return replace(
        node,
        visited=visited,
        window_returned=window if node.player else None,
        value=None,
        bound=Bound.EXACT,
        ending=ReturnReason.NOT_YET,
    )


def _grown(trace: SearchTrace, simulations: list[Simulation]) -> SearchTrace:
    paths = {path for simulation in simulations for path, _, _ in simulation.backed_up}
    proven = {simulation.path for simulation in simulations if not simulation.rollouts}
    proven |= {
        (*selection.path, action)
        for simulation in simulations
        for selection in simulation.selections
        for action, child in selection.children.items()
        if child.proven is not None
    }
    known = trace.proven if len(simulations) == len(trace.simulations) else proven
    return replace(
        trace,
        simulations=simulations,
        players={path: player for path, player in trace.players.items() if path in paths},
        boards={path: board for path, board in trace.boards.items() if path in paths},
        proven={path: value for path, value in trace.proven.items() if path in known},
    )


class PrintedTrace(SearchTrace):
    """A trace whose numbers have a minus sign instead of a hyphen, for the web page."""

    def number_label(self, number: float) -> str:
        """A number of the game as it is shown."""
        return super().number_label(number).replace("-", "\N{MINUS SIGN}")


class Growth(NamedTuple):
    """A search after a step, for the web page."""

    step: int
    steps: int  # steps of the search so far
    path: Path  # the node that the step visits; the root once the search has chosen
    title: str
    notes: tuple[str, ...]
    nodes: list[dict[str, Any]]  # the tree, by `tree_data`
    words: tuple[str, ...]  # the last lines of the walk, by `tell`
    chosen: Any  # the action, once the search has ended; None before


def growth_after(trace: SearchTrace, step: int, limit: int, top: Path = ()) -> Growth:
    """A search as it was after a step; a ValueError if there is no such step or `top` node."""
    then = trace_after(PrintedTrace(**vars(trace)), step)
    latest = then.simulations[-1] if then.simulations else then.nodes[-1]
    path = () if then.principal_variation else latest.path
    picture = whole_picture(then, top)
    words = tell(then, first=len(then.simulations))
    return Growth(
        step,
        trace.steps,
        path,
        picture.title,
        picture.notes,
        tree_data(picture, limit, path),
        tuple(words[-LAST_WORDS:]),
        then.chosen,
    )


def tree_data(picture: Picture, limit: int, way: Path) -> list[dict[str, Any]]:
    """The `limit` most important nodes of a tree, with the node at `way` if there is room.

    Each comes after its parent, in the order of importance: for any n the first n nodes are a tree.
    `parent` is the index of a node's parent, `place` its place among its siblings, `move` the
    action that leads to it, `below` the number of visited nodes below it, `unvisited` the labels of
    children that were never visited, `board` its cells as digits; the rest is as in `PictureNode`.
    """
    shown = by_importance(picture.root, way)[:limit]
    below: dict[Path, int] = {}
    for node in reversed(list(picture.root.walk())):
        visited = [child for child in node.children if child.shape is not Shape.UNVISITED]
        below[node.path] = sum(1 + below[child.path] for child in visited)
    indices = {node.path: index for index, node in enumerate(shown)}
    places = {child.path: place for node in shown for place, child in enumerate(node.children)} | {
        picture.root.path: 0
    }
    return [
        {
            "parent": None if node is picture.root else indices[node.path[:-1]],
            "place": places[node.path],
            "move": node.path[-1] if node.path else None,
            "shape": str(node.shape),
            "below": below[node.path],
            **_said(node),
        }
        for node in shown
    ]


def _said(node: PictureNode) -> dict[str, Any]:
    """The non-empty data of a node."""
    said = {name: getattr(node, name) for name in TEXTS} | {
        "visits": node.visits,
        "principal": node.principal,
        "share": round(node.share, 4),
        "board": "".join(map(str, node.board or ())),
        "unvisited": [each.action for each in node.children if each.shape is Shape.UNVISITED],
    }
    return {name: value for name, value in said.items() if value}


class Stopped(Exception):
    """The search has been closed."""


class SlicedSearch:
    """A recorded search that runs in slices of time, between which its trace can be read."""

    def __init__(self, agent: Agent, env: Any, state: Any, limit: int = LIMIT) -> None:
        self.trace = SearchTrace()
        self.is_full = False  # whether the search has ended because its trace was full
        self._searcher = recorded(agent, self.trace, limit, self._pause)
        self._subject = env, state
        self._error: Exception | None = None
        self._until = 0.0
        self._ended = self._stopped = False
        self._go_on, self._handed_back = Semaphore(0), Semaphore(0)
        self._thread = Thread(target=self._search, daemon=True)

    def advance(self, seconds: float) -> bool:
        """Continue the search for a while, and raise what the search raises.

        Returns:
            Whether the search is unfinished.
        """
        self._until = perf_counter() + seconds
        if self._thread.ident is None:
            self._thread.start()
        self._go_on.release()
        self._handed_back.acquire()
        if self._error is not None:
            raise self._error
        return not self._ended

    @property
    def is_over(self) -> bool:
        """Whether the search has ended."""
        return self._ended or self._stopped

    def close(self) -> None:
        """End the search, if it has not ended."""
        self._stopped = True
        self._go_on.release()

    def _search(self) -> None:
        self._go_on.acquire()
        try:
            self._searcher.search(*self._subject)
        except TraceFull:
            self.is_full = True
        except Stopped:
            pass
        except Exception as error:
            self._error = error
        self._ended = True
        self._handed_back.release()

    def _pause(self) -> None:
        """Wait for the next slice if this one is over; raise `Stopped` after `close`."""
        if perf_counter() >= self._until:
            self._handed_back.release()
            self._go_on.acquire()
        if self._stopped:
            raise Stopped
