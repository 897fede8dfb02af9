"""The vector environments: the games of as many single ones, which Gymnasium puts side by side."""

import pickle
from collections import Counter
from collections.abc import Callable, Iterator
from copy import copy, deepcopy
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from agents import RandomAgent, make_agent
from agents.networks.network import encode_policy
from benchmarks.environments.random_games import play_random_games
from envs import BoardGame, BoardState, ConnectX, TicTacToe
from envs.compiled.jit import compiled
from envs.compiled.random_stream import random_action, stream_of_seed
from envs.games import game_entry
from envs.learning.random_play import LegalActionSampler, draw_of_masks
from envs.learning.single_env import ENVIRONMENTS
from envs.learning.vector.vector_boards import Boards
from envs.learning.vector.vector_env import (
    BoardGameVectorEnv,
    ConnectXVectorEnv,
    TicTacToeVectorEnv,
    make_vector_env,
)
from envs.learning.vector.vector_replies import KernelReplies, SingleReplies, make_replies
from submission.kaggle import kaggle_environments
from tests.helpers.flat_boards import EVERY_GAME
from tests.helpers.trained_policies import random_policy

pytestmark = pytest.mark.usefixtures("threads_of_single_rows")

STEPS = 25

Actions = NDArray[np.int64]


def last_legal(game: BoardGame, state: BoardState) -> int:
    """An opponent without random numbers."""
    return game.get_available_actions(state)[-1]


PYTHON_OPPONENTS: list[Any] = [last_legal, "greedy"]
OPPONENTS: list[Any] = [None, "random", *PYTHON_OPPONENTS]
MIXTURES: list[Any] = [["random", ("level:n=3", 2), "greedy"], ["level:n=6", "level:n=1"]]
LEVELS: list[Any] = [f"level:n={n}" for n in range(1, 7)]
SHARED_GAME = TicTacToe()
"""How threads share a step does not depend on the board, for which it is compiled. The steps of a
level are shared on Connect Four's board alone, below."""
KINDS: list[tuple[BoardGame, list[Any], list[str]]] = [
    (ConnectX(), OPPONENTS + LEVELS + MIXTURES, ["planes"]),
    (SHARED_GAME, [*OPPONENTS, ["random", ("greedy", 2)]], ["planes"]),
    (ConnectX(7, 8, 3), ["random", *PYTHON_OPPONENTS], ["flat"]),  # fills words of 64 bits
    (ConnectX(8, 8, 3), OPPONENTS + MIXTURES, ["flat"]),  # takes words of 128 bits
    (ConnectX(4, 52, 4), OPPONENTS, ["planes", "flat"]),  # is played in plain Python
]
"""Games, opponents and observations that need few kernels together. A kernel takes seconds to
compile: for a board, a kind of observations, and self-play, the random opponent or a level."""


class LastLegal:
    """The same opponent, who answers all games at once and remembers what it saw."""

    def __init__(self) -> None:
        self.seen: list[tuple[NDArray[np.int8], NDArray[np.int64]]] = []

    def choose_actions(
        self,
        observations: NDArray[np.int8],
        action_masks: NDArray[np.int8],
        sub_environments: NDArray[np.int64],
    ) -> Actions:
        self.seen.append((observations, sub_environments))
        from_the_right = action_masks[:, ::-1].argmax(axis=1)
        actions: Actions = action_masks.shape[1] - 1 - from_the_right
        return actions


def assert_same(ours: Any, theirs: Any) -> None:
    """The same arrays, types included, however deep they stand in tuples and dictionaries."""
    if isinstance(theirs, dict):
        assert sorted(ours) == sorted(theirs)
        for key, value in theirs.items():
            assert_same(ours[key], value)
    elif isinstance(theirs, tuple) or (isinstance(theirs, np.ndarray) and theirs.dtype == object):
        for one, other in zip(ours, theirs, strict=True):
            assert_same(one, other)
    else:
        np.testing.assert_array_equal(ours, theirs, strict=isinstance(theirs, np.ndarray))


def some_actions(masks: NDArray[np.int8], rng: np.random.Generator, illegal: float) -> Actions:
    """Legal actions at random; a share of any numbers, most of them legal, too."""
    scores = rng.random(masks.shape) * masks
    anything = rng.integers(-1, masks.shape[1] + 1, len(masks))
    actions: Actions = np.where(rng.random(len(masks)) < illegal, anything, scores.argmax(axis=1))
    return actions


def side_by_side(
    ours: BoardGameVectorEnv, theirs: SyncVectorEnv, seed: int, illegal: float
) -> Iterator[tuple[Any, Any]]:
    """What both return from a reset and from each step that follows, with the same actions."""
    rng = np.random.default_rng(seed)
    reset = ours.reset(seed=seed)
    yield reset, theirs.reset(seed=seed)
    for _ in range(STEPS):
        masks = ours.action_masks()
        actions = some_actions(masks, rng, illegal)
        step, expected = ours.step(actions), theirs.step(actions)
        yield step, expected
        over = step[2]
        if ours.metadata["autoreset_mode"] is AutoresetMode.DISABLED and over.any():
            observations, infos = ours.reset(options={"reset_mask": over})
            expected_observations, expected_infos = theirs.reset(options={"reset_mask": over})
            yield observations, expected_observations
            yield infos["action_mask"][over], expected_infos["action_mask"][over]


@pytest.mark.thorough
@settings(max_examples=25)
@given(data=st.data())
def test_games_go_as_those_of_single_environments(data: st.DataObject) -> None:
    game, opponents, observations = data.draw(st.sampled_from(KINDS))
    entry = game_entry(game)
    single = partial(ENVIRONMENTS[entry.rules], *entry.sizes_of(game))
    arguments: dict[str, Any] = data.draw(
        st.fixed_dictionaries(
            {
                "opponent": st.sampled_from(opponents),
                "seat": st.sampled_from(["first", "second", "random"]),
                "observation": st.sampled_from(observations),
            }
        )
    )
    mode = data.draw(st.sampled_from(AutoresetMode))
    num_envs = data.draw(st.integers(1, 7))
    is_shared = arguments["opponent"] == "random" and game == SHARED_GAME
    threads = data.draw(st.integers(1, 9)) if is_shared else 1
    theirs = SyncVectorEnv([partial(single, **arguments)] * num_envs, autoreset_mode=mode)
    ours = make_vector_env(game, num_envs, **arguments, autoreset_mode=mode, threads=threads)
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.action_space == theirs.action_space
    seed = data.draw(st.integers(0, 2**40))
    illegal = data.draw(st.sampled_from([0.0, 0.2]))
    for result, expected in side_by_side(ours, theirs, seed, illegal):
        assert_same(result, expected)
    ours.close()


@pytest.mark.parametrize(
    ("opponent", "mode", "threads"),
    [
        ("level:n=7", AutoresetMode.NEXT_STEP, 2),
        ("level:n=5,seed=4", AutoresetMode.SAME_STEP, 2),
        ("level:n=5", AutoresetMode.DISABLED, 2),
        ("policy", AutoresetMode.NEXT_STEP, 1),
        ("policy:temperature=1", AutoresetMode.SAME_STEP, 1),
        ("alphazero:simulations=5,temperature=1,engine=reference", AutoresetMode.NEXT_STEP, 1),
        *((["random", ("level:n=3", 2), last_legal], mode, 1) for mode in AutoresetMode),
    ],
)
def test_opponents_of_all_kinds_play_as_in_single_environments(
    opponent: Any, mode: AutoresetMode, threads: int
) -> None:
    """Those that look many plies ahead, have one game of their own, or are drawn for each game."""
    single = partial(ENVIRONMENTS[ConnectX], opponent=opponent)
    theirs = SyncVectorEnv([single] * 2, autoreset_mode=mode)
    ours = ConnectXVectorEnv(2, opponent=opponent, threads=threads, autoreset_mode=mode)
    for result, expected in side_by_side(ours, theirs, 5, 0.1):
        assert_same(result, expected)


def test_a_network_of_a_large_board_plays_as_in_single_environments(tmp_path: Path) -> None:
    """On words of 128 bits."""
    game, file = ConnectX(8, 8, 4), tmp_path / "policy.npz"
    file.write_bytes(encode_policy(random_policy(game, seed=1)))
    arguments: Any = {"opponent": f"policy:weights={file},temperature=1", "seat": "first"}
    ours = make_vector_env(game, 3, **arguments)
    single = partial(ENVIRONMENTS[ConnectX], 8, 8, 4, **arguments)
    for result, expected in side_by_side(ours, SyncVectorEnv([single] * 3), 5, 0.1):
        assert_same(result, expected)
    replies = make_replies(game, Boards(game, 3), arguments["opponent"])
    assert isinstance(replies, KernelReplies)


@pytest.mark.parametrize(
    ("opponent", "kind"),
    [
        *((name, KernelReplies) for name in ("policy", "policy:weights=zero", "level:n=7")),
        *((name, SingleReplies) for name in ("level:n=8", "alphazero:simulations=10", "greedy")),
    ],
)
def test_the_policy_and_levels_are_compiled_and_others_are_not(opponent: str, kind: type) -> None:
    game = ConnectX()
    assert isinstance(make_replies(game, Boards(game, 2), opponent), kind)


# --- several opponents


def test_several_opponents_are_drawn_by_their_weights() -> None:
    env = ConnectXVectorEnv(1000, opponent=["random", ("greedy", 3)])
    _, infos = env.reset(seed=1)
    share = infos["opponent"].mean()
    assert set(infos["opponent"].tolist()) == {0, 1}
    assert abs(share - 0.75) < 5 * (0.75 * 0.25 / 1000) ** 0.5


def test_games_go_on_against_another_opponent() -> None:
    """In the same positions; the vector environment as the single ones, drawn numbers included."""
    opponents: Any = ["random", ["level:n=2", ("level:n=5", 2)], "policy", last_legal]
    singles = [ENVIRONMENTS[ConnectX](opponent="random") for _ in range(5)]
    theirs = SyncVectorEnv([partial(lambda each: each, each) for each in singles])
    ours = ConnectXVectorEnv(5)
    rng = np.random.default_rng(2)
    assert_same(ours.reset(seed=2), theirs.reset(seed=2))
    for opponent in opponents:
        before = [ours.state(index) for index in range(5)]
        ours.set_opponent(opponent)
        for each in singles:
            each.set_opponent(opponent)
        assert [ours.state(index) for index in range(5)] == before
        for _ in range(STEPS):
            actions = some_actions(ours.action_masks(), rng, illegal=0.1)
            assert_same(ours.step(actions), theirs.step(actions))


both = pytest.mark.parametrize("make", [partial(ConnectXVectorEnv, 2), ENVIRONMENTS[ConnectX]])


def played(env: Any, column: int) -> Any:
    """What comes of this column, in each of the games."""
    return env.step(np.full(getattr(env, "num_envs", ()), column))


@both
def test_another_opponent_is_checked(make: Any) -> None:
    env = make()
    for opponent, sentence in (("nobody", "nobody"), (None, "cannot change between self-play and")):
        with pytest.raises(ValueError, match=sentence):
            env.set_opponent(opponent)
    env.reset(seed=1)
    env.set_opponent("greedy")  # before it stays as it was, and plays on


@both
def test_opponents_that_do_not_fit(make: Any) -> None:
    for opponents, sentence in (
        ("nobody", "unknown agent 'nobody': choose one of random, greedy"),
        (["random", "nobody"], "nobody"),
        (3, "give an agent or the name of one, a function"),
        (RandomAgent, r"is a class: give an agent, as in RandomAgent\(\)"),
        (LastLegal, r"is a class: give an agent, as in LastLegal\(\)"),
        (lambda observation, state, mask: 3, "takes observations: give a function"),
        ([], "the list of opponents is empty"),
        ([None], "None is not an opponent for a list"),
        ([["random", "greedy", "mcts"]], "is not an opponent for a list"),
        ([("random", 0)], "the weight of 'random' is 0: give a number above 0"),
        ([("random", float("nan"))], "the weight of 'random' is nan"),
        ([("random", True)], "the weight of 'random' is True"),
        ([("random", 1e308), ("greedy", 1e308)], r"is 1e\+308: .* at most 1e\+300"),
        (("random", 2), r"2 is not an opponent for a list.* in \['greedy', \('random', 2\)\]"),
        (np.array(["random", "greedy"]), "give an agent or .* a function .* a list of such oppon"),
        (["greedy", np.array([1, 2])], r"the opponent is array\(\[1, 2\]\): give an agent"),
    ):
        with pytest.raises(ValueError, match=sentence):
            make(opponent=opponents)
    for opponent in ("policy", "alphazero", make_agent("policy"), make_agent("policy").act):
        with pytest.raises(ValueError, match="trained for 6 rows, 7 columns"):
            make(rows=5, opponent=opponent)


def last_free(obs: Any, config: Any) -> int:
    """What `last_legal` plays, asked as Kaggle asks."""
    assert obs.mark == 1 + sum(map(bool, obs["board"])) % 2
    return max(column for column in range(config.columns) if not obs["board"][column])


def last_free_of_seven(observation: Any) -> int:
    return last_free(observation, ConnectX())


@both
@pytest.mark.parametrize("agent", [last_free, last_free_of_seven])
def test_an_agent_for_kaggle_is_refused_with_the_line_that_makes_it_an_opponent(
    make: Any, agent: Any
) -> None:
    with pytest.raises(ValueError, match=r"is an agent for Kaggle: .* give `lambda") as refusal:
        make(opponent=["random", agent])
    line = str(refusal.value).split("`")[-2]
    opponent = eval(line, globals() | {"structify": kaggle_environments().utils.structify})
    env, same = make(opponent=opponent), make(opponent=last_legal)
    assert_same(env.reset(seed=1), same.reset(seed=1))
    for column in (0, 1, 2):
        assert_same(played(env, column), played(same, column))


@both
@pytest.mark.parametrize("kind", [np.int64, np.float32, np.float64])
def test_weights_may_be_numpys(make: Any, kind: Any) -> None:
    league = [("random", kind(1)), ("greedy", kind(3))]
    same = make(opponent=["random", ("greedy", 3)])
    assert_same(make(opponent=league).reset(seed=1), same.reset(seed=1))


@both
def test_a_reply_is_a_whole_number_of_any_kind(make: Any) -> None:
    """Networks answer with an array without dimensions."""
    expected = make(opponent=lambda game, state: 3, seat="second").reset()
    replies: list[Any] = [np.int8(3), np.array(3)]
    for reply in replies:
        env = make(opponent=lambda game, state, reply=reply: reply, seat="second")
        assert_same(env.reset(), expected)
    for reply in (3.0, "3", None, True, np.array([3]), np.array([1, 2])):
        env = make(opponent=lambda game, state, reply=reply: reply, seat="second")
        with pytest.raises(ValueError, match=r"opponent.*lambda.* must be a whole number, not"):
            env.reset()


@both
def test_after_a_reply_that_failed_only_a_reset_goes_on(make: Any) -> None:
    """The learner would move the opponent's stones."""
    replies: list[Any] = [0, 1, KeyboardInterrupt(), 2]

    def opponent(game: BoardGame, state: BoardState) -> int:
        reply = replies.pop(0) if replies else 3
        if isinstance(reply, BaseException):
            raise reply
        return reply

    env = make(opponent=opponent, seat="first")
    env.reset(seed=1)
    played(env, 6)
    with pytest.raises(KeyboardInterrupt):
        [played(env, 6) for _ in range(2)]
    with pytest.raises(ResetNeeded, match="failed"):
        played(env, 6)
    env.reset()
    played(env, 6)


CHANGES: dict[str, Callable[[Any], object]] = {
    "reset": lambda env: env.reset(),
    "step": lambda env: played(env, 3),
    "set_opponent": lambda env: env.set_opponent("random"),
}


@both
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("by_name", [True, False])
def test_an_opponent_does_not_change_the_environment_that_asks_it(
    make: Any, change: str, by_name: bool
) -> None:
    """Neither by its own name nor as the game that it is given."""
    envs: list[Any] = []
    changes = [CHANGES[change]]  # once, lest the game go on for ever

    def opponent(game: Any, state: BoardState) -> int:
        if changes:
            changes.pop()(envs[0] if by_name else game)
        return 3

    envs.append(make(opponent=opponent, seat="first"))
    envs[0].reset()
    with pytest.raises(ValueError, match="the opponent changes the environment while choosing"):
        played(envs[0], 0)
    envs[0].reset()


@both
def test_nothing_is_legal_before_the_first_reset(make: Any) -> None:
    """As after the end: `step` asks for a reset."""
    env = make()
    assert not env.action_masks().any()
    env.reset()
    assert env.action_masks().any()


def test_after_a_step_that_failed_all_games_begin_anew() -> None:
    def opponent(game: BoardGame, state: BoardState) -> int:
        return 7

    env = ConnectXVectorEnv(2, opponent=opponent, seat="first", autoreset_mode="Disabled")
    env.reset()
    with pytest.raises(ValueError, match="illegal action 7"):
        played(env, 0)
    for game in ([True, False], [False, True]):
        with pytest.raises(ResetNeeded):
            played(env, 0)
        env.reset(options={"reset_mask": np.array(game)})
    env.set_opponent("random")
    played(env, 0)


@both
@pytest.mark.parametrize("options", [["moves"], "moves", 5, [("moves", "4")]])
def test_options_of_a_reset_are_a_dict(make: Any, options: Any) -> None:
    with pytest.raises(ValueError, match="reset options must be a dict like"):
        make().reset(options=options)


# --- boards, actions and resets


@pytest.mark.parametrize("columns", [7, 52])  # compiled, and in plain Python
def test_no_observation_is_the_default_one(columns: int) -> None:
    planes, default = (
        ConnectXVectorEnv(2, columns=columns, observation=name).reset(seed=1)
        for name in ("planes", None)
    )
    assert_same(planes, default)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_game_that_is_over_before_its_learner_has_moved_is_refused(
    mode: str, threads: int
) -> None:
    """One stone wins, and the second player never comes to play: not even in a later game."""
    env = ConnectXVectorEnv(3, 2, 2, 1, seat="random", autoreset_mode=mode, threads=threads)
    env.reset(seed=[0, 0, 0])  # the learner is the first player

    def play() -> None:
        for _ in range(30):
            _, rewards, *_ = env.step(np.zeros(3, int))
            assert set(rewards) <= {0.0, 1.0}

    with pytest.raises(ValueError, match="over before its learner's first action"):
        play()


@pytest.mark.parametrize("opponent", ["random", last_legal])
def test_actions_of_any_layout_are_played(opponent: Any) -> None:
    played = []
    columns = np.array([3, 5, 3, 1])
    frozen = columns.copy()
    frozen.flags.writeable = False
    for actions in (columns, columns.repeat(2)[::2], columns.astype(">i4"), frozen):
        env = ConnectXVectorEnv(4, opponent=opponent)
        env.reset(seed=1)
        played.append(env.step(actions))
    for step in played[1:]:
        assert_same(step, played[0])


def test_an_opponent_for_all_games_at_once_sees_its_own_stones_first() -> None:
    batch = LastLegal()
    arguments: dict[str, Any] = {"seat": "random", "autoreset_mode": AutoresetMode.SAME_STEP}
    ours = ConnectXVectorEnv(9, opponent=batch, **arguments)
    theirs = ConnectXVectorEnv(9, opponent=last_legal, **arguments)
    rng = np.random.default_rng(5)
    assert_same(ours.reset(seed=5), theirs.reset(seed=5))
    for _ in range(STEPS):
        actions = some_actions(ours.action_masks(), rng, illegal=0.0)
        assert_same(ours.step(actions), theirs.step(actions))
    observations, games = batch.seen[0]
    assert 0 < len(games) < 9
    assert not observations.any()
    for observations, games in batch.seen:
        own, other = observations.sum(axis=(2, 3)).T
        assert len(games) == len(observations)
        assert set((other - own).tolist()) <= {0, 1}, "the opponent has moved less often"


class Scripted:
    """It answers with these numbers, whatever the game."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def choose_actions(self, *asked: NDArray[Any]) -> Any:
        return self.answer


SCRIPTED = "the opponent .*Scripted.* plays an illegal action"


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (None, "^the opponent's actions must be .* one for each of 3 games: .* not object"),
        (np.zeros(3), "^the opponent's actions must be whole numbers, .* not float64 of shape"),
        (
            np.zeros(2, int),
            r"^the opponent's actions must .*: shape \(3,\), not int64 of shape \(2,\)",
        ),
        ([6, 6, 7], f"^sub-environment 2: {SCRIPTED} 7 in .*: legal"),
        ([6, -1, 6], f"^sub-environment 1: {SCRIPTED} -1 in .*: legal"),
        ([0, 6, 6], f"^sub-environment 0: {SCRIPTED} 0 in .*: legal: 1, 2, 3"),
    ],
)
def test_an_opponent_for_all_games_who_fails_is_named(answer: Any, sentence: str) -> None:
    env = ConnectXVectorEnv(3, opponent=Scripted(answer), seat="second", illegal="raise")
    env.reset(options={"moves": "11111"})
    with pytest.raises(ValueError, match=sentence):
        env.step(np.array([0, 5, 5]))


def test_arrays_are_new_at_each_step() -> None:
    env = TicTacToeVectorEnv(4, opponent=None, autoreset_mode=AutoresetMode.SAME_STEP)
    observations, infos = env.reset(seed=1)
    before = observations.copy()
    sampler = LegalActionSampler(seed=1)
    for _ in range(10):
        step = env.step(sampler.sample(infos["action_mask"]))
        assert not np.shares_memory(step[0], observations)
        assert not np.shares_memory(step[4]["action_mask"], infos["action_mask"])
        infos = step[4]
    np.testing.assert_array_equal(observations, before)


def test_an_illegal_action_can_raise_and_changes_nothing() -> None:
    env = ConnectXVectorEnv(3, opponent=None, illegal="raise", threads=2)
    env.reset(options={"moves": "111111"})
    before = [env.state(index) for index in range(3)]
    with pytest.raises(ValueError, match=r"^sub-environment 2: illegal action 0 in .*legal: 1, 2"):
        env.step(np.array([1, 2, 0]))
    assert [env.state(index) for index in range(3)] == before


def test_games_that_are_over_wait_for_a_reset() -> None:
    env = TicTacToeVectorEnv(2, opponent=None, autoreset_mode=AutoresetMode.DISABLED)
    with pytest.raises(ResetNeeded, match="not all games have begun"):
        env.step(np.array([0, 0]))
    env.reset()
    _, rewards, terminated, _, _ = env.step(np.array([0, 9]))
    assert rewards.tolist() == [0.0, -1.0]
    with pytest.raises(ResetNeeded, match="reset_mask"):
        env.step(np.array([1, 1]))
    observations, infos = env.reset(options={"reset_mask": terminated})
    assert observations.sum(axis=(1, 2, 3)).tolist() == [1, 0]
    assert infos["action_mask"].sum(axis=1).tolist() == [8, 9]


def reset(**arguments: Any) -> None:
    ConnectXVectorEnv(2).reset(**arguments)


def step(actions: Any) -> None:
    env = ConnectXVectorEnv(2)
    env.reset()
    env.step(actions)


def state(index: Any) -> None:
    ConnectXVectorEnv(2).state(index)


NEW: Any = partial(ConnectXVectorEnv, 2)
SAMPLER: Any = LegalActionSampler
NO_SEED = "a seed must be a whole number of at least 0, not"
NO_SEEDS: list[Any] = [-1, np.int64(-1), 1.5, "ab", {1, 2}, np.array(3.5)]
NO_MASKS: list[Any] = [
    *(np.ones(7, np.int8), np.ones((2, 3, 3), np.int8), np.ones((2, 7)), np.ones((2, 7), ">i8")),
    {},
]


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (partial(NEW.func, 0), "num_envs must be a whole number of at least 1, not 0"),
        (partial(NEW.func, 2.0), "num_envs must be a whole number of at least 1, not 2.0"),
        (partial(NEW, threads=0), "threads must be"),
        (partial(NEW, threads=2, opponent="greedy"), "threads must be 1, not 2"),
        (partial(NEW, autoreset_mode="Never"), "'Never': choose one of NextStep, SameStep, Disab"),
        (partial(NEW, seat="third"), "seat is 'third': choose one of first, second, random"),
        (partial(NEW, thread=2), r"unknown option 'thread' \(is threads meant\?\)"),
        (partial(NEW, max_episode_steps=5), "vectorization_mode='sync'"),
        (
            lambda: NEW(opponent=lambda game, state: 7, seat="second").reset(),
            "^sub-environment 0: the opponent .*lambda.* plays an illegal action 7 in .*: legal: 0",
        ),
        *((partial(reset, seed=seed), NO_SEED) for seed in NO_SEEDS),
        (partial(reset, seed=[1, "2"]), f"{NO_SEED} '2'"),
        (partial(reset, seed=[1]), "1 seeds are given for 2 games"),
        (partial(reset, options={"reset_mask": [True, False]}), "must be a numpy array of bools"),
        (partial(reset, options={"reset_mask": np.array([True])}), r"of shape \(2,\)"),
        (partial(reset, options={"board": 1}), "'board' of reset: .* or, .* 'reset_mask'"),
        *(
            (partial(step, actions), "one for each of 2 games")
            for actions in (np.zeros(3, int), np.zeros(2), np.zeros((2, 1), int))
        ),
        *(
            (partial(state, index), f"sub-environment.* {index!r}")
            for index in ("a", 1.5, None, 2, 99)
        ),
        *((partial(SAMPLER, seed), NO_SEED) for seed in (-1, True, 1.5, None, "a")),
        *((partial(SAMPLER(1).sample, masks), r"shape \(n, actions\), not") for masks in NO_MASKS),
    ],
)
def test_what_does_not_fit_is_refused(ask: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        ask()


def test_numbers_of_numpy_are_numbers_and_seeds() -> None:
    env = ConnectXVectorEnv(np.int64(3), threads=np.int32(1))  # type: ignore[arg-type]
    assert type(env.num_envs) is int
    expected, _ = env.reset(seed=5)
    for seed in (np.int64(5), np.uint8(5), np.array(5), np.array([5, 6, 7])):
        np.testing.assert_array_equal(env.reset(seed=seed)[0], expected)


def test_a_list_of_seeds_repeats_single_games() -> None:
    env = ConnectXVectorEnv(3)
    first, _ = env.reset(seed=[5, 6, 5])
    again, _ = env.reset(seed=[None, 5, 6])
    np.testing.assert_array_equal(first[0], first[2])
    np.testing.assert_array_equal(again[1:], first[:2])


def test_a_reset_that_fails_leaves_nothing_to_play() -> None:
    env = ConnectXVectorEnv(50, seat="second")
    env.reset(seed=1)
    with pytest.raises(ValueError, match="over before its learner's first action"):
        env.reset(seed=1, options={"moves": "121212"})
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(np.zeros(50, int))


@pytest.mark.parametrize("duplicate", [copy, deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_play_games_of_their_own(
    duplicate: Callable[[BoardGameVectorEnv], BoardGameVectorEnv],
) -> None:
    env = TicTacToeVectorEnv(20, threads=2)
    env.reset(seed=1)
    env.step(np.zeros(20, int))
    twin = duplicate(env)
    for action in (1, 3, 2, 4):
        here, there = env.step(np.full(20, action)), twin.step(np.full(20, action))
        assert_same(here, there)


def test_boards_are_drawn() -> None:
    env = TicTacToeVectorEnv(2, opponent=None, render_mode="ansi")
    env.reset()
    env.step(np.array([0, 4]))
    frames = env.render()
    assert frames is not None
    assert [frame.split()[:5].index("X") for frame in frames] == [0, 4]
    with pytest.warns(UserWarning, match="make the environments with a render_mode"):
        assert TicTacToeVectorEnv(2).render() is None


def test_the_sampler_draws_each_legal_action_equally_often() -> None:
    masks = np.zeros((70_000, 7), np.int8)
    masks[:, [1, 2, 6]] = 1
    masks[:100] = 0
    actions = LegalActionSampler(seed=4).sample(masks)
    assert not actions[:100].any()
    drawn = np.bincount(actions[100:], minlength=7)
    expected = 69_900 / 3
    assert set(np.flatnonzero(drawn)) == {1, 2, 6}
    assert (abs(drawn[[1, 2, 6]] - expected) < 5 * (expected * 2 / 3) ** 0.5).all()
    np.testing.assert_array_equal(actions, LegalActionSampler(seed=4).sample(masks))


def test_the_sampler_takes_masks_of_every_whole_kind() -> None:
    masks = np.random.default_rng(1).integers(0, 2, (200, 7)).astype(np.int8)
    expected = LegalActionSampler(np.int64(2)).sample(masks)
    read_only = masks.copy()
    read_only.flags.writeable = False
    kinds = [masks.astype(kind) for kind in (bool, np.uint8, np.int64)]
    strided = np.repeat(masks, 2, axis=0)[::2]
    for same in (*kinds, read_only, np.asfortranarray(masks), strided, masks.tolist()):
        np.testing.assert_array_equal(LegalActionSampler(2).sample(same), expected)
        np.testing.assert_array_equal(LegalActionSampler(2, threads=2).sample(same), expected)
    draw: Any = compiled(draw_of_masks)
    assert len(draw.signatures) == 1, "nobody waits for a second compilation"


def test_random_tic_tac_toe_ends_as_often_as_calculated() -> None:
    """Of all orders of play, 737/1260 are won by the first player and 121/420 by the second."""
    games = 200_000
    played = play_random_games(TicTacToe(), games, seed=1)
    for wins, share in ((played.wins_first, 737 / 1260), (played.wins_second, 121 / 420)):
        assert abs(wins - games * share) < 5 * (games * share * (1 - share)) ** 0.5
    assert played.wins_first + played.wins_second + played.draws == games


@pytest.mark.parametrize("game", [*EVERY_GAME, ConnectX(5, 4, 3), ConnectX(10, 12, 5)], ids=repr)
def test_whole_random_games_are_those_of_the_rules(game: BoardGame) -> None:
    stream, wins, plies = stream_of_seed(9), Counter[int | None](), 0
    for _ in range(300):
        state = game.initial_state()
        while legal := game.get_available_actions(state):
            action, stream = random_action(legal, game.action_count, stream)
            state = game.get_next_state(state, action)
        wins[game.winner(state)] += 1
        plies += state.ply
    assert play_random_games(game, 300, seed=9) == (wins[1], wins[2], wins[None], plies)
