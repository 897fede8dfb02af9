"""`connectx train`: what it says, what it writes, how it goes on, what is refused."""
# ruff: noqa: E402 (the libraries of the extra `train` may be missing)

import re
import signal
from pathlib import Path

import pytest

from agents.networks.network import decode_policy, policy_scope
from agents.policy.training.learner import LEARNERS, Budget
from agents.policy.training.training import Round, Training
from agents.policy.training.training_files import decode_state
from agents.reporting.output_file import held
from envs import ConnectX
from envs.games import GAMES
from tests.helpers import toy_learner
from tests.helpers.processes import interrupted
from tests.helpers.shell import Shell
from tests.helpers.systems import needs_posix
from tests.helpers.toy_learner import ToyLearner, begun, enter_toy

for library in ("torch", "matplotlib", "tensorboard"):
    pytest.importorskip(library)

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from agents.policy.training.curves import curves_png, open_curves

PNG = b"\x89PNG\r\n\x1a\n"
SMALL = ("--method", "toy", "--rows", "4", "--columns", "4", "--inarow", "3")


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a command says and writes does not depend on how much it learns."""
    enter_toy(monkeypatch)
    monkeypatch.setattr("agents.policy.training.training.OPENINGS", 4)
    monkeypatch.setattr("agents.policy.training.solved_sample.SAMPLE_SIZE", 50)
    monkeypatch.setattr(toy_learner, "GAMES", 5)


def logged(folder: Path) -> dict[str, list[int]]:
    """The rounds of each curve, as TensorBoard reads them."""
    events = EventAccumulator(str(folder)).Reload()
    return {
        name: [event.step for event in events.Scalars(name)] for name in events.Tags()["scalars"]
    }


# --- the command


def test_the_command_trains_a_policy_and_draws_its_curves(shell: Shell) -> None:
    said = shell.output("train", *SMALL, "--rounds", "3")
    assert said.startswith("Before the first round: a trial of some seconds.\nRound 1, ")
    lines = re.findall(r"^Round (\d), after \d+\.\d minutes: loss .*, Elo .*", said, re.M)
    assert lines == [*"123"]
    assert "Trained up to round 3, in " in said
    assert "Its trial after round 3, without a search:" in said
    assert re.search(r"  against its past: Elo [+-]\d+", said)
    assert " of its moves keep the result, " in said
    assert "Wrote policy.npz, policy.png and policy.tensorboard." in said
    assert decode_policy(Path("policy.npz").read_bytes()).scope == policy_scope(ConnectX(4, 4, 3))
    assert Path("policy.png").read_bytes().startswith(PNG)
    rounds, trials = [1, 2, 3], [0, 1, 2, 3]
    assert logged(Path("policy.tensorboard")) == {
        "loss/policy": rounds,
        "games": rounds,
        "trial/elo": trials,
        "trial/keeps the result": trials,
        "trial/best": trials,
    }


def test_it_goes_on_and_its_curves_with_it(shell: Shell) -> None:
    assert shell.run("train", *SMALL, "--rounds", "2").status == 0
    earlier = "policy.checkpoint has an earlier training: go on from it with --resume"
    assert earlier in shell.refusal("train", *SMALL, "--rounds", "3")
    outcome = shell.run("train", *SMALL, "--rounds", "3", "--resume")
    assert re.findall(r"^Round (\d)", outcome.stdout, re.M) == ["3"]
    assert "Trained up to round 3," in outcome.stdout
    assert logged(Path("policy.tensorboard"))["loss/policy"] == [1, 2, 3]
    spent = shell.run("train", *SMALL, "--rounds", "3", "--resume")
    report = outcome.stdout[outcome.stdout.index("Trained") :]
    nothing = "No round was left to train: --resume goes on with a larger --minutes or --rounds."
    assert (spent.status, spent.stdout) == (0, f"{report}{nothing}\n")


@pytest.mark.parametrize(
    "game", [f"{name} --rows 10 --columns 10" if name == "connectx" else name for name in GAMES]
)
def test_every_game_can_be_learnt(game: str, shell: Shell) -> None:
    said = shell.output("train", "--method", "toy", "--rounds", "1", "--game", *game.split())
    assert ("no figures of solved positions" in said) == ("10" in game)
    assert Path("policy.png").read_bytes().startswith(PNG)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--rounds 0", "training needs more than 0 minutes and more than 0 rounds"),
        ("--seed -1", "seed must be from 0 to 4294967295, not -1"),
        ("--simulations 9", "--method toy takes no --simulations: leave it out"),
        ("--workers 2", "--method toy learns in one process: leave --workers and --dask out"),
        ("--output absent/policy.npz", "cannot write absent/policy.npz"),
        ("--output policy.zip", "the name of a policy's file must end in .npz, not policy.zip"),
        ("--game connectfour --rows 4", "connectfour has one size only: leave --rows out"),
        ("--resume", "there is no policy.checkpoint to go on from"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(words: str, message: str, shell: Shell) -> None:
    assert message in shell.refusal("train", "--method", "toy", *words.split())
    assert [*Path().iterdir()] == []


def test_the_weights_to_begin_with_are_not_overwritten(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.policy.training.learner.LEARNERS", LEARNERS)
    words = "--method", "alphazero", "--weights", "policy.npz"
    assert "policy.npz is read and would be overwritten" in shell.refusal("train", *words)
    assert [*Path().iterdir()] == []


def test_a_game_without_anything_to_learn_is_learnt(shell: Shell) -> None:
    size = "--rows", "1", "--columns", "1"
    outcome = shell.run("train", "--method", "toy", "--game", "connectx", *size, "--rounds", "1")
    assert "against its past: Elo +0 above the beginning" in outcome.stdout
    assert "no solver takes this board, or nothing is at stake" in outcome.stdout


def test_two_trainings_never_share_their_files(shell: Shell) -> None:
    with held(Path("policy.npz")):
        for more in ((), ("--resume",)):
            told = shell.refusal("train", *SMALL, *more)
            assert "another run is using policy.npz: wait until it ends" in told
    assert [*Path().iterdir()] == []


def test_a_folder_in_the_place_of_a_file_is_found_before_the_training(shell: Shell) -> None:
    for name in ("policy.npz", "policy.checkpoint", "policy.png"):
        Path(name).mkdir()
        told = shell.refusal("train", *SMALL, "--rounds", "1")
        assert f"cannot write {name} (Is a directory)" in told
        assert [*Path().iterdir()] == [Path(name)]
        Path(name).rmdir()


COMMAND = """
import pytest
from submission.__main__ import main
from tests.helpers.toy_learner import enter_toy
enter_toy(pytest.MonkeyPatch())
main()
"""


@needs_posix
def test_ctrl_c_keeps_what_was_learnt(tmp_path: Path) -> None:
    words, checkpoint = ("train", *SMALL, "--minutes", "5"), tmp_path / "policy.checkpoint"
    ended = interrupted(*words, until=checkpoint.exists, folder=tmp_path, program=("-c", COMMAND))
    assert ended.returncode == 1, ended.stderr
    assert "Interrupted: the same command with --resume goes on from there." in ended.stdout
    rounds = len(decode_state(checkpoint.read_bytes())["rounds"])
    assert rounds > 0
    assert f"Trained up to round {rounds}," in ended.stdout
    assert decode_policy((tmp_path / "policy.npz").read_bytes())


def test_ctrl_c_before_the_first_round_keeps_nothing(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    for name in ("advance", "__init__"):
        monkeypatch.setattr(ToyLearner, name, interrupted)
        outcome = shell.run("train", *SMALL, "--rounds", "1")
        assert outcome.status == 1
        assert outcome.stdout.splitlines()[-1] == (
            "Interrupted before the end of the first round: nothing is kept."
        )
        assert [*Path().iterdir()] == []


def test_ctrl_c_waits_until_all_is_kept() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a library may have set another
    training, kept_rounds = begun(ConnectX(4, 4, 3)), []

    def keep(training: Training) -> None:
        if len(training.rounds) == 2:
            signal.raise_signal(signal.SIGINT)
        kept_rounds.append(len(training.rounds))

    with pytest.raises(KeyboardInterrupt):
        training.run(Budget(rounds=5), keep, lambda *_: None)
    assert kept_rounds[-1] == len(training.rounds) == 2
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


# --- curves


def test_the_curves_are_a_png(tmp_path: Path) -> None:
    training, pictures = begun(ConnectX(4, 4, 3)), []
    for rounds in (1, 2):
        with open_curves(tmp_path / "curves.png", tmp_path / "logs", training) as curves:
            training.run(Budget(rounds=rounds), curves, lambda *_: None)
        pictures.append((tmp_path / "curves.png").read_bytes())
    assert all(picture.startswith(PNG) for picture in pictures)
    assert pictures[0] != pictures[1]
    assert curves_png([], training.trials.held).startswith(PNG)
    assert curves_png([Round(1, 2.0, {"games": 3.0})], training.trials.held).startswith(PNG)


def test_what_a_later_run_learns_again_is_logged_once(tmp_path: Path) -> None:
    """An interrupt may come between the logs and the checkpoint."""
    for first in (True, False):
        training = begun(ConnectX(4, 4, 3))
        if not first:
            training.run(Budget(rounds=2), lambda _: None, lambda *_: None)
        with open_curves(tmp_path / "curves.png", tmp_path / "logs", training) as curves:
            training.run(Budget(rounds=3 if first else 4), curves, lambda *_: None)
    assert logged(tmp_path / "logs")["loss/policy"] == [1, 2, 3, 4]
