"""Parallel search: one search, whose work any executor's workers share."""

import os
from collections.abc import Callable, Mapping
from concurrent.futures import Executor

from agents.agent import Agent, SearchResult
from agents.alpha_beta_agent import AlphaBetaAgent
from agents.expectimax import ExpectimaxAgent
from agents.mcts_agent import MCTSAgent
from agents.minimax import MinimaxAgent
from agents.options import agent_options, require_at_least
from agents.parallel.merged_trees import MergedMCTSAgent, TreeGrower
from agents.parallel.root_splitting import (
    AlphaBetaExaminer,
    ExpectimaxExaminer,
    MinimaxExaminer,
    SplitAlphaBetaAgent,
    SplitExpectimaxAgent,
    SplitMinimaxAgent,
)
from agents.parallel.workers import Workers
from agents.registry import AGENTS
from envs.protocol import Action, Env, State


def parallel_search(
    agent: Agent,
    env: Env[State, Action],
    state: State,
    executor: Executor,
    *,
    workers: int | None = None,
    time_limit: float | None = None,
) -> SearchResult[Action]:
    """Search `state` as `agent` does, its work shared by the workers of an executor.

    Minimax, expectimax and alpha-beta are split at the root: each worker examines one action at a
    time. The value, and the action chosen among equals, are those of `agent.search`: the first of
    the best in the agent's order. Alpha-beta examines the most promising action alone, and the
    others at the same time within the window that it leaves; a worker's table starts empty.

    Monte Carlo tree search grows a tree in each worker and adds their statistics up. The same seed
    and number of workers give the same result where no time limit ends it. No tree is kept.

    Where an exception ends the search, a task's own or Ctrl-C, what no worker has begun is taken
    back.

    Args:
        agent: minimax, expectimax, alphabeta or mcts; with processes for workers its options, as
            the game and the state, must be picklable.
        env: the rules.
        state: where to search from.
        executor: anything with the `submit` of `concurrent.futures`, whose futures `wait` takes:
            threads, processes, Dask's or MPI's executors. It is left open.
        workers: how many tasks the executor runs at the same time; None: one for each processor of
            this machine.
        time_limit: seconds, beside the agent's own limits. Workers that compile a search, which
            they do once, do so before.

    Raises:
        ValueError: the agent is of another kind, there is no worker, or as `agent.search`.
        Exception: what a worker has raised.
    """
    if type(agent) not in PARALLEL_AGENTS:
        known = ", ".join(name for name, kind in AGENTS.items() if kind in PARALLEL_AGENTS)
        raise ValueError(f"{type(agent).__name__} cannot search in parallel: choose one of {known}")
    require_at_least("workers", workers, 1)
    shared = Workers(executor, os.cpu_count() or 1 if workers is None else workers)
    options = {info.name: getattr(agent, info.name) for info in agent_options(type(agent))}
    parallel_agent, task_agent = PARALLEL_AGENTS[type(agent)]
    searcher = parallel_agent(**options, task_agent=task_agent(**options), workers=shared)
    return searcher.search(env, state, time_limit)


PARALLEL_AGENTS: Mapping[type[Agent], tuple[Callable[..., Agent], Callable[..., Agent]]] = {
    MinimaxAgent: (SplitMinimaxAgent, MinimaxExaminer),
    ExpectimaxAgent: (SplitExpectimaxAgent, ExpectimaxExaminer),
    AlphaBetaAgent: (SplitAlphaBetaAgent, AlphaBetaExaminer),
    MCTSAgent: (MergedMCTSAgent, TreeGrower),
}
"""By the agent that is to search: who shares out its work, and as whom the workers do it."""
