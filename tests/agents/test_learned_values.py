"""Learned values at the leaves: what they are, and that both engines of a search see the same."""

import pickle
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from io import BytesIO
from random import Random
from typing import Any, NoReturn

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents import AlphaBetaAgent, MCTSAgent, make_agent, parallel_search
from agents.agent import Clock
from agents.compiled.compiled_mcts import UctTree
from agents.compiled.learned_value import LearnedValue
from agents.compiled.pooled_trees import Forest
from agents.guidance.ordering import safe_actions, winning_action
from agents.mcts import TreeSettings
from agents.networks.network import TrainedPolicy, encode_policy, evaluate_network
from agents.networks.shipped import StoredPolicy
from envs import BoardGame, ConnectFour, ConnectX, TicTacToe
from tests.helpers.strategies import (
    WIDE_BOARDS,
    Position,
    contested_games,
    random_game,
    unfinished_positions,
)
from tests.helpers.trained_policies import random_policy, unrounded_policy

SETTINGS = TreeSettings(
    exploration=1.0, rollouts_per_leaf=1, solver=True, decisive_moves=True, decisive_rollout=False
)
contested_positions = unfinished_positions(contested_games(7))


@given(contested_positions, st.integers(0, 9))
def test_a_value_is_what_two_plies_show_or_else_the_networks(position: Position, seed: int) -> None:
    env, state = position
    policy = random_policy(env, seed)
    actions = env.get_available_actions(state)
    sign = 1 if state.player == 1 else -1
    value = sign * LearnedValue(policy)(env, state)
    assert -1.0 < value < 1.0
    if winning_action(env, state, actions):
        assert value > 0.999
    elif not safe_actions(env, state, actions):
        assert value < -0.999
    else:
        _, values = evaluate_network(policy.network, env, [state])
        assert value == pytest.approx(float(np.clip(values[0], -0.99, 0.99)), abs=1e-4)


@given(contested_positions, st.integers(0, 9), st.integers(1, 4))
@settings(max_examples=30)
def test_alpha_beta_finds_the_same_compiled(position: Position, seed: int, depth: int) -> None:
    env, state = position
    weights = encode_policy(random_policy(env, seed))
    options: dict[str, Any] = {"depth": depth, "time_limit": None, "weights": weights}
    expected = AlphaBetaAgent(heuristic="learned", engine="reference", **options).search(env, state)
    found = AlphaBetaAgent(heuristic="learned", engine="compiled", **options).search(env, state)
    assert (found.value, found.action, found.depth) == (
        expected.value,
        expected.action,
        expected.depth,
    )


QUICK: dict[str, dict[str, Any]] = {
    "alphabeta": {"depth": 3, "time_limit": None},
    "mcts": {"simulations": 50, "seed": 1, "keep_tree": False},
}
NAMED: dict[str, dict[str, Any]] = {
    "alphabeta": {"heuristic": "open_lines"},
    "mcts": {"rollout": "decisive"},
}
"""What `auto` means without weights, compiled."""


def values_of(name: str, env: BoardGame, **options: Any) -> Mapping[int, float]:
    agent = make_agent(name, **QUICK[name], **options)
    return agent.search(env, env.initial_state()).action_values


@pytest.mark.parametrize("name", QUICK)
def test_by_default_weights_serve_the_game_that_they_were_trained_for(name: str) -> None:
    fitting, other = ConnectX(4, 5, 3), ConnectX(5, 4, 3)
    weights = encode_policy(random_policy(fitting, 1))
    for env, same in ((fitting, False), (other, True)):
        assert (values_of(name, env, weights=weights) == values_of(name, env)) == same


@pytest.mark.parametrize("name", QUICK)
def test_in_connect_four_the_shipped_weights_are_the_default_where_it_is_compiled(
    name: str,
) -> None:
    use = "heuristic" if name == "alphabeta" else "rollout"
    values = partial(values_of, name, ConnectFour())
    assert values() == values(**{use: "learned"}, weights="distilled")
    assert values() != values(weights=None) == values(**NAMED[name], weights=None)
    assert values(weights=None) == values(**NAMED[name])
    assert values(engine="reference") == values(engine="reference", weights=None)


@pytest.mark.parametrize("name", QUICK)
def test_games_that_the_default_weights_do_not_know_are_played_without(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.networks.shipped.decode_policy", refuse)
    for env in (TicTacToe(), ConnectX(4, 5, 3), WIDE_BOARDS[0]):
        assert values_of(name, env) == values_of(name, env, weights=None)


def refuse(content: bytes) -> TrainedPolicy:
    raise AssertionError("nobody needs these weights")


def nowhere(package: str) -> NoReturn:
    raise ModuleNotFoundError(package)


def test_a_bundle_without_its_weights_does_without_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in an agent of a user's own, which makes another agent."""
    monkeypatch.setattr("agents.package_file.files", nowhere)
    values = partial(values_of, "alphabeta", ConnectFour())
    assert values() == values(heuristic="open_lines")
    with pytest.raises(OSError, match=r"distilled\.npz comes with the package"):
        values(heuristic="learned")


@pytest.mark.parametrize("name", QUICK)
def test_an_agent_goes_to_a_worker_without_its_network(name: str) -> None:
    assert len(pickle.dumps(make_agent(name))) < 10_000


@pytest.mark.parametrize(
    ("name", "options", "sentence"),
    [
        ("alphabeta", {"heuristic": "learned"}, "cannot play TicTacToe"),
        ("alphabeta", {"heuristic": "learned", "weights": None}, "heuristic=learned needs weights"),
        ("mcts", {"rollout": "learned", "weights": None}, "rollout=learned needs weights"),
    ],
)
def test_learned_values_need_weights_for_the_game(
    name: str, options: dict[str, Any], sentence: str
) -> None:
    weights = encode_policy(random_policy(ConnectFour(), 1))
    with pytest.raises(ValueError, match=sentence):
        make_agent(name, **{"weights": weights, **options}).act(
            TicTacToe(), TicTacToe().initial_state()
        )


def file_of_format_2(env: BoardGame) -> bytes:
    """A file with random weights, which are not rounded."""
    scope, network = unrounded_policy(env, 1)
    arrays: dict[str, Any] = network._asdict()
    bits, lines = (env.rows + 1) * env.columns, len(env.winning_lines)
    arrays["features"] = network.features[: 7 * bits + 1 + 2 * lines * (env.inarow - 1)]
    file = BytesIO()
    np.savez(file, format=2, scope=scope, **arrays)
    return file.getvalue()


def file_of_format_3(env: BoardGame) -> bytes:
    return encode_policy(random_policy(env, 1))


@pytest.mark.parametrize("make_file", [file_of_format_2, file_of_format_3])
def test_weights_are_of_the_types_that_the_proofs_have_compiled(
    make_file: Callable[[BoardGame], bytes],
) -> None:
    """Of others, the first search would wait for the compiler on its own time, as it did."""
    env = ConnectFour()
    searched = LearnedValue(StoredPolicy(make_file(env)))
    proof = LearnedValue.of_stones(env, searched.is_rounded)
    kinds = [
        [getattr(part, "dtype", type(part)) for part in value.arrays(env)]
        for value in (proof, searched)
    ]
    assert kinds[0] == kinds[1]


@pytest.mark.parametrize("make", [AlphaBetaAgent, MCTSAgent])
def test_a_network_of_floats_has_a_compilation_of_its_own(
    make: type[AlphaBetaAgent | MCTSAgent],
) -> None:
    env = ConnectFour()
    rounded = make(weights=file_of_format_3(env)).compilation(env)
    assert rounded is make().compilation(env)
    assert rounded is not make(weights=file_of_format_2(env)).compilation(env)


def test_threads_of_a_forest_have_memory_of_their_own() -> None:
    """Two trees of four threads each, of the same streams, are the same."""
    env = ConnectFour()
    learned = LearnedValue(random_policy(env, 1))
    grown = []
    for _ in range(2):
        root = env.initial_state()
        forest = Forest([UctTree(env, root, SETTINGS, n, learned=learned) for n in (1, 2, 3, 4)])
        forest.grow(1000, Clock())
        children = forest.root.children
        grown.append([(children[column].visits, children[column].total) for column in range(7)])
    assert grown[0] == grown[1]


@pytest.fixture
def crowded(monkeypatch: pytest.MonkeyPatch) -> Iterator[ThreadPoolExecutor]:
    """Threads that interrupt each other in the middle of a guess, which plain Python makes."""
    monkeypatch.setattr("agents.compiled.learned_value.compiles", lambda: False)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(3) as threads:
            yield threads
    finally:
        sys.setswitchinterval(interval)


def test_a_parallel_search_asks_by_threads_what_one_asks(crowded: ThreadPoolExecutor) -> None:
    env = ConnectX(5, 6)
    weights = encode_policy(random_policy(env, 1))
    agent = AlphaBetaAgent(1, heuristic="learned", engine="reference", weights=weights)
    for state in random_game(env, Random(2))[:10]:
        expected = agent.search(env, state)
        found = parallel_search(agent, env, state, crowded, workers=3)
        assert found.action_values == expected.action_values


def test_a_copy_leaves_the_memory_behind() -> None:
    env = ConnectX(4, 5, 3)
    learned = LearnedValue(random_policy(env, 1))
    unused = pickle.dumps(learned)
    value = learned(env, env.initial_state())
    assert len(pickle.dumps(learned)) == len(unused)
    assert pickle.loads(pickle.dumps(learned))(env, env.initial_state()) == value
