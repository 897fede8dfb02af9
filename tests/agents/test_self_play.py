"""Games of self-play: legal, exact where they say so, and the same compiled as in plain Python."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from agents.compiled.compiled_puct import PuctSettings
from agents.networks.network_kernel import network_arrays
from agents.policy.learners.self_play_kernel import (
    PROVEN_VALUE,
    Experience,
    PlaySettings,
    SelfPlay,
    play_games,
)
from agents.policy.learners.targets import experience_memory, play_memory
from agents.policy.training.labelled_positions import states_of
from envs import BoardGame, ConnectX, TicTacToe
from envs.compiled.jit import compiled
from tests.helpers.brute_force import BruteForce
from tests.helpers.strategies import WIDE_BOARDS
from tests.helpers.trained_policies import unrounded_policy

GAMES = 12
SETTINGS = PlaySettings(
    PuctSettings(exploration=1.5, fpu=0.2),
    simulations=24,
    visits_scale=50.0,
    value_scale=0.1,
    opening_plies=3,
    random_moves=0.2,
    result_share=0.5,
)
BOARDS: list[BoardGame] = [ConnectX(4, 4, inarow=3), TicTacToe()]


def played(
    env: BoardGame, plain: bool = False, seed: int = 1, games: int = GAMES, **settings: Any
) -> Experience:
    into = experience_memory(env, GAMES)
    network = network_arrays(unrounded_policy(env, seed).network, env)
    memory = play_memory(env, SETTINGS.simulations, seed)
    play = SelfPlay(network, SETTINGS._replace(**settings), memory, into)
    count = (play_games if plain else compiled(play_games))(play, games)
    return Experience(*(array[:count] for array in into))


@pytest.mark.parametrize(
    "env", [*BOARDS, pytest.param(WIDE_BOARDS[0], marks=pytest.mark.slow)], ids=repr
)
def test_compiled_games_are_those_of_plain_python(env: BoardGame) -> None:
    fast, plain = (played(env, plain=plain, games=3) for plain in (False, True))
    assert states_of(*fast[:2]) == states_of(*plain[:2])
    assert (max(fast.masks.tolist()) >= 1 << 63) == (env == WIDE_BOARDS[0])
    for one, other in zip(fast[2:], plain[2:], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("env", [ConnectX(3, 3, inarow=2), ConnectX(2, 2, 3), ConnectX(3, 3, 1)])
def test_games_that_end_before_an_opening_could_are_played(env: BoardGame) -> None:
    states = states_of(*played(env, opening_plies=8)[:2])
    assert all(env.get_available_actions(state) for state in states)
    assert len(states) >= GAMES


@pytest.mark.parametrize("env", BOARDS, ids=repr)
def test_policies_are_legal_and_what_is_proven_is_exact_and_played(env: BoardGame) -> None:
    experience, truth, proven = played(env), BruteForce(env), 0
    np.testing.assert_allclose(experience.policies.sum(axis=1), 1)
    assert (np.abs(experience.values) <= 1).all()
    for state, *position in zip(states_of(*experience[:2]), *experience[2:], strict=True):
        policy, value, kind = position
        assert not np.delete(policy, env.get_available_actions(state)).any()
        if kind & PROVEN_VALUE:
            sign = 1 if state.player == 1 else -1
            assert value == sign * truth.value(state)
            proven += 1
            if value == 1:
                assert truth.action_value(state, int(policy.argmax())) == sign
    assert proven > len(experience.values) / 3


def test_games_follow_each_other_from_opening_to_end() -> None:
    """Each position is a successor of the one before, or begins a game after few random moves."""
    env = ConnectX(4, 4, inarow=3)
    states = states_of(*played(env)[:2])
    begins = 1
    for before, after in pairwise(states):
        children = [env.get_next_state(before, a) for a in env.get_available_actions(before)]
        if after not in children:
            assert after.mask.bit_count() <= SETTINGS.opening_plies
            begins += 1
    assert begins == GAMES


def test_another_stream_gives_other_games() -> None:
    env = ConnectX(4, 4, inarow=3)
    assert played(env, seed=1).masks.tolist() != played(env, seed=2).masks.tolist()
