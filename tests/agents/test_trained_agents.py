"""What holds for both agents of trained networks: weights, games, seeds, copies, bundles."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agents import Agent, make_agent
from agents.networks.network import encode_policy
from agents.networks.shipped import SHIPPED, known_policy, weights_content
from agents.registry import TRAINED_AGENTS, agent_class, agent_from_text
from envs import BoardGame, ConnectFour, ConnectX, TicTacToe, state_from_moves
from submission.bundle.bundle import build_bundle
from submission.kaggle import kaggle_environments
from tests.helpers.shell import Shell
from tests.helpers.small_games import Nim
from tests.helpers.trained_policies import random_policy

FOUR = ConnectFour()
WEIGHTS = encode_policy(random_policy(FOUR, seed=1))

both = pytest.mark.parametrize("name", TRAINED_AGENTS)


def trained(name: str, env: BoardGame = FOUR, **options: Any) -> Agent:
    content = encode_policy(random_policy(env, seed=1))
    return make_agent(name, weights=content, **{**agent_class(name).quick, **options})


@both
def test_other_games_and_games_that_are_over_are_refused(name: str) -> None:
    for env in (ConnectX(6, 8), ConnectX(6, 7, inarow=5), TicTacToe(), Nim(2, 3)):
        game: Any = env
        sentence = r"trained for 6 rows, 7 columns, 4 in a row and 7 actions"
        with pytest.raises(ValueError, match=sentence):
            trained(name).act(game, game.initial_state())
    # Tic-tac-toe is not stones that fall on as small a board.
    small = trained(name, ConnectX(3, 3, inarow=3))
    assert small.act(ConnectX(3, 3, 3), ConnectX(3, 3, 3).initial_state()) in range(3)
    with pytest.raises(ValueError, match="cannot play TicTacToe"):
        small.act(TicTacToe(), TicTacToe().initial_state())
    with pytest.raises(ValueError, match="the game is over"):
        trained(name).act(FOUR, state_from_moves(FOUR, "1212121"))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("policy", {"temperature": 20.0}),
        ("alphazero", {"temperature": 1.0, "keep_tree": False}),
        ("alphazero", {"noise": 1.0, "noise_alpha": 0.3}),
        ("alphazero", {"noise": 1.0, "root": "gumbel", "considered": 2}),
    ],
)
def test_a_seed_repeats_the_moves(name: str, options: dict[str, Any]) -> None:
    def moves(seed: int | None) -> list[int]:
        agent = trained(name, seed=seed, **options)
        return [agent.act(FOUR, FOUR.initial_state()) for _ in range(30)]

    assert moves(1) == moves(1)
    assert len({*moves(1)}) > 1
    assert moves(1) != moves(2)
    assert moves(None) != moves(None)


@pytest.mark.parametrize("weights", SHIPPED)
def test_shipped_weights_are_for_connect_four_and_small(weights: str) -> None:
    assert len(weights_content(weights)) < 600_000
    assert known_policy(weights).scope == (6, 7, 4, 7)
    for name in TRAINED_AGENTS:
        assert make_agent(name) == make_agent(name, weights="distilled")
        assert agent_from_text(f"{name}:weights={weights}").act(FOUR, FOUR.initial_state()) < 7


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("weights=absent.npz", "cannot read absent.npz (No such file"),
        ("weights=absent", "can be read, or name distilled or zero"),
        ("weights=text.npz", "Error: text.npz: this is not a trained policy: train one with"),
        ("weights=3", "option weights of agent policy must be str or bytes, not 3"),
    ],
)
def test_what_is_no_policy_is_said_in_one_line(words: str, message: str, shell: Shell) -> None:
    Path("text.npz").write_text("some text")
    assert message in shell.refusal("build", "policy", "--option", words)


@pytest.mark.parametrize("name", ["policy", "alphazero", "mcts", "alphabeta"])
def test_the_file_that_is_refused_is_named(name: str, tmp_path: Path) -> None:
    """There may be several, in a league or a ladder."""
    path = tmp_path / "weights.npz"
    path.write_bytes(WEIGHTS[:-1000])
    makers: list[Callable[..., Agent]] = [partial(make_agent, name), agent_class(name)]
    for make in makers:
        with pytest.raises(ValueError, match=r"weights\.npz: this is not a trained policy"):
            make(weights=path)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("policy", {"temperature": 0.5, "seed": 1}),
        ("alphazero", {"simulations": 40, "engine": "reference"}),
    ],
)
def test_a_bundle_carries_the_weights_and_plays_as_the_agent(
    name: str, options: dict[str, Any], tmp_path: Path
) -> None:
    """On Kaggle's own loader, when the file of the weights is gone; it holds them once."""
    path = tmp_path / "weights.npz"
    path.write_bytes(WEIGHTS)
    chosen = {"weights": str(path), **options}
    text = build_bundle(name, chosen)
    assert text == build_bundle(name, chosen)
    agent = make_agent(name, **chosen)
    path.unlink()
    assert f"(weights={str(path)!r}, " in text or f", weights={str(path)!r}" in text
    assert "weights=_WEIGHTS_FILE" in text
    assert text.count("b85decode(\n") == 1
    assert max(map(len, text.splitlines())) < 250
    picked = kaggle_environments().agent.get_last_callable(text)
    for moves in ("", "4", "4453", "444444", "1122335"):
        state = state_from_moves(FOUR, moves)
        action = picked({"board": FOUR.to_board(state), "mark": state.player}, {})
        assert type(action) is int
        assert action == agent.act(FOUR, state)


def test_a_bundle_carries_the_shipped_weights() -> None:
    text = build_bundle("alphazero", {"weights": "zero"})
    assert "AlphaZeroAgent(simulations=None, time_limit=None, weights='zero')" in text
    assert "weights=_WEIGHTS_FILE" in text
