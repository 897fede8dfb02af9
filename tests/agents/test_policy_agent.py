"""A trained policy as an agent: its network, its file, its choices, its bundle."""

import pickle
from collections import Counter
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents import make_agent
from agents.policy.network import (
    PolicyNetwork,
    TrainedPolicy,
    decode_policy,
    encode_policy,
    evaluate_network,
)
from agents.policy.policy_agent import PolicyAgent, position_planes
from agents.registry import JsonValue
from envs import ConnectFour, ConnectX, TicTacToe, state_from_moves
from envs.board import BoardGame
from submission.bundle.bundle import build_bundle
from submission.kaggle import kaggle_environments
from tests.helpers.shell import Shell
from tests.helpers.small_games import Nim
from tests.helpers.strategies import Position, board_games, unfinished_positions
from tests.helpers.trained_policies import random_policy

FOUR = ConnectFour()


def policy_agent(env: BoardGame, **options: Any) -> PolicyAgent:
    return PolicyAgent(encode_policy(random_policy(env, seed=1)), **options)


def saved_policy(folder: Path, env: BoardGame = FOUR) -> str:
    path = folder / "policy.npz"
    path.write_bytes(encode_policy(random_policy(env, seed=1)))
    return str(path)


# --- the network


@given(seed=st.integers(0, 1000), positions=st.integers(1, 9))
@settings(max_examples=25)
def test_the_network_computes_what_pytorch_computes(seed: int, positions: int) -> None:
    torch = pytest.importorskip("torch")
    network = random_policy(FOUR, seed).network
    planes = np.random.default_rng(seed).integers(2, size=(positions, 2, 6, 7))
    logits, values = evaluate_network(network, planes)
    hidden = torch.tensor(planes, dtype=torch.float32).flatten(start_dim=1)
    for layer in network.trunk:
        linear = torch.nn.functional.linear(hidden, *map(torch.tensor, _torch_layout(*layer)))
        hidden = torch.nn.functional.relu(linear)
    for head, found in ((network.policy, logits), (network.value, values[:, np.newaxis])):
        expected = torch.nn.functional.linear(hidden, *map(torch.tensor, _torch_layout(*head)))
        np.testing.assert_allclose(found, expected.numpy(), rtol=1e-3, atol=1e-3)
    assert logits.dtype == values.dtype == np.float32


def _torch_layout(weights: Any, biases: Any) -> tuple[Any, Any]:
    return weights.T.copy(), biases


@given(position=unfinished_positions(board_games(largest=8)))
def test_the_network_sees_what_a_learner_sees(position: Position) -> None:
    observations = pytest.importorskip("envs.learning.observations")
    env, state = position
    seen = observations.Planes(env).observe(state, viewer=state.player)
    np.testing.assert_array_equal(position_planes(env, state), seen)


def test_the_planes_are_the_movers_stones_and_the_others() -> None:
    planes = position_planes(FOUR, state_from_moves(FOUR, "445"))
    assert planes.shape == (2, 6, 7)
    assert np.argwhere(planes[0]).tolist() == [[4, 3]]  # player 2 is to move
    assert np.argwhere(planes[1]).tolist() == [[5, 3], [5, 4]]


# --- the file


@given(seed=st.integers(0, 100), widths=st.lists(st.integers(1, 9), min_size=1, max_size=3))
@settings(max_examples=25)
def test_a_file_gives_back_the_policy(seed: int, widths: list[int]) -> None:
    policy = random_policy(TicTacToe(), seed, tuple(widths))
    scope, network = decode_policy(encode_policy(policy))
    assert scope == policy.scope
    assert len(network.trunk) == len(widths)
    for layer, expected in zip(network.layers, policy.network.layers, strict=True):
        for array, expected_array in zip(layer, expected, strict=True):
            np.testing.assert_array_equal(array, expected_array)


def test_numpy_alone_reads_a_file() -> None:
    policy = random_policy(FOUR, seed=1)
    with np.load(BytesIO(encode_policy(policy)), allow_pickle=False) as arrays:
        assert arrays["scope"].tolist() == [6, 7, 4, 7]
        assert arrays["trunk_0_weights"].shape == (84, 12)
        np.testing.assert_array_equal(arrays["value_biases"], policy.network.value.biases)


def archive(**arrays: Any) -> bytes:
    file = BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def changed(**arrays: Any) -> bytes:
    """A policy's file with other arrays in it; those that are None are left out."""
    with np.load(BytesIO(encode_policy(random_policy(FOUR, seed=1)))) as known:
        merged = {**known, **arrays}
    return archive(**{name: array for name, array in merged.items() if array is not None})


def single_array() -> bytes:
    file = BytesIO()
    np.save(file, np.zeros(3))
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "this is no trained policy: train one with `connectx train`"),
        (b"PK\x03\x04 but no archive", "this is no trained policy"),
        (encode_policy(random_policy(FOUR, seed=1))[:-40], "this is no trained policy"),
        (single_array(), "this is no trained policy"),
        (archive(weights=np.zeros(3)), "this is no trained policy"),
        (archive(format=np.array([{}], dtype=object)), "this is no trained policy"),
        (changed(format=2), "has version 2 of the format, and 1 is read"),
        (changed(scope=np.array([6, 7, 4])), "this trained policy is damaged"),
        (changed(scope=None), "this trained policy is damaged"),
        (changed(scope=np.array([6, 7, 4, 9])), "8 inputs and 9 outputs has other shapes"),
        (changed(trunk_0_weights=None), "this trained policy is damaged"),
        (changed(policy_biases=None), "this trained policy is damaged"),
        (changed(value_biases=np.zeros(2, np.float32)), "8 inputs and 1 outputs has other shapes"),
        (changed(value_biases=np.zeros(1)), "a weight is no finite float32 number"),
        (changed(value_biases=np.full(1, np.nan, np.float32)), "a weight is no finite float32"),
    ],
)
def test_a_file_of_something_else_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PolicyAgent(content)


# --- the choice


@given(position=unfinished_positions(board_games(largest=8)), seed=st.integers(0, 50))
def test_the_preferred_legal_action_is_played(position: Position, seed: int) -> None:
    env, state = position
    policy = random_policy(env, seed)
    result = PolicyAgent(encode_policy(policy)).search(env, state)
    logits, values = evaluate_network(policy.network, position_planes(env, state)[np.newaxis])
    legal = env.get_available_actions(state)
    assert result.action == max(legal, key=lambda action: logits[0, action])
    assert -1.0 < result.value < 1.0
    assert result.value * float(values[0]) * (1 if state.player == 1 else -1) >= 0


def test_a_temperature_draws_in_proportion() -> None:
    """The policy's last layer is all there is to see of it: 1/2 for column 0, 1/12 elsewhere."""
    policy = random_policy(FOUR, seed=1)
    chances = np.array([1 / 2] + [1 / 12] * 6)
    head = policy.network.policy
    constant = head._replace(
        weights=np.zeros_like(head.weights), biases=(2 * np.log(chances)).astype(np.float32)
    )
    content = encode_policy(
        TrainedPolicy(
            policy.scope, PolicyNetwork(policy.network.trunk, constant, policy.network.value)
        )
    )
    agent = PolicyAgent(content, temperature=2.0, seed=5)
    drawn = Counter(agent.act(FOUR, FOUR.initial_state()) for _ in range(6000))
    assert sorted(drawn) == list(range(7))
    for action, chance in enumerate(chances):
        spread = (6000 * chance * (1 - chance)) ** 0.5
        assert abs(drawn[action] - 6000 * chance) < 5 * spread


def test_a_seed_repeats_the_draws() -> None:
    def drawn(seed: int | None) -> list[int]:
        agent = policy_agent(FOUR, temperature=20.0, seed=seed)
        return [agent.act(FOUR, FOUR.initial_state()) for _ in range(40)]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)
    assert drawn(None) != drawn(None)


def test_an_agent_may_be_sent_to_other_processes() -> None:
    agent = policy_agent(FOUR)
    copy = pickle.loads(pickle.dumps(agent))
    assert copy == agent
    state = state_from_moves(FOUR, "4453")
    assert copy.search(FOUR, state).value == agent.search(FOUR, state).value


@pytest.mark.parametrize("env", [ConnectX(6, 8), ConnectX(6, 7, inarow=5), TicTacToe(), Nim(2, 3)])
def test_other_games_are_refused(env: Any) -> None:
    with pytest.raises(
        ValueError, match=r"trained for 6 rows, 7 columns, 4 in a row and 7 actions"
    ):
        policy_agent(FOUR).act(env, env.initial_state())


def test_tic_tac_toe_is_not_stones_that_fall_on_as_small_a_board() -> None:
    env = ConnectX(3, 3, inarow=3)
    assert policy_agent(env).act(env, env.initial_state()) in range(3)
    with pytest.raises(ValueError, match="cannot play TicTacToe"):
        policy_agent(env).act(TicTacToe(), TicTacToe().initial_state())


def test_a_finished_game_is_nothing_to_play() -> None:
    with pytest.raises(ValueError, match="the game is over"):
        policy_agent(FOUR).act(FOUR, state_from_moves(FOUR, "1212121"))


# --- by name, and as a submission


def test_it_is_made_by_name_from_a_path(tmp_path: Path) -> None:
    agent = make_agent("policy", file=saved_policy(tmp_path), seed=3)
    assert agent.act(FOUR, FOUR.initial_state()) == policy_agent(FOUR).act(
        FOUR, FOUR.initial_state()
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "option file of agent policy has no default: give it a value (a trained policy"),
        (("--option", "file=absent.npz"), "cannot read absent.npz (No such file"),
        (("--option", "file=text.npz"), "this is no trained policy: train one with"),
        (("--option", "file=3"), "option file of agent policy is str or bytes, not 3"),
    ],
)
def test_what_is_no_policy_is_said_in_one_line(
    words: tuple[str, ...], message: str, shell: Shell
) -> None:
    Path("text.npz").write_text("some text")
    outcome = shell.run("build", "policy", *words)
    assert outcome.status == 2
    assert message in outcome.stderr
    assert outcome.stderr.count("\n") == 1


def test_the_agents_are_listed_with_the_policy(shell: Shell) -> None:
    listing = shell.run("agents").stdout
    assert "file=FILE" in listing
    assert "`connectx train`" in listing


def test_a_bundle_carries_the_file(tmp_path: Path) -> None:
    """It plays as the agent does, on Kaggle's own loader, when the file is gone."""
    path = Path(saved_policy(tmp_path))
    text = build_bundle("policy", {"file": str(path)})
    agent = PolicyAgent(str(path))
    path.unlink()
    picked = kaggle_environments().agent.get_last_callable(text)
    for moves in ("", "4", "4453", "444444", "1122335"):
        state = state_from_moves(FOUR, moves)
        observation = {"board": FOUR.to_board(state), "mark": state.player}
        action = picked(observation, {})
        assert type(action) is int
        assert action == agent.act(FOUR, state)


def test_a_bundle_is_the_same_for_the_same_file(tmp_path: Path) -> None:
    options: dict[str, JsonValue] = {"file": saved_policy(tmp_path), "temperature": 0.5, "seed": 1}
    text = build_bundle("policy", options)
    assert text == build_bundle("policy", options)
    assert f"PolicyAgent(file={options['file']!r}, temperature=0.5, seed=1)" in text
    assert "PolicyAgent(file=_FILE, temperature=0.5, seed=1)" in text
    assert max(map(len, text.splitlines())) < 250


@pytest.mark.parametrize("seat", [1, 2])
def test_a_bundle_plays_whole_games_on_kaggle(seat: int, tmp_path: Path) -> None:
    path = tmp_path / "submission.py"
    path.write_text(build_bundle("policy", {"file": saved_policy(tmp_path), "seed": 1}))
    players = [str(path), "random"] if seat == 1 else ["random", str(path)]
    env = kaggle_environments().make("connectx")
    env.run(players)
    assert [seat.status for seat in env.state] == ["DONE", "DONE"]
    assert all(log.get("stderr", "") == "" for logs in env.logs for log in logs)
