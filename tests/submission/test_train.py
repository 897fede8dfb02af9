"""`connectx train`: what is learnt, what is kept, how it goes on, what is refused."""
# ruff: noqa: E402 (the libraries of the extra `train` may be missing)

import json
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from zipfile import ZipFile

import pytest

from agents.policy.network import decode_policy, encode_policy, evaluate_network
from agents.policy.policy_agent import PolicyAgent
from agents.policy.trials import SeatRecord, Trial, game_value, play_seat
from envs import BoardGame, ConnectFour, ConnectX, TicTacToe
from tests.helpers.flat_boards import every_game
from tests.helpers.shell import Shell
from tests.helpers.signals import heed_ctrl_c
from tests.helpers.trained_policies import random_policy

for library in ("gymnasium", "torch", "stable_baselines3", "sb3_contrib", "matplotlib"):
    pytest.importorskip(library)

import numpy as np
import torch

from agents.policy.self_play import OpponentPool, SelfPlay
from agents.policy.train import TrainingOutcome, train_policy
from agents.policy.training_files import TrainingFiles
from agents.policy.training_settings import Budget, TrainingSettings
from agents.policy.trials import curve_png

PNG = b"\x89PNG\r\n\x1a\n"
QUICK = TrainingSettings(
    widths=(64,), games=64, horizon=16, minibatch=256, learning_rate=2e-3, trial_games=20
)


def train_quickly(
    game: BoardGame,
    policy: Path,
    steps: int,
    resume: bool = False,
    settings: TrainingSettings = QUICK,
) -> TrainingOutcome:
    files = TrainingFiles(policy, game, settings)
    if not resume:
        files.checkpoint.require_new()
    earlier = files.checkpoint.read() if resume else None
    return train_policy(game, settings, Budget(steps=steps), files, earlier, lambda *_: None)


def state_of(policy: Path) -> dict[str, Any]:
    with ZipFile(policy.with_suffix(".checkpoint")) as archive:
        state: dict[str, Any] = json.loads(archive.read("training.json"))
    return state


def past_selves_of(policy: Path) -> list[bytes]:
    with ZipFile(policy.with_suffix(".checkpoint")) as archive:
        names = sorted(name for name in archive.namelist() if "past_self" in name)
        return [archive.read(name) for name in names]


# --- trials


def test_a_game_is_worth_what_the_rules_say() -> None:
    """Two players who always prefer the same columns: 1 fills column 1, then 2 and so on."""
    env = ConnectX(rows=4, columns=2, inarow=4)
    policy = random_policy(env, seed=1)
    head = policy.network.policy
    left, right = (
        PolicyAgent(
            encode_policy(
                policy._replace(
                    network=policy.network._replace(
                        policy=head._replace(
                            weights=np.zeros_like(head.weights),
                            biases=np.array(biases, np.float32),
                        )
                    )
                )
            )
        )
        for biases in ([1, 0], [0, 1])
    )
    assert game_value(env, {1: left, 2: right}) == 1.0
    assert game_value(env, {1: left, 2: left}) == 0.0


def test_a_seat_record_counts_what_the_policy_won() -> None:
    """On a board of one column player 1 wins whoever plays."""
    env = ConnectX(rows=3, columns=1, inarow=1)
    policy = random_policy(env, seed=1)
    assert play_seat(policy, env, seat=1, games=5) == SeatRecord(wins=5, draws=0, losses=0)
    assert play_seat(policy, env, seat=2, games=5) == SeatRecord(wins=0, draws=0, losses=5)
    full = ConnectX(rows=2, columns=2, inarow=3)
    assert play_seat(random_policy(full, seed=1), full, 1, games=5) == SeatRecord(0, 5, 0)


def test_the_curve_is_a_png() -> None:
    trials = [
        Trial(steps, steps / 100, SeatRecord(9, 1, 10), SeatRecord(5, 5, 10)) for steps in (0, 500)
    ]
    pictures = [curve_png(trials[:1]), curve_png(trials)]
    assert all(picture.startswith(PNG) for picture in pictures)
    assert pictures[0] != pictures[1]


# --- the opponents


def observed(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Empty boards on which column 0 is said to be full."""
    masks = np.ones((count, 7), np.int8)
    masks[:, 0] = 0
    return np.zeros((count, 2, 6, 7), np.int8), masks, np.arange(count)


def test_opponents_play_legal_actions_in_proportion() -> None:
    pool = OpponentPool(games=6000, actions=7, random_share=0.0, largest=4, seed=1)
    boards = observed(6000)
    counts = np.bincount(pool.choose_actions(*boards), minlength=7)
    assert counts[0] == 0
    assert all(abs(count - 1000) < 5 * 30 for count in counts[1:])  # nobody but random so far

    network = random_policy(ConnectFour(), seed=2).network
    pool.add(network)
    pool.draw_opponents()
    logits = evaluate_network(network, boards[0][:1])[0][0].astype(float)
    chances = np.exp(logits) * boards[1][0]
    chances /= chances.sum()
    counts = np.bincount(pool.choose_actions(*boards), minlength=7)
    spreads = np.sqrt(6000 * chances * (1 - chances)) + 1e-9
    assert (abs(counts - 6000 * chances) < 5 * spreads + 1).all()


def test_the_latest_past_self_stays_and_has_half_of_the_games() -> None:
    pool = OpponentPool(games=4000, actions=7, random_share=0.25, largest=3, seed=1)
    networks = [random_policy(ConnectFour(), seed=number).network for number in range(10)]
    for number, network in enumerate(networks, start=1):
        pool.add(network)
        assert len(pool.past_selves) == min(number, 3)
        assert pool.past_selves[-1] is network
    one_action = [
        network._replace(
            policy=network.policy._replace(biases=np.eye(7, dtype=np.float32)[number] * 1e6)
        )
        for number, network in enumerate(pool.past_selves, start=1)
    ]
    pool.past_selves[:] = one_action
    pool.draw_opponents()
    counts = np.bincount(pool.choose_actions(*observed(4000)), minlength=7)
    # 3/4 against past selves, of which the latest has 1/2 + 1/2 * 1/3; random actions are 1/24.
    assert abs(counts[3] - 4000 * (0.75 * 2 / 3 + 0.25 / 6)) < 150
    assert abs(counts[1] - 4000 * (0.75 / 6 + 0.25 / 6)) < 120


# --- training


def test_a_policy_learns_a_small_game(tmp_path: Path) -> None:
    """Three in a row on 4x4, which player 1 wins: far more games are won than by chance."""
    policy = tmp_path / "policy.npz"
    outcome = train_quickly(ConnectX(4, 4, inarow=3), policy, steps=60_000)
    untrained = state_of(policy)["trials"][0]
    assert untrained[0] == 0
    game = ConnectX(4, 4, inarow=3)
    trained = decode_policy(policy.read_bytes())
    first, second = (play_seat(trained, game, seat, games=100) for seat in (1, 2))
    assert first.wins >= 80
    assert second.wins >= 50
    assert outcome.last_trial.steps >= 60_000
    assert not outcome.interrupted
    assert policy.with_suffix(".png").read_bytes().startswith(PNG)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "policy.checkpoint",
        "policy.npz",
        "policy.png",
    ]


@every_game
def test_every_game_can_be_learnt(game: BoardGame, tmp_path: Path) -> None:
    policy = tmp_path / "policy.npz"
    settings = TrainingSettings(widths=(8,), games=16, horizon=8, minibatch=64, trial_games=2)
    train_quickly(game, policy, steps=200, settings=settings)
    trained = PolicyAgent(policy.read_bytes())
    assert trained.act(game, game.initial_state()) in range(len(game.action_cells))


def test_a_game_that_is_not_in_the_table_is_refused(tmp_path: Path) -> None:
    class Misere(TicTacToe):
        """Who has a line has lost."""

    with pytest.raises(ValueError, match=r"is none of the games .*: enter it in envs/games\.py"):
        train_quickly(Misere(), tmp_path / "policy.npz", steps=200)
    assert list(tmp_path.iterdir()) == []


def test_the_policy_that_is_kept_is_the_learners() -> None:
    training = SelfPlay(
        ConnectFour(),
        TrainingSettings(seed=3),
        Budget(steps=1),
        on_trial=lambda _: None,
        on_step=lambda _: None,
    )
    planes = np.random.default_rng(1).integers(2, size=(5, 2, 6, 7)).astype(np.int8)
    logits, values = evaluate_network(training.policy.network, planes)
    network = training._learner.policy
    with torch.no_grad():
        observations = torch.tensor(planes)
        distribution: Any = network.get_distribution(observations).distribution
        expected_values = network.predict_values(observations)[:, 0]
    normalised = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(normalised, distribution.logits.numpy(), atol=1e-4)
    np.testing.assert_allclose(values, expected_values.numpy(), atol=1e-4)


def test_the_same_seed_and_steps_give_the_same_policy(tmp_path: Path) -> None:
    contents = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        policy = tmp_path / f"{name}.npz"
        settings = TrainingSettings(
            seed, widths=(8,), games=16, horizon=8, minibatch=64, trial_games=2
        )
        train_quickly(TicTacToe(), policy, steps=600, settings=settings)
        contents.append(policy.read_bytes())
    assert contents[0] == contents[1] != contents[2]


def test_training_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    policy = tmp_path / "policy.npz"
    train_quickly(TicTacToe(), policy, steps=1500)
    before = state_of(policy)
    with pytest.raises(FileExistsError, match="go on from it with --resume, or delete it"):
        train_quickly(TicTacToe(), policy, steps=3000)
    past_selves = past_selves_of(policy)
    outcome = train_quickly(TicTacToe(), policy, steps=3000, resume=True)
    after = state_of(policy)
    assert past_selves == past_selves_of(policy)[: len(past_selves)]
    assert 0 < len(past_selves) < len(past_selves_of(policy))
    assert after["trials"][: len(before["trials"])] == before["trials"]
    assert 3000 <= outcome.last_trial.steps < 3600
    assert after["seconds"] > before["seconds"]


def test_a_spent_budget_leaves_the_policy_as_it_is(tmp_path: Path) -> None:
    policy = tmp_path / "policy.npz"
    train_quickly(TicTacToe(), policy, steps=600)
    content = policy.read_bytes()
    train_quickly(TicTacToe(), policy, steps=600, resume=True)
    assert policy.read_bytes() == content


def test_the_checkpoint_of_another_training_is_refused(tmp_path: Path) -> None:
    policy = tmp_path / "policy.npz"
    with pytest.raises(FileNotFoundError):
        train_quickly(TicTacToe(), policy, steps=600, resume=True)
    train_quickly(TicTacToe(), policy, steps=600)
    with pytest.raises(ValueError, match="another game, or one with another seed"):
        train_quickly(ConnectX(4, 4, 3), policy, steps=900, resume=True)
    policy.with_suffix(".checkpoint").write_text("no archive")
    with pytest.raises(ValueError, match="is no checkpoint of a training"):
        train_quickly(TicTacToe(), policy, steps=900, resume=True)


# --- the command


def test_the_command_trains_a_policy_that_can_be_bundled(shell: Shell) -> None:
    game = ("--game", "connectx", "--rows", "4", "--columns", "5")
    outcome = shell.run("train", *game, "--steps", "1000", "-o", "small.npz")
    assert outcome.status == 0, outcome.stderr
    assert "as player 2:" in outcome.stdout
    assert "Wrote small.npz and small.png." in outcome.stdout
    assert shell.run("build", "policy", "--option", "file=small.npz").status == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--steps", "0"), "training needs more than 0 minutes and more than 0 steps"),
        (("--minutes", "-1"), "training needs more than 0 minutes and more than 0 steps"),
        (("--output", "absent/policy.npz"), "cannot write absent/policy.npz"),
        (("--output", "policy.zip"), "a policy's file ends in .npz, unlike policy.zip: rename it"),
        (("--rows", "4"), "connectfour has one size only: leave --rows out"),
        (("--resume",), "there is no policy.checkpoint to go on from"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    words: tuple[str, ...], message: str, shell: Shell
) -> None:
    outcome = shell.run("train", *words)
    assert outcome.status == 2
    assert message in outcome.stderr
    assert outcome.stderr.count("\n") == 1


def test_a_missing_library_is_said_with_the_extra(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    outcome = shell.run("train")
    assert outcome.status == 2
    assert "training needs torch: install the extra `train`" in outcome.stderr
    assert outcome.stderr.count("\n") == 1


def steps_kept(folder: Path) -> int:
    """The steps in the checkpoint of a training; the first one is written before any."""
    if not (folder / "policy.checkpoint").exists():
        return 0
    return int(state_of(folder / "policy.npz")["steps"])


def test_ctrl_c_keeps_what_was_learnt(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "submission", "train", "--minutes", "5"]
    options = ["--game", "tictactoe", "--output", str(tmp_path / "policy.npz")]
    process = subprocess.Popen(
        [*command, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_ctrl_c,
    )
    deadline = monotonic() + 60
    while steps_kept(tmp_path) == 0 and monotonic() < deadline:
        sleep(0.1)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 1, stderr
    assert "Interrupted: the same command with --resume goes on from there." in stdout
    steps = state_of(tmp_path / "policy.npz")["steps"]
    assert steps > 0
    assert f"After {steps} steps" in stdout
