"""Game-tree search agents for any two-player game that implements `envs.Env`."""

from agents.alpha_beta_agent import AlphaBetaAgent
from agents.exact.solver import ScoreBounds, Solver
from agents.expectimax import ExpectimaxAgent
from agents.greedy import GreedyAgent
from agents.mcts_agent import MCTSAgent
from agents.minimax import MinimaxAgent
from agents.options import option
from agents.parallel import parallel_search
from agents.perfect import PerfectAgent
from agents.protocol import Agent, SearchResult
from agents.random_agent import RandomAgent
from agents.registry import agent_names, make_agent
from agents.trained.policy_agent import PolicyAgent

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
