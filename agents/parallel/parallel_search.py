"""Parallel search: one search, shared by the workers of any executor."""

from concurrent.futures import Executor

from agents.agent import Agent, SearchResult
from agents.depth_first import DepthFirstAgent
from agents.mcts_agent import MCTSAgent
from agents.options import alternatives, require_whole
from agents.parallel.merged_trees import merged_search
from agents.parallel.root_splitting import split_search
from agents.parallel.workers import CORES, Workers
from agents.registry import REGISTERED
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
    """Search `state` as `agent` does, with the workers of an executor.

    Depth-first searches are split at the root: each worker examines one action at a time. The
    value, and the action chosen among equals, are those of `agent.search`: the first of the best in
    the agent's order. Alpha-beta examines the most promising action first, then the others at the
    same time within the window that it leaves; a worker's table starts empty.

    Monte Carlo tree search grows a tree in each worker and adds their statistics up. The same seed
    and number of workers give the same result unless a time limit ends the search. No tree is kept.

    If an exception in a task or Ctrl-C ends the search, tasks that no worker has begun are
    cancelled.

    Args:
        agent: any `DepthFirstAgent` (minimax, expectimax, alphabeta), or mcts; if workers are
            processes, its options, the game and the state must be picklable.
        env: the rules.
        state: where to search from.
        executor: anything with the `submit` of `concurrent.futures`, whose futures `wait` accepts:
            threads, processes, Dask's or MPI's executors. It is not shut down.
        workers: how many tasks the executor runs at the same time; None: one for each processor
            that this process may use.
        time_limit: seconds, in addition to the agent's own limits. They do not include compiling,
            which each worker does once.

    Raises:
        ValueError: the agent is of another kind, `executor` is none, `workers` is below 1, or as
            `agent.search`.
        Exception: whatever a worker has raised.
    """
    if not isinstance(agent, DepthFirstAgent | MCTSAgent):
        shared = [
            n for n, each in REGISTERED.items() if issubclass(each, DepthFirstAgent | MCTSAgent)
        ]
        raise ValueError(
            f"{type(agent).__name__} cannot search in parallel: choose {alternatives(shared)}"
        )
    require_whole("workers", workers, 1)
    team = Workers(executor, CORES if workers is None else workers)
    if isinstance(agent, MCTSAgent):
        return merged_search(agent, env, state, team, time_limit)
    return split_search(agent, env, state, team, time_limit)
