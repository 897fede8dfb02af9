"""A learner for tests, in plain numpy, and trainings with it.

It learns the winners' moves in random games, by regression.
"""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.networks.features import feature_board
from agents.networks.network import PolicyNetwork, TrainedPolicy, features_of, policy_scope
from agents.policy.training import learner
from agents.policy.training.learner import Budget, Method, TrainingSettings
from agents.policy.training.training import Training, Trials
from agents.policy.training.training_files import TrainingFiles
from envs import ConnectX
from envs.board import BoardGame, BoardState

GAMES = 40
RATE = 0.05


class ToyLearner:
    """Softmax regression of winners' moves on features; it learns to play a little."""

    def __init__(self, game: BoardGame, settings: TrainingSettings) -> None:
        self._game = game
        self._rng = np.random.default_rng(settings.seed)
        self._board = feature_board(game)
        outputs = len(game.action_cells) + 1
        self._weights = np.zeros((self._board.features, outputs), np.float32)

    @property
    def policy(self) -> TrainedPolicy:
        outputs = self._weights.shape[1]
        network = PolicyNetwork(
            features=self._weights.copy(),
            bias=np.zeros(outputs, np.float32),
            dense=np.zeros((0, 0), np.float32),
            dense_bias=np.zeros(0, np.float32),
            outputs=np.zeros((0, outputs), np.float32),
        )
        return TrainedPolicy(policy_scope(self._game), network)

    def advance(self, spent: float) -> Mapping[str, float]:
        losses = [
            self._learn(state, action, (1 - spent) * RATE)
            for _ in range(GAMES)
            for state, action in self._winning_moves()
        ]
        return {"loss/policy": float(np.mean(losses or [0.0])), "games": float(GAMES)}

    def _winning_moves(self) -> list[tuple[BoardState, int]]:
        state, moves = self._game.initial_state(), []
        while actions := self._game.get_available_actions(state):
            action = actions[int(self._rng.integers(len(actions)))]
            moves.append((state, action))
            state = self._game.get_next_state(state, action)
        winner = self._game.winner(state)
        return [(state, action) for state, action in moves if state.player == winner]

    def _learn(self, state: BoardState, action: int, rate: float) -> float:
        holding = features_of(self._board, state)
        logits = self._weights[holding, :-1].sum(axis=0)
        chances = np.exp(logits - logits.max())
        chances /= chances.sum()
        loss = -float(np.log(chances[action] + 1e-9))
        chances[action] -= 1
        self._weights[holding, :-1] -= (rate * chances).astype(np.float32)
        return loss

    def state(self) -> dict[str, Any]:
        return {"weights": self._weights, "rng": self._rng.bit_generator.state}

    def restore(self, state: Mapping[str, Any]) -> None:
        if state["weights"].shape != self._weights.shape:
            raise ValueError("the weights are those of another game")
        self._weights = state["weights"].copy()
        self._rng.bit_generator.state = state["rng"]


TOY = Method("toy", "for tests", f"{__name__}.{ToyLearner.__name__}", ("width",))


def enter_toy(patch: pytest.MonkeyPatch) -> None:
    """Make the toy learner the only one in `LEARNERS`.

    The command's default is the first of the learners, so its module is imported before.
    """
    import_module("submission.cli.train")
    patch.setattr(learner, "LEARNERS", {"toy": TOY})


# --- trainings with it

SMALL = ConnectX(4, 4, inarow=3)


def begun(game: BoardGame, seed: int = 0) -> Training:
    return Training(TOY(game, TrainingSettings(seed)), unjudged(game))


def unjudged(game: BoardGame) -> Trials:
    """Trials without solved positions."""
    return Trials(game, draw=lambda _: None)


def train(
    folder: Path, rounds: int, game: BoardGame = SMALL, seed: int = 0, resume: bool = False
) -> Training:
    """Train for this many rounds, or resume until there are as many."""
    folder.mkdir(exist_ok=True)
    files = files_in(folder, game, seed)
    training = begun(game, seed)
    files.require(earlier=resume)
    if resume:
        files.restore(training)
    training.run(Budget(rounds=rounds), files.keep, lambda *_: None)
    return training


def files_in(folder: Path, game: BoardGame = SMALL, seed: int = 0) -> TrainingFiles:
    return TrainingFiles.of(folder / "policy.npz", game, "toy", TrainingSettings(seed))
