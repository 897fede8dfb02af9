"""Monte Carlo tree search by workers: each grows a tree, and their statistics are added up.

"Root parallelisation" of G. M. J-B. Chaslot, M. H. M. Winands and H. J. van den Herik, "Parallel
Monte-Carlo Tree Search" (2008).
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any, NamedTuple

from agents.agent import Clock, SearchResult, TimeUp, legal_actions, make_rng
from agents.guidance.final_move import final_action, root_value
from agents.mcts_agent import MCTSAgent
from agents.parallel.workers import Task, Workers
from agents.tree import MergedNode, Node, SearchedNode
from envs.protocol import Action, Env, State

GRACE = 1.0  # seconds for the trees to arrive after the time is up
SEED_BITS = 63


def merged_search(
    agent: MCTSAgent,
    env: Env[State, Action],
    state: State,
    workers: Workers,
    time_limit: float | None,
) -> SearchResult[Action]:
    """Let each worker grow a tree, and choose by their combined statistics.

    The simulations are divided among the trees, whose seeds are derived from the agent's.
    """
    legal_actions(env, state)
    workers.prepare(partial(replace(agent).is_compiled, env))
    clock = Clock(agent.time_limit, time_limit)
    tasks: Iterator[Task[int, Grown]] = (
        (number, partial(grow_one_tree, grower, env, state, clock.left))
        for number, grower in enumerate(_growers(agent, workers.count))
    )
    arrived: dict[int, Grown] = {}
    with suppress(TimeUp):
        arrived.update(workers.run(tasks, Clock(clock.left + GRACE)))
    if not arrived:  # the time was up before the first tree arrived
        return replace(agent, simulations=1).search(env, state)
    grown = [arrived[number] for number in sorted(arrived)]
    root = MergedNode([tree.root for tree in grown])
    action = final_action(root, agent.final_move)
    results = [tree.result for tree in grown]
    variations = (result.principal_variation for result in results if result.action == action)
    return SearchResult(
        action,
        root_value(root, action),
        proven=root.proven is not None,
        principal_variation=next(variations, (action,)),
        action_values={action: child.value for action, child in root.children.items()},
        nodes=sum(result.nodes for result in results),
        simulations=sum(result.simulations for result in results),
        elapsed=clock.elapsed,
        engine=results[0].engine,
    )


class Grown(NamedTuple):
    """The result of a worker's search, and the statistics of its root and the root's children."""

    result: SearchResult[Any]
    root: Node[Any, Any]


def _growers(agent: MCTSAgent, trees: int) -> Iterator[MCTSAgent]:
    """Agents without a tree, each with its share of the simulations and a seed."""
    rng, simulations = make_rng(agent.seed), agent.simulations
    if simulations is not None:
        trees = min(trees, simulations)
    for number in range(trees):
        share = None if simulations is None else (simulations + number) // trees
        yield replace(agent, simulations=share, seed=rng.getrandbits(SEED_BITS))


def grow_one_tree(agent: MCTSAgent, env: Any, state: Any, seconds: float) -> Grown:
    """Grow a tree for `seconds`, or to the agent's own limits."""
    result = agent.search(env, state, None if seconds == inf else seconds)
    tree: Any = agent.tree
    return Grown(result, snapshot(tree.root, plies=1))


def snapshot(node: SearchedNode[Any], plies: int) -> Node[Any, Any]:
    """A copy of a node and of the nodes up to `plies` below it, to be sent to other processes."""
    known = Node[Any, Any](None, (), node.sign, node.proven)
    known.visits, known.total, known.assured = node.visits, node.total, node.assured
    if plies:
        for action, child in node.children.items():
            known.children[action] = snapshot(child, plies - 1)
    return known
