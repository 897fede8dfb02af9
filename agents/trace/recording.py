"""Agents that record their searches in a trace, and the options with which each is shown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from agents.agent import Agent, Clock, SearchResult, legal_actions
from agents.alpha_beta_agent import AlphaBetaAgent
from agents.depth_first import DepthFirstAgent
from agents.mcts_agent import MCTSAgent
from agents.registry import REGISTERED
from agents.trace.recorder import LIMIT, NodeRecorder, OnVisit, Recorder
from agents.trace.simulation_recorder import SimulationRecorder
from agents.trace.trace import SearchTrace
from envs.protocol import Action, Env, State


def recorded(
    agent: Agent, trace: SearchTrace, limit: int = LIMIT, on_visit: OnVisit = lambda: None
) -> "RecordedAgent":
    """An agent that searches as `agent` does, and fills `trace` anew in each search.

    It searches by the reference, in plain Python, even where `agent` would run compiled code. With
    Monte Carlo tree search each trace begins with an empty tree, and the random numbers begin with
    the agent's seed.

    Args:
        agent: one that `RECORDED_SEARCHES` has.
        trace: what to fill.
        limit: the most visits of nodes that the trace holds; a longer search raises ValueError.
        on_visit: called before each of them; what it raises ends the search.

    Raises:
        ValueError: it is another agent, or one that must be compiled.
    """
    algorithms = [name for name in RECORDED_SEARCHES if REGISTERED[name] is type(agent)]
    if not algorithms or not isinstance(agent, DepthFirstAgent | MCTSAgent):
        known = ", ".join(RECORDED_SEARCHES)
        raise ValueError(f"{type(agent).__name__} cannot be recorded: choose one of {known}")
    filling = algorithms[0], trace, limit, on_visit
    if isinstance(agent, AlphaBetaAgent | MCTSAgent):
        if agent.engine == "compiled":
            raise ValueError("compiled code cannot be recorded: choose engine auto or reference")
        agent = replace(agent, engine="reference")
    if isinstance(agent, DepthFirstAgent):
        return _recorded_depth_first(NodeRecorder(*filling), agent)
    return _recorded_simulations(SimulationRecorder(*filling), replace(agent, keep_tree=True))


@dataclass
class RecordedAgent(Agent):
    """An agent whose searches are recorded."""

    recorder: Recorder
    observed: Callable[[Any, Any, float | None], SearchResult[Any]]
    """Searches as the agent does, and tells the recorder what it does."""

    def search(
        self, env: Env[State, Action], state: State, time_limit: float | None = None
    ) -> SearchResult[Action]:
        """Search as the agent does; a ValueError, too, if the trace cannot hold the search."""
        self.recorder.begin(env)
        result = self.observed(env, state, time_limit)
        self.recorder.end(result.action)
        return result


def _recorded_depth_first(recorder: NodeRecorder, agent: DepthFirstAgent) -> RecordedAgent:
    def observed(env: Any, state: Any, time_limit: float | None) -> SearchResult[Any]:
        candidates = legal_actions(env, state)
        search = agent.new_search(env, Clock(agent.time_limit, time_limit))
        recorder.watch(search)
        return agent.search_with(search, state, candidates)

    return RecordedAgent(recorder, observed)


def _recorded_simulations(recorder: SimulationRecorder, agent: MCTSAgent) -> RecordedAgent:
    def observed(env: Any, state: Any, time_limit: float | None) -> SearchResult[Any]:
        agent.tree = tree = agent.reference_tree(env, state)  # in the place of the kept tree
        recorder.watch(tree)
        return agent.search(env, state, time_limit)

    return RecordedAgent(recorder, observed)


@dataclass(frozen=True)
class RecordedSearch:
    """How the search of an agent is shown."""

    title: str  # the name of the algorithm, in pictures
    tree_options: Mapping[str, Any]
    """The options for a tree, searched as in textbooks: from left to right, without a table."""
    position_options: Mapping[str, Any]
    """The options for a position, searched only as far as a reader can follow."""
    only_compares: bool = False  # whether the search only compares leaves


TEXTBOOK = {"depth": None, "ordering": "natural"}
SIMULATIONS = {"simulations": 50, "seed": 0}
"""Few enough for a reader to follow, and the same in every run."""
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
"""By the agent's name: the searches that `connectx explain` and the page show."""
