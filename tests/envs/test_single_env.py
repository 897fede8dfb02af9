"""The single environment: Gymnasium's contract, and the rules through it."""

import copy
import pickle
import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from agents import AlphaBetaAgent, GreedyAgent, RandomAgent, Solver, agent_names
from agents.solver.solver_engine import is_solvable
from envs import (
    GYMNASIUM_IDS,
    BoardGame,
    BoardState,
    ConnectFour,
    ConnectX,
    state_from_moves,
)
from envs.games import game_entry
from envs.learning.single_env import ENVIRONMENTS, BoardGameEnv, ConnectXEnv
from tests.helpers.flat_boards import EVERY_GAME, every_game, free_cells
from tests.helpers.kaggle_rules import kaggle_game
from tests.helpers.quick_agents import unhurried_agent
from tests.helpers.strategies import board_games

GAMES = 3_000
CONNECT_FOUR = "connectx/ConnectFour-v0"
CONNECT_X = "connectx/ConnectX-v0"
TIC_TAC_TOE = "connectx/TicTacToe-v0"
WIN_WITH_THE_LAST_STONE = "567555452343641722571334167142211647237366"
DRAWN_TIC_TAC_TOE = "123586479"

STONES_OF = {1: bytes.maketrans(b"\0\1\2", b"\0\1\0"), 2: bytes.maketrans(b"\0\1\2", b"\0\0\1")}

QUICK_OPPONENTS = [
    "random",
    "greedy",
    "mcts:simulations=5",
    "alphabeta:depth=2,time_limit=none",
    None,
]


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


def move_string(actions: list[int]) -> str:
    return "".join(f"{action + 1}," for action in actions)


# --- Gymnasium's own check


@pytest.mark.parametrize("observation", ["planes", "flat"])
@pytest.mark.parametrize("opponent", QUICK_OPPONENTS)
@pytest.mark.parametrize("environment_id", GYMNASIUM_IDS)
def test_gymnasium_finds_no_fault(
    environment_id: str, opponent: str | None, observation: str
) -> None:
    """In every render mode: the check makes an environment of each."""
    check_env(make(environment_id, opponent=opponent, observation=observation))


@pytest.mark.parametrize("seat", ["first", "second"])
@pytest.mark.parametrize("render_mode", [None, "ansi", "rgb_array", "svg"])
def test_gymnasium_finds_no_fault_in_either_seat(seat: str, render_mode: str | None) -> None:
    check_env(make(CONNECT_X, rows=4, columns=5, inarow=3, seat=seat, render_mode=render_mode))


# --- the same games as the rules play


@pytest.mark.parametrize("game", [*EVERY_GAME, ConnectX(4, 5, 3), ConnectX(7, 9, 4)], ids=repr)
def test_self_play_is_the_game_that_the_rules_have(game: BoardGame) -> None:
    env, rng = env_of(game, opponent=None), random.Random(1)
    winners = set()
    for _ in range(GAMES // 10 if game_entry(game).sizes else GAMES):
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
    for _ in range(300):
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
    """The columns of the new stones in the order of play: fewest stones of a player first."""
    new = [cell for cell, (old, now) in enumerate(zip(before, after, strict=True)) if old != now]
    to_move = 1 if before.count(1) == before.count(2) else 2
    # At most one stone of each player is new, and the one whose turn it was laid the first.
    return [cell % columns for cell in sorted(new, key=lambda cell: after[cell] != to_move)]


@pytest.mark.parametrize("opponent", ["random", "greedy", None])
def test_the_winning_last_stone_wins(opponent: str | None) -> None:
    env = make(CONNECT_FOUR, opponent=opponent, seat="second")
    env.reset(options={"moves": WIN_WITH_THE_LAST_STONE[:-1]})
    _, reward, terminated, _, _ = env.step(int(WIN_WITH_THE_LAST_STONE[-1]) - 1)
    assert (reward, terminated) == (1.0, True)
    assert 0 not in env.to_board(env.state)
    assert env.winner(env.state) == 2


def test_the_opponents_winning_last_stone_loses() -> None:
    """The learner's stone leaves one cell, in which the opponent completes a line."""
    env = make(CONNECT_FOUR, seat="first")
    env.reset(options={"moves": WIN_WITH_THE_LAST_STONE[:-2]})
    _, reward, terminated, _, _ = env.step(int(WIN_WITH_THE_LAST_STONE[-2]) - 1)
    assert (reward, terminated) == (-1.0, True)


def test_a_full_board_without_a_line_is_a_draw() -> None:
    env = make(TIC_TAC_TOE, opponent=None)
    env.reset(options={"moves": DRAWN_TIC_TAC_TOE[:-1]})
    assert env.step(int(DRAWN_TIC_TAC_TOE[-1]) - 1)[1:3] == (0.0, True)


# --- seats and views


def test_planes_show_the_learner_first_in_either_seat() -> None:
    for seat, player in (("first", 1), ("second", 2)):
        env, rng = make(CONNECT_FOUR, seat=seat), random.Random(3)
        for _ in range(20):
            for ply in play(env, rng):
                assert env.learner == player
                assert ply.observation.tobytes() == planes_of(env.to_board(env.state), player)


def test_a_random_seat_is_each_seat_half_of_the_time() -> None:
    env = make(TIC_TAC_TOE, seat="random")
    env.reset(seed=1)
    firsts = 0
    for _ in range(1000):
        _, info = env.reset()
        firsts += env.learner == 1
        assert info["action_mask"].sum() == (9 if env.learner == 1 else 8)
    assert 420 < firsts < 580  # five standard deviations from one half


def test_the_flat_board_is_kaggles() -> None:
    env, rng = make(CONNECT_FOUR, observation="flat", seat="random"), random.Random(4)
    for _ in range(20):
        for ply in play(env, rng):
            assert ply.observation.dtype == np.int8
            assert ply.observation.tolist() == env.to_board(env.state)


# --- illegal actions


@given(board_games(6), st.integers(0, 12), st.randoms(use_true_random=False))
def test_every_illegal_action_loses_and_changes_nothing(
    game: BoardGame, plies: int, rng: random.Random
) -> None:
    moves = move_string(random_moves(game, plies, rng))
    env = env_of(game, opponent=None)
    before, info = env.reset(options={"moves": moves})
    actions = int(env.action_space.n)  # type: ignore[attr-defined]
    for action in {*range(-2, actions + 3)} - {*np.flatnonzero(info["action_mask"])}:
        env.reset(options={"moves": moves})
        observation, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (-1.0, True, False)
        assert not info["action_mask"].any()
        assert (observation == before).all()
        with pytest.raises(ResetNeeded):
            env.step(0)


@given(board_games(6), st.integers(0, 12), st.randoms(use_true_random=False))
def test_every_illegal_action_raises_where_that_is_wanted(
    game: BoardGame, plies: int, rng: random.Random
) -> None:
    env = env_of(game, opponent=None, illegal="raise")
    _, info = env.reset(options={"moves": move_string(random_moves(game, plies, rng))})
    legal, state = np.flatnonzero(info["action_mask"]).tolist(), env.state
    actions = int(env.action_space.n)  # type: ignore[attr-defined]
    for action in {*range(-2, actions + 3)} - {*legal}:
        with pytest.raises(ValueError, match=f"illegal action {action} "):
            env.step(action)
        assert env.state == state
    env.step(legal[0])


@pytest.mark.parametrize("action", [3.0, "3", None, np.array([1, 2]), [3]])
@pytest.mark.parametrize("illegal", ["loss", "raise"])
def test_what_is_no_whole_number_is_no_action(action: Any, illegal: str) -> None:
    env = make(CONNECT_FOUR, illegal=illegal)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="an action is a whole number, not"):
        env.step(action)


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
    def episodes() -> list[list[tuple[object, ...]]]:
        env, rng = make(environment_id, opponent=opponent), random.Random(6)
        return [comparable(play(env, rng, seed=7 if first else None)) for first in (True, False)]

    random.seed(1)
    expected = episodes()
    random.seed(2)
    assert episodes() == expected


@pytest.mark.parametrize("opponent", ["random", "mcts:simulations=5"])
def test_a_used_environment_repeats_by_its_seed(opponent: str) -> None:
    env = make(CONNECT_FOUR, opponent=opponent)
    expected = comparable(play(env, random.Random(8), seed=9))
    for _ in play(env, random.Random(10)):
        pass
    assert comparable(play(env, random.Random(8), seed=9)) == expected


@pytest.mark.parametrize("opponent", ["random", "random:", "mcts:simulations=5"])
def test_other_seeds_bring_other_opponents(opponent: str) -> None:
    env = make(CONNECT_FOUR, opponent=opponent, seat="second")
    boards = {env.reset(seed=seed)[0].tobytes() for seed in range(30)}
    assert len(boards) > 2


def test_an_agents_own_seed_comes_first() -> None:
    env = make(CONNECT_FOUR, opponent="random:seed=3", seat="second")
    expected = RandomAgent(seed=3).act(ConnectFour(), ConnectFour().initial_state())
    for seed in range(5):
        env.reset(seed=seed)
        assert env.to_board(env.state)[35:].index(1) == expected


def test_without_seeds_games_differ() -> None:
    first_actions = set()
    for _ in range(30):
        env = make(TIC_TAC_TOE, seat="second")
        first_actions.add(env.reset()[0].tobytes())
    assert len(first_actions) > 2


# --- copies


COPIES: list[Callable[[BoardGameEnv], BoardGameEnv]] = [
    copy.copy,
    copy.deepcopy,
    lambda env: pickle.loads(pickle.dumps(env)),
]


@pytest.mark.parametrize("duplicate", COPIES, ids=["copy", "deepcopy", "pickle"])
@pytest.mark.parametrize("opponent", [*QUICK_OPPONENTS, GreedyAgent().act])
@pytest.mark.parametrize("environment_id", GYMNASIUM_IDS)
def test_a_copy_in_mid_game_goes_on_alike(
    environment_id: str, opponent: Any, duplicate: Callable[[BoardGameEnv], BoardGameEnv]
) -> None:
    env = make(environment_id, opponent=opponent)
    env.reset(seed=12, options={"moves": "12"})
    twin = duplicate(env)
    assert (twin.state, twin.learner) == (env.state, env.learner)
    expected = comparable(go_on(env, random.Random(13)))
    assert comparable(go_on(twin, random.Random(13))) == expected
    assert comparable(play(twin, random.Random(14))) == comparable(play(env, random.Random(14)))


def test_a_wrapped_environment_pickles_in_mid_game() -> None:
    env = gymnasium.make(CONNECT_FOUR)
    env.reset(seed=1)
    env.step(3)
    twin = pickle.loads(pickle.dumps(env))
    for action in (2, 2, 2):
        one, other = env.step(action), twin.step(action)
        assert (one[0] == other[0]).all()
        assert one[1:4] == other[1:4]


def test_arrays_are_new_at_each_step() -> None:
    env = make(CONNECT_FOUR, opponent=None)
    plies = list(play(env, random.Random(15)))
    for ply in plies:
        ply.observation[...] = 1
        ply.mask[...] = 1
    arrays = [array for ply in plies for array in (ply.observation, ply.mask)]
    for i, array in enumerate(arrays):
        assert not any(np.shares_memory(array, other) for other in arrays[i + 1 :])
    env.reset()
    assert env.step(0)[4]["action_mask"].tolist() == [1] * 7


# --- beginning with moves


def test_moves_set_the_position() -> None:
    env = make(CONNECT_FOUR, opponent=None)
    observation, info = env.reset(options={"moves": "4453111111"})
    assert env.state == state_from_moves(ConnectFour(), "4453111111")
    assert observation.tobytes() == planes_of(env.to_board(env.state), player=1)
    assert info["action_mask"].tolist() == [0, 1, 1, 1, 1, 1, 1]


@pytest.mark.parametrize(("seat", "plies"), [("first", 4), ("second", 5)])
def test_the_opponent_moves_after_the_moves_where_it_is_its_turn(seat: str, plies: int) -> None:
    env = make(CONNECT_FOUR, seat=seat)
    env.reset(options={"moves": "4453"})
    assert env.state.mask.bit_count() == plies
    assert env.state.player == env.learner


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"moves": "48"}, "move 2 of '48' is 8: legal: 1, 2, 3, 4, 5, 6, 7"),
        ({"moves": "four"}, "'f' in the moves 'four' is not a number"),
        ({"moves": [4, 4]}, "write them as a text"),
        ({"state": 3}, "unknown option 'state' of reset"),
        ({"moves": "1212121"}, "the game is over before the learner's first action"),
    ],
)
def test_wrong_options_of_a_reset(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(CONNECT_FOUR).reset(options=options)


def test_an_opponent_that_ends_the_game_at_once_leaves_nothing_to_play() -> None:
    env = make(CONNECT_X, inarow=1, seat="second")
    with pytest.raises(ValueError, match="let the learner be the first player"):
        env.reset()


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


def test_a_function_may_be_the_opponent() -> None:
    seen = []

    def leftmost(game: BoardGame, state: BoardState) -> int:
        seen.append(state)
        return game.get_available_actions(state)[0]

    env = make(CONNECT_FOUR, opponent=leftmost, seat="first")
    env.reset()
    env.step(6)
    assert seen == [state_from_moves(ConnectFour(), "7")]
    assert env.state == state_from_moves(ConnectFour(), "71")


def test_an_agents_act_may_be_the_opponent() -> None:
    agent = AlphaBetaAgent(depth=4, time_limit=None)
    env = make(CONNECT_FOUR, opponent=agent.act, seat="first")
    env.reset(options={"moves": "1727"})
    env.step(0)
    before = state_from_moves(ConnectFour(), "17271")
    action = AlphaBetaAgent(depth=4, time_limit=None).act(ConnectFour(), before)
    assert env.state == ConnectFour().get_next_state(before, action)


def test_a_strong_opponent_beats_a_random_learner() -> None:
    env, rng = make(TIC_TAC_TOE, opponent="alphabeta:time_limit=none"), random.Random(16)
    rewards = [[*play(env, rng)][-1].reward for _ in range(20)]
    assert max(rewards) <= 0 > min(rewards)


def test_an_agent_is_an_opponent_as_its_act_is() -> None:
    games = []
    for opponent in (GreedyAgent(), GreedyAgent().act, "greedy"):
        env = make(CONNECT_FOUR, opponent=opponent)
        games.append(comparable(play(env, random.Random(18), seed=18)))
    assert games[0] == games[1] == games[2]


def test_an_opponent_that_cheats_is_named() -> None:
    env = make(CONNECT_FOUR, opponent=lambda game, state: 7, seat="first")
    env.reset()
    with pytest.raises(ValueError, match=r"the opponent .*lambda.* plays an illegal action 7 "):
        env.step(0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"opponent": "stockfish"}, "unknown agent 'stockfish': choose one of random, greedy"),
        ({"opponent": "mcts:speed=9"}, "agent mcts has no option 'speed'"),
        ({"opponent": 3}, "give an agent or the name of one, a function"),
        ({"oponent": None}, r"unknown option 'oponent' \(is opponent meant\?\): choose of rows, "),
        ({"zzz": 1}, "unknown option 'zzz': choose of rows, columns, inarow, opponent, seat"),
        ({"rows": 5, "opponent": "policy"}, "policy was trained for 6 rows, .* cannot play"),
        ({"rows": 5, "opponent": "alphazero"}, "policy was trained for 6 rows, .* cannot play"),
        ({"seat": "third"}, "seat is 'third': choose one of first, second, random"),
        ({"illegal": "ignore"}, "illegal is 'ignore': choose one of loss, raise"),
        ({"observation": "pixels"}, "unknown observation 'pixels': choose one of planes, flat"),
        ({"render_mode": "3d"}, "render_mode is '3d': choose one of ansi, rgb_array, svg, None"),
        ({"rows": 0}, "rows must be a whole number of at least 1"),
    ],
)
def test_wrong_arguments_are_refused_when_it_is_made(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ConnectXEnv(**options)


def test_legal_actions_are_sampled_by_the_mask() -> None:
    env = make(TIC_TAC_TOE, opponent=None)
    env.action_space.seed(17)
    _, info = env.reset(options={"moves": "1593"})
    actions = {int(env.action_space.sample(info["action_mask"])) for _ in range(200)}
    assert actions == {1, 3, 5, 6, 7}
    assert env.action_masks().tolist() == info["action_mask"].tolist()
