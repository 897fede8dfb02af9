"""From a trace to what its picture shows."""

from agents.options import require_at_least
from agents.tracing.labels import action_label, shortened, value_label
from agents.tracing.pictures.folding import fold
from agents.tracing.pictures.picture import Picture
from agents.tracing.pictures.picture_search import search_picture
from agents.tracing.pictures.picture_simulations import simulations_picture
from agents.tracing.trace import SearchTrace

LIMIT = 300
"""Nodes that a picture shows unless told otherwise."""

ALGORITHMS = {
    "minimax": "Minimax",
    "alphabeta": "Alpha-beta",
    "expectimax": "Expectimax",
    "mcts": "Monte Carlo tree search",
}


def picture_of(trace: SearchTrace, limit: int) -> Picture:
    """The picture of a trace, folded to at most `limit` nodes.

    Of a Monte Carlo tree search those of the most visits are kept, of the others the upper levels.

    Raises:
        ValueError: the trace holds no search, or the limit is below 1.
    """
    require_at_least("limit", limit, 1)
    if trace.simulations:
        return _simulations(trace, limit)
    if trace.nodes:
        return _search(trace, limit)
    raise ValueError("the trace is empty: search with recorded(agent, trace) first")


def _search(trace: SearchTrace, limit: int) -> Picture:
    nodes = trace.last_iteration()
    root = search_picture(trace)
    folded = fold(root, limit, rank=lambda node: len(node.path))
    value = nodes[0].value
    worth = "" if value is None else f", worth {value_label(trace, value)}"
    notes = [
        f"{_counted(len(nodes), 'node')}, children in the order of the search; "
        "values are player 1's, who maximises them."
    ]
    iterations = nodes[0].iteration + 1
    if iterations > 1:
        notes.append(f"This is the last of {iterations} searches, each one ply deeper.")
    if folded:
        notes.append(_folded(folded, len(nodes), "of the upper levels"))
    return Picture(f"{_title(trace)}{worth}", tuple(notes), root)


def _simulations(trace: SearchTrace, limit: int) -> Picture:
    root = simulations_picture(trace)
    folded = fold(root, limit, rank=lambda node: -(node.visits or 0))
    notes = [
        f"{_counted(len(trace.simulations), 'simulation')}, "
        f"{_counted(len(trace.players), 'node')}; children by their visits n; "
        "means t/n are player 1's, who maximises them."
    ]
    if folded:
        notes.append(_folded(folded, len(trace.players), "with the most visits"))
    return Picture(_title(trace), tuple(notes), root)


def _title(trace: SearchTrace) -> str:
    algorithm = ALGORITHMS.get(trace.algorithm, trace.algorithm)
    if trace.chosen is None:
        return algorithm
    return f"{algorithm} chooses {shortened(action_label(trace, trace.chosen))}"


def _folded(folded: int, nodes: int, which: str) -> str:
    return f"Folded: {nodes - folded} of {nodes} nodes are shown, those {which}."


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
