"""Games from outside of the package: registered by a call, or by an installed package."""

import os
import pickle
import random
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from agents import make_agent
from agents.compiled.compiled_puct import PuctSettings, PuctTree, wavy_network
from envs import BoardGame, BoardState, TicTacToe, register_game, state_from_moves
from envs.bitboard import cell_bit, has_line
from envs.games import GAMES, OTHER_GAMES
from envs.learning.numbered_games import NumberedGame
from envs.learning.single_env import ENVIRONMENTS, BoardGameEnv
from envs.learning.vector.vector_boards import Boards
from envs.learning.vector.vector_env import VECTOR_ENVIRONMENTS, make_plain_vector_env
from tests.helpers.processes import completed
from tests.helpers.shell import Shell
from tests.helpers.small_games import Nim, Take

PYRAMID = "connectx/Pyramid-v0"
HEAPS = "connectx/Heaps-v0"


class Pyramid(BoardGame):
    """Stones fall into columns that are the higher the nearer they are to the middle."""

    def __init__(self, rows: int = 4, columns: int = 5, inarow: int = 3) -> None:
        super().__init__(rows, columns, inarow)
        heights = [min(rows, 1 + column, columns - column) for column in range(columns)]
        self.action_cells = [
            sum(cell_bit(rows, rows - 1 - level, column) for level in range(height))
            for column, height in enumerate(heights)
        ]

    def get_available_actions(self, state: BoardState) -> Sequence[int]:
        free = [bool(cells & ~state.mask) and not state.won for cells in self.action_cells]
        return [action for action, is_free in enumerate(free) if is_free]

    def get_next_state(self, state: BoardState, action: int) -> BoardState:
        if action not in self.get_available_actions(state):
            raise self._illegal(state, action)
        cells = self.action_cells[action] & ~state.mask
        stone = cells & -cells
        won = has_line(state.mover | stone, self.line_steps)
        return BoardState(state.mask ^ state.mover, state.mask | stone, 3 - state.player, won)


class Heaps(Nim):
    """Nim for environments; who takes the last stone loses."""

    def __init__(self, misere: bool = True) -> None:
        super().__init__(2, 3, misere=misere)
        self.actions = [Take(heap, stones) for heap in range(2) for stones in (1, 2, 3)]

    def encode(self, state: Any) -> Any:
        return np.array([*state.heaps, self.current_player(state)], np.int8)


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    register_game("pyramid", Pyramid, title="The pyramid")
    register_game("heaps", Heaps)
    yield
    for name, table in (("pyramid", GAMES), ("heaps", OTHER_GAMES)):
        table.pop(name, None)
    for name in (PYRAMID, HEAPS):
        gymnasium.registry.pop(name)


# --- a board


def test_gymnasium_and_agents_know_a_board() -> None:
    check_env(gymnasium.make(PYRAMID, rows=4, opponent="minimax:depth=2").unwrapped)
    env: Any = gymnasium.make(PYRAMID, opponent=None).unwrapped
    assert isinstance(env, BoardGameEnv)
    assert isinstance(env, Pyramid)
    env.reset(options={"moves": "2233"})
    assert make_agent("alphabeta").act(env, env.state) in (0, 3)  # three in the lowest row
    assert pickle.loads(pickle.dumps(env)).state == env.state
    assert GAMES["pyramid"].title == "The pyramid"


@pytest.mark.parametrize("opponent", ["random", "greedy"])
def test_its_vector_environment_plays_as_single_ones_do(opponent: str) -> None:
    ours, theirs = (
        gymnasium.make_vec(PYRAMID, 6, mode, opponent=opponent, columns=7)
        for mode in ("vector_entry_point", "sync")
    )
    assert Boards(Pyramid(), 2).is_compiled
    observations, infos = ours.reset(seed=1)
    np.testing.assert_array_equal(observations, theirs.reset(seed=1)[0])
    rng = np.random.default_rng(1)
    for _ in range(60):
        scores = rng.random(infos["action_mask"].shape) * infos["action_mask"]
        actions = scores.argmax(axis=1)
        *results, infos = ours.step(actions)
        for one, other in zip(results, theirs.step(actions), strict=False):
            np.testing.assert_array_equal(one, other)


def test_registering_again_replaces_a_class_by_one_of_any_kind() -> None:
    """As when a notebook's cell is run again."""
    for base in (Pyramid, Heaps, Pyramid):
        other = type("Pyramid", (base,), {})
        register_game("pyramid", other)
        game: Any = gymnasium.make(PYRAMID, opponent=None).unwrapped
        assert game.rules is other
        assert ("pyramid" in GAMES) is (base is Pyramid)
        assert ("pyramid" in OTHER_GAMES) is (base is Heaps)


@pytest.mark.thorough
def test_the_command_line_trains_it(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("torch", "matplotlib", "tensorboard"):
        pytest.importorskip(library)
    monkeypatch.setattr("agents.policy.learners.alphazero.GAMES", 64)
    monkeypatch.setattr("agents.policy.training.training.OPENINGS", 4)
    options = "--rows 2 --simulations 2 --width 4 --rounds 1 -o p.npz"
    assert shell.run("train", "--game", "pyramid", *options.split()).status == 0
    game = Pyramid(rows=2)
    assert make_agent("policy", weights="p.npz").act(game, game.initial_state()) in range(5)


# --- a game that is no board


def random_game(env: Any, rng: random.Random) -> float:
    """Play legal actions, and return the reward of the last one."""
    _, info = env.reset(seed=rng.randrange(1000))
    over = False
    while not over:
        action = rng.choice(np.flatnonzero(info["action_mask"]).tolist())
        observation, reward, over, _, info = env.step(action)
        assert env.observation_space.contains(observation)
    return float(reward)


@pytest.mark.parametrize("opponent", [None, "random", "minimax", "mcts:simulations=20"])
def test_gymnasium_checks_a_game_that_is_no_board(opponent: str | None) -> None:
    env = gymnasium.make(HEAPS, opponent=opponent).unwrapped
    check_env(env)
    rng = random.Random(1)
    rewards = {random_game(env, rng) for _ in range(40)}
    assert rewards == ({-1.0} if opponent is None else {-1.0, 1.0})  # who takes the last one loses


def test_a_perfect_opponent_never_loses_from_the_winning_seat() -> None:
    """Heaps of 2 and 3: 2 xor 3 is not 0, so the first player wins (C. L. Bouton, 1901)."""
    env, rng = gymnasium.make(HEAPS, opponent="minimax", seat="second").unwrapped, random.Random(2)
    assert {random_game(env, rng) for _ in range(20)} == {-1.0}


def test_its_vector_environment_goes_through_python() -> None:
    count: Any = np.int64(3)
    games = gymnasium.make_vec(HEAPS, num_envs=count, autoreset_mode="SameStep", seat="first")
    observations, infos = games.reset(seed=1)
    assert (observations == [[2, 3, 1]] * 3).all()
    assert infos["action_mask"].tolist() == [[1, 1, 0, 1, 1, 1]] * 3
    *_, infos = games.step(np.array([1, 3, 4]))
    assert infos["action_mask"].shape == (3, 6)
    assert games.autoreset_mode is AutoresetMode.SAME_STEP  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="autoreset_mode is 'Never': choose one of"):
        make_plain_vector_env(ENVIRONMENTS[Heaps], 2, "Never")


@pytest.mark.parametrize("game", [Pyramid(3, 7, 3), Heaps()], ids=["pyramid", "heaps"])
def test_pettingzoo_has_both(game: Any) -> None:
    pettingzoo = pytest.importorskip("pettingzoo")
    from envs.learning.pettingzoo_env import env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it expects arrays without masks
        from pettingzoo.test import api_test

        api_test(env(game), num_cycles=50)
    if hasattr(pettingzoo, "make"):
        made = pettingzoo.make("aec", f"connectx/{type(game).__name__}-v0")
        made.reset()
        assert made.observe("player_1")["action_mask"].any()


class Shelves(Pyramid):
    """Two actions fill each column: one its lower half, one its upper half."""

    def __init__(self) -> None:
        super().__init__(4, 3, 3)
        self.action_cells = [
            cell_bit(4, row, column) | cell_bit(4, row - 1, column)
            for row in (3, 1)
            for column in range(3)
        ]


def test_guided_searches_see_the_gap_in_an_upright_line() -> None:
    game = Shelves()
    state = state_from_moves(game, "1243")  # the second cell of the first column wins
    tree = PuctTree(game, state, wavy_network(game), PuctSettings(1.5, 0.2), plain=True)
    assert tree.root.proven == 1.0


# --- what is refused


class Popped(TicTacToe):
    """Its first cell can never be taken."""

    def get_available_actions(self, state: BoardState) -> Sequence[int]:
        return [action for action in super().get_available_actions(state) if action]


class Indexed(TicTacToe):
    """Its cells stand in a list, which has an item -1."""

    def get_next_state(self, state: BoardState, action: int) -> BoardState:
        return super().get_next_state(state, [*range(9)][action] if action < 9 else action)


class Shaped(Pyramid):
    """A board of three rows and columns, of whose cells each action fills some."""

    cells: tuple[tuple[tuple[int, int], ...], ...]

    def __init__(self) -> None:
        super().__init__(3, 3, 3)
        self.action_cells = [sum(cell_bit(3, *cell) for cell in some) for some in self.cells]


class Sideways(Shaped):
    """Stones slide into rows."""

    cells = tuple(tuple((row, column) for column in range(3)) for row in range(3))


class Steps(Shaped):
    """Each column is higher than the one before."""

    cells = tuple(tuple((2 - level, c) for level in range(c + 1)) for c in range(3))


class Sized(BoardGame):
    """It takes something that is no size."""

    def __init__(self, colour: int = 1) -> None:
        super().__init__(3, 3, 3)


class Chance(Heaps):
    """Chance has the first turn."""

    def current_player(self, state: Any) -> int:
        return 0 if state == self.initial_state() else super().current_player(state)

    def chance_probabilities(self, state: Any) -> dict[Any, float]:
        legal = self.get_available_actions(state)
        return {action: 1 / len(legal) for action in legal}


class Nameless(Nim):
    """It says nothing about its actions."""

    def encode(self, state: Any) -> Any:
        return np.zeros(2)


class Unordered(Heaps):
    """The order of its actions, and so their numbers, may be another in each process."""

    def __init__(self) -> None:
        super().__init__()
        self.actions: Any = {*self.actions}


class Listed(Heaps):
    """Its actions are lists, which cannot be hashed."""

    def __init__(self) -> None:
        super().__init__()
        self.actions: Any = [[1], [2], [3]]


class Bare:
    """No game at all."""


@pytest.mark.parametrize(
    ("name", "rules", "sentence"),
    [
        ("tictactoe", Pyramid, "the name 'tictactoe' is taken by a game of this package"),
        ("Pop!", Pyramid, "the name 'Pop!' is not allowed: choose another name, of a-z and 0-9"),
        (["pop"], Pyramid, r"the name \['pop'\] is not allowed"),
        ("other", Pyramid, "the class of pyramid is also called Pyramid: rename yours"),
        ("popped", Popped, "Popped breaks the contract of a game: .* actions with a free cell"),
        (
            "indexed",
            Indexed,
            r"breaks the contract of a game: get_next_state\(.*, -1\) accepts an ill",
        ),
        ("rowwise", Sideways, "the cells of an action stand on each other in one column"),
        ("steps", Steps, "the action_cells must be their own mirror images in a BoardGame"),
        ("sized", Sized, "Sized has arguments other than rows, columns and inarow: remove them"),
        ("chance", Chance, "in environments, the players must be 1 and 2"),
        ("nim", Nim, r"Nim has no encode\(state\): environments show the NumPy array"),
        ("nameless", Nameless, "Nameless has no sequence `actions` of all its actions"),
        ("listed", Listed, "give each action once, and tuples, not lists"),
        ("unordered", Unordered, "Unordered has no sequence `actions` of all its actions"),
        ("board", BoardGame, "give each argument of BoardGame a default"),
        ("made", Heaps(), "is not a class: give the class of the game"),
        ("bare", Bare, "Bare breaks the contract of a game: 'Bare' object has no attribute"),
    ],
)
def test_one_sentence_says_what_is_missing(name: Any, rules: Any, sentence: str) -> None:
    before = {*GAMES, *OTHER_GAMES}
    with pytest.raises(ValueError, match=sentence):
        register_game(name, rules)
    assert {*GAMES, *OTHER_GAMES} == before


def test_minus_one_is_never_the_last_action() -> None:
    """Whatever a game does that was not registered."""
    zoo = pytest.importorskip("envs.learning.pettingzoo_env")
    env: Any = ENVIRONMENTS[Indexed](opponent=None, illegal="raise")
    games: Any = VECTOR_ENVIRONMENTS[Indexed](2, opponent=None, illegal="raise")
    two = zoo.raw_env(Indexed(), illegal="raise")
    for each, action in ((env, -1), (games, np.array([3, -1])), (two, -1)):
        each.reset()
        with pytest.raises(ValueError, match=r"illegal action -1 in BoardState.*legal: 0, 1"):
            each.step(action)
    empty = TicTacToe().initial_state()
    assert env.state == games.state(1) == two.board_state == empty
    beaten = ENVIRONMENTS[Indexed](opponent=lambda game, state: -1, seat="second")
    with pytest.raises(ValueError, match=r"the opponent .* plays an illegal action -1 in Board"):
        beaten.reset()


@pytest.mark.parametrize("later", [[1, 2], [0.5, 1.0, 2.0], np.array([1, 2, 300])])
def test_an_encoding_keeps_its_shape_and_type(later: Any) -> None:
    """Its numbers would be cut to those that the type of the first one has."""

    class Growing(Heaps):
        def encode(self, state: Any) -> Any:
            return super().encode(state) if state == self.initial_state() else later

    numbered = NumberedGame(Growing())
    begin = numbered.initial_state()
    assert numbered.encode(begin).tolist() == [2, 3, 1]
    with pytest.raises(ValueError, match=r"but int8 of shape \(3,\) for the initial state: make"):
        numbered.encode(numbered.get_next_state(begin, 0))


def test_all_actions_are_known() -> None:
    game = Heaps()
    game.actions = game.actions[:-1]
    numbered = NumberedGame(game)
    with pytest.raises(ValueError, match=r"is legal in .* but not in Heaps\.actions"):
        numbered.get_available_actions(numbered.initial_state())


# --- an installed package


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder of packages: two games, and one that fails when it is imported."""
    source = Path(__file__).read_text(encoding="utf-8")
    begin, end = source.index("class Pyramid"), source.index("class Heaps")
    (tmp_path / "pyramid_game.py").write_text(
        "from collections.abc import Sequence\n"
        "from envs import BoardGame, BoardState\n"
        "from envs.bitboard import cell_bit, has_line\n" + source[begin:end],
        encoding="utf-8",
    )
    metadata = tmp_path / "pyramid-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: pyramid\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[connectx.games]\npyramid = pyramid_game:Pyramid\nbroken = no_such_module:Broken\n"
    )
    return tmp_path


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(folder), str(Path(__file__).parents[2])])
    return completed([sys.executable, *words], folder, PYTHONPATH=paths)


def test_an_entry_point_makes_a_game_known_to_python_and_to_the_command_line(
    installed: Path,
) -> None:
    program = f"""
import gymnasium, sys
env = gymnasium.make("envs:{PYRAMID}", rows=4, opponent="greedy")
print(env.reset(seed=1)[0].shape)
print(gymnasium.make_vec("{PYRAMID}", num_envs=2, opponent=None).reset(seed=1)[0].shape)
import pyramid_game
from envs.games import game_entry, game_from_id
print(game_entry(pyramid_game.Pyramid()).name, game_from_id("pyramid-3x4x3"))
from submission.__main__ import main
sys.argv[1:] = "explain --game pyramid --rows 3 --depth 1 --moves 2233".split()
main()
"""
    ended = run(installed, "-c", program)
    assert ended.stdout.splitlines()[:3] == [
        "(2, 4, 5)",
        "(2, 2, 4, 5)",
        "pyramid Pyramid(rows=3, columns=4, inarow=3)",
    ]
    told = "the game broken (no_such_module:Broken) is left out: No module named 'no_such_module'"
    assert told in ended.stderr
