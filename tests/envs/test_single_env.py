"""The single environment: Gymnasium's contract, and the rules through it."""

import copy
import pickle
import random
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from agents import GreedyAgent, RandomAgent, Solver, agent_names
from agents.solver.solver_engine import is_solvable
from envs import GYMNASIUM_IDS, BoardGame, ConnectFour, ConnectX, state_from_moves
from envs.board import moves_text
from envs.games import game_entry
from envs.learning.observations import action_mask, make_observer
from envs.learning.single_env import ENVIRONMENTS, BoardGameEnv, ConnectXEnv
from tests.helpers.flat_boards import EVERY_GAME, every_game, free_cells
from tests.helpers.kaggle_rules import kaggle_game
from tests.helpers.quick_agents import unhurried_agent
from tests.helpers.strategies import Position, board_games, positions

CONNECT_FOUR = "connectx/ConnectFour-v0"
TIC_TAC_TOE = "connectx/TicTacToe-v0"

STONES_OF = {1: bytes.maketrans(b"\0\1\2", b"\0\1\0"), 2: bytes.maketrans(b"\0\1\2", b"\0\0\1")}

QUICK_OPPONENTS = ["random", "greedy", "mcts:simulations=5", None]


class Ply(NamedTuple):
    """What a step gave, with the action before it; the reset is the first of them."""

    action: int | None
    observation: NDArray[np.int8]
    reward: float
    terminated: bool
    mask: NDArray[np.int8]


def make(environment_id: str, **options: Any) -> BoardGameEnv:
    env = gymnasium.make(environment_id, **options).unwrapped
    assert isinstance(env, BoardGameEnv)
    return env


def env_of(game: BoardGame, **options: Any) -> BoardGameEnv:
    entry = game_entry(game)
    env = ENVIRONMENTS[entry.rules](*entry.sizes_of(game), **options)
    assert isinstance(env, BoardGameEnv)
    return env


def play(env: BoardGameEnv, rng: random.Random, **reset: Any) -> Iterator[Ply]:
    """An episode in which the learner plays random legal actions."""
    observation, info = env.reset(**reset)
    yield Ply(None, observation, 0.0, False, info["action_mask"])
    yield from go_on(env, rng)


def go_on(env: BoardGameEnv, rng: random.Random) -> Iterator[Ply]:
    """The rest of such an episode."""
    terminated = False
    while not terminated:
        action = rng.choice(env.get_available_actions(env.state))
        observation, reward, terminated, truncated, info = env.step(action)
        assert truncated is False
        yield Ply(action, observation, reward, terminated, info["action_mask"])


def comparable(plies: Iterator[Ply]) -> list[tuple[object, ...]]:
    return [(p.action, p.observation.tobytes(), p.reward, p.mask.tobytes()) for p in plies]


def random_moves(game: BoardGame, plies: int, rng: random.Random) -> list[int]:
    """Up to so many legal actions that leave the game unfinished."""
    state, actions = game.initial_state(), []
    for _ in range(plies):
        action = rng.choice(game.get_available_actions(state))
        state = game.get_next_state(state, action)
        if not game.get_available_actions(state):
            break
        actions.append(action)
    return actions


# --- Gymnasium's own check


@pytest.mark.parametrize(
    "options",
    [{"opponent": None}, {"opponent": "mcts:simulations=5"}, {"observation": "flat"}],
    ids=str,
)
@pytest.mark.parametrize("environment_id", GYMNASIUM_IDS)
def test_gymnasium_finds_no_fault(environment_id: str, options: dict[str, Any]) -> None:
    """In every render mode: the check makes an environment of each."""
    check_env(make(environment_id, **options))


# --- the same games as the rules play


@pytest.mark.parametrize("game", [*EVERY_GAME, ConnectX(4, 5, 3), ConnectX(7, 9, 4)], ids=repr)
def test_self_play_is_the_game_that_the_rules_have(game: BoardGame) -> None:
    env, rng = env_of(game, opponent=None), random.Random(1)
    winners = set()
    for _ in range(50 if game_entry(game).sizes else 200):
        state, expected_reward = game.initial_state(), 0.0
        board = bytearray(game.rows * game.columns)
        for ply in play(env, rng):
            if ply.action is not None:
                player, before = state.player, state
                state = game.get_next_state(before, ply.action)
                expected_reward = game.reward(before, ply.action) * (1 if player == 1 else -1)
                board[free_cells(game, board)[ply.action]] = player
            legal = game.get_available_actions(state)
            assert env.state == state
            assert ply.mask.nonzero()[0].tolist() == list(legal)
            assert env.action_masks().tolist() == ply.mask.tolist()
            assert (ply.reward, ply.terminated) == (expected_reward, not legal)
            assert ply.observation.tobytes() == planes_of(board, state.player)
        winners.add(game.winner(state))
    assert winners >= {1, 2}


def planes_of(board: Iterable[int], player: int) -> bytes:
    """The planes, as bytes, of a flat board that a player views."""
    cells = bytes(board)
    return cells.translate(STONES_OF[player]) + cells.translate(STONES_OF[3 - player])


@pytest.mark.parametrize("seat", [1, 2])
def test_the_learner_gets_what_kaggles_rules_give(seat: int) -> None:
    game, rng = ConnectX(5, 5, 3), random.Random(2)
    env = env_of(game, opponent="random", seat=["first", "second"][seat - 1])
    rewards = []
    for _ in range(100):
        judge = kaggle_game(game, game.initial_state())
        for ply in play(env, rng):
            for column in stones_since(judge.board, game.to_board(env.state), game.columns):
                assert judge.winner is None
                judge.play(column)
            assert judge.over == ply.terminated
            won = {None: 0.0, seat: 1.0, 3 - seat: -1.0}[judge.winner]
            assert ply.reward == won
        assert judge.board == game.to_board(env.state)
        rewards.append(ply.reward)
    assert {-1.0, 1.0} <= set(rewards)


def stones_since(before: list[int], after: list[int], columns: int) -> list[int]:
    """The columns of the new stones, at most one of each player, in the order of play."""
    new = [cell for cell, (old, now) in enumerate(zip(before, after, strict=True)) if old != now]
    to_move = 1 if before.count(1) == before.count(2) else 2
    return [cell % columns for cell in sorted(new, key=lambda cell: after[cell] != to_move)]


# --- seats and views


@given(positions(board_games()))
def test_arrays_show_the_flat_board_and_the_legal_actions(position: Position) -> None:
    game, state = position
    cells = game.to_board(state)
    board = np.array(cells).reshape(game.rows, game.columns)
    for name in ("planes", "flat"):
        observer = make_observer(name, game)
        for viewer in (1, 2):
            shown = observer.observe(state, viewer)
            planes = np.array([board == viewer, board == 3 - viewer])
            assert (shown == (planes if name == "planes" else cells)).all()
            assert shown.dtype == np.int8
            assert shown in observer.space
    legal = game.get_available_actions(state)
    mask = action_mask(legal, game.action_count)
    assert mask.dtype == np.int8
    assert mask.tolist() == [int(action in legal) for action in range(len(mask))]
    mask[:] = 1
    assert action_mask(legal, len(mask)).sum() == len(legal)


def test_a_random_seat_is_each_seat_half_of_the_time() -> None:
    env = make(TIC_TAC_TOE, seat="random")
    env.reset(seed=1)
    firsts = 0
    for _ in range(1000):
        _, info = env.reset()
        firsts += env.learner == 1
        assert info["action_mask"].sum() == (9 if env.learner == 1 else 8)
    assert 420 < firsts < 580  # five standard deviations from one half


# --- illegal actions


@given(board_games(6), st.integers(0, 12), st.randoms(use_true_random=False))
def test_an_illegal_action_changes_nothing_and_loses_or_raises(
    game: BoardGame, plies: int, rng: random.Random
) -> None:
    begin: Any = {"options": {"moves": moves_text(random_moves(game, plies, rng))}}
    env, strict = env_of(game, opponent=None), env_of(game, opponent=None, illegal="raise")
    before, info = env.reset(**begin)
    strict.reset(**begin)
    legal = np.flatnonzero(info["action_mask"]).tolist()
    for action in {*range(-2, game.action_count + 3)} - {*legal}:
        env.reset(**begin)
        observation, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (-1.0, True, False)
        assert not info["action_mask"].any()
        assert (observation == before).all()
        with pytest.raises(ResetNeeded):
            env.step(0)
        with pytest.raises(ValueError, match=f"illegal action {action} "):
            strict.step(action)
        assert strict.state == env.state
    strict.step(legal[0])


@pytest.mark.parametrize("action", [3, np.int64(3), np.uint8(3), np.array(3)])
def test_numbers_of_numpy_are_actions(action: Any) -> None:
    env = make(CONNECT_FOUR, opponent=None)
    env.reset()
    env.step(action)
    assert env.state == state_from_moves(ConnectFour(), "4")


@pytest.mark.parametrize("opponent", ["random", None])
def test_a_step_needs_an_episode(opponent: str | None) -> None:
    env = make(TIC_TAC_TOE, opponent=opponent, seat="first")
    with pytest.raises(ResetNeeded):
        env.step(0)
    *_, last = play(env, random.Random(5))
    assert last.terminated
    with pytest.raises(ResetNeeded):
        env.step(0)


# --- seeds


@pytest.mark.parametrize("opponent", QUICK_OPPONENTS)
@pytest.mark.parametrize("environment_id", GYMNASIUM_IDS)
def test_a_seed_fixes_all_that_follows(environment_id: str, opponent: str | None) -> None:
    """In a new environment and in one that has played, whatever Python's own numbers are."""

    def episodes(env: BoardGameEnv) -> list[list[tuple[object, ...]]]:
        rng = random.Random(6)
        return [comparable(play(env, rng, seed=7 if first else None)) for first in (True, False)]

    random.seed(1)
    env = make(environment_id, opponent=opponent)
    expected = episodes(env)
    random.seed(2)
    assert episodes(make(environment_id, opponent=opponent)) == expected == episodes(env)


@pytest.mark.parametrize("opponent", ["random", "random:", "mcts:simulations=5"])
def test_other_seeds_bring_other_opponents_and_so_does_none(opponent: str) -> None:
    env = make(CONNECT_FOUR, opponent=opponent, seat="second")
    assert len({env.reset(seed=seed)[0].tobytes() for seed in range(30)}) > 2
    unseeded = (make(CONNECT_FOUR, opponent=opponent, seat="second") for _ in range(30))
    assert len({each.reset()[0].tobytes() for each in unseeded}) > 2


@pytest.mark.parametrize("seed", [np.int64(7), np.uint8(7)])
def test_numbers_of_numpy_are_seeds(seed: Any) -> None:
    env = make(CONNECT_FOUR, opponent="random")
    expected = comparable(play(env, random.Random(1), seed=7))
    assert comparable(play(env, random.Random(1), seed=seed)) == expected


def test_an_agents_own_seed_comes_first() -> None:
    env = make(CONNECT_FOUR, opponent="random:seed=3", seat="second")
    expected = RandomAgent(seed=3).act(ConnectFour(), ConnectFour().initial_state())
    for seed in range(5):
        env.reset(seed=seed)
        assert env.to_board(env.state)[35:].index(1) == expected


# --- copies


def test_an_environments_metadata_are_its_own() -> None:
    """Before Gymnasium 1.4 the vector environment of one wrote its autoreset mode into all."""
    env, other = make(CONNECT_FOUR), make(TIC_TAC_TOE)
    env.metadata["autoreset_mode"] = "SameStep"
    assert "autoreset_mode" not in other.metadata
    assert "autoreset_mode" not in BoardGameEnv.metadata


COPIES: list[Callable[[BoardGameEnv], BoardGameEnv]] = [
    copy.copy,
    copy.deepcopy,
    lambda env: pickle.loads(pickle.dumps(env)),
]


@pytest.mark.parametrize("opponent", [*QUICK_OPPONENTS, GreedyAgent().act])
@pytest.mark.parametrize("environment_id", GYMNASIUM_IDS)
def test_a_copy_in_mid_game_goes_on_alike(environment_id: str, opponent: Any) -> None:
    env = make(environment_id, opponent=opponent)
    env.reset(seed=12, options={"moves": "12"})
    twins = [duplicate(env) for duplicate in COPIES]
    assert all((twin.state, twin.learner) == (env.state, env.learner) for twin in twins)
    expected = comparable(go_on(env, random.Random(13)))
    again = comparable(play(env, random.Random(14)))
    for twin in twins:
        assert comparable(go_on(twin, random.Random(13))) == expected
        assert comparable(play(twin, random.Random(14))) == again


def test_arrays_are_new_at_each_step() -> None:
    env = make(CONNECT_FOUR, opponent=None)
    arrays = [array for ply in play(env, random.Random(15)) for array in (ply[1], ply[4])]
    assert not any(np.shares_memory(*pair) for pair in combinations(arrays, 2))


# --- beginning with moves


@pytest.mark.parametrize(("seat", "plies"), [("first", 4), ("second", 5)])
def test_the_opponent_moves_after_the_moves_where_it_is_its_turn(seat: str, plies: int) -> None:
    env = make(CONNECT_FOUR, seat=seat)
    env.reset(options={"moves": "4453"})
    assert env.state.mask.bit_count() == plies
    assert env.state.player == env.learner


# --- opponents


@pytest.mark.parametrize("name", agent_names())
@every_game
def test_every_agent_searches_the_environment_as_it_searches_its_rules(
    name: str, game: BoardGame
) -> None:
    assert not is_solvable(game) or Solver(game, 1).is_compiled, "it is waited for"
    env = env_of(game, opponent=None)
    env.reset(options={"moves": "1425"})
    found = unhurried_agent(name).search(env, env.state)
    expected = unhurried_agent(name).search(game, env.state)
    assert (found.action, found.value) == (expected.action, expected.value)


def test_an_agent_is_an_opponent_as_its_act_is() -> None:
    games = []
    for opponent in (GreedyAgent(), GreedyAgent().act, "greedy"):
        env = make(CONNECT_FOUR, opponent=opponent)
        games.append(comparable(play(env, random.Random(18), seed=18)))
    assert games[0] == games[1] == games[2]


def reset(moves: Any = "", **options: Any) -> BoardGameEnv:
    """An environment of ConnectX, in which the game has begun with these moves."""
    env = ConnectXEnv(**options)
    env.reset(options={"moves": moves})
    return env


class Batch:
    """An opponent for many games at once."""

    def choose_actions(self, *asked: NDArray[Any]) -> Any:
        return asked[1].argmax(axis=1)


NEW: Any = ConnectXEnv
NO_ACTIONS: list[Any] = [3.0, "3", None, True, np.array([1, 2]), [3]]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            partial(NEW, opponent=Batch()),
            "whose choose_actions only vector environments of boards call: give an agent or",
        ),
        (
            partial(NEW, oponent=1),
            r"unknown option 'oponent' \(is opponent meant\?\): choose one of ro",
        ),
        (
            partial(NEW, zzz=1),
            "unknown option 'zzz': choose one of rows, columns, inarow, opponent, se",
        ),
        (partial(NEW, illegal="ignore"), "illegal is 'ignore': choose one of loss, raise"),
        (partial(NEW, observation="pixels"), "'pixels': choose one of planes, flat"),
        (partial(NEW, observation=["flat"]), r"\['flat'\]: choose one of planes, flat"),
        (partial(NEW, seat=np.array(["first"])), "choose one of first, second, random"),
        (partial(NEW, render_mode="3d"), "'3d': choose one of ansi, rgb_array, svg, None"),
        (partial(NEW, rows=0), "rows must be a whole number of at least 1"),
        (partial(reset, "48"), "move 2 of '48' is 8: legal: 1, 2, 3, 4, 5, 6, 7"),
        (partial(reset, [4, 4]), r"^moves must be a string such as '4453', not \[4, 4\]$"),
        (partial(reset, "1212121"), "the game is over before the learner's first action"),
        (partial(reset, inarow=1, seat="second"), "let the learner be the first player"),
        *(
            (partial(NEW().reset, seed=seed), "a seed must be a whole number of at least 0, not")
            for seed in (-1, np.int64(-1), 1.5, "a", True)
        ),
        *(
            (partial(reset(illegal=illegal).step, action), "an action must be a whole number, not")
            for illegal in ("loss", "raise")
            for action in NO_ACTIONS
        ),
        (
            partial(reset(opponent=lambda game, state: 7, seat="first").step, 0),
            r"the opponent .*lambda.* plays an illegal action 7 ",
        ),
    ],
)
def test_what_does_not_fit_is_refused(ask: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ask()
