"""Game-tree search agents for any two-player game that implements `envs.Env`."""

from typing import Any

from agents.agent import Agent, SearchResult
from agents.alpha_beta_agent import AlphaBetaAgent
from agents.baselines import GreedyAgent, RandomAgent
from agents.expectimax import ExpectimaxAgent
from agents.mcts_agent import MCTSAgent
from agents.minimax import MinimaxAgent
from agents.options import option
from agents.parallel.parallel_search import parallel_search
from agents.perfect import PerfectAgent
from agents.policy.policy_agent import PolicyAgent
from agents.registry import agent_names, make_agent
from agents.reporting import display as display
from agents.solver.solver import ScoreBounds, Solver

__all__ = [
    "Agent",
    "AlphaBetaAgent",
    "ExpectimaxAgent",
    "GreedyAgent",
    "MCTSAgent",
    "MinimaxAgent",
    "PerfectAgent",
    "PolicyAgent",
    "RandomAgent",
    "ScoreBounds",
    "SearchResult",
    "Solver",
    "agent_names",
    "make_agent",
    "option",
    "parallel_search",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("connectx-agents")
    raise AttributeError(f"module 'agents' has no attribute {name!r}")
