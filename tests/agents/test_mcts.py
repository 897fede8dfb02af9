"""Monte Carlo tree search: its statistics, its proofs, its budgets."""

from collections.abc import Mapping
from math import nan
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents import MCTSAgent
from agents.agent import SearchResult
from agents.guidance.final_move import FINAL_MOVES, final_action
from agents.guidance.heuristics import open_lines
from agents.guidance.rollouts import Rollout, decisive, evaluated, uniform
from agents.mcts import Tree, TreeSettings
from agents.tree import Node
from envs import (
    ChanceNode,
    ConnectFour,
    ConnectX,
    Env,
    ExplicitTree,
    MaxNode,
    MinNode,
    TicTacToe,
    state_from_moves,
)
from tests.helpers.brute_force import BruteForce
from tests.helpers.clocks import ends_within, ticking_clock
from tests.helpers.kaggle_rules import kaggle_game
from tests.helpers.random_trees import mixed_trees, worth
from tests.helpers.strategies import (
    Position,
    board_games,
    contested_games,
    swapped_colours,
    unfinished_positions,
    winnable_positions,
)
from tests.helpers.traces import all_nodes

AnyNode = Node[Any, Any]
Statistics = tuple[int, float, float | None]
small_boards = board_games(largest=4)
both_engines = pytest.mark.parametrize("engine", ["auto", "reference"])
"""The compiled engine where it applies, and the reference everywhere."""


def grown_tree(
    env: Env[Any, Any], state: Any, simulations: int, rollout: Rollout = uniform, **options: Any
) -> Tree[Any, Any]:
    """A tree after some simulations; they stop where the root is proven."""
    settings = TreeSettings(1.0, 1, True, True, False)._replace(**options)
    tree = Tree(env, state, settings, rollout, Random(0))
    for _ in range(simulations):
        if tree.root.proven is None:
            tree.simulate()
    return tree


# --- statistics


@given(
    unfinished_positions(contested_games(largest=6)),
    st.integers(1, 60),
    st.integers(1, 4),
    st.booleans(),
)
def test_visits_and_totals_add_up(
    position: Position, simulations: int, rollouts_per_leaf: int, solver: bool
) -> None:
    env, state = position
    tree = grown_tree(env, state, 0, rollouts_per_leaf=rollouts_per_leaf, solver=solver)
    for _ in range(simulations):
        tree.simulate()
    nodes = list(all_nodes(tree.root))

    assert tree.root.visits == simulations * rollouts_per_leaf
    assert len(nodes) == tree.nodes
    for node in nodes:
        below = sum(child.visits for child in node.children.values())
        if node.proven is None:
            own = 0 if node is tree.root else rollouts_per_leaf
            assert node.visits == below + own
        assert node.visits % rollouts_per_leaf == 0
        assert abs(node.total) <= node.visits
        assert set(node.untried).isdisjoint(node.children)


def test_a_node_in_which_a_win_is_at_hand_has_that_child_alone() -> None:
    env = ConnectFour()
    three_in_a_column = state_from_moves(env, "121212")
    assert grown_tree(env, three_in_a_column, 0).root.untried == [0]
    assert len(grown_tree(env, three_in_a_column, 0, decisive_moves=False).root.untried) == 7


# --- proofs


def test_without_the_solver_nothing_inside_the_tree_is_proven_nor_a_kept_root() -> None:
    env = TicTacToe()
    tree = grown_tree(env, state_from_moves(env, "1425"), 300, solver=False)
    for node in all_nodes(tree.root):
        assert (node.proven is None) == bool(env.get_available_actions(node.state))
    tree.restrict_root([2])
    assert [child.proven for child in tree.root.children.values()] == [1.0]
    assert tree.root.proven is None


def test_a_kept_root_whose_only_sensible_action_is_proven_lost_ends_the_search() -> None:
    """Player 2 has one block, which only delays; the other columns lose at once."""
    env = ConnectX(rows=3, columns=3, inarow=3)
    state = state_from_moves(env, "121")
    assert kaggle_game(env, state).safe_columns() == [0]
    assert BruteForce(env).value(state) == 1.0

    kept = grown_tree(env, state, 3)
    kept.root.children[0].proven = 1.0
    agent = MCTSAgent(simulations=10, seed=1, engine="reference")
    agent.tree = kept
    with ends_within(0.5):
        result = agent.search(env, state)
    assert (result.action, result.value) == (0, 1.0)


@both_engines
@given(
    env=contested_games(largest=4),
    seed=st.integers(0, 2**32 - 1),
    simulations=st.integers(2, 40),
    starts=st.booleans(),
)
def test_whole_games_are_played_with_a_kept_tree(
    env: ConnectX, seed: int, simulations: int, starts: bool, engine: str
) -> None:
    rng = Random(seed)
    exploration = rng.choice([0.0, 0.5])
    agent = MCTSAgent(simulations, exploration=exploration, seed=seed, engine=engine)
    agent.is_compiled(env)  # compiles, which may take longer than a search
    state = env.initial_state()
    while actions := env.get_available_actions(state):
        if starts == (state.player == 1):
            with ends_within(5):
                action = agent.act(env, state)
            assert action in actions
        else:
            action = rng.choice(actions)
        state = env.get_next_state(state, action)


# --- chance, and values between a win and a draw


def solved(tree: Any, simulations: int = 20_000) -> tuple[ExplicitTree, SearchResult[Any]]:
    """A search until the value of the root is proven; a small tree is."""
    env = ExplicitTree(tree)
    with ends_within(20):
        result = MCTSAgent(simulations, seed=1).search(env, env.initial_state())
    assert result.simulations < simulations
    return env, result


@given(mixed_trees())
def test_small_trees_are_solved_with_chance_too(tree: Any) -> None:
    env, result = solved(tree)
    assert result.value * env.scale == pytest.approx(worth(tree))


@pytest.mark.parametrize(
    ("tree", "mean"),
    [
        ({"sure": 2, "risky": ChanceNode([(0.4, 1), (0.6, 4)])}, 2.8),
        ({"Left": ChanceNode([(0.5, 20), (0.5, -5)]), "Right": 1}, 7.5),
        ([ChanceNode([(0.9, [8, -4]), (0.1, ChanceNode([(0.5, -4), (0.5, [6])]))]), -4], 7.3),
    ],
)
def test_without_a_solver_means_come_close_to_what_the_tree_is_worth(
    tree: Any, mean: float
) -> None:
    """Published trees among them: (0.4, 0.6) over (1, 4) and (0.5, 0.5) over (20, -5)."""
    assert worth(tree) == pytest.approx(mean)
    env = ExplicitTree(tree)
    result = MCTSAgent(20_000, exploration=0.3, solver=False, seed=1).search(env, ())
    assert result.value * env.scale == pytest.approx(mean, abs=0.02 * env.scale)


def test_outcomes_are_drawn_by_their_probabilities() -> None:
    """Four standard deviations of a binomial distribution around its mean."""
    shares = {"a": 0.6, "b": 0.3, "c": 0.1, "never": 0.0}
    env = ExplicitTree([ChanceNode({name: (share, 1) for name, share in shares.items()})])
    root = grown_tree(env, (), 5000, solver=False).root
    drawn = root.children[0].children
    assert "never" not in drawn
    for name, child in drawn.items():
        share, count = shares[name], root.children[0].visits
        assert abs(child.visits - share * count) < 4 * (count * share * (1 - share)) ** 0.5


@pytest.mark.parametrize("rollout", [uniform, decisive])
def test_rollouts_draw_what_chance_plays(rollout: Any) -> None:
    env, rng = ExplicitTree([ChanceNode([(0.8, [1]), (0.2, -1)])]), Random(3)
    mean = sum(rollout(env, (), rng) for _ in range(4000)) / 4000
    assert mean == pytest.approx(0.6, abs=4 * 0.8 / 4000**0.5)


@pytest.mark.parametrize(
    ("tree", "certain"),
    [
        (MaxNode([4, MaxNode([[-8, -6], [-7, -5]])]), 0.5),
        (MinNode([-4, MinNode([[8, 6], [7, 5]])]), -0.5),
        (MinNode([0, MinNode([[8, 6], [7, 5]])]), 0.0),
    ],
    ids=["the best for player 1", "the best for player 2", "a draw"],
)
def test_a_certain_value_is_the_least_that_a_simulation_brings(tree: Any, certain: float) -> None:
    """From the next simulation on, what the other action leads to changes nothing."""
    grown = grown_tree(ExplicitTree(tree, scale=8), (), 3)
    assert grown.root.assured == certain
    before, visits = grown.root.total, grown.root.visits
    grown.simulate()
    assert grown.root.total - before == certain * (grown.root.visits - visits)


def test_the_best_of_several_certain_values_is_played() -> None:
    for tree, best in (([1, 3, 2], 1), ([MinNode([5, 4]), 3, MinNode([6, 2])], 0)):
        _, result = solved(tree)
        assert result.action == best


def test_the_expected_line_ends_where_chance_decides() -> None:
    _, result = solved([[2, 1], [ChanceNode([(0.5, [4]), (0.5, [6])])]])
    assert result.principal_variation == (1, 0)


# --- values and the final move


def node_with_children(sign: int, children: Mapping[str, Statistics]) -> AnyNode:
    """A node whose children have these visits, totals for the player to move, and proofs."""
    node: AnyNode = Node("root", [], sign, proven=None)
    for action, (visits, total, proven) in children.items():
        child: AnyNode = Node(action, [], -sign, None if proven is None else sign * proven)
        child.visits, child.total = visits, sign * total
        node.children[action] = child
    node.assured = 0.0 if any(child.proven == 0.0 for child in node.children.values()) else None
    return node


UNPROVEN: dict[str, Statistics] = {
    "visited": (10, 1.0, None),
    "valuable": (2, 1.5, None),
    "rich": (4, 2.0, None),
}


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("final_move", "best"), [("visits", "visited"), ("value", "valuable"), ("total", "rich")]
)
def test_the_final_move_maximises_what_the_option_names(
    final_move: str, best: str, sign: int
) -> None:
    def chosen(children: Mapping[str, Statistics]) -> str:
        return str(final_action(node_with_children(sign, children), final_move))

    assert chosen(UNPROVEN) == best
    assert chosen(UNPROVEN | {"won": (1, 1.0, 1.0)}) == "won"
    lost: dict[str, Statistics] = {action: (*UNPROVEN[action][:2], -1.0) for action in UNPROVEN}
    assert chosen(lost | {"drawn": (1, 0.0, 0.0)}) == "drawn"
    assert chosen(lost) in UNPROVEN
    others: dict[str, Statistics] = {"drawn": (1, -1.0, 0.0), "lost": (5, 0.0, -1.0)}
    assert chosen(others | {"open": (30, -0.5, None)}) == "drawn"
    assert chosen(others | {"open": (30, 0.5, None)}) == "open"


@both_engines
@pytest.mark.parametrize("final_move", FINAL_MOVES)
def test_the_final_move_of_a_search_is_the_best_by_its_option(final_move: str, engine: str) -> None:
    env = ConnectFour()
    state = env.get_next_state(env.initial_state(), 3)
    agent = MCTSAgent(simulations=300, final_move=final_move, seed=3, engine=engine)
    action = agent.act(env, state)
    root = agent.tree.root  # type: ignore[union-attr]
    merit = {a: FINAL_MOVES[final_move](child, -1) for a, child in root.children.items()}
    assert merit[action] == max(merit.values())


# --- rollout policies


@given(unfinished_positions(contested_games(largest=6)), st.integers(0, 100))
def test_rollouts_end_as_the_game_does(position: Position, seed: int) -> None:
    env, state = position
    for rollout in (uniform, decisive):
        assert rollout(env, state, Random(seed)) in (-1.0, 0.0, 1.0)
        assert rollout(env, state, Random(seed)) == rollout(env, state, Random(seed))
    assert uniform(env, swapped_colours(state), Random(seed)) == -uniform(env, state, Random(seed))


@given(winnable_positions(contested_games(largest=6)), st.integers(0, 100))
def test_the_decisive_rollout_takes_a_win(position: Position, seed: int) -> None:
    env, state = position
    assert decisive(env, state, Random(seed)) == (1.0 if state.player == 1 else -1.0)


def test_the_decisive_rollout_blocks_and_the_uniform_one_blunders() -> None:
    """Player 2 blocks the column; after that, no one gets four in the two columns left."""
    env = ConnectX(rows=4, columns=2, inarow=4)
    state = state_from_moves(env, "12121")
    results = {
        rollout: {rollout(env, state, Random(seed)) for seed in range(50)}
        for rollout in (uniform, decisive)
    }
    assert results == {uniform: {0.0, 1.0}, decisive: {0.0}}


@given(unfinished_positions(contested_games(largest=6)))
@settings(max_examples=30)
def test_the_heuristic_rollout_is_the_guess_of_each_new_leaf(position: Position) -> None:
    env, state = position
    root = grown_tree(env, state, 4, rollout=evaluated, solver=False).root
    below = [node for node in all_nodes(root) if node is not root]
    guesses = [
        open_lines(env, node.state) if node.proven is None else node.proven * node.visits
        for node in below
    ]
    assert root.total == pytest.approx(sum(guesses))


@pytest.mark.parametrize("result", [-1.25, nan, None])
def test_a_rollout_that_gives_no_reward_is_refused(result: Any) -> None:
    agent = MCTSAgent(rollout=lambda env, state, rng: result)
    with pytest.raises(ValueError, match=rf"^the rollout from \(0,\) gives {result!r}: .* -1 to 1"):
        agent.search(ExplicitTree([[1, -1]]), ())


# --- the tree that is kept


@both_engines
def test_the_next_search_goes_on_from_the_statistics_of_the_last(engine: str) -> None:
    env = ConnectFour()
    state = env.initial_state()
    agent = MCTSAgent(simulations=400, seed=5, engine=engine)
    action = agent.act(env, state)
    child = agent.tree.root.children[action]  # type: ignore[union-attr]
    reply, kept = max(child.children.items(), key=lambda item: item[1].visits)
    visits = kept.visits
    assert visits > 1

    state = env.get_next_state(env.get_next_state(state, action), reply)
    result = agent.search(env, state)
    assert agent.tree.root.visits == visits + 400  # type: ignore[union-attr]
    assert result.simulations == 400


@both_engines
@pytest.mark.parametrize(
    ("env", "moves", "keep_tree"),
    [(ConnectFour(), "44", False), (ConnectFour(), "444", True), (ConnectX(6, 8), "44", True)],
    ids=["keeping is switched off", "more than two plies further on", "another game"],
)
def test_a_search_starts_anew_without_a_tree_to_keep(
    env: ConnectX, moves: str, keep_tree: bool, engine: str
) -> None:
    agent = MCTSAgent(simulations=50, seed=6, keep_tree=keep_tree, engine=engine)
    agent.search(ConnectFour(), ConnectFour().initial_state())
    agent.search(env, state_from_moves(env, moves))
    assert agent.tree is not None
    assert (agent.tree.env, agent.tree.root.visits) == (env, 50)


# --- budgets and repeatability


@pytest.mark.parametrize("looks", [1, 2, 50])
def test_the_search_ends_when_its_time_is_up(looks: int) -> None:
    """The clock is looked at once after each simulation."""
    env = ConnectFour()
    for agent, limit in (
        (MCTSAgent(simulations=None, time_limit=looks, engine="reference"), None),
        (MCTSAgent(simulations=None, engine="reference"), looks),
        (MCTSAgent(simulations=None, time_limit=10_000, engine="reference"), looks),
        (MCTSAgent(simulations=10_000, time_limit=looks, engine="reference"), 10_000),
    ):
        with ticking_clock():
            assert agent.search(env, env.initial_state(), limit).simulations == looks


def test_a_search_without_any_end_is_refused() -> None:
    env = TicTacToe()
    agent = MCTSAgent(simulations=None, solver=False, seed=9)
    with pytest.raises(ValueError, match="needs simulations or a time_limit"):
        agent.search(env, env.initial_state())
    assert agent.search(env, env.initial_state(), time_limit=0).simulations == 1


@both_engines
def test_the_same_seed_finds_the_same_and_no_seed_something_else(engine: str) -> None:
    def values(seed: int | None) -> Mapping[int, float]:
        agent = MCTSAgent(simulations=60, seed=seed, engine=engine)
        return agent.search(ConnectFour(), ConnectFour().initial_state()).action_values

    assert values(10) == values(10) != values(11)
    assert values(None) != values(None)
