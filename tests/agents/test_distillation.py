"""Distillation: what a network is taught of labelled positions, and that it learns it."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from agents.policy.network import evaluate_network
from agents.policy.training.label_files import write_labelled_positions
from agents.policy.training.labelled_positions import ILLEGAL, LabelledPositions
from agents.policy.training.labelling import LabelSettings, label_grove, make_labelled_positions
from agents.policy.training.learner import TrainingSettings
from agents.reporting.stats import score_estimate
from envs import BoardGame, BoardState, ConnectX, TicTacToe

pytest.importorskip("torch")

from agents.policy.learners.distillation import DistillationLearner, label_targets

SMALL = ConnectX(4, 4, 3)


@pytest.fixture(scope="module")
def labels() -> LabelledPositions:
    with ThreadPoolExecutor(1) as executor:
        return make_labelled_positions(LabelSettings(SMALL, 5000), executor, 1, lambda *_: None)[0]


@pytest.fixture(scope="module")
def learner(
    labels: LabelledPositions, tmp_path_factory: pytest.TempPathFactory
) -> DistillationLearner:
    """Has learnt for a round from all but the last thousand."""
    path = tmp_path_factory.mktemp("labels") / "labels.npz"
    write_labelled_positions(path, labels.take(slice(4000)))
    learner = DistillationLearner(SMALL, TrainingSettings(seed=1, width=32, positions=path))
    learner.advance(0.0)
    return learner


def test_best_moves_share_the_policy_and_the_result_is_the_value() -> None:
    scores = [[3, -1, 3, ILLEGAL], [0, -2, ILLEGAL, ILLEGAL], [-5, -5, -5, -4]]
    words = np.arange(3)
    targets = label_targets(LabelledPositions(SMALL, words, words, np.array(scores, np.int8)))
    assert targets.policies.tolist() == [[0.5, 0, 0.5, 0], [1, 0, 0, 0], [0, 0, 0, 1]]
    assert targets.values.tolist() == [1, 0, -1]


def test_it_learns_best_moves_and_results(
    learner: DistillationLearner, labels: LabelledPositions
) -> None:
    """Far above what the 95 % interval of chance allows, in positions that it has not seen."""
    unseen = labels.take(slice(4000, None))
    logits, values = evaluate_network(learner.policy.network, SMALL, unseen.states)
    preferred = np.where(unseen.scores == ILLEGAL, -np.inf, logits).argmax(axis=1)
    best = unseen.scores.max(axis=1)
    right = unseen.scores[np.arange(len(unseen)), preferred] == best
    by_chance = (unseen.scores == best[:, np.newaxis]).sum(axis=1)
    by_chance = by_chance / (unseen.scores != ILLEGAL).sum(axis=1)
    assert score_estimate(int(right.sum()), len(right)).low > by_chance.mean() + 0.1
    assert np.corrcoef(values, np.sign(best))[0, 1] > 0.5


def test_a_position_and_its_mirror_image_are_learnt_alike(
    labels: LabelledPositions, tmp_path: Path
) -> None:
    """Of one position that is no mirror image of itself, both come up."""
    lopsided = labels.take(labels.plies == 1).take(slice(1))
    assert lopsided.masks.tolist() in ([1], [1 << 15], [1 << 5], [1 << 10])
    write_labelled_positions(tmp_path / "one.npz", lopsided)
    settings = TrainingSettings(seed=1, width=8, positions=tmp_path / "one.npz")
    learner = DistillationLearner(SMALL, settings)
    learner.advance(0.0)
    mask = int(lopsided.masks[0])
    image = 1 << (15 - mask.bit_length() + 1)
    states = [BoardState(0, stone, 2, won=False) for stone in (mask, image)]
    logits, values = evaluate_network(learner.policy.network, SMALL, states)
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    targets = label_targets(lopsided)
    assert shares[0] == pytest.approx(targets.policies[0], abs=0.05)
    assert shares[1] == pytest.approx(targets.policies[0][::-1], abs=0.05)
    assert values == pytest.approx([targets.values[0]] * 2, abs=0.05)


@pytest.mark.parametrize("game", [ConnectX(4, 5, 3), TicTacToe()], ids=repr)
def test_positions_of_another_game_are_refused(tmp_path: Path, game: BoardGame) -> None:
    path = tmp_path / "labels.npz"
    write_labelled_positions(path, label_grove(ConnectX(3, 3, 3), 1, 1))
    with pytest.raises(ValueError, match=r"are of ConnectX\(rows=3, columns=3, inarow=3\), not of"):
        DistillationLearner(game, TrainingSettings(positions=path))
