"""The agent of a bundle without the bundle is the one in the bundle."""

import sys
from pathlib import Path
from typing import Any

import pytest

from agents.policy.network import encode_policy
from agents.registry import REGISTERED
from envs import ConnectFour, state_from_moves
from submission.bundle.bundle import build_bundle, unbundled_agent
from submission.entry import KagglePlayer
from tests.helpers.trained_policies import random_policy


def bundled_player(name: str, options: dict[str, Any]) -> Any:
    """What the text of a bundle makes, loaded as Kaggle loads it."""
    namespace: dict[str, Any] = {}
    exec(build_bundle(name, options), namespace)
    return namespace["_PLAYER"]


def bundled_agent(name: str, options: dict[str, Any]) -> Any:
    return bundled_player(name, options)._make_agent()


@pytest.mark.parametrize("name", REGISTERED)
def test_limits_that_are_left_open_are_lifted(name: str) -> None:
    assert repr(unbundled_agent(name, {})()) == repr(bundled_agent(name, {}))


def test_limits_that_are_given_are_kept() -> None:
    options: dict[str, Any] = {"simulations": 7, "seed": 1}
    assert repr(unbundled_agent("mcts", options)()) == repr(bundled_agent("mcts", options))


def test_the_content_of_a_file_takes_the_place_of_its_path(tmp_path: Path) -> None:
    file = tmp_path / "trained.npz"
    file.write_bytes(encode_policy(random_policy(ConnectFour(), seed=1)))
    options: dict[str, Any] = {"weights": str(file), "temperature": 0.5}
    assert repr(unbundled_agent("policy", options)()) == repr(bundled_agent("policy", options))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("greedy", {}),
        ("expectimax", {"depth": 2}),
        ("alphabeta", {"depth": 4}),
        ("mcts", {"simulations": 100, "seed": 3}),
    ],
)
def test_a_bundle_plays_what_its_agent_plays(
    name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)  # compiling takes seconds
    players = KagglePlayer(unbundled_agent(name, options)), bundled_player(name, options)
    env, moves = ConnectFour(), "443533616"
    for ply in range(len(moves)):
        board = env.to_board(state_from_moves(env, moves[:ply]))
        asked = {"board": board, "mark": 1 + ply % 2, "remainingOverageTime": 60}
        ours, theirs = (player.act(asked, {"actTimeout": 60}) for player in players)
        assert ours == theirs
