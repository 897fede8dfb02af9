"""Agents whose searches leave a trace, and the depth-first searches that say where they go."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.agent import (
    Agent,
    Clock,
    Finding,
    Found,
    SearchResult,
    legal_actions,
    possible_outcomes,
)
from agents.alpha_beta import AlphaBeta, Bound
from agents.alpha_beta_agent import AlphaBetaAgent
from agents.depth_first import DepthFirstAgent
from agents.expectimax import Expectimax
from agents.mcts_agent import MCTSAgent
from agents.minimax import Minimax
from agents.registry import REGISTERED
from agents.trace.recorded_mcts import RecordedTree, SimulationRecorder, recording_mcts_agent
from agents.trace.recorder import LIMIT, NodeRecorder, OnVisit, Recorder
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
        limit: how many visits of nodes the trace may hold; a search of more is a ValueError.
        on_visit: called before each of them; what it raises ends the search.

    Raises:
        ValueError: it is another agent, or one that must be compiled.
    """
    algorithms = [name for name in RECORDED_SEARCHES if REGISTERED[name] is type(agent)]
    if not algorithms:
        known = ", ".join(RECORDED_SEARCHES)
        raise ValueError(f"{type(agent).__name__} cannot be recorded: choose one of {known}")
    (algorithm,) = algorithms
    if isinstance(agent, AlphaBetaAgent | MCTSAgent):
        if agent.engine == "compiled":
            raise ValueError("compiled code cannot be recorded: choose engine auto or reference")
        agent = replace(agent, engine="reference")
    if isinstance(agent, DepthFirstAgent):
        return RecordedDepthFirstAgent(agent, NodeRecorder(algorithm, trace, limit, on_visit))
    recorder = SimulationRecorder(algorithm, trace, limit, on_visit)
    return RecordedAgent(recording_mcts_agent(agent, recorder), recorder)


@dataclass
class RecordedAgent(Agent):
    """An agent whose searches are recorded."""

    agent: Agent
    recorder: Recorder

    def search(
        self, env: Env[State, Action], state: State, time_limit: float | None = None
    ) -> SearchResult[Action]:
        """Search as the agent does.

        Raises:
            ValueError: the agent does, or the trace cannot hold the search.
        """
        self.recorder.begin(env)
        result = self.search_recorded(env, state, time_limit)
        self.recorder.end(result.action)
        return result

    def search_recorded(
        self, env: Env[State, Action], state: State, time_limit: float | None
    ) -> SearchResult[Action]:
        """Search by the agent itself, which tells the recorder what it does."""
        return self.agent.search(env, state, time_limit)


@dataclass
class RecordedDepthFirstAgent(RecordedAgent):
    """A depth-first agent whose recursion tells a recorder where it goes."""

    agent: DepthFirstAgent
    recorder: NodeRecorder

    def search_recorded(
        self, env: Env[State, Action], state: State, time_limit: float | None
    ) -> SearchResult[Action]:
        """Search by the agent's recursion, recorded."""
        candidates = legal_actions(env, state)
        search = self.agent.new_search(env, Clock(self.agent.time_limit, time_limit))
        kind = RECORDED_SEARCHES[self.recorder.algorithm].kind
        recorded_search = kind(self.recorder, search)
        return self.agent.search_with(recorded_search, state, candidates)


class RecordedMinimax(Minimax[State, Action]):
    """Minimax, recorded.

    Args:
        recorder: what to tell.
        search: whose recursion it is.
    """

    def __init__(self, recorder: NodeRecorder, search: Minimax[State, Action]) -> None:
        super().__init__(search.env, search.heuristic, search.clock)
        self.recorder = recorder

    def search_root(
        self, state: State, actions: Iterable[Action], depth: float, found: Found[Action]
    ) -> None:
        """As the search does, with the visit of the root recorded."""
        self.recorder.enter_root(state)
        super().search_root(state, actions, depth, found)

    def action_value(self, state: State, action: Action, depth: float) -> Finding:
        """As the search does, with the visit of the child recorded."""
        self.recorder.enter(action, depth)
        finding = super().action_value(state, action, depth)
        self.recorder.leave(finding.value)
        return finding

    def mean_value(
        self, state: State, probabilities: Mapping[Action, float], depth: float
    ) -> Finding:
        """As the search does, with the probabilities recorded."""
        self.recorder.weigh(probabilities)
        return super().mean_value(state, probabilities, depth)


class RecordedExpectimax(RecordedMinimax[State, Action], Expectimax[State, Action]):
    """Expectimax, recorded as minimax is."""

    def __init__(self, recorder: NodeRecorder, search: Expectimax[State, Action]) -> None:
        Expectimax.__init__(self, search.env, search.heuristic, search.clock, search.opponent)
        self.recorder = recorder


class RecordedAlphaBeta(AlphaBeta[State, Action]):
    """Alpha-beta, recorded.

    Args:
        recorder: what to tell.
        search: whose recursion it is.
    """

    def __init__(self, recorder: NodeRecorder, search: AlphaBeta[State, Action]) -> None:
        super().__init__(
            search.env,
            search.heuristic,
            search.ordering,
            search.clock,
            search.table,
            killer_moves=search.killer_slots > 0,
        )
        self.recorder = recorder

    def search_root(
        self, state: State, actions: Iterable[Action], depth: float, found: Found[Action]
    ) -> None:
        """As the search does, with the visit of the root recorded."""
        self.recorder.enter_root(state, (-1.0, 1.0))
        super().search_root(state, actions, depth, found)

    def action_value(
        self, state: State, action: Action, depth: float, ply: int, alpha: float, beta: float
    ) -> Finding:
        """As the search does, with the visit of the child recorded."""
        self.recorder.enter(action, depth, (alpha, beta))
        finding = super().action_value(state, action, depth, ply, alpha, beta)
        self.recorder.leave(finding.value)
        return finding

    def state_value(
        self,
        state: State,
        actions: Sequence[Action],
        depth: float,
        ply: int,
        alpha: float,
        beta: float,
    ) -> Finding:
        """As the search does, with what comes from the transposition table recorded as such."""
        finding = super().state_value(state, actions, depth, ply, alpha, beta)
        if self.recorder.has_visited_no_child():
            low, high = self.table[state].bounds(depth)
            one_sided = Bound.LOWER if finding.value == low else Bound.UPPER
            self.recorder.recall(finding.value, Bound.EXACT if low == high else one_sided)
        return finding

    def chance_value(
        self, state: State, depth: float, ply: int, alpha: float, beta: float
    ) -> Finding:
        """As the search does, with the probabilities recorded."""
        self.recorder.weigh(possible_outcomes(self.env, state))
        return super().chance_value(state, depth, ply, alpha, beta)


@dataclass(frozen=True)
class RecordedSearch:
    """How the search of an agent is recorded and shown."""

    title: str
    """The name of the algorithm, in pictures."""
    kind: Callable[..., Any]
    """The search that tells a recorder, made of the recorder and the agent's own search."""
    tree_options: Mapping[str, Any]
    """With these the agent searches a tree as textbooks do: left to right, nothing remembered."""
    position_options: Mapping[str, Any]
    """With these it searches a position as far as can be followed; the rest are its own."""
    only_compares: bool = False
    """Whether it does nothing with leaves but compare them."""


TEXTBOOK = {"depth": None, "ordering": "natural"}
SIMULATIONS = {"simulations": 50, "seed": 0}
"""As many as can be followed, and the same in every run."""

RECORDED_SEARCHES: Mapping[str, RecordedSearch] = {
    "minimax": RecordedSearch("Minimax", RecordedMinimax, TEXTBOOK, {}, only_compares=True),
    "expectimax": RecordedSearch("Expectimax", RecordedExpectimax, TEXTBOOK, {}),
    "alphabeta": RecordedSearch(
        "Alpha-beta",
        RecordedAlphaBeta,
        {
            **TEXTBOOK,
            "time_limit": None,
            "iterative_deepening": False,
            "killer_moves": False,
            "table_size": 0,
        },
        {"depth": 4, "time_limit": None},
        only_compares=True,
    ),
    "mcts": RecordedSearch("Monte Carlo tree search", RecordedTree, SIMULATIONS, SIMULATIONS),
}
"""By the agent's name: the searches that `connectx explain` and the page show."""
