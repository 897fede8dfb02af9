"""Traces of searches, agents whose searches have traces, and nodes of trees."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from agents import Agent, AlphaBetaAgent, ExpectimaxAgent, MCTSAgent, MinimaxAgent
from agents.guidance.final_move import FINAL_MOVES
from agents.trace import SearchTrace, recorded
from agents.tree import Node
from tests.helpers.quick_agents import fresh
from tests.helpers.textbook import aids


def trace_of(agent: Agent, env: Any, state: Any = None) -> SearchTrace:
    """The trace of a search of `state`; None means the initial one."""
    trace = SearchTrace()
    recorded(agent, trace).search(env, env.initial_state() if state is None else state)
    return trace


def all_nodes(node: Node[Any, Any]) -> Iterator[Node[Any, Any]]:
    """The nodes of a search tree, each before its children."""
    yield node
    for child in node.children.values():
        yield from all_nodes(child)


def depth_first_agents(depths: st.SearchStrategy[int | None]) -> st.SearchStrategy[Agent]:
    """Minimax, expectimax and alpha-beta with any enhancements, at depths drawn from `depths`."""
    models = st.sampled_from(["uniform", "epsilon_greedy"])
    alpha_beta = aids(depth=depths, engine=st.just("reference"))
    return st.one_of(
        st.builds(MinimaxAgent, depths),
        st.builds(ExpectimaxAgent, depths, opponent=models),
        alpha_beta.map(lambda options: AlphaBetaAgent(**options)),
    )


def growing_agents(**fixed: Any) -> st.SearchStrategy[MCTSAgent]:
    """Monte Carlo tree search with any options, some of them fixed."""
    free: dict[str, st.SearchStrategy[Any]] = {
        "simulations": st.integers(1, 60),
        "exploration": st.sampled_from([0.0, 0.7, 1.5]),
        "rollout": st.sampled_from(["uniform", "decisive"]),
        "rollouts_per_leaf": st.integers(1, 3),
        "solver": st.booleans(),
        "decisive_moves": st.booleans(),
        "final_move": st.sampled_from(sorted(FINAL_MOVES)),
        "seed": st.integers(0, 1000),
        "engine": st.just("reference"),
    }
    return st.builds(MCTSAgent, **free | {name: st.just(value) for name, value in fixed.items()})


def unchanged_by_a_trace(agent: Agent, env: Any, state: Any) -> tuple[SearchTrace, Any]:
    """The trace and the result of a search; checks that tracing does not change the result."""
    trace = SearchTrace()
    traced = recorded(agent, trace).search(env, state)
    result = fresh(agent).search(env, state)
    assert replace(traced, elapsed=result.elapsed) == result
    assert trace.chosen == result.action
    return trace, result
