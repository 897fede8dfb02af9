"""Every learner of the table, on small boards: their contract, and that they learn."""

from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from agents import RandomAgent, make_agent
from agents.networks.network import encode_policy, evaluate_network
from agents.policy.training.label_files import write_labelled_positions
from agents.policy.training.labelled_positions import ILLEGAL, LabelledPositions, states_of
from agents.policy.training.labelling import LabelSettings, label_grove, make_labelled_positions
from agents.policy.training.learner import LEARNERS, Learner, TrainingSettings
from agents.policy.training.training_files import decode_state, encode_state
from agents.reporting.stats import score_estimate
from envs import BoardGame, BoardState, ConnectX, TicTacToe
from tests.helpers.brute_force import BruteForce
from tests.helpers.executors import AtOnce
from tests.helpers.quick_agents import points
from tests.helpers.shell import Shell
from tests.helpers.strategies import WIDE_BOARDS
from tests.helpers.trained_policies import random_policy, unrounded_policy

pytest.importorskip("torch")
from torch.nn import functional

from agents.policy.learners import alphazero, distillation, torch_network
from agents.policy.learners.distillation import DistillationLearner, label_targets
from agents.policy.learners.targets import Targets, played
from agents.policy.learners.torch_network import TorchNetwork

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


def test_the_help_states_the_defaults_of_the_methods(shell: Shell) -> None:
    words = " ".join(shell.run("train", "--help").stdout.split())
    assert f"each move of self-play. [default: {alphazero.SIMULATIONS}]" in words
    assert f"first layer. [default: {torch_network.WIDTH}]" in words


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
    options: dict[str, Any] = {"weights": content(whole)}
    searcher = make_agent("alphazero", simulations=5, engine="reference", **options)
    for player in (make_agent("policy", **options), searcher):
        assert player.act(game, game.initial_state()) in range(game.columns)
    with pytest.raises((KeyError, TypeError, ValueError)):
        resumed.restore({})


def test_games_that_are_played_elsewhere_teach_the_same(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for constant, number in (("GAMES", 64), ("ITERATIONS", 2)):
        monkeypatch.setattr(alphazero, constant, number)
    here, elsewhere = (
        LEARNERS["alphazero"](SMALL, settings[SMALL]["alphazero"], executor)
        for executor in (None, AtOnce())
    )
    for learner in (here, elsewhere):
        learner.advance(0.0)
    assert content(here) == content(elsewhere)


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


def test_games_are_played_by_a_thread_for_each_processor_that_may_be_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_threads(workers: int) -> NoReturn:
        raise RuntimeError(f"{workers} threads")

    monkeypatch.setattr(alphazero, "CORES", 3)
    monkeypatch.setattr(alphazero, "ThreadPoolExecutor", no_threads)
    with pytest.raises(RuntimeError, match=r"^3 threads$"):
        alphazero.AlphaZeroLearner(TicTacToe(), TrainingSettings(width=4)).advance(0.0)


class FirstGamesAlone(ThreadPoolExecutor):
    """Plays the games of the first network; those of the next one wait for a worker."""

    def __init__(self) -> None:
        super().__init__(1)
        self.shares: list[Future[Any]] = []

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        is_played = len(self.shares) < alphazero.SHARES
        self.shares.append(super().submit(function, *args, **kwargs) if is_played else Future())
        return self.shares[-1]


def test_ctrl_c_calls_off_games_that_no_worker_has_begun(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(alphazero, "GAMES", 64)
    with FirstGamesAlone() as executor:
        learner = LEARNERS["alphazero"](SMALL, settings[SMALL]["alphazero"], executor)
        monkeypatch.setattr(learner, "learn", interrupted)
        with pytest.raises(KeyboardInterrupt):
            learner.advance(0.0)
    played = alphazero.SHARES
    assert [share.cancelled() for share in executor.shares] == [False] * played + [True] * played


def test_boards_beyond_all_words_are_refused() -> None:
    with pytest.raises(ValueError, match="AlphaZero learns on boards of at most 256 bits, not"):
        LEARNERS["alphazero"](ConnectX(16, 16), TrainingSettings())


def test_a_minute_of_self_play_beats_random_moves() -> None:
    """Of 200 games, 125 won or more: of equals the chance of that is below 0.0003 (binomial)."""
    env = ConnectX(4, 4, inarow=3)
    learner = LEARNERS["alphazero"](env, TrainingSettings(seed=1, simulations=8, width=16))
    learner.advance(0.5)
    agent = make_agent("policy", weights=content(learner))
    games = [points(env, agent, RandomAgent(n), seat) for n in range(100) for seat in (1, 2)]
    assert sum(games) >= 125


def test_self_play_learns_how_late_positions_end() -> None:
    """On a small board these are all positions, also those after which a random move errs."""
    env = ConnectX(3, 4, inarow=4)
    truth = BruteForce(env)
    settings = alphazero.PLAY._replace(random_moves=0.3)
    targets = played(env, unrounded_policy(env, seed=1).network, settings, stream=1, games=8)
    states = states_of(targets.movers, targets.masks)
    exact = [(1 if state.player == 1 else -1) * truth.value(state) for state in states]
    assert targets.values.tolist() == exact
    assert {1, 0, -1} == {*exact}


# --- networks


def gradient_of_features(positions: Targets) -> Any:
    """The gradient of the first layer's weights, for some loss."""
    network = TorchNetwork(TAUGHT, 8, 4, seed=1).double()
    logits, values = network(positions.movers, positions.masks)
    (logits.square().sum() + values.sum()).backward()
    assert network.features.grad is not None
    return network.features.grad.numpy()


def test_the_gradient_of_feature_sums_is_that_of_pytorchs_bags(
    labels: LabelledPositions, monkeypatch: pytest.MonkeyPatch
) -> None:
    positions = label_targets(labels).take(slice(500))
    ours = gradient_of_features(positions)
    monkeypatch.setattr(torch_network.FeatureSums, "apply", bag_sums)
    assert ours == pytest.approx(gradient_of_features(positions), rel=1e-9, abs=1e-9)
    assert np.abs(ours).max() > 1


def bag_sums(weights: Any, features: torch_network.Bags, positions: torch_network.Bags) -> Any:
    numbers, begins = features
    return functional.embedding_bag(numbers, weights, begins, mode="sum")


# --- distillation

TAUGHT = ConnectX(4, 4, 3)


@pytest.fixture(scope="module")
def labels() -> LabelledPositions:
    with ThreadPoolExecutor(1) as executor:
        return make_labelled_positions(LabelSettings(TAUGHT, 2500), executor, 1, lambda *_: None)[0]


@pytest.fixture(scope="module")
def learner(
    labels: LabelledPositions, tmp_path_factory: pytest.TempPathFactory
) -> DistillationLearner:
    """Has learnt for a round from all but the last five hundred."""
    path = tmp_path_factory.mktemp("labels") / "labels.npz"
    write_labelled_positions(path, labels.take(slice(2000)))
    learner = DistillationLearner(TAUGHT, TrainingSettings(seed=1, width=32, positions=path))
    learner.advance(0.0)
    return learner


def test_good_moves_share_the_policy_and_the_result_is_the_value() -> None:
    scores = [[3, -1, 3, ILLEGAL], [0, -2, ILLEGAL, ILLEGAL], [-5, -5, -5, -4], [2, 1, 0, -1]]
    words = np.arange(4)
    targets = label_targets(LabelledPositions(TAUGHT, words, words, np.array(scores, np.int8)))
    expected = [[0.5, 0, 0.5, 0], [1, 0, 0, 0], [0.075, 0.075, 0.075, 0.775], [0.85, 0.15, 0, 0]]
    _, places = np.unique(targets.movers, return_index=True)  # each has copies
    assert targets.policies[places] == pytest.approx(np.array(expected))
    assert targets.values[places].tolist() == [1, 0, -1, 1]


def test_positions_of_plies_that_have_few_count_more_often(labels: LabelledPositions) -> None:
    taught = Counter(mask.bit_count() for mask in label_targets(labels).masks.tolist())
    for ply, count in Counter(labels.plies.tolist()).items():
        copies = min(1000, max(1, len(labels) // (16 * count)))  # plies 0 to 15
        assert taught[ply] == copies * count
    assert taught[0] == len(labels) // 16


def test_it_learns_best_moves_and_results(
    learner: DistillationLearner, labels: LabelledPositions
) -> None:
    """Far above what the 95 % interval of chance allows, in positions that it has not seen."""
    unseen = labels.take(slice(2000, None))
    logits, values = evaluate_network(learner.policy.network, TAUGHT, unseen.states)
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
    learner = DistillationLearner(TAUGHT, settings)
    learner.advance(0.0)
    mask = int(lopsided.masks[0])
    image = 1 << (15 - mask.bit_length() + 1)
    states = [BoardState(0, stone, 2, won=False) for stone in (mask, image)]
    logits, values = evaluate_network(learner.policy.network, TAUGHT, states)
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


def test_a_file_without_positions_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "labels.npz"
    write_labelled_positions(path, label_grove(SMALL, 1, 1).take(slice(0)))
    with pytest.raises(ValueError, match=r"there is no position in .*labels\.npz: choose another"):
        DistillationLearner(SMALL, TrainingSettings(positions=path))
