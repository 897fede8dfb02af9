"""`connectx train`: what it says, what it writes, how it goes on, what is refused."""
# ruff: noqa: E402 (the libraries of the extra `train` may be missing)

import re
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from agents.policy.network import decode_policy, policy_scope
from agents.policy.training.learner import Budget, TrainingSettings
from agents.policy.training.training import Round, Training, Trials
from agents.policy.training.training_files import decode_state, encode_state
from agents.reporting.output_file import held
from envs import BoardGame, ConnectX
from envs.games import GAMES
from tests.helpers.flat_boards import every_game
from tests.helpers.shell import Shell
from tests.helpers.signals import heed_ctrl_c
from tests.helpers.systems import needs_posix
from tests.helpers.toy_learner import TOY, ToyLearner, enter_toy

for library in ("torch", "matplotlib", "tensorboard"):
    pytest.importorskip(library)

import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from agents.policy.training.curves import curves_png, open_curves

PNG = b"\x89PNG\r\n\x1a\n"
SMALL = ("--method", "toy", "--game", "connectx", "--rows", "4", "--columns", "4", "--inarow", "3")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    enter_toy(monkeypatch)


def kept(folder: Path) -> dict[str, Any]:
    state: dict[str, Any] = decode_state((folder / "policy.checkpoint").read_bytes())
    return state


def logged(folder: Path) -> dict[str, list[int]]:
    """The rounds of each curve, as TensorBoard reads them."""
    events = EventAccumulator(str(folder)).Reload()
    return {
        name: [event.step for event in events.Scalars(name)] for name in events.Tags()["scalars"]
    }


# --- the command


@pytest.mark.usefixtures("toy")
def test_the_command_trains_a_policy_and_draws_its_curves(shell: Shell) -> None:
    outcome = shell.run("train", *SMALL, "--rounds", "7")
    assert outcome.status == 0, outcome.stderr
    lines = re.findall(r"^Round (\d), after 0.\d minutes: loss .*, Elo .*", outcome.stdout, re.M)
    assert lines == [*"1234567"]
    assert "Trained up to round 7, in " in outcome.stdout
    assert "Its trial after round 7, without a search:" in outcome.stdout
    assert re.search(r"  against its past: Elo [+-]\d+", outcome.stdout)
    assert " of its moves keep the result, " in outcome.stdout
    assert "Wrote policy.npz, policy.png and policy.tensorboard." in outcome.stdout
    assert decode_policy(Path("policy.npz").read_bytes()).scope == policy_scope(ConnectX(4, 4, 3))
    assert Path("policy.png").read_bytes().startswith(PNG)
    rounds = [*range(1, 8)]
    trials = [0, 1, 2, 3, 4, 5, 6, 7]
    assert logged(Path("policy.tensorboard")) == {
        "loss/policy": rounds,
        "games": rounds,
        "trial/elo": trials,
        "trial/keeps the result": trials,
        "trial/best": trials,
    }


@pytest.mark.usefixtures("toy")
def test_it_goes_on_and_its_curves_with_it(shell: Shell) -> None:
    assert shell.run("train", *SMALL, "--rounds", "3").status == 0
    again = shell.run("train", *SMALL, "--rounds", "5")
    assert again.status == 2
    assert "policy.checkpoint has an earlier training: go on from it with --resume" in again.stderr
    outcome = shell.run("train", *SMALL, "--rounds", "5", "--resume")
    assert "Trained up to round 5," in outcome.stdout
    assert logged(Path("policy.tensorboard"))["loss/policy"] == [1, 2, 3, 4, 5]
    spent = shell.run("train", *SMALL, "--rounds", "5", "--resume")
    report = outcome.stdout.partition("Trained")[2]
    assert (spent.status, spent.stdout.partition("Trained")) == (0, ("", "Trained", report))
    assert re.findall(r"^Round (\d)", outcome.stdout, re.M) == ["4", "5"]


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("name", GAMES)
def test_every_game_can_be_learnt(name: str, shell: Shell) -> None:
    outcome = shell.run("train", "--method", "toy", "--game", name, "--rounds", "1")
    assert outcome.status == 0, outcome.stderr


@pytest.mark.usefixtures("toy")
def test_a_board_without_a_solver_is_learnt_without_these_figures(shell: Shell) -> None:
    board = ("--game", "connectx", "--rows", "10", "--columns", "10")
    outcome = shell.run("train", "--method", "toy", *board, "--rounds", "1")
    assert outcome.status == 0, outcome.stderr
    assert "no figures of solved positions" in outcome.stdout
    assert Path("policy.png").read_bytes().startswith(PNG)


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--rounds", "0"), "training needs more than 0 minutes and more than 0 rounds"),
        (("--minutes", "-1"), "training needs more than 0 minutes and more than 0 rounds"),
        (("--minutes", "nan"), "training needs more than 0 minutes and more than 0 rounds"),
        (("--seed", "-1"), "seed must be from 0 to 4294967295, not -1"),
        (("--width", "5000"), "width must be from 0 to 1024, not 5000"),
        (("--simulations", "9"), "--method toy takes no --simulations: leave it out"),
        (("--workers", "2"), "--method toy learns in one process: leave --workers and --dask out"),
        (("--method", "ppo"), "unknown method 'ppo': choose one of toy"),
        (("--output", "absent/policy.npz"), "cannot write absent/policy.npz"),
        (("--output", "policy.zip"), "a policy's file ends in .npz, unlike policy.zip: rename it"),
        (("--rows", "4"), "connectfour has one size only: leave --rows out"),
        (("--resume",), "there is no policy.checkpoint to go on from"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    words: tuple[str, ...], message: str, shell: Shell
) -> None:
    outcome = shell.run("train", "--method", "toy", *words)
    assert outcome.status == 2
    assert message in outcome.stderr
    assert outcome.stderr.count("\n") == 1
    assert [*Path().iterdir()] == []


@pytest.mark.usefixtures("toy")
def test_two_trainings_never_share_their_files(shell: Shell) -> None:
    with held(Path("policy.npz")):
        for more in ((), ("--resume",)):
            outcome = shell.run("train", *SMALL, "--rounds", "1", *more)
            assert outcome.status == 2
            assert "another run is using policy.npz: wait until it ends" in outcome.stderr
            assert outcome.stderr.count("\n") == 1
    assert [*Path().iterdir()] == []


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("name", ["policy.npz", "policy.checkpoint", "policy.png"])
def test_a_folder_in_the_place_of_a_file_is_found_before_the_training(
    shell: Shell, name: str
) -> None:
    Path(name).mkdir()
    outcome = shell.run("train", *SMALL, "--rounds", "1")
    assert outcome.status == 2
    assert f"cannot write {name} (Is a directory)" in outcome.stderr
    assert [*Path().iterdir()] == [Path(name)]


@pytest.mark.usefixtures("toy")
def test_a_torn_checkpoint_is_said_in_one_line(shell: Shell) -> None:
    assert shell.run("train", *SMALL, "--rounds", "1").status == 0
    checkpoint = Path("policy.checkpoint")
    checkpoint.write_bytes(checkpoint.read_bytes()[:-200])
    outcome = shell.run("train", *SMALL, "--rounds", "2", "--resume")
    assert outcome.status == 2
    assert "policy.checkpoint is no checkpoint of a training, or it is damaged" in outcome.stderr
    assert outcome.stderr.strip().count("\n") == 0


def test_a_missing_library_is_said_with_the_extra(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    outcome = shell.run("train")
    assert outcome.status == 2
    assert "training needs torch: install the extra `train`" in outcome.stderr
    assert outcome.stderr.count("\n") == 1


COMMAND = """
import pytest
from submission.__main__ import main
from tests.helpers.toy_learner import enter_toy
enter_toy(pytest.MonkeyPatch())
main()
"""


@needs_posix
def test_ctrl_c_keeps_what_was_learnt(tmp_path: Path) -> None:
    options = [*SMALL, "--minutes", "5", "--output", str(tmp_path / "policy.npz")]
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "train", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        preexec_fn=heed_ctrl_c,
    )
    deadline = monotonic() + 120
    while not (tmp_path / "policy.checkpoint").exists() and monotonic() < deadline:
        sleep(0.1)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 1, stderr
    assert "Interrupted: the same command with --resume goes on from there." in stdout
    rounds = len(kept(tmp_path)["rounds"])
    assert rounds > 0
    assert f"Trained up to round {rounds}," in stdout
    assert decode_policy((tmp_path / "policy.npz").read_bytes())


@pytest.mark.usefixtures("toy")
def test_ctrl_c_before_the_first_round_keeps_nothing(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    for name in ("advance", "__init__"):
        monkeypatch.setattr(ToyLearner, name, interrupted)
        outcome = shell.run("train", *SMALL, "--rounds", "1")
        assert outcome.status == 1
        assert outcome.stdout == (
            "Interrupted before the end of the first round: nothing is kept.\n"
        )
        assert not Path("policy.checkpoint").exists()


def test_ctrl_c_waits_until_all_is_kept() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a library may have set another
    game, kept_rounds = ConnectX(4, 4, 3), []

    def keep(training: Training) -> None:
        if len(training.rounds) == 2:
            signal.raise_signal(signal.SIGINT)
        kept_rounds.append(len(training.rounds))

    training = Training(TOY(game, TrainingSettings()), Trials(game, draw=lambda _: None))
    with pytest.raises(KeyboardInterrupt):
        training.run(Budget(rounds=5), keep, lambda *_: None)
    assert kept_rounds[-1] == len(training.rounds) == 2
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


# --- curves and tensors


@every_game
def test_the_curves_are_a_png(game: BoardGame, tmp_path: Path) -> None:
    training = Training(TOY(game, TrainingSettings()), Trials(game, draw=lambda _: None))
    pictures = []
    for rounds in (1, 2):
        with open_curves(tmp_path / "curves.png", tmp_path / "logs", training) as curves:
            training.run(Budget(rounds=rounds), curves.add, lambda *_: None)
        pictures.append((tmp_path / "curves.png").read_bytes())
    assert all(picture.startswith(PNG) for picture in pictures)
    assert pictures[0] != pictures[1]
    assert curves_png([], training.trials.held).startswith(PNG)
    assert curves_png([Round(1, 2.0, {"games": 3.0})], training.trials.held).startswith(PNG)


def test_what_a_later_run_learns_again_is_logged_once(tmp_path: Path) -> None:
    """An interrupt may come between the logs and the checkpoint."""
    game = ConnectX(4, 4, 3)
    for first in (True, False):
        training = Training(TOY(game, TrainingSettings()), Trials(game, draw=lambda _: None))
        if not first:
            training.run(Budget(rounds=2), lambda _: None, lambda *_: None)
        with open_curves(tmp_path / "curves.png", tmp_path / "logs", training) as curves:
            training.run(Budget(rounds=3 if first else 4), curves.add, lambda *_: None)
    assert logged(tmp_path / "logs")["loss/policy"] == [1, 2, 3, 4]


def test_an_optimisers_state_comes_back_from_a_checkpoint() -> None:
    """Tensors of all kinds that PyTorch's optimisers keep, bit by bit."""

    def step(layer: torch.nn.Linear, optimiser: torch.optim.Optimizer) -> None:
        optimiser.zero_grad()
        layer(torch.ones(2, 3)).square().sum().backward()
        optimiser.step()

    made = []
    for _ in range(2):
        torch.manual_seed(1)
        layer = torch.nn.Linear(3, 2)
        made.append((layer, torch.optim.AdamW(layer.parameters(), 0.1)))
    (layer, optimiser), (other, other_optimiser) = made
    step(layer, optimiser)
    content = encode_state(
        {"layer": layer.state_dict(), "adam": optimiser.state_dict(), "rng": torch.get_rng_state()}
    )
    state = decode_state(content)
    other.load_state_dict(state["layer"])
    other_optimiser.load_state_dict(state["adam"])
    assert torch.equal(state["rng"], torch.get_rng_state())
    for pair in made:
        step(*pair)
    assert torch.equal(layer.weight, other.weight)
    assert torch.equal(layer.bias, other.bias)
