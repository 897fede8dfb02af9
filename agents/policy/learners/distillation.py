"""Distillation: a network learns the solver's results from labelled positions.

It learns to predict without a search which moves are exactly best and how the game ends (G. Hinton
et al., "Distilling the Knowledge in a Neural Network", 2015). The positions are drawn at random
from a file, each as it is or mirrored.
"""

from collections.abc import Mapping

import numpy as np

from agents.networks.network import Floats, policy_scope
from agents.policy.learners.targets import Targets
from agents.policy.learners.torch_network import NetworkLearner
from agents.policy.training.label_files import read_labelled_positions
from agents.policy.training.labelled_positions import ILLEGAL, LabelledPositions
from agents.policy.training.learner import TrainingSettings
from envs.bitboard import word_of_board
from envs.board import BoardGame
from envs.compiled.jit import Flags, Words, words_of

BATCH = 4096  # positions of a step
STEPS = 200  # steps of a round
LEARNING_RATE = 8e-3  # at the beginning; it falls in proportion to what is left of the budget ...
LEAST_SHARE = 0.02  # ... down to this share of it
REFINING_SHARE = 0.25  # the share of the learning rate for a network that has been trained before
KEEPING_SHARE = 0.3
"""The share of the policy for all moves that keep the result; the rest is for the exactly best."""
MOST_COPIES = 1000
"""How often a position counts, at most, if its ply has fewer positions than others."""


def label_targets(labels: LabelledPositions) -> Targets:
    """The targets of labelled positions.

    A share of the policy is spread evenly over the moves that keep the result, the rest over the
    exactly best moves; the value is the result under best play: 1 for a win of the player to move,
    0 for a draw, -1 for a loss. Openings are few, and every game goes through them, so positions of
    plies with fewer than the mean are repeated.
    """
    labels = labels.take(np.repeat(np.arange(len(labels)), copies_of(labels)))
    scores, highest = labels.scores, labels.scores.max(axis=1, keepdims=True, initial=ILLEGAL)
    keeping = (scores != ILLEGAL) & (np.sign(scores) == np.sign(highest))
    policies = (1 - KEEPING_SHARE) * shared_out(scores == highest)
    policies += KEEPING_SHARE * shared_out(keeping)
    word = word_of_board(*labels.env.size)
    movers, masks = (words_of(words.tolist(), word) for words in (labels.movers, labels.masks))
    return Targets(movers, masks, policies, np.sign(highest[:, 0]).astype(np.float32))


def copies_of(labels: LabelledPositions) -> Words:
    """[n] How often each position counts."""
    plies, places, counts = np.unique(labels.plies, return_inverse=True, return_counts=True)
    copies: Words = np.clip(len(labels) // (len(plies) * counts), 1, MOST_COPIES)
    return copies[places]


def shared_out(chosen: Flags) -> Floats:
    """[n, action] Probabilities: uniform over the chosen actions."""
    counts = chosen.sum(axis=1, keepdims=True, dtype=np.float32)
    shares: Floats = np.divide(chosen, counts, dtype=np.float32)
    return shares


class DistillationLearner(NetworkLearner):
    """Learns from the labelled positions that the settings name.

    Raises:
        ValueError, OSError, ModuleNotFoundError: the file is of another game, has no positions, or
            cannot be read.
    """

    def __init__(self, game: BoardGame, settings: TrainingSettings) -> None:
        if settings.positions is None:
            raise ValueError("distillation needs labelled positions")
        labels = read_labelled_positions(settings.positions)
        if policy_scope(labels.env) != policy_scope(game):
            raise ValueError(
                f"the positions {settings.positions} are of {labels.env!r}, not of {game!r}: "
                "choose others, or train for that game"
            )
        if not len(labels):
            raise ValueError(f"there is no position in {settings.positions}: choose another file")
        super().__init__(game, settings)
        self._targets = label_targets(labels)
        self._rate = LEARNING_RATE * (1.0 if settings.weights is None else REFINING_SHARE)

    def advance(self, spent: float) -> Mapping[str, float]:
        """Learn from `STEPS` batches; see `Learner.advance`."""
        learning_rate = self._rate * max(1 - spent, LEAST_SHARE)
        losses = [self.learn(self._targets, BATCH, learning_rate) for _ in range(STEPS)]
        policy, value = np.mean(losses, axis=0).tolist()
        return {"loss/policy": policy, "loss/value": value, "positions": BATCH * STEPS}
