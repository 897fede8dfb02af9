"""The searches that can be recorded, and the options with which they are shown."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from agents.agent import Agent
from agents.alpha_beta_agent import AlphaBetaAgent
from agents.mcts_agent import MCTSAgent
from agents.registry import REGISTERED
from agents.trace.recorder import LIMIT, NodeRecorder, OnVisit, Recorder
from agents.trace.simulation_recorder import SimulationRecorder
from agents.trace.trace import SearchTrace


def recorded(
    agent: Agent, trace: SearchTrace, limit: int = LIMIT, on_visit: OnVisit = lambda: None
) -> Recorder:
    """An agent that searches as `agent` does, and records each search in `trace`.

    It uses the reference search in plain Python, even if `agent` would run compiled code. Each
    search empties the trace. Monte Carlo tree search starts with an empty tree and the random
    numbers of the agent's seed.

    Args:
        agent: an agent in `RECORDED_SEARCHES`.
        trace: the trace to fill.
        limit: the most visits of nodes that the trace holds; a longer search raises ValueError.
        on_visit: called before each visit; an exception ends the search.

    Raises:
        ValueError: the agent cannot be recorded, or its engine is `compiled`.
    """
    names: Mapping[type[Agent], str] = {REGISTERED[name]: name for name in RECORDED_SEARCHES}
    if type(agent) not in names:
        known = ", ".join(RECORDED_SEARCHES)
        raise ValueError(f"{type(agent).__name__} cannot be recorded: choose one of {known}")
    filling = names[type(agent)], trace, limit, on_visit
    if isinstance(agent, AlphaBetaAgent | MCTSAgent):
        if agent.engine == "compiled":
            raise ValueError("compiled code cannot be recorded: choose engine auto or reference")
        agent = replace(agent, engine="reference")
    if isinstance(agent, MCTSAgent):
        return SimulationRecorder(replace(agent, keep_tree=True), *filling)
    return NodeRecorder(agent, *filling)


@dataclass(frozen=True)
class RecordedSearch:
    """The title and the options with which an agent's search is shown."""

    title: str  # the name of the algorithm, in pictures
    tree_options: Mapping[str, Any]
    """The options for a tree, as in textbooks: from left to right, without a table."""
    position_options: Mapping[str, Any]
    """The options for a position, with a search that is small enough to follow."""
    only_compares: bool = False  # whether the search only compares leaves


TEXTBOOK = {"depth": None, "ordering": "natural"}
SIMULATIONS = {"simulations": 50, "seed": 0}
"""Few simulations, which a reader can follow, and the same ones in every run."""
UNAIDED = {
    "time_limit": None,
    "iterative_deepening": False,
    "killer_moves": False,
    "table_size": 0,
}

RECORDED_SEARCHES: Mapping[str, RecordedSearch] = {
    "minimax": RecordedSearch("Minimax", TEXTBOOK, {}, only_compares=True),
    "expectimax": RecordedSearch("Expectimax", TEXTBOOK, {}),
    "alphabeta": RecordedSearch(
        "Alpha-beta", TEXTBOOK | UNAIDED, {"depth": 4, "time_limit": None}, only_compares=True
    ),
    "mcts": RecordedSearch("Monte Carlo tree search", SIMULATIONS, SIMULATIONS),
}
"""The searches that `connectx explain` and the web page show, by the agent's name."""
