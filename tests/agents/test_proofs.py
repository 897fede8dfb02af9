"""What a search calls proven is true, whatever it pruned, guessed, remembered or met again."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from math import inf
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agents import (
    AlphaBetaAgent,
    ExpectimaxAgent,
    GreedyAgent,
    MCTSAgent,
    MinimaxAgent,
    agent_names,
    make_agent,
    parallel_search,
)
from agents.agent import Agent, Clock, SearchResult
from agents.alpha_beta import AlphaBeta, TranspositionTable
from agents.compiled.compiled_alpha_beta import CompiledAlphaBeta
from agents.guidance.heuristics import open_lines, zero
from agents.guidance.ordering import natural
from envs import ChanceNode, ConnectX, ExplicitTree, MaxNode, MinNode, TicTacToe, state_from_moves
from tests.helpers.brute_force import BruteForce
from tests.helpers.clocks import ends_within
from tests.helpers.quick_agents import unhurried_agent
from tests.helpers.random_graphs import Graph, RandomGraph
from tests.helpers.strategies import Position, contested_games, late_positions, narrow
from tests.helpers.textbook import aids

ROUNDING = 1e-12
THREADS = ThreadPoolExecutor(2)
seeds = st.integers(0, 10**9)
graphs = st.builds(RandomGraph, seeds, st.integers(1, 14), with_chance=st.booleans())
tie_breaks = st.sampled_from(["first", "expectimax"])


WAYS: dict[str, Sequence[Any]] = {
    "root": ["Q1", "Q2", "c0"],
    "Q1": [0.0, "M", "z0"],
    "Q2": ["M"],
    "M": ["N"],
    "N": [0.0, "r0"],
    **{f"z{step}": [f"z{step + 1}"] for step in range(3)},
    "z3": [-1.0],
    **{f"r{step}": [f"r{step + 1}"] for step in range(3)},
    "r3": [-1.0],
    **{f"c{step}": [f"c{step + 1}"] for step in range(7)},
    "c7": [0.0],
}
PLIES = {"root": 0, "Q1": 1, "Q2": 1, "M": 2, "N": 3} | {
    f"{line}{step}": begin + step
    for line, begin in (("z", 2), ("r", 4), ("c", 1))
    for step in range(8)
}
LIKED = {"z2": -0.5, "z3": -0.5, "r0": 0.5, "r1": 0.5, "r2": 0.5}
WRONG_BEFORE = Graph(
    WAYS,
    players={state: 1 + PLIES[state] % 2 for state in WAYS},
    guesses={state: LIKED.get(state, -0.3 if state[0] == "c" else 0.0) for state in WAYS},
)
"""A guess in the table, which had narrowed a window, became a proof; the heuristic likes `r`."""


def require_truth(graph: RandomGraph, result: SearchResult[int]) -> None:
    """A proven value is the state's, and the chosen action has it."""
    if result.proven:
        assert result.value == pytest.approx(graph.worth(0), abs=ROUNDING)
        assert list(graph.values(0))[result.action] == pytest.approx(graph.worth(0), abs=ROUNDING)


def test_a_guess_that_narrowed_a_window_proves_nothing() -> None:
    env = WRONG_BEFORE
    exact = MinimaxAgent(depth=None, heuristic=env.guess).search(env, "root")
    result = AlphaBetaAgent(time_limit=None, heuristic=env.guess).search(env, "root")
    assert (exact.action, exact.value, exact.proven) == (2, 0.0, True)
    assert (result.action, result.value, result.proven) == (2, 0.0, True)


@pytest.mark.parametrize(("moves", "proven"), [("152", False), ("15928736", True)])
def test_the_only_sensible_action_proves_a_value_if_it_ends_the_game(
    moves: str, proven: bool
) -> None:
    """O has to block, and looks lost; X fills the board, for a draw."""
    env = TicTacToe()
    result = GreedyAgent(heuristic=lambda env, state: -1.0).search(
        env, state_from_moves(env, moves)
    )
    assert (len(result.action_values), result.proven) == (1, proven)


class Unscaled(ExplicitTree):
    """The game of a tree, with the tree's own numbers as rewards."""

    def reward(self, state: Any, action: Any) -> float:
        """The leaf that an action leads to."""
        return super().reward(state, action) * self.scale


@pytest.mark.parametrize("name", ["minimax", "alphabeta", "expectimax", "mcts"])
def test_rewards_beyond_a_win_prove_nothing(name: str) -> None:
    tree = Unscaled([[3, 12], [8, 9]])
    with pytest.raises(ValueError, match=r"in \(\d,\) is \d+\.0: scale rewards to \[-1, 1\]"):
        make_agent(name).search(tree, tree.initial_state())


def test_a_rounded_mean_does_not_stand_in_the_way_of_a_proof() -> None:
    """The bound by which chance is cut off misses -7 by its last bit; still deepening must end."""
    sixths = ChanceNode([(1 / 6, [6]), (1 / 3, 0), (1 / 3, [0]), (1 / 6, 0)])
    env = ExplicitTree(MinNode([MaxNode([-7]), [8], [sixths]]))
    with ends_within(5):
        result = AlphaBetaAgent(time_limit=None, table_size=0).search(env, ())
    assert (result.action, result.value * env.scale, result.proven) == (0, -7, True)


@given(graphs, aids(depth=st.none() | st.integers(1, 9), tie_break=tie_breaks))
def test_alpha_beta_proves_what_is_true(graph: RandomGraph, options: dict[str, Any]) -> None:
    result = AlphaBetaAgent(heuristic=graph.guess, **options).search(graph, 0)
    require_truth(graph, result)
    assert result.proven or options["depth"] is not None


@given(graphs, seeds, st.sampled_from([0, 3, 1_000_000]))
def test_bounds_hold_in_any_window_at_any_depth(graph: RandomGraph, seed: int, size: int) -> None:
    """One search with one table, asked about states in any order, as no agent would."""
    rng = Random(seed)
    table = TranspositionTable(size)
    search = AlphaBeta(graph, graph.guess, natural, Clock(), table, killer_moves=True)
    for _ in range(30):
        state = rng.randrange(len(graph.ways))
        alpha, beta = sorted(rng.sample([-1.0, -0.5, -0.3, 0.0, 0.2, 0.3, 0.5, 1.0], 2))
        depth = rng.choice([1, 2, 3, 4, 5, 6, inf])
        actions = graph.get_available_actions(state)
        value, low, high, _ = search.state_value(state, actions, depth, 0, alpha, beta)
        assert low - ROUNDING <= graph.worth(state) <= high + ROUNDING
        assert low <= value <= high
        if depth == inf:  # as the docstring of `AlphaBeta` says
            assert value <= alpha or graph.worth(state) >= value - ROUNDING
            assert value >= beta or graph.worth(state) <= value + ROUNDING


@given(graphs, st.none() | st.integers(1, 9), tie_breaks)
def test_minimax_proves_what_is_true(graph: RandomGraph, depth: int | None, tie_break: str) -> None:
    agent = MinimaxAgent(depth=depth, heuristic=graph.guess, tie_break=tie_break)
    result = agent.search(graph, 0)
    require_truth(graph, result)
    assert result.proven or depth is not None


@given(graphs, st.integers(1, 9))
def test_expectimax_proves_what_no_longer_depends_on_its_depth(
    graph: RandomGraph, depth: int
) -> None:
    result = ExpectimaxAgent(depth=depth, heuristic=graph.guess).search(graph, 0)
    if result.proven:
        exact = ExpectimaxAgent(depth=None).search(graph, 0)
        assert result.value == pytest.approx(exact.value, abs=ROUNDING)


@given(graphs, st.integers(1, 60), seeds)
@example(RandomGraph(9516, 1, with_chance=False), 1, 0)
def test_monte_carlo_tree_search_proves_what_is_true(
    graph: RandomGraph, simulations: int, seed: int
) -> None:
    """However many rollouts have been won, an estimate lies strictly between -1 and 1."""
    result = MCTSAgent(simulations, time_limit=None, seed=seed).search(graph, 0)
    require_truth(graph, result)
    assert result.proven or abs(result.value) < 1
    for action, worth in enumerate(graph.values(0)):
        value = result.action_values.get(action, 0.0)
        assert abs(value) < 1 or value == pytest.approx(worth, abs=ROUNDING)


@pytest.mark.parametrize("name", agent_names())
@given(late_positions(narrow(contested_games(largest=4)), most_free_cells=6))
@settings(max_examples=20)
def test_no_agent_calls_proven_what_is_not(name: str, position: Position) -> None:
    env, state = position
    result, truth = unhurried_agent(name).search(env, state), BruteForce(env)
    if result.proven:
        assert result.value == truth.value(state) == truth.action_value(state, result.action)
    assert result.proven or name != "perfect"


@pytest.mark.parametrize("agent", [AlphaBetaAgent(time_limit=None), MinimaxAgent()])
@pytest.mark.parametrize("seed", range(10))
def test_workers_prove_what_is_true(agent: Agent, seed: int) -> None:
    graph = RandomGraph(seed)
    require_truth(graph, parallel_search(agent, graph, 0, THREADS))


@given(
    late_positions(narrow(contested_games(largest=5)), most_free_cells=9),
    st.sampled_from([0, 1, 40, 100_000]),
    st.sampled_from([open_lines, zero]),
    seeds,
)
def test_bounds_of_the_compiled_search_hold(
    position: Position, size: int, heuristic: Any, seed: int
) -> None:
    env, state = position
    assert isinstance(env, ConnectX)
    rng, truth = Random(seed), BruteForce(env)
    search = CompiledAlphaBeta(env, heuristic, natural, Clock(), size, killer_moves=True)
    for _ in range(12):
        alpha, beta = sorted(rng.sample([-1.0, -0.3, 0.0, 0.2, 1.0], 2))
        depth = rng.randint(1, 9)
        actions = env.get_available_actions(state)
        value, low, high, _ = search.state_value(state, actions, depth, 0, alpha, beta)
        assert low <= truth.value(state) <= high
        assert low <= value <= high
    result = AlphaBetaAgent(time_limit=None, heuristic=heuristic).search(env, state)
    assert (result.proven, result.value) == (True, truth.value(state))
