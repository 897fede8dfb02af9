"""PUCT: its formula, its statistics, its proofs, its Gumbel root, and its compiled twin."""

from collections.abc import Callable, Iterator, Mapping
from math import exp, log
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agents.agent import Clock
from agents.compiled.compiled_puct import PuctSettings, PuctTree, puct_on, wavy_network
from agents.compiled.pooled_trees import Forest
from agents.guidance.ordering import sensible_actions, winning_action
from agents.networks.features import mirrored_actions
from agents.networks.network import TrainedPolicy
from agents.networks.network_kernel import (
    adds_whole_numbers,
    evaluate_positions,
    network_arrays,
)
from agents.policy.puct import (
    Evaluator,
    GuidedTree,
    considered_visits,
    gumbel_merits,
    halve_sequentially,
    improved_logits,
    mixed_value,
    noisy_priors,
    normalised,
    puct,
)
from agents.tree import Node
from envs import BoardGame, ChanceNode, ConnectFour, ConnectX, Env, ExplicitTree, state_from_moves
from envs.bitboard import fits_in_word
from envs.compiled.jit import compiled
from tests.helpers.brute_force import BruteForce
from tests.helpers.small_games import Nim, Race
from tests.helpers.strategies import (
    Position,
    board_games,
    contested_games,
    late_positions,
    unfinished_positions,
)
from tests.helpers.traces import all_nodes
from tests.helpers.trained_policies import random_policy, unrounded_policy

AnyTree = GuidedTree[Any, Any]
AnyNode = Node[Any, Any]
small_boards = board_games(largest=4)
fitting_games = board_games(largest=7).filter(
    lambda game: fits_in_word(game.rows, game.columns, game.inarow)
)


def even(env: Env[Any, Any], state: Any) -> tuple[Mapping[Any, float], float]:
    """Knows nothing."""
    actions = env.get_available_actions(state)
    return dict.fromkeys(actions, 1 / len(actions)), 0.0


def opinionated(env: Env[Any, Any], state: Any) -> tuple[Mapping[Any, float], float]:
    """Prefers some actions and states to others, by nothing but their hash."""
    actions = env.get_available_actions(state)
    weights = [1 + hash((state, number)) % 7 for number in range(len(actions))]
    value = hash((state, "value")) % 199 / 100 - 0.99
    return dict(zip(actions, normalised(weights), strict=True)), value


def told(opinions: Mapping[Any, tuple[Mapping[Any, float], float]]) -> Evaluator:
    """Says of each state what it is told to."""
    return lambda env, state: opinions[state]


def new_tree(
    env: Env[Any, Any],
    state: Any,
    evaluator: Evaluator = even,
    exploration: float = 1.5,
    fpu: float = 0.2,
) -> AnyTree:
    return GuidedTree(env, state, evaluator, exploration, fpu)


def grown_tree(env: Env[Any, Any], state: Any, simulations: int, **options: Any) -> AnyTree:
    tree = new_tree(env, state, **options)
    tree.grow(simulations, Clock())
    return tree


def begun(env: Env[Any, Any]) -> Position:
    """The beginning of a game."""
    return Position(env, env.initial_state())  # type: ignore[arg-type]


def visits(node: Any) -> dict[Any, int]:
    return {action: child.visits for action, child in node.children.items()}


FIRST = begun(ConnectFour())
"""The first position of Connect Four."""


# --- by hand


def test_the_bound_of_a_worked_example() -> None:
    """Q + C P sqrt(N) / (1 + n) = 0.5 + 2 * 0.3 * 4 / 3."""
    assert puct(0.5, prior=0.3, visits=2, parent_visits=16, exploration=2.0) == pytest.approx(1.3)


TREE = ExplicitTree({"l": {"a": 0.1, "b": 0.2}, "r": {"a": -0.5, "b": 0.75}})
OPINIONS = {
    (): ({"l": 0.25, "r": 0.75}, 0.5),
    ("l",): ({"a": 0.5, "b": 0.5}, -0.25),
    ("r",): ({"a": 0.5, "b": 0.5}, 0.25),
}


@pytest.mark.parametrize(
    "evaluation",
    [
        ({"l": 0.5, "r": 0.5}, 2.0),
        ({"l": 0.5, "r": 0.5}, float("nan")),
        ({"l": 0.5, "r": 0.5}, None),
        ({"l": 1.5, "r": -0.5}, 0.0),
        ({"l": float("nan"), "r": 0.5}, 0.0),
        ({"l": 1.0}, 0.0),
        0.0,
    ],
)
def test_an_evaluation_that_cannot_be_used_is_refused(evaluation: Any) -> None:
    with pytest.raises(
        ValueError, match=r"^the evaluator gives .* in \(\): the probability of each"
    ):
        grown_tree(TREE, (), 1, evaluator=lambda env, state: evaluation)


def test_a_tree_by_hand() -> None:
    """Four simulations with C = 1 and a reduction of 0.5; the leaves are proven at sight.

    1. The root is expanded: 0.5.
    2. l: (0.5 - 0.5) + 0.25 * 1 / 1 = 0.25; r: 0 + 0.75 = 0.75. Its children are leaves: min(-0.5,
       0.75) = -0.5 is proven, the evaluator not asked.
    3. r is proven and passed over: l, whose least child 0.1 is proven. All are: the root is worth
       0.1 for player 1.
    """
    asked = []

    def evaluator(env: Any, state: Any) -> Any:
        asked.append(state)
        return OPINIONS[state]

    tree = new_tree(TREE, (), evaluator, exploration=1.0, fpu=0.5)
    tree.simulate()
    assert (tree.root.visits, tree.root.total, tree.root.evaluation) == (1, 0.5, 0.5)
    assert {a: child.prior for a, child in tree.root.children.items()} == {"l": 0.25, "r": 0.75}
    tree.simulate()
    right = tree.root.children["r"]
    assert (right.visits, right.total, right.proven) == (1, -0.5, -0.5)
    # player 1 can fall back on r, and nothing else is proven yet
    assert (tree.root.visits, tree.root.total, tree.root.assured) == (2, 0.0, -0.5)
    tree.simulate()
    assert (tree.root.proven, tree.root.visits) == (0.1, 3)
    assert asked == [()]


# --- statistics


@given(
    unfinished_positions(contested_games(largest=6)),
    st.integers(1, 80),
    st.sampled_from([0.0, 1.5, 5.0]),
    st.sampled_from([0.0, 0.2, 3.0]),
)
def test_every_node_follows_the_rules(
    position: Position, simulations: int, exploration: float, fpu: float
) -> None:
    """Visits and priors add up, two plies choose the children, the highest bound is selected."""
    env, _ = position
    tree = grown_tree(
        *position, simulations, evaluator=opinionated, exploration=exploration, fpu=fpu
    )
    nodes = list(all_nodes(tree.root))
    assert len(nodes) == tree.nodes
    if tree.root.proven is None:
        assert tree.root.visits == simulations
    for node in nodes:
        assert abs(node.total) <= node.visits
        children = node.children.values()
        if not children:
            continue
        legal = env.get_available_actions(node.state)
        assert not winning_action(env, node.state, legal)
        assert list(node.children) == list(sensible_actions(env, node.state, legal))
        assert node.visits == 1 + sum(child.visits for child in children)
        priors = sum(child.prior for child in children)
        is_expanded = node.visits > 1 or node.proven is None
        assert priors == pytest.approx(1.0 if is_expanded else len(children))
        if node.proven is None:
            mean = node.sign * node.total / node.visits
            bounds = {}
            for child in children:
                q = node.sign * child.total / child.visits if child.visits else max(-1, mean - fpu)
                if child.proven is None:
                    bounds[id(child)] = puct(q, child.prior, child.visits, node.visits, exploration)
            assert bounds[id(tree.best_child(node))] == pytest.approx(max(bounds.values()))


# --- proofs


@given(
    late_positions(small_boards, most_free_cells=7)
    | st.integers(1, 11).map(lambda target: begun(Race(target)))  # a player may move twice
    | st.booleans().map(lambda misere: begun(Nim(1, 2, 3, misere=misere)))  # or lose by a move
)
def test_small_games_are_solved(position: Position) -> None:
    tree = grown_tree(*position, 3000)
    assert tree.root.proven == BruteForce(position.env).value(position.state)


def test_a_game_of_chance_is_refused_in_a_sentence() -> None:
    env = ExplicitTree([ChanceNode([(0.5, 1), (0.5, -1)]), 0])
    with pytest.raises(ValueError, match="PUCT plays games without chance; choose mcts"):
        new_tree(env, ()).simulate()


# --- the root


def test_noise_is_mixed_into_the_priors_by_hand() -> None:
    tree = grown_tree(TREE, (), 1, evaluator=told(OPINIONS))
    tree.set_priors(noisy_priors(tree.root, {"l": 3.0, "r": 1.0}, share=0.25))
    priors = [child.prior for child in tree.root.children.values()]
    assert priors == [0.75 * 0.25 + 0.25 * 0.75, 0.75 * 0.75 + 0.25 * 0.25]
    # These could not be divided by their sum.
    assert noisy_priors(tree.root, {"l": 0.0, "r": 0.0}, share=1.0) == {"l": 0.5, "r": 0.5}


@pytest.mark.parametrize(
    ("considered", "simulations", "expected"),
    [
        (8, 24, [0] * 8 + [1] * 4 + [2] * 4 + [3, 3, 4, 4, 5, 5, 6, 6]),
        (8, 47, [0] * 8 + [1] * 4 + [2] * 4 + [3] * 4 + [n // 2 for n in range(8, 34)] + [17]),
        (8, 2, [0, 0]),
        (8, 13, [0] * 8 + [1] * 4 + [2]),
        (7, 24, [0] * 7 + [1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8]),
        (1, 16, list(range(16))),
    ],
)
def test_considered_visits_are_those_of_mctx(
    considered: int, simulations: int, expected: list[int]
) -> None:
    """The expectations of the authors' own test, `mctx/_src/tests/seq_halving_test.py`."""
    assert list(considered_visits(considered, simulations)) == expected


class Leaf(Node[None, Any]):
    """A node with given statistics."""

    def __init__(
        self,
        prior: float = 1.0,
        visits: int = 0,
        value: float = 0.0,
        proven: float | None = None,
        sign: int = 1,
    ) -> None:
        super().__init__(None, (), sign, proven)
        self.prior, self.visits, self.total = prior, visits, visits * value


def root_with(children: Mapping[Any, Leaf], evaluation: float, sign: int = 1) -> Leaf:
    root = Leaf(sign=sign)
    root.children, root.evaluation = dict(children), evaluation
    return root


def test_the_mixed_value_is_that_of_mctx() -> None:
    """The numbers of `mctx/_src/tests/qtransforms_test.py`, scaled so that values fit [-1, 1]."""
    priors = np.exp([-1.0, 2.0]) / np.exp([-1.0, 2.0]).sum()
    values = 0.1 * np.array([3.0, -1.0])
    children = {
        0: Leaf(0.0, 0),
        1: Leaf(priors[0], 4, values[0]),
        2: Leaf(priors[1], 4, values[1]),
        3: Leaf(0.0, 0),
    }
    expected = (-0.8 + 8 * float(priors @ values)) / 9
    assert mixed_value(root_with(children, -0.8)) == pytest.approx(expected)
    # Where nothing was searched it is the evaluation.
    assert mixed_value(root_with({0: Leaf(0.5), 1: Leaf(0.5)}, -0.3, sign=-1)) == 0.3


def improved_policy(node: Leaf) -> dict[Any, float]:
    """The softmax of the improved logits."""
    logits = improved_logits(node)
    weights = [exp(logit - max(logits.values())) for logit in logits.values()]
    return dict(zip(logits, normalised(weights), strict=True))


def test_the_improved_policy_by_hand() -> None:
    """Logits plus (50 + 3) q; the one that was not searched has the mixed value.

    It is (0.1 + 4 * (0.5 * 0.2 + 0.25 * 0.1) / 0.75) / 5 for priors 0.5, 0.25 and 0.25.
    """
    children = {"a": Leaf(0.5, 3, 0.2), "b": Leaf(0.25, 1, 0.1), "c": Leaf(0.25)}
    mixed = (0.1 + 4 * (0.5 * 0.2 + 0.25 * 0.1) / 0.75) / 5
    weights = [0.5 * exp(53 * 0.2), 0.25 * exp(53 * 0.1), 0.25 * exp(53 * mixed)]
    expected = [weight / sum(weights) for weight in weights]
    assert list(improved_policy(root_with(children, 0.1)).values()) == pytest.approx(expected)
    # A proven win takes all of it.
    children = {"a": Leaf(0.9, 3, 0.2), "b": Leaf(0.1, 1, proven=-1.0)}
    assert improved_policy(root_with(children, 0.1, sign=-1))["b"] == pytest.approx(1.0)


@given(
    st.lists(st.tuples(st.floats(0.01, 1), st.integers(0, 9), st.floats(-0.99, 0.99)), min_size=1),
    st.floats(-0.99, 0.99),
)
def test_the_improved_policy_improves(
    children: list[tuple[float, int, float]], evaluation: float
) -> None:
    """Section 4 of the paper: the policy's value, by the completed values, does not fall."""
    priors = normalised([prior for prior, _, _ in children])
    leaves = {
        number: Leaf(prior, visits, value)
        for number, (prior, (_, visits, value)) in enumerate(zip(priors, children, strict=True))
    }
    root = root_with(leaves, evaluation)
    mixed = mixed_value(root)
    completed = [value if visits else mixed for _, visits, value in children]
    improved = improved_policy(root)
    assert sum(improved.values()) == pytest.approx(1.0)
    before = sum(prior * q for prior, q in zip(priors, completed, strict=True))
    after = sum(improved[number] * q for number, q in enumerate(completed))
    assert after >= before - 1e-9


def test_the_best_of_few_is_found_by_halving_by_hand() -> None:
    """Of 7 even actions the Gumbel noise picks 6, 5, 4 and 3; three plies on, 4 seems best."""
    env, state = FIRST
    good = state_from_moves(env, "5")

    def evaluator(env: Any, state: Any) -> Any:
        return even(env, state)[0], 0.9 if state == good else 0.0

    tree = grown_tree(env, state, 1, evaluator=evaluator)
    halve_sequentially(tree, {column: float(column) / 10 for column in range(7)}, 4, 8, Clock())
    assert visits(tree.root) == {0: 0, 1: 0, 2: 0, 3: 1, 4: 3, 5: 1, 6: 3}
    merits = gumbel_merits(tree.root, dict.fromkeys(range(7), 0.0))
    assert max(merits, key=merits.__getitem__) == 4


@given(
    unfinished_positions(contested_games(largest=6)),
    st.integers(1, 9),
    st.integers(0, 60),
    st.integers(0, 99),
)
def test_halving_spends_its_budget_on_the_sample(
    position: Position, considered: int, simulations: int, seed: int
) -> None:
    tree = grown_tree(*position, 1, evaluator=opinionated)
    assume(tree.root.children)
    gumbel = gumbel_noise(position.env, seed)
    first = {a: gumbel[a] + log(child.prior) for a, child in tree.root.children.items()}
    done = halve_sequentially(tree, gumbel, considered, simulations, Clock())
    spent = visits(tree.root)
    assert sum(spent.values()) == done
    assert done == simulations or tree.root.proven is not None
    searched = {action for action, count in spent.items() if count}
    sample = sorted(first, key=first.__getitem__, reverse=True)[:considered]
    assert searched <= set(sample)
    if done >= considered:
        assert searched == set(sample)


@pytest.mark.parametrize("seed", range(6))
def test_halving_in_larger_rounds_grows_the_tree_of_single_simulations(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """One simulation at a time is how mctx proceeds."""
    trees = [grown_tree(*FIRST, 1, evaluator=opinionated) for _ in range(2)]
    for tree, most in zip(trees, (1, 1000), strict=True):
        monkeypatch.setattr("agents.policy.puct.MOST_AT_ONCE", most)
        noise = gumbel_noise(FIRST.env, seed)
        assert halve_sequentially(tree, noise, 3 + seed, 40 + 17 * seed, Clock()) == 40 + 17 * seed
    require_same(*trees)


def gumbel_noise(env: BoardGame, seed: int) -> dict[int, float]:
    drawn = np.random.default_rng(seed).gumbel(size=env.action_count)
    return dict(enumerate(drawn.tolist()))


def test_halving_stops_when_the_time_is_up() -> None:
    tree = grown_tree(*FIRST, 1)
    assert halve_sequentially(tree, dict.fromkeys(range(7), 0.0), 4, 50, Clock(0.0)) == 1
    assert tree.grow(50, Clock(0.0)) == 1


# --- the compiled search


class KernelEvaluator:
    """The network as its kernel sees a position and its image; weights, still to be normalised.

    Args:
        env: the game.
        seed: of the network.
    """

    def __init__(self, env: BoardGame, seed: int) -> None:
        self.network = random_policy(env, seed).network
        self._arrays = network_arrays(self.network, env)

    def __call__(self, env: Any, state: Any) -> Any:
        values = np.empty(2, np.float32)  # of these types the kernel is compiled anyway
        logits = np.empty((2, self.network.actions), np.float32)
        sides = [state, state.mirrored(env.rows, env.columns)]
        movers = np.array([side.mover for side in sides])
        masks = np.array([side.mask for side in sides])
        compiled(evaluate_positions)(self._arrays, movers, masks, logits, values)
        value = float(values.mean(dtype=np.float64))
        means = logits.astype(np.float64)
        means = (means[0] + means[1, mirrored_actions(env)]) / 2
        legal = env.get_available_actions(state)
        sensible = {a: float(means[a]) for a in sensible_actions(env, state, legal)}
        highest = max(sensible.values())
        weights = {action: exp(logit - highest) for action, logit in sensible.items()}
        return weights, value if state.player == 1 else -value


def facts(node: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """What is counted and proven in a tree, each node followed by its children in their order."""
    yield path, node.visits, node.proven, node.assured
    for action, child in node.children.items():
        yield from facts(child, (*path, action))


def fractions(node: Any) -> Iterator[float]:
    """The fractions in a tree, in the same order."""
    yield from (node.total, node.value, node.prior, node.evaluation)
    for child in node.children.values():
        yield from fractions(child)


def both_trees(
    position: Position, seed: int = 1, exploration: float = 1.5, fpu: float = 0.2
) -> tuple[AnyTree, Forest]:
    env, state = position
    evaluator = KernelEvaluator(env, seed)
    settings = PuctSettings(exploration, fpu)
    return (
        new_tree(env, state, evaluator, exploration, fpu),
        Forest([PuctTree(env, state, evaluator.network, settings)]),
    )


@pytest.mark.parametrize("env", [ConnectX(4, 5, 3), ConnectX(4, 26, 3)], ids=repr)
@pytest.mark.parametrize("make_policy", [random_policy, unrounded_policy])
def test_weights_are_of_the_types_that_the_proof_has_compiled(
    env: ConnectX, make_policy: Callable[[BoardGame, int], TrainedPolicy]
) -> None:
    """Of others, the first search would wait for the compiler on its own time, as it did.

    Rows of format 2, and sums of large boards, do not fit whole numbers of 16 bits.
    """
    network = make_policy(env, 1).network
    proof, searched = (
        [getattr(part, "dtype", type(part)) for part in network_arrays(each, env)]
        for each in (wavy_network(env, adds_whole_numbers(network, env)), network)
    )
    assert proof == searched


def test_rows_of_floats_have_a_compilation_of_their_own() -> None:
    env = ConnectX(4, 5, 3)
    policies = [random_policy(env, 1), unrounded_policy(env, 1), random_policy(env, 2)]
    whole, floats, other = (puct_on(env, policy.network) for policy in policies)
    assert whole is other
    assert whole is not floats


def require_same(tree: Any, other: Any) -> None:
    assert list(facts(tree.root)) == list(facts(other.root))
    assert list(fractions(tree.root)) == pytest.approx(list(fractions(other.root)), abs=1e-9)
    assert tree.nodes == other.nodes


@given(
    unfinished_positions(fitting_games),
    st.integers(0, 20),
    st.sampled_from([0.0, 1.5, 4.0]),
    st.sampled_from([0.0, 0.25, 2.0]),
    st.integers(1, 120),
    st.sampled_from(["quiet", "noisy"]) | st.integers(1, 9),
)
def test_the_compiled_search_grows_the_same_tree(
    position: Position, seed: int, exploration: float, fpu: float, simulations: int, root: str | int
) -> None:
    """With noise at the root, too, or so many actions that a Gumbel root considers."""
    noise = gumbel_noise(position.env, seed)
    trees = both_trees(position, seed, exploration, fpu)
    done = []
    for tree in trees:
        if root == "quiet" or not (tree.grow(1, Clock()) and tree.root.children):
            done.append(tree.grow(simulations, Clock()))
        elif isinstance(root, int):
            done.append(halve_sequentially(tree, noise, root, simulations, Clock()))
        else:
            positive = {action: abs(number) for action, number in noise.items()}
            tree.set_priors(noisy_priors(tree.root, positive, 0.5))
            done.append(tree.grow(simulations, Clock()))
    assert done[0] == done[1]
    require_same(*trees)


def test_the_same_source_grows_the_same_tree_in_plain_python() -> None:
    """On a board of all 64 bits, where numpy's scalars tell of a carry into the sign."""
    env = ConnectX(rows=7, columns=8, inarow=4)
    network, state = random_policy(env, 1).network, state_from_moves(env, "45544")
    trees = [
        Forest([PuctTree(env, state, network, PuctSettings(1.5, 0.2), plain)])
        for plain in (False, True)
    ]
    for tree in trees:
        tree.grow(20, Clock())
    assert list(facts(trees[0].root)) == list(facts(trees[1].root))


def test_a_pool_grows_and_keeps_what_is_below_the_new_root() -> None:
    """Two plies on, both engines go on from what they know."""
    env, state = FIRST
    trees = both_trees(FIRST)
    for tree in trees:
        tree.grow(200, Clock())
        assert tree.nodes > 800
    node: Any = trees[0].root
    for _ in range(2):
        action = max(visits(node), key=visits(node).__getitem__)
        node, state = node.children[action], env.get_next_state(state, action)
    for tree in trees:
        assert tree.descend(state)
    known = trees[0].root.visits
    assert known > 0
    require_same(*trees)
    for tree in trees:
        tree.grow(400, Clock())
        assert tree.root.visits == known + 400
    require_same(*trees)


def test_a_full_pool_evaluates_its_leaves_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.compiled.pooled_trees.LARGEST_POOL", 100)
    _, pooled = both_trees(FIRST)
    assert pooled.grow(400, Clock()) == 400
    assert pooled.nodes <= 100
    assert pooled.root.visits == 400
