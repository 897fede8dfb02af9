"""Every learner of the table, on a small board: the contract that the frame relies on."""

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from agents import make_agent
from agents.policy.network import encode_policy, evaluate_network
from agents.policy.training.label_files import write_labelled_positions
from agents.policy.training.labelling import label_grove
from agents.policy.training.learner import LEARNERS, Learner, TrainingSettings
from agents.policy.training.training_files import decode_state, encode_state
from envs import ConnectX
from tests.helpers.strategies import WIDE_BOARDS
from tests.helpers.trained_policies import random_policy

pytest.importorskip("torch")

from agents.policy.learners import alphazero, distillation

SMALL = ConnectX(4, 5, inarow=3)
BOARDS = [SMALL, WIDE_BOARDS[0]]

Settings = dict[ConnectX, dict[str, TrainingSettings]]

every_method = pytest.mark.parametrize("name", LEARNERS)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """By board and method: as little work as the method's settings allow."""
    return {game: settings_of(game, tmp_path_factory.mktemp("labels")) for game in BOARDS}


def settings_of(game: ConnectX, folder: Path) -> dict[str, TrainingSettings]:
    positions = folder / "labels.npz"
    write_labelled_positions(positions, label_grove(game, 1, 1))
    small: dict[str, Any] = {"simulations": 2, "width": 4, "positions": positions, "weights": None}
    return {
        name: TrainingSettings(seed=1, **{key: small[key] for key in method.settings})
        for name, method in LEARNERS.items()
    }


def content(learner: Learner) -> bytes:
    return encode_policy(learner.policy)


@every_method
@pytest.mark.parametrize("game", BOARDS, ids=repr)
def test_a_learner_goes_on_from_its_state_as_if_it_had_not_stopped(
    name: str, game: ConnectX, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights play, on a board of wide words, too."""
    for module, constant, number in ((alphazero, "GAMES", 64), (distillation, "STEPS", 4)):
        monkeypatch.setattr(module, constant, number)
    whole, resumed = (LEARNERS[name](game, settings[game][name]) for _ in range(2))
    untaught = content(whole)
    whole.advance(0.0)
    state = encode_state(whole.state())
    between = content(whole)
    figures = whole.advance(0.5)
    assert content(resumed) == untaught
    resumed.restore(decode_state(state))
    assert content(resumed) == between
    assert resumed.advance(0.5) == figures
    assert any(figure.startswith("loss/") for figure in figures)
    assert content(resumed) == content(whole)
    assert len({untaught, between, content(whole)}) == 3
    for agent in ("policy", "alphazero"):
        player = make_agent(agent, weights=content(whole))
        assert player.act(game, game.initial_state()) in range(game.columns)
    with pytest.raises((KeyError, TypeError, ValueError)):
        resumed.restore({})


@every_method
def test_a_training_may_begin_with_a_policy(name: str, settings: Settings, tmp_path: Path) -> None:
    begun = encode_policy(random_policy(SMALL, seed=3))
    file = tmp_path / "begun.npz"
    file.write_bytes(begun)
    chosen = replace(settings[SMALL][name], width=None, weights=str(file))
    assert content(LEARNERS[name](SMALL, chosen)) == begun
    with pytest.raises(ValueError, match="has its own width"):
        LEARNERS[name](SMALL, replace(chosen, width=4))
    with pytest.raises(ValueError, match="was trained for 4 rows, 5 columns"):
        LEARNERS["alphazero"](ConnectX(4, 4, inarow=3), replace(chosen, positions=None))


def test_boards_beyond_all_words_are_refused() -> None:
    with pytest.raises(ValueError, match="AlphaZero learns on boards of at most 256 bits, not"):
        LEARNERS["alphazero"](ConnectX(16, 16), TrainingSettings())


def test_a_minute_of_self_play_beats_random_moves() -> None:
    """Of 200 games, 125 won or more: of equals the chance of that is below 0.0003 (binomial)."""
    env = ConnectX(4, 4, inarow=3)
    learner = LEARNERS["alphazero"](env, TrainingSettings(seed=1, simulations=8, width=16))
    learner.advance(0.5)
    network = learner.policy.network
    rng = Random(1)
    points = 0.0
    for game in range(200):
        state = env.initial_state()
        while actions := env.get_available_actions(state):
            if state.player == 1 + game % 2:
                logits, _ = evaluate_network(network, env, [state])
                action = max(actions, key=lambda action: logits[0, action])
            else:
                action = rng.choice(actions)
            state = env.get_next_state(state, action)
        winner = env.winner(state)
        points += 0.5 if winner is None else winner == 1 + game % 2
    assert points >= 125
