"""Learned agents as opponents: one call for all games, reproducible, legal."""

from typing import Any

import gymnasium
import numpy as np
import pytest

from agents import make_agent
from envs import ConnectFour, state_from_moves
from envs.learning.vector.vector_boards import Boards
from envs.learning.vector.vector_replies import KernelReplies, SingleReplies, make_replies

CONNECT_FOUR = "envs:connectx/ConnectFour-v0"
GAMES = 16


def played(opponent: str, seed: int) -> list[Any]:
    """Observations and rewards of many games against random play."""
    env = gymnasium.make_vec(
        CONNECT_FOUR, num_envs=GAMES, opponent=opponent, vectorization_mode="vector_entry_point"
    )
    observation, info = env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    seen = [observation.tolist()]
    for _ in range(12):
        masks = info["action_mask"]
        actions = (rng.random(masks.shape) * masks).argmax(axis=1)
        observation, rewards, _, _, info = env.step(actions)
        seen += [observation.tolist(), rewards.tolist()]
    env.close()
    return seen


@pytest.mark.parametrize("opponent", ["policy", "policy:temperature=2", "alphazero:simulations=10"])
def test_the_same_seed_gives_the_same_games(opponent: str) -> None:
    assert played(opponent, seed=1) == played(opponent, seed=1)


def test_a_temperature_draws_from_the_numbers_of_each_game() -> None:
    assert played("policy:temperature=2", seed=1) != played("policy", seed=1)


@pytest.mark.parametrize(
    ("opponent", "kind"),
    [
        ("policy", KernelReplies),
        ("policy:weights=zero", KernelReplies),
        ("level:n=7", KernelReplies),
        ("level:n=8", SingleReplies),
        ("alphazero:simulations=10", SingleReplies),
        ("greedy", SingleReplies),
    ],
)
def test_the_policy_and_levels_are_compiled_and_others_are_not(opponent: str, kind: type) -> None:
    game = ConnectFour()
    assert isinstance(make_replies(game, Boards(game, 2), opponent), kind)


def test_the_policy_plays_in_many_games_what_it_plays_in_one() -> None:
    env = gymnasium.make_vec(
        CONNECT_FOUR,
        num_envs=7,
        opponent="policy",
        seat="first",
        observation="flat",
        vectorization_mode="vector_entry_point",
    )
    env.reset(seed=3)
    boards = env.step(np.arange(7))[0].reshape(7, -1)
    game, agent = ConnectFour(), make_agent("policy")
    for column, board in enumerate(boards.tolist()):
        state = state_from_moves(game, str(column + 1))
        answered = game.get_next_state(state, agent.act(game, state))
        assert [round(cell) for cell in board] == game.to_board(answered)
    env.close()


@pytest.mark.parametrize("opponent", ["policy", "alphazero:simulations=10"])
def test_a_single_environment_has_them_as_opponents(opponent: str) -> None:
    env = gymnasium.make(CONNECT_FOUR, opponent=opponent)
    _, info = env.reset(seed=1)
    over = False
    while not over:
        _, _, over, _, info = env.step(int(info["action_mask"].argmax()))
    env.close()


def test_an_opponent_with_weights_for_another_board_is_refused() -> None:
    for opponent in ("policy", "alphazero", make_agent("policy"), make_agent("policy").act):
        with pytest.raises(ValueError, match="trained for 6 rows, 7 columns"):
            gymnasium.make_vec(
                "envs:connectx/ConnectX-v0", num_envs=2, rows=5, columns=6, opponent=opponent
            )
