"""A trained policy as an agent: its network, its file, its choices, its bundle."""

from collections import Counter
from io import BytesIO
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.networks import network_kernel
from agents.networks.features import feature_board
from agents.networks.network import (
    Floats,
    TrainedPolicy,
    decode_policy,
    encode_policy,
    evaluate_network,
    features_of,
)
from agents.networks.network_kernel import evaluate_many, network_arrays, rows_in_steps
from agents.policy import policy_kernel
from agents.policy.policy_agent import (
    CLOSE,
    DECIDED,
    VALUE_WEIGHT,
    PolicyAgent,
    averaged,
    drawn_action,
    favourite_actions,
)
from agents.policy.policy_kernel import policy_opponent
from envs import ConnectFour, ConnectX, TicTacToe
from envs.bitboard import fits_in_wide_word, fits_in_word
from envs.board import BoardGame, BoardState
from envs.compiled.random_stream import stream_of_seed
from tests.helpers.strategies import (
    Position,
    board_games,
    mirrored,
    random_game,
    unfinished_positions,
)
from tests.helpers.trained_policies import random_policy, unrounded_policy

FOUR = ConnectFour()


def policy_agent(env: BoardGame, **options: Any) -> PolicyAgent:
    return PolicyAgent(encode_policy(random_policy(env, seed=1)), **options)


# --- the network


@given(position=unfinished_positions(board_games(largest=8)), seed=st.integers(0, 50))
@settings(max_examples=25)
def test_the_network_computes_what_pytorch_computes(position: Position, seed: int) -> None:
    torch = pytest.importorskip("torch")
    env, state = position
    network = random_policy(env, seed).network
    board = feature_board(env)
    holding = torch.zeros(board.features)
    holding[features_of(board, state)] = 1.0
    features, bias, dense, dense_bias, outputs = map(torch.tensor, network)
    first = holding @ features + bias
    direct, hidden = first[: network.actions + 1], first[network.actions + 1 :]
    second = torch.relu(torch.relu(hidden) @ dense + dense_bias)
    expected = direct + second @ outputs
    logits, values = evaluate_network(network, env, [state])
    np.testing.assert_allclose(logits[0], expected[:-1].numpy(), rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(values[0], torch.tanh(expected[-1]).numpy(), rtol=1e-3, atol=1e-3)
    assert logits.dtype == values.dtype == np.float32


@given(
    position=unfinished_positions(board_games(largest=8)),
    seed=st.integers(0, 50),
    rounded=st.booleans(),
)
def test_many_positions_are_evaluated_as_one_is(
    position: Position, seed: int, rounded: bool
) -> None:
    env, state = position
    # Wide words are compiled for weights from files alone: seconds for each kind.
    rounded = rounded or not fits_in_word(*env.size)
    network = (random_policy if rounded else unrounded_policy)(env, seed).network
    if fits_in_wide_word(*env.size):
        kind = np.int16 if rounded else np.float32
        assert network_arrays(network, env).features.dtype == kind
    one = evaluate_network(network, env, [state, state])
    many = evaluate_many(network, env, [state, state])
    for expected, found in zip(one, many, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)


LARGEST_SUM = np.array([[1.0], [20_000.0], [-12_766.0]], np.float32)


@pytest.mark.parametrize(
    ("features", "most"),
    [
        (random_policy(FOUR, seed=1).network.features, 100),
        (LARGEST_SUM, 3),
        (LARGEST_SUM * 2, 3),  # with a step twice as large
    ],
    ids=["of a file", "the largest sum", "twice as large"],
)
def test_rows_as_whole_numbers_are_the_rows(features: Any, most: int) -> None:
    rows, step = rows_in_steps(features, most)
    assert rows.dtype == np.int16
    np.testing.assert_array_equal(rows * step, features)
    assert (rows % 2).any()  # the step is as large as can be


@pytest.mark.parametrize(
    ("features", "most"),
    [
        (np.full((4, 2), 0.1, np.float32), 2),
        (np.zeros((4, 2), np.float32), 2),
        (np.array([[1.0], [20_000.0], [-12_767.0]], np.float32), 3),
    ],
    ids=["of no step", "nothing but zeros", "sums too large"],
)
def test_other_rows_stay_floats(features: Any, most: int) -> None:
    rows, step = rows_in_steps(features, most)
    assert rows is features
    assert step == 1


def test_rows_are_looked_at_once_for_each_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches ask for arrays with each move; equal weights of another network are others."""
    asked = list[int]()

    def counted(features: Any, most: int) -> tuple[Any, Any]:
        asked.append(id(features))
        return rows_in_steps(features, most)

    monkeypatch.setattr(network_kernel, "rows_in_steps", counted)
    networks = [random_policy(FOUR, seed=1).network for _ in range(10)]
    for network in (*networks, *networks):
        network_arrays(network, FOUR)
    assert asked == [id(network.features) for network in networks]


# --- the file


@given(seed=st.integers(0, 100), widths=st.tuples(st.integers(0, 9), st.integers(0, 9)))
@settings(max_examples=25)
def test_a_file_gives_back_the_policy_but_for_rounded_features(
    seed: int, widths: tuple[int, int]
) -> None:
    policy = unrounded_policy(TicTacToe(), seed, widths)
    scope, network = decode_policy(encode_policy(policy))
    assert scope == policy.scope
    features = policy.network.features
    for name, array in network._asdict().items():
        expected = getattr(policy.network, name)
        rounding = features.std() / 32 if name == "features" else 0
        np.testing.assert_allclose(array, expected, rtol=0, atol=rounding)
        assert array.dtype == expected.dtype


def test_numpy_alone_reads_a_file() -> None:
    policy = random_policy(FOUR, seed=1)
    with np.load(BytesIO(encode_policy(policy)), allow_pickle=False) as arrays:
        assert arrays["scope"].tolist() == [6, 7, 4, 7]
        assert arrays["dense"].shape == (12, 8)
        np.testing.assert_array_equal(arrays["bias"], policy.network.bias)


def test_arrays_are_read_in_the_order_of_c() -> None:
    """For others a search would be compiled anew, on its own time."""
    content, file = encode_policy(random_policy(FOUR, seed=1)), BytesIO()
    with np.load(BytesIO(content)) as arrays:
        others: dict[str, Any] = {name: array.copy("F") for name, array in arrays.items()}
    np.savez(file, **others)
    network = decode_policy(file.getvalue()).network
    assert all(array.flags.c_contiguous for array in network)
    np.testing.assert_array_equal(network.dense, decode_policy(content).network.dense)


# --- the choice


def merits_by_hand(
    policy: TrainedPolicy, env: BoardGame, state: BoardState, logits: Floats
) -> dict[int, float]:
    """The merits of the legal actions near the best, one by one."""
    legal = env.get_available_actions(state)
    most = max(float(logits[action]) for action in legal)
    _, values = averaged(evaluate_network, policy.network, env, [state])
    margin = 0.0 if abs(values[0]) >= DECIDED else CLOSE
    merits = {action: float(logits[action]) for action in legal if logits[action] >= most - margin}
    if len(merits) > 1:
        for action in merits:
            after = env.get_next_state(state, action)
            if env.winner(after):
                merits[action] += VALUE_WEIGHT
            elif env.get_available_actions(after):
                images = sorted([after, after.mirrored(env.rows, env.columns)])
                _, values = evaluate_network(policy.network, env, images)
                merits[action] -= VALUE_WEIGHT * float(values[0])
    return merits


@given(position=unfinished_positions(board_games(largest=8)), seed=st.integers(0, 50))
def test_the_favourite_legal_action_is_played(position: Position, seed: int) -> None:
    env, state = position
    content = encode_policy(random_policy(env, seed))
    policy = decode_policy(content)
    result = PolicyAgent(content).search(env, state)
    logits, values = averaged(evaluate_network, policy.network, env, [state])
    merits = merits_by_hand(policy, env, state, logits[0])
    assert merits[result.action] == pytest.approx(max(merits.values()), abs=1e-3)
    assert 1 <= result.nodes <= 1 + len(merits)
    actions, *_ = favourite_actions(evaluate_many, policy.network, env, [state, state])
    assert [merits[action] for action in actions] == pytest.approx(
        [max(merits.values())] * 2, abs=1e-3
    )
    assert -1.0 < result.value < 1.0
    assert result.value * float(values[0]) * (1 if state.player == 1 else -1) >= 0


@given(
    position=unfinished_positions(board_games(largest=8)),
    temperature=st.sampled_from([0.0, 0.5, 2.0]),
    seed=st.integers(0, 2**40),
)
def test_the_kernel_chooses_as_the_agent(position: Position, temperature: float, seed: int) -> None:
    """In plain Python; with a temperature both draw the same numbers."""
    env, state = position
    policy = random_policy(env, seed=4)
    kernel = policy_opponent(policy.network, temperature, None, env)
    if kernel is None:
        assert not fits_in_wide_word(env.rows, env.columns, env.inarow)
        return
    agent = PolicyAgent(encode_policy(policy), temperature, seed)
    kernel = policy_opponent(agent.policy.network, temperature, None, env)
    assert kernel is not None
    tables, stream = kernel.tables(2), stream_of_seed(seed)
    logits = averaged(evaluate_network, agent.policy.network, env, [state])[0][0]
    merits = merits_by_hand(agent.policy, env, state, logits) if temperature == 0 else logits
    for _ in range(3):
        action, stream = kernel.reply(tables, 1, stream, state.mover, state.mask)
        assert action in env.get_available_actions(state)
        expected = agent.act(env, state)
        assert float(merits[action]) == pytest.approx(float(merits[expected]), abs=1e-3)


def test_what_the_kernel_remembers_is_of_the_same_position(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where two places serve all positions, so that they take each other's again and again."""
    monkeypatch.setattr(policy_kernel, "PLACES", 2)
    env, rng = ConnectX(4, 5, 3), Random(1)
    agent = policy_agent(env, temperature=0.5, seed=3)
    kernel = policy_opponent(agent.policy.network, 0.5, None, env)
    assert kernel is not None
    tables, stream = kernel.tables(1), stream_of_seed(3)
    states = [rng.choice(random_game(env, rng)[:-1]) for _ in range(6)]
    for state in rng.choices([env.initial_state(), *states], k=60):
        action, stream = kernel.reply(tables, 0, stream, state.mover, state.mask)
        assert action == agent.act(env, state)


def board_in_a_mirror(env: BoardGame, board: list[int]) -> list[int]:
    rows = np.array(board).reshape(env.rows, env.columns)
    return [int(cell) for cell in rows[:, ::-1].ravel()]


@given(position=unfinished_positions(board_games(largest=8)))
def test_mirror_images_are_worth_the_same(position: Position) -> None:
    """The logits of the mirror image, by the flat board turned round, are those turned round."""
    env, state = position
    network = random_policy(env, seed=4).network
    image = mirrored(env, state)
    logits, values = averaged(evaluate_network, network, env, [state, image])
    of_cells = len(env.action_cells) == env.rows * env.columns
    actions = list(range(len(env.action_cells)))
    turned = board_in_a_mirror(env, actions) if of_cells and env.rows > 1 else actions[::-1]
    np.testing.assert_allclose(logits[0], logits[1, turned], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(values[0], values[1], rtol=1e-4, atol=1e-4)
    single = evaluate_network(network, env, [state, image])
    expected = (single[0][0] + single[0][1, turned]) / 2
    np.testing.assert_allclose(logits[0], expected, rtol=1e-4, atol=1e-4)


def test_draws_are_places_in_the_sum_of_the_chances() -> None:
    """Chances 1/2, 0, 1/4 and 1/4; no draw takes what has no chance."""
    chances = np.array([0.5, 0.0, 0.25, 0.25])
    draws = [0.0, 0.49, 0.5, 0.74, 0.75, np.nextafter(1, 0)]
    assert [drawn_action(chances, draw) for draw in draws] == [0, 0, 2, 2, 3, 3]


CHANCES = np.array([0.3, 0.05, 0.1, 0.1, 0.1, 0.05, 0.3])


def biased_policy() -> TrainedPolicy:
    """A network that is its bias alone, the same in a mirror: at temperature 2, `CHANCES`."""
    scope, network = random_policy(FOUR, seed=1, widths=(0, 0))
    bias = np.array([*(2 * np.log(CHANCES)), 0.0], np.float32)
    features = np.zeros_like(network.features)
    return TrainedPolicy(scope, network._replace(bias=bias, features=features))


def test_a_temperature_draws_in_proportion() -> None:
    agent, count = PolicyAgent(encode_policy(biased_policy()), temperature=2.0, seed=5), 300
    drawn = Counter(agent.act(FOUR, FOUR.initial_state()) for _ in range(count))
    for action, chance in enumerate(CHANCES):
        spread = (count * chance * (1 - chance)) ** 0.5
        assert abs(drawn[action] - count * chance) < 5 * spread
    told = agent.chances(FOUR, FOUR.initial_state())
    assert told == pytest.approx(dict(enumerate(CHANCES)), abs=1e-3)
