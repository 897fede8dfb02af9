"""Expectimax and the opponent models, against averages worked out by hand and by recursion."""

import pickle
from math import exp, nan
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from agents import Agent, ExpectimaxAgent, GreedyAgent, MinimaxAgent, RandomAgent
from agents.guidance.opponent_models import (
    OpponentModel,
    epsilon_greedy,
    opponent_models,
    probabilities_of,
    softmax,
    uniform_replies,
)
from envs import ChanceNode, ConnectX, ExplicitTree, MaxNode, MinNode, TicTacToe, state_from_moves
from tests.helpers.random_trees import mixed_trees, subtrees
from tests.helpers.strategies import Position, board_games, late_positions, random_game

FULL = ExpectimaxAgent(depth=None)


# --- the search


def average(tree: Any, player: int, turn: int) -> float:
    """What a tree is worth if `player` plays the best and the other anything, from its lists."""
    if isinstance(tree, int | float):
        return tree
    if isinstance(tree, ChanceNode):
        return sum(share * average(below, player, 3 - turn) for share, below in tree.outcomes)
    if isinstance(tree, MaxNode | MinNode):
        tree, turn = tree.branches, 1 if isinstance(tree, MaxNode) else 2
    values = [average(below, player, 3 - turn) for below in subtrees(tree)]
    if turn != player:
        return sum(values) / len(values)
    return max(values) if player == 1 else min(values)


@given(mixed_trees())
def test_the_opponent_is_averaged_over_whoever_it_is(tree: Any) -> None:
    env = ExplicitTree(tree)
    player = env.current_player(())
    result = FULL.search(env, ())
    assert result.value * env.scale == pytest.approx(average(tree, player, turn=1), abs=1e-9)
    assert result.action_values[result.action] == result.value
    assert set(result.action_values) == set(env.get_available_actions(()))
    best = max if player == 1 else min
    assert result.value == best(result.action_values.values())


@pytest.mark.parametrize("opponent", ["uniform", "epsilon_greedy", "softmax"])
@given(position=late_positions(board_games(largest=4), most_free_cells=6))
@settings(max_examples=30)
def test_no_opponent_holds_the_value_down_as_far_as_the_best_one(
    opponent: str, position: Position
) -> None:
    env, state = position
    sign = 1 if state.player == 1 else -1
    exact = MinimaxAgent(depth=None).search(env, state).action_values
    hoped = ExpectimaxAgent(depth=None, opponent=opponent).search(env, state).action_values
    assert set(exact) == set(hoped)
    for action, value in exact.items():
        assert sign * value <= sign * hoped[action] + 1e-12
        assert -1 <= hoped[action] <= 1


@given(position=late_positions(board_games(largest=5), most_free_cells=7))
def test_a_win_that_nothing_can_prevent_is_worth_exactly_one(position: Position) -> None:
    """However the probabilities round; and nothing else is, for any reply may come."""
    env, state = position
    win = 1.0 if state.player == 1 else -1.0
    exact = MinimaxAgent(depth=None).search(env, state).action_values
    hoped = FULL.search(env, state).action_values
    assert [hoped[action] == win for action in exact] == [v == win for v in exact.values()]


def test_a_loss_in_one_is_risked_where_that_pays() -> None:
    """What lets the opponent win at once is no loss yet against one who is likely to miss it."""
    env = ExplicitTree([[-1, 1, 1, 1], [0, 0]])
    assert ExpectimaxAgent().act(env, ()) == 0
    assert ExpectimaxAgent(opponent="epsilon_greedy").act(env, ()) == 1


def test_the_depth_counts_the_opponents_plies() -> None:
    """A leaf further down is worth 0 to the heuristic."""
    env = ExplicitTree([[[4, 8], [2, 6]], 1])
    for depth, expected in {1: [0, 1], 2: [0, 1], 3: [7, 1]}.items():
        result = ExpectimaxAgent(depth=depth).search(env, ())
        assert [value * env.scale for value in result.action_values.values()] == expected
        assert result.depth == depth


def test_actions_that_the_model_rules_out_are_not_visited() -> None:
    env = ExplicitTree([[1, [2, 3, 4]], [5, 6]])
    always_first = ExpectimaxAgent(opponent=lambda env, state: {0: 1.0, 1: 0.0})
    result = always_first.search(env, ())
    assert [value * env.scale for value in result.action_values.values()] == [1, 5]
    assert result.nodes == 1 + 2 + 2


# --- the models


def test_epsilon_greedy_follows_the_agent_but_for_epsilon() -> None:
    env = ExplicitTree({"a": 1, "b": 3, "c": 2})
    model = epsilon_greedy(MinimaxAgent(), epsilon=0.3)
    assert model(env, ()) == pytest.approx({"a": 0.1, "b": 0.8, "c": 0.1})
    assert probabilities_of(epsilon_greedy(GreedyAgent(), 0.0), env, ()) == {"b": 1.0}
    uniform = uniform_replies(env, ())
    assert epsilon_greedy(RandomAgent(seed=1), 1.0)(env, ()) == pytest.approx(uniform)
    drawn = epsilon_greedy(RandomAgent(seed=1), 0.0, samples=3000)(env, ())
    assert drawn == pytest.approx(uniform, abs=0.04)  # more than four standard deviations
    with pytest.raises(ValueError, match=r"samples must be a whole number, not 1\.5"):
        epsilon_greedy(RandomAgent(), 0.0, samples=1.5)  # type: ignore[arg-type]


@pytest.mark.parametrize(("tree", "sign"), [([1, 3, 2], 1), (MinNode([1, 3, 2]), -1)])
def test_softmax_weighs_the_values_of_the_player_to_move(tree: Any, sign: int) -> None:
    env = ExplicitTree(tree)
    weights = [exp(sign * leaf / env.scale / 0.5) for leaf in (1, 3, 2)]
    expected = {action: weight / sum(weights) for action, weight in enumerate(weights)}
    assert softmax(MinimaxAgent(), temperature=0.5)(env, ()) == pytest.approx(expected)


def test_a_low_temperature_plays_the_best_alone_and_a_high_one_anything() -> None:
    env = ExplicitTree([1, 3, 2])
    assert softmax(MinimaxAgent(), 1e-300)(env, ()) == {0: 0.0, 1: 1.0, 2: 0.0}
    assert softmax(MinimaxAgent(), 1e300)(env, ()) == pytest.approx(uniform_replies(env, ()))


@pytest.mark.parametrize("name", ["uniform", "epsilon_greedy", "softmax"])
def test_an_option_names_the_model_and_sets_it_up(name: str) -> None:
    env, rng = ConnectX(rows=4, columns=4, inarow=3), Random(9)
    model = opponent_models(MinimaxAgent(depth=1), 0.5, 0.1)[name]
    for state in random_game(env, rng)[:-1]:
        named, handed_in = (
            ExpectimaxAgent(3, opponent=opponent, epsilon=0.5, temperature=0.1, opponent_depth=1)
            .search(env, state)
            .action_values
            for opponent in (name, model)
        )
        assert named == handed_in


def test_agents_with_models_may_be_sent_to_other_processes() -> None:
    env = TicTacToe()
    state = state_from_moves(env, "1592")
    agent = ExpectimaxAgent(opponent=softmax(MinimaxAgent(depth=1), 0.5))
    copy = pickle.loads(pickle.dumps(agent))
    assert copy.search(env, state).action_values == agent.search(env, state).action_values


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (lambda env, state: {0: 0.5, 1: 0.6}, r"the opponent model in \(1,\) .* sum to 1.1: they"),
        (lambda env, state: {0: 0.5}, "sum to 0.5: they must sum to 1"),
        (lambda env, state: {}, "sum to 0: they must sum to 1"),
        (lambda env, state: {0: -0.5, 1: 1.5}, "the probability -0.5: a number from 0 to 1"),
        (lambda env, state: {0: nan, 1: 1.0}, "the probability nan"),
        (lambda env, state: {0: "all"}, "the probability 'all'"),
        (lambda env, state: {7: 1.0}, r"gives the illegal action 7 in \(1,\): legal: 0, 1"),
        (lambda env, state: [0.5, 0.5], r"gives \[0.5, 0.5\] in \(1,\): a dict of the actions'"),
    ],
)
def test_a_model_that_gives_no_distribution_is_refused(model: OpponentModel, message: str) -> None:
    env = ExplicitTree([0, [1, 2]])
    with pytest.raises(ValueError, match=message):
        ExpectimaxAgent(opponent=model).search(env, ())


def test_an_agent_is_no_model() -> None:
    with pytest.raises(ValueError, match=r"unknown opponent RandomAgent\(.*: choose one of"):
        ExpectimaxAgent(opponent=RandomAgent())  # type: ignore[arg-type]


@pytest.mark.parametrize("sum_of_two", [1 - 5e-10, 1 + 5e-10])
def test_rounding_is_no_mistake_of_a_model(sum_of_two: float) -> None:
    env = ExplicitTree([[1, 1]])
    model = ExpectimaxAgent(opponent=lambda env, state: {0: 0.5, 1: sum_of_two - 0.5})
    assert model.search(env, ()).value == 1.0


@pytest.mark.parametrize("agent", [RandomAgent(), GreedyAgent()], ids=repr)
def test_softmax_refuses_an_agent_that_does_not_tell_all_values(agent: Agent) -> None:
    """The greedy one looks at nothing but the win."""
    env = ExplicitTree([[-1, 1]])
    with pytest.raises(ValueError, match=r"softmax needs the value of every action, which .*Agent"):
        ExpectimaxAgent(opponent=softmax(agent, 0.1)).search(env, ())
