"""The agent of a bundle without the bundle is the one in the bundle."""

import sys
from pathlib import Path
from typing import Any

import pytest

from agents.networks.network import encode_policy
from envs import ConnectFour, state_from_moves
from submission.bundle.bundle import build_bundle, unbundled_agent
from submission.bundle.compose import COMPILING
from submission.entry import KagglePlayer
from tests.helpers.trained_policies import random_policy


def bundled_player(name: str, options: dict[str, Any]) -> Any:
    """What the text of a bundle makes, loaded as Kaggle loads it, without compiling beside."""
    namespace: dict[str, Any] = {}
    exec(build_bundle(name, options).replace(COMPILING, ""), namespace)
    return namespace["_PLAYER"]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("mcts", {"simulations": 7, "seed": 1}),
        ("policy", {"weights": "trained.npz", "temperature": 0.5}),
    ],
)
def test_limits_are_lifted_unless_given_and_files_are_their_content(
    name: str, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("trained.npz").write_bytes(encode_policy(random_policy(ConnectFour(), seed=1)))
    bundled = bundled_player(name, options)._make_agent()
    assert repr(unbundled_agent(name, options)()) == repr(bundled)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("greedy", {}),
        ("alphabeta", {"depth": 4, "engine": "reference"}),
        ("mcts", {"simulations": 100, "seed": 3, "engine": "reference"}),
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
