"""Training around a learner: rounds, trials, checkpoints, the solved sample, Elo."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from functools import partial
from itertools import product
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.networks.network import TrainedPolicy, decode_policy, encode_policy
from agents.policy.policy_agent import PolicyAgent
from agents.policy.training import solved_sample
from agents.policy.training.batch_play import draw_openings, pair_points
from agents.policy.training.labelled_positions import ILLEGAL
from agents.policy.training.learner import LEARNERS, Budget, TrainingSettings, find_method
from agents.policy.training.solved_sample import SolvedSample, draw_sample
from agents.policy.training.training import Training, Trials
from agents.policy.training.training_files import (
    CHECKPOINT_FORMAT,
    TrainingFiles,
    decode_state,
    encode_state,
)
from envs import BoardGame, ConnectFour, ConnectX, TicTacToe
from envs.board import state_from_moves
from tests.helpers import toy_learner
from tests.helpers.brute_force import BruteForce, action_score
from tests.helpers.flat_boards import every_game
from tests.helpers.toy_learner import SMALL, TOY, ToyLearner, begun, files_in, train, unjudged

OPENINGS = "agents.policy.training.training.OPENINGS"


@pytest.fixture(autouse=True)
def short_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most tests ask when trials are held and what is kept of them, not what they find."""
    monkeypatch.setattr(OPENINGS, 4)
    monkeypatch.setattr(toy_learner, "GAMES", 5)


def one_action(game: BoardGame, action: int) -> TrainedPolicy:
    """A policy that prefers one action wherever it is legal."""
    policy = ToyLearner(game, TrainingSettings()).policy
    bias = policy.network.bias.copy()
    bias[action] = 1.0
    return policy._replace(network=policy.network._replace(bias=bias))


# --- rounds and trials


def test_a_training_keeps_its_rounds_and_holds_ever_rarer_trials(tmp_path: Path) -> None:
    training = train(tmp_path, rounds=9)
    assert [done.number for done in training.rounds] == [*range(1, 10)]
    assert [trial.rounds for trial in training.trials.held] == [0, 1, 2, 3, 4, 5, 6, 8, 9]
    seconds = [done.seconds for done in training.rounds]
    assert seconds == sorted(seconds)
    assert all(done.figures["loss/policy"] > 0 for done in training.rounds)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["policy.checkpoint", "policy.npz"]
    assert (tmp_path / "policy.npz").read_bytes() == encode_policy(training.learner.policy)


def test_it_learns_and_its_trials_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who makes winners' moves beats who always prefers the first column."""
    monkeypatch.setattr(OPENINGS, 64)
    monkeypatch.setattr(toy_learner, "GAMES", 40)
    training = Training(TOY(SMALL, TrainingSettings()), Trials(SMALL))
    training.run(Budget(rounds=60), lambda _: None, lambda *_: None)
    first, last = training.trials.held[0], training.trials.held[-1]
    assert first.elo.value == 0
    assert last.elo.low > 100
    assert first.judgement is not None
    assert last.judgement is not None
    assert last.judgement.keeping.value > first.judgement.keeping.value
    assert last.judgement.best.value > first.judgement.best.value


def test_an_interrupt_and_a_resumed_training_change_nothing(tmp_path: Path) -> None:
    """Wherever it comes: before a trial or after it, amid a round or between two."""
    rounds, kinds = 2, ("before keep", "after keep", "in a round")
    whole = train(tmp_path / "whole", rounds)
    for kind, instant in product(kinds, range(1, rounds + 2)):
        folder = tmp_path / f"{kind} {instant}"
        with pytest.raises(KeyboardInterrupt):
            train_until(folder, rounds, kind, instant)
        resumed = train(folder, rounds, resume=(folder / "policy.checkpoint").exists())
        files = [path / "policy.npz" for path in (folder, tmp_path / "whole")]
        assert files[0].read_bytes() == files[1].read_bytes()
        state, expected = resumed.learner.state(), whole.learner.state()
        np.testing.assert_array_equal(state["weights"], expected["weights"], strict=True)
        assert state["rng"] == expected["rng"]
        assert [d.figures for d in resumed.rounds] == [d.figures for d in whole.rounds]
        assert elos(resumed) == elos(whole)


def elos(training: Training) -> list[tuple[int, Any]]:
    return [(trial.rounds, trial.elo) for trial in training.trials.held]


def train_until(folder: Path, rounds: int, kind: str, instant: int) -> None:
    """Train, and have Ctrl-C come at some instant."""
    folder.mkdir()
    files, training, left = files_in(folder), begun(SMALL), instant

    def interrupt(at: str) -> None:
        nonlocal left
        left -= at == kind
        if left == 0:
            raise KeyboardInterrupt

    def keep(training: Training) -> None:
        interrupt("before keep")
        files.keep(training)
        interrupt("after keep")

    training.run(Budget(rounds=rounds), keep, lambda *_: interrupt("in a round"))


def test_a_run_that_ends_between_two_trials_leaves_the_later_ones_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    advance = ToyLearner.advance
    monkeypatch.setattr(ToyLearner, "advance", lambda learner, spent: advance(learner, 0.0))
    whole = train(tmp_path / "whole", rounds=10)
    train(tmp_path / "parts", rounds=7)
    parts = train(tmp_path / "parts", rounds=10, resume=True)
    assert [rounds for rounds, _ in elos(parts)] == [0, 1, 2, 3, 4, 5, 6, 7, 8, 10]
    assert {*elos(whole)} < {*elos(parts)}


class Slow(ToyLearner):
    """Each of its rounds takes ten seconds of a clock that stands still otherwise."""

    now = 0.0

    def advance(self, spent: float) -> Mapping[str, float]:
        type(self).now += 10.0
        return {"spent": spent}


@pytest.mark.parametrize(
    ("budget", "rounds"),
    [
        (Budget(seconds=40), 4),
        (Budget(seconds=44), 4),  # less than half of a fifth round would fit
        (Budget(seconds=46), 5),
        (Budget(seconds=1), 1),
        (Budget(rounds=3), 3),
        (Budget(seconds=40, rounds=2), 2),
        (Budget(seconds=20, rounds=7), 2),
    ],
)
def test_the_budget_ends_it(budget: Budget, rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Slow, "now", 0.0)
    monkeypatch.setattr("agents.policy.training.training.monotonic", lambda: Slow.now)
    learner = Slow(SMALL, TrainingSettings())
    training = Training(learner, unjudged(SMALL), begun=0.0)
    shown: list[int] = []
    training.run(budget, lambda _: None, lambda done, *_: shown.append(done))
    assert len(training.rounds) == rounds
    spent = [done.figures["spent"] for done in training.rounds]
    assert shown == [0, *(round(100 * share) for share in spent), 100]  # first before a trial
    assert spent[0] == 0.0
    assert spent == sorted(set(spent))
    assert spent[-1] < 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        *(
            (partial(Budget, **numbers), "more than 0 minutes and more than 0 rounds")
            for numbers in ({"seconds": 0}, {"rounds": 0}, {"seconds": nan})
        ),
        (partial(TrainingSettings, seed=-1), "seed must be from 0 to"),
        (partial(TrainingSettings, simulations=1), "simulations must be from 2 to 100000, not 1"),
        (partial(TrainingSettings, width=1025), "width must be from 0 to 1024, not 1025"),
        (partial(TOY, SMALL, TrainingSettings(simulations=10)), "--method toy takes no --simulati"),
        (partial(LEARNERS["distill"], SMALL, TrainingSettings()), "distill needs --positions"),
        (
            partial(LEARNERS["distill"], SMALL, TrainingSettings(positions=Path("x")), Executor()),
            "--method distill learns in one process: leave --workers and --dask out",
        ),
        (partial(find_method, "ppo"), "unknown method 'ppo': choose one of alphazero"),
        (
            partial(TrainingFiles.of, Path("policy.zip"), SMALL, "toy", TrainingSettings()),
            r"the name of a policy's file must end in \.npz, not policy\.zip",
        ),
    ],
)
def test_what_cannot_be_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


# --- checkpoints


def test_a_training_that_goes_on_keeps_its_curve_and_its_time(tmp_path: Path) -> None:
    before = train(tmp_path, rounds=3)
    with pytest.raises(FileExistsError, match="go on from it with --resume, or delete it"):
        train(tmp_path, rounds=5)
    after = train(tmp_path, rounds=5, resume=True)
    assert after.rounds[:3] == before.rounds
    assert after.trials.held[:4] == before.trials.held
    assert after.rounds[3].seconds > before.rounds[2].seconds
    assert [trial.rounds for trial in after.trials.held] == [0, 1, 2, 3, 4, 5]


def test_what_is_no_folder_for_the_logs_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TensorBoard printed a traceback from a thread of its own."""
    logs = tmp_path / "policy.tensorboard"
    logs.touch()
    with pytest.raises(FileExistsError, match=r"policy\.tensorboard is not a folder .* rename it"):
        train(tmp_path, rounds=1)
    logs.unlink()
    logs.mkdir()
    monkeypatch.setattr("os.access", lambda path, mode: False)  # the superuser may write anywhere
    with pytest.raises(FileExistsError, match=r"tensorboard is not a folder that can be written"):
        train(tmp_path, rounds=1)


def test_a_spent_budget_leaves_the_files_as_they_are(tmp_path: Path) -> None:
    train(tmp_path, rounds=2)
    contents = {path: path.read_bytes() for path in tmp_path.iterdir()}
    train(tmp_path, rounds=2, resume=True)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == contents


def test_the_checkpoint_of_another_training_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="leave --resume out to begin"):
        train(tmp_path, rounds=1, resume=True)
    train(tmp_path, rounds=1)
    for other in ({"game": TicTacToe()}, {"seed": 5}):
        with pytest.raises(ValueError, match="has the training of another game, or one with"):
            train(tmp_path, rounds=2, resume=True, **other)


def damages(content: bytes) -> Iterator[bytes]:
    """A checkpoint cut off, altered, of what cannot be, and other files in its place."""
    for part in range(10):
        yield content[: len(content) * part // 10]
    middle = len(content) // 2
    yield content[:middle] + bytes([content[middle] ^ 255]) + content[middle + 1 :]
    yield from (b"no archive", b"\x80\x04N.", encode_policy(TOY(SMALL, TrainingSettings()).policy))
    changes: list[dict[str, Any]] = [
        *({"learner": state} for state in ({}, {"weights": np.zeros((1, 1)), "rng": {}}, None)),
        *({"seconds": seconds} for seconds in (nan, inf, -1.0, "1")),
        {"rounds": 5},
        {"rounds": [(2, 0.1, {})]},
        {"rounds": [(1, nan, {})]},
        {"rounds": [(1, 0.5, {}), (2, 0.1, {})]},
        {"past_selves": [(b"",)]},
    ]
    kept = decode_state(content)
    kinds = ({"format": kind} for kind in (1, 2, CHECKPOINT_FORMAT))
    for state in (None, [1], *kinds, kept | {"format": "2"}, *(kept | each for each in changes)):
        yield encode_state(state)


def test_a_torn_or_foreign_checkpoint_is_refused_in_one_sentence(tmp_path: Path) -> None:
    train(tmp_path, rounds=1)
    files = files_in(tmp_path)
    for damaged in damages(files.checkpoint.read_bytes()):
        files.checkpoint.write_bytes(damaged)
        with pytest.raises(ValueError, match="is not a checkpoint of a training, or it is damaged"):
            files.restore(begun(SMALL))


@pytest.mark.parametrize("version", [2, CHECKPOINT_FORMAT + 1])
def test_the_checkpoint_of_another_version_is_told_from_a_damaged_one(
    tmp_path: Path, version: int
) -> None:
    train(tmp_path, rounds=1)
    checkpoint = files_in(tmp_path).checkpoint
    other = decode_state(checkpoint.read_bytes()) | {"format": version}
    checkpoint.write_bytes(encode_state(other))
    told = rf"another version .* \(format {version}, not 3\): .* \(--weights .*policy\.npz\), "
    with pytest.raises(ValueError, match=told):
        train(tmp_path, rounds=2, resume=True)


SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
)
STATES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(SCALARS, inner),
    max_leaves=8,
)


@given(STATES)
@settings(max_examples=20)
def test_states_come_back_as_they_were(state: Any) -> None:
    assert decode_state(encode_state(state)) == state


def test_arrays_come_back_with_their_shapes_and_types() -> None:
    matrix = np.arange(6, dtype=np.float32).reshape(2, 3)
    arrays = [matrix, np.array(7, np.int8), np.zeros((0, 3), bool)]
    for array, same in zip(arrays, decode_state(encode_state(arrays)), strict=True):
        np.testing.assert_array_equal(array, same, strict=True)
    with pytest.raises(TypeError, match="a set cannot be kept in a checkpoint"):
        encode_state({1, 2})


# --- play without a search


@every_game
def test_points_agree_with_games_played_one_by_one(game: BoardGame) -> None:
    learner = ToyLearner(game, TrainingSettings())
    untaught = learner.policy
    learner.advance(0.0)
    taught = learner.policy
    agents = [PolicyAgent(encode_policy(policy)) for policy in (untaught, taught)]
    openings = draw_openings(game, 12, seed=3)
    expected = [0.0] * len(openings)
    for (number, opening), seat in product(enumerate(openings), (1, 2)):
        state = opening
        while game.get_available_actions(state):
            agent = agents[state.player == seat]
            state = game.get_next_state(state, agent.act(game, state))
        expected[number] += {seat: 1.0, None: 0.5}.get(game.winner(state), 0.0)
    assert pair_points(taught, untaught, game, openings) == expected


@every_game
def test_openings_are_unfinished_and_the_same_for_a_seed(game: BoardGame) -> None:
    openings = draw_openings(game, 50, seed=1)
    assert len(openings) == 50
    assert all(game.get_available_actions(state) for state in openings)
    assert len(set(openings)) > 10
    assert openings == draw_openings(game, 50, seed=1) != draw_openings(game, 50, seed=2)


# --- Elo


def test_a_policy_that_wins_all_has_a_finite_rating() -> None:
    game = ConnectX(4, 4, inarow=4)
    trials = unjudged(game)
    for rounds, action in enumerate((0, 1, 2)):
        trials.hold(one_action(game, action), rounds, float(rounds))
    elos = [trial.elo for trial in trials.held]
    assert elos[0].value == elos[0].low == elos[0].high == 0
    assert all(elo.low < elo.value < elo.high for elo in elos[1:])
    assert all(np.isfinite([elo.low, elo.high]).all() for elo in elos)


def test_a_trial_judges_what_the_file_holds() -> None:
    """Weights are rounded in a file; a later run finds the past selves there."""
    trials = unjudged(SMALL)
    policy = ToyLearner(SMALL, TrainingSettings()).policy
    trials.hold(policy, 0, 0.0)
    assert decode_policy(trials.past_selves[0].content).scope == policy.scope
    for rounds in range(1, 7):
        trials.hold(policy, rounds, 0.0)
    assert len(trials.past_selves) == 4


# --- the solved sample


@pytest.mark.parametrize("game", [TicTacToe(), ConnectX(3, 4, inarow=3)], ids=str)
def test_the_sample_is_solved(game: BoardGame) -> None:
    """And the same every time."""
    sample, same = draw_sample(game), draw_sample(game)
    assert sample is not None
    assert same is not None
    assert sample.states == same.states
    np.testing.assert_array_equal(sample.scores, same.scores)
    assert len(set(sample.states)) == len(sample.states) > 100
    assert sample.scores.shape == (len(sample.states), len(game.action_cells))
    few_cells_left = [n for n, state in enumerate(sample.states) if state.mask.bit_count() >= 4]
    assert len(few_cells_left) > 50
    truth = BruteForce(game)
    for number in few_cells_left[:100]:
        state, scores = sample.states[number], sample.scores[number].tolist()
        legal = game.get_available_actions(state)
        assert [action for action, score in enumerate(scores) if score != ILLEGAL] == list(legal)
        found = [scores[action] for action in legal]
        expected = [action_score(game, truth, state, action) for action in legal]
        assert np.sign(found).tolist() == np.sign(expected).tolist()
        best, truly_best = max(found), max(expected)
        assert [s == best for s in found] == [s == truly_best for s in expected]
        assert len(set(np.sign(found))) > 1
        assert not any(game.get_next_state(state, action).won for action in legal)


def test_the_sample_of_connect_four_is_of_all_plies(monkeypatch: pytest.MonkeyPatch) -> None:
    """That of its first two groves, which are as all of them."""
    monkeypatch.setattr(solved_sample, "SAMPLE_SIZE", 100)
    sample = draw_sample(ConnectFour())
    assert sample is not None
    assert len(sample.states) == 100
    assert len({state.mask.bit_count() for state in sample.states}) > 20


def test_boards_without_a_solver_have_no_sample() -> None:
    assert draw_sample(ConnectX(10, 10, inarow=4)) is None
    assert draw_sample(ConnectX(6, 1, inarow=4)) is None  # no move is ever a mistake


def test_a_judgement_counts_good_moves() -> None:
    game = ConnectX(2, 3, inarow=4)
    empty = game.initial_state()
    scores = np.array([[2, 1, 0], [0, 0, -1], [-2, 3, -1], [ILLEGAL, -1, 1]], np.int8)
    sample = SolvedSample((empty, empty, empty, state_from_moves(game, "11")), scores)
    judged = sample.judge(one_action(game, 0), game)  # column 1 thrice, then column 3
    assert (judged.keeping.value, judged.best.value) == (3 / 4, 3 / 4)
    judged = sample.judge(one_action(game, 1), game)
    assert (judged.keeping.value, judged.best.value) == (3 / 4, 2 / 4)
