"""Agents whose searches leave a trace."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from agents.agent import Agent, SearchResult
from agents.alpha_beta_agent import AlphaBetaAgent
from agents.expectimax import ExpectimaxAgent
from agents.mcts_agent import MCTSAgent
from agents.minimax import MinimaxAgent
from agents.options import agent_options
from agents.trace.recorded_mcts import RecordingMCTSAgent, SimulationRecorder
from agents.trace.recorded_searches import (
    RecordingAlphaBetaAgent,
    RecordingExpectimaxAgent,
    RecordingMinimaxAgent,
)
from agents.trace.recorder import LIMIT, NodeRecorder, Recorder
from agents.trace.trace import SearchTrace
from envs.protocol import Action, Env, State


def recorded(agent: Agent, trace: SearchTrace, limit: int = LIMIT) -> "RecordedAgent":
    """An agent that searches as `agent` does, and fills `trace` anew in each search.

    It searches by the reference, in plain Python, even where `agent` would run compiled code. With
    Monte Carlo tree search each trace begins with an empty tree, and the random numbers begin with
    the agent's seed.

    Args:
        agent: minimax, alphabeta, expectimax or mcts.
        trace: what to fill.
        limit: how many visits of nodes the trace may hold; a search of more is a ValueError.

    Raises:
        ValueError: it is another agent, or one that must be compiled.
    """
    if type(agent) not in RECORDINGS:
        known = ", ".join(recording.algorithm for recording in RECORDINGS.values())
        raise ValueError(f"{type(agent).__name__} cannot be recorded: choose one of {known}")
    options = {info.name: getattr(agent, info.name) for info in agent_options(type(agent))}
    if options.get("engine") == "compiled":
        raise ValueError("compiled code cannot be recorded: choose engine auto or reference")
    recording = RECORDINGS[type(agent)]
    recorder = recording.recorder(recording.algorithm, trace, limit)
    options |= recording.options
    return RecordedAgent(recording.agent(**options, recorder=recorder), recorder)


@dataclass
class RecordedAgent(Agent):
    """An agent that tells a recorder what it does, which tells a trace."""

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
        result = self.agent.search(env, state, time_limit)
        self.recorder.end(result.action)
        return result


class Recording(NamedTuple):
    """How the searches of an agent are recorded."""

    algorithm: str
    agent: Callable[..., Agent]
    """Makes the agent whose searches tell a recorder."""
    recorder: type[Recorder]
    options: Mapping[str, Any]
    """What recording asks of the agent's options."""


RECORDINGS: Mapping[type[Agent], Recording] = {
    MinimaxAgent: Recording("minimax", RecordingMinimaxAgent, NodeRecorder, {}),
    ExpectimaxAgent: Recording("expectimax", RecordingExpectimaxAgent, NodeRecorder, {}),
    AlphaBetaAgent: Recording(
        "alphabeta", RecordingAlphaBetaAgent, NodeRecorder, {"engine": "reference"}
    ),
    MCTSAgent: Recording(
        "mcts",
        RecordingMCTSAgent,
        SimulationRecorder,
        {"engine": "reference", "keep_tree": False},
    ),
}
