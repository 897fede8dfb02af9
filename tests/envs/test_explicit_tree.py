"""Trees as games: whose turn it is, what an action gives, what is refused, how a text is read."""

import pickle
from fractions import Fraction
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import AlphaBetaAgent, MinimaxAgent
from agents.guidance.ordering import allows_win, sensible_actions, winning_action
from envs import CHANCE, ChanceNode, ExplicitTree, MaxNode, MinNode, parse_tree
from tests.helpers.random_trees import mixed_trees, plain_trees, subtrees
from tests.helpers.textbook import TEXTBOOK


def leaves(tree: Any) -> list[float]:
    """The numbers of a plain tree, from left to right."""
    if isinstance(tree, int | float):
        return [tree]
    return [leaf for subtree in subtrees(tree) for leaf in leaves(subtree)]


def rewards(env: ExplicitTree, state: Any = ()) -> list[float]:
    """What the actions that end the game give, from left to right."""
    found = []
    for action in env.get_available_actions(state):
        child = env.get_next_state(state, action)
        over = not env.get_available_actions(child)
        found += [env.reward(state, action)] if over else rewards(env, child)
        assert over or env.reward(state, action) == 0.0
    return found


# --- the game


def test_a_dict_keeps_the_written_order_of_its_actions() -> None:
    env = ExplicitTree({"Right": {"up": 1, "down": 4}, "Left": 2})
    assert env.get_available_actions(()) == ("Right", "Left")
    assert env.get_next_state(("Right",), "down") == ("Right", "down")
    assert env.reward((), "Left") * env.scale == 2


def test_chance_has_outcomes_with_probabilities_and_takes_its_turn() -> None:
    env = ExplicitTree([ChanceNode([(0.25, [1]), (0.75, 4)]), ChanceNode({"six": (1, 6)})])
    assert env.current_player((0,)) == env.current_player((1,)) == CHANCE == 0
    assert env.get_available_actions((1,)) == ("six",)
    assert env.chance_probabilities((0,)) == {0: 0.25, 1: 0.75}
    assert env.chance_probabilities((1,)) == {"six": 1.0}
    assert env.current_player((0, 0)) == 1
    assert env.reward((1,), "six") * env.scale == 6
    with pytest.raises(ValueError, match="the root of the tree is not a chance node"):
        env.chance_probabilities(())


@given(plain_trees())
def test_the_scale_leads_back_to_the_numbers_of_the_tree(tree: Any) -> None:
    env = ExplicitTree(tree)
    assert [reward * env.scale for reward in rewards(env)] == leaves(tree)


@given(st.lists(st.floats(-1e300, 1e300), min_size=1))
def test_no_leaf_is_a_win_or_a_loss_unless_it_is_written_as_1(tree: list[float]) -> None:
    env = ExplicitTree(tree)
    largest = max(abs(leaf) for leaf in tree)
    assert env.scale == 1.0 if largest <= 1 else largest < env.scale <= 2 * largest
    assert all(
        abs(reward) < 1 or abs(leaf) == 1 for reward, leaf in zip(rewards(env), tree, strict=True)
    )


def test_a_scale_may_say_what_a_win_is() -> None:
    for env in (ExplicitTree([[10, -5], [0, -10]], scale=10), parse_tree("[[10,-5],[0,-10]]", 10)):
        assert env.scale == 10
        assert rewards(env) == [1.0, -0.5, 0.0, -1.0]


def test_leaves_may_be_numbers_of_any_kind() -> None:
    env = ExplicitTree([Fraction(1, 2), -0.25, 1])  # type: ignore[list-item]
    assert rewards(env) == [0.5, -0.25, 1.0]


@given(mixed_trees())
def test_a_copy_from_another_process_is_the_same_game(tree: Any) -> None:
    env = ExplicitTree(tree)
    copy = pickle.loads(pickle.dumps(env))
    assert repr(copy) == repr(env)
    assert rewards(copy) == rewards(env)


# --- what is refused


@pytest.mark.parametrize("action", [3, -1, "a", None])
def test_an_illegal_action_is_refused_with_the_legal_ones(action: Any) -> None:
    env = ExplicitTree(TEXTBOOK)
    for refuse in (env.get_next_state, env.reward):
        with pytest.raises(ValueError, match=rf"illegal action {action!r} in \(1,\): legal: 0, 1"):
            refuse((1,), action)
        with pytest.raises(ValueError, match=r"in \(1, 1\): the game is over"):
            refuse((1, 1), action)


def test_a_path_that_leads_nowhere_is_refused() -> None:
    env = ExplicitTree(TEXTBOOK)
    for ask in (env.current_player, env.get_available_actions, env.chance_probabilities):
        with pytest.raises(ValueError, match=r"the tree has no node \(0, 7\): a state is"):
            ask((0, 7))
    with pytest.raises(ValueError, match=r"the tree has no node 0: a state is"):
        MinimaxAgent().search(env, 0)  # type: ignore[misc]


SELF_CONTAINING: list[Any] = [1]
SELF_CONTAINING.append(SELF_CONTAINING)


def chance(*outcomes: Any) -> ChanceNode:
    """A node with these outcomes, whatever they are."""
    return ChanceNode(outcomes)


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (5, "the tree is only the number 5: write a list of numbers"),
        ([], "the root of the tree has no actions"),
        ([1, [2, {}]], "the node after 1, 1 has no actions: write a number for a leaf"),
        ({"a": [True]}, "the node after 'a', 0 is True: a leaf must be a number"),
        ([nan], "the node after 0 is nan: a leaf must be a number"),
        ([inf], "the node after 0 is inf: a leaf must be a number"),
        ([10**400], "a leaf must be a number, within ±1e"),
        (["3"], "the node after 0 is '3': a number, a list or a dict is expected"),
        (None, "the root of the tree is None"),
        ({1.5: 2}, "the root of the tree has the action 1.5: a name is expected"),
        ([chance()], "the node after 0 has no actions"),
        ([chance(0.5, 0.5)], "has the outcome 0.5: a pair of its probability and a subtree"),
        ([chance((1, 2, 3))], "a pair of its probability and a subtree is expected"),
        ([chance((0.5, 1), (0.6, 2))], "probabilities that sum to 1.1: they must sum to 1"),
        ([chance((-0.5, 1), (1.5, 2))], "the probability -0.5: a number from 0 to 1 is"),
        ([chance((nan, 1))], "the probability nan"),
        ([chance((True, 1))], "the probability True"),
        ([chance(("1", 1))], "the probability '1'"),
        (SELF_CONTAINING, "the tree has more than 200 plies"),
    ],
)
def test_what_is_no_tree_is_refused(tree: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ExplicitTree(tree)


@pytest.mark.parametrize("scale", [0, -14, nan, inf, True])
def test_a_scale_that_does_not_fit_is_refused(scale: float) -> None:
    with pytest.raises(ValueError, match=f"scale of a tree must be a positive number, not {scale}"):
        ExplicitTree(TEXTBOOK, scale)
    with pytest.raises(ValueError, match=r"a leaf of 14 exceeds the scale 13\.5: enlarge"):
        ExplicitTree(TEXTBOOK, 13.5)


# --- trees as text


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("[[3, 12, 8], [2, 4, 6], [14, 5, 2]]", TEXTBOOK),
        (" (1, -2.5)\n", [1, -2.5]),
        ("{'Left': 1, 'Right': [2, 3]}", {"Left": 1, "Right": [2, 3]}),
        ('{"Left": 1, "Right": [2e0, 3]}', {"Left": 1, "Right": [2.0, 3]}),
        ('{"min": [[1, 2], {"min": {"a": 3}}]}', MinNode([[1, 2], MinNode({"a": 3})])),
        ("{'max': 1, 'min': 2}", {"max": 1, "min": 2}),
        (
            '{"max": [{"chance": [[0.4, 1], [0.6, 4]]}, 2]}',
            MaxNode([ChanceNode([(0.4, 1), (0.6, 4)]), 2]),
        ),
        (
            "[{'chance': {'heads': (0.5, [1]), 'tails': (0.5, {'max': [2]})}}]",
            [ChanceNode({"heads": (0.5, [1]), "tails": (0.5, MaxNode([2]))})],
        ),
    ],
)
def test_a_text_describes_a_tree(text: str, tree: Any) -> None:
    read, written = parse_tree(text), ExplicitTree(tree)
    assert positions(read) == positions(written)
    assert read.scale == written.scale


def positions(env: ExplicitTree, state: Any = ()) -> list[Any]:
    """Everything that a game tells of its states."""
    player, actions = env.current_player(state), env.get_available_actions(state)
    told: list[Any] = [(state, player, actions)]
    if actions and player == CHANCE:
        told.append(env.chance_probabilities(state))
    for action in actions:
        told += [env.reward(state, action), *positions(env, env.get_next_state(state, action))]
    return told


@given(plain_trees())
def test_pythons_own_notation_is_read(tree: Any) -> None:
    assert positions(parse_tree(repr(tree))) == positions(ExplicitTree(tree))


UNREADABLE = [
    *("", "[[3, 12", "[3, 12]]", "[null]", "[x]", "[1 + x]", "{[1]: 2}", "\0", "[" * 5000, "f(1)")
]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{'a': 1, 'b': {'c': 1, 'c': 2}}", "has the action 'c' twice at one node: rename one"),
        ('{"chance": {"a": [0.5, 1], "a": [0.5, 2]}}', "has the action 'a' twice"),
        ("[1, {2, 3}]", "the node after 1 is {2, 3}: a number, a list or a dict"),
        ("{'max': 3}", "the root of the tree is 3: a list or a dict of branches is expected"),
    ],
)
def test_a_text_that_describes_no_tree_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_tree(text)


# --- agents


def test_what_chance_may_bring_is_no_win_at_once() -> None:
    """For either player: the outcomes are worth the most that there is for each of them."""
    outcomes = ChanceNode([(0.5, 1), (0.5, -1)])
    for env in (ExplicitTree([outcomes, [0]]), ExplicitTree(MinNode([outcomes, [0]]))):
        assert not allows_win(env, (), 0)
        assert sensible_actions(env, (), (0, 1)) == [0, 1]
        assert not winning_action(env, (0,), (0, 1))


def test_only_what_is_worth_the_whole_scale_wins_at_once() -> None:
    env = ExplicitTree([[-9, 9], 9, [3]])
    assert not winning_action(env, (), (0, 1, 2))
    assert not allows_win(env, (), 0)
    decided = ExplicitTree([[-9, 9], 9, [3]], scale=9)
    assert winning_action(decided, (), (0, 1, 2)) == (1,)
    assert sensible_actions(decided, (), (0, 2)) == [2]


@pytest.mark.parametrize("agent", [MinimaxAgent(), AlphaBetaAgent(time_limit=None)], ids=repr)
def test_a_tree_may_be_as_deep_as_it_says(agent: MinimaxAgent) -> None:
    tree: Any = 3
    for _ in range(200):
        tree = [tree]
    assert agent.search(ExplicitTree(tree), ()).action == 0
