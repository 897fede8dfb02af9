"""The PettingZoo environments, by PettingZoo's own tests and beside its own games."""

import copy
import pickle
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envs import BoardGame, ConnectFour, ConnectX, TicTacToe, state_from_moves
from envs.render import board_ansi, board_rgb
from tests.helpers.flat_boards import EVERY_GAME
from tests.helpers.processes import output_of
from tests.helpers.small_games import Nim

pytest.importorskip("pettingzoo")

with warnings.catch_warnings():  # its tests import its own games, in a way that it deprecates
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils.random_demo import random_demo

from envs.learning.pettingzoo_env import AGENTS, env, raw_env

GAMES = [*EVERY_GAME, ConnectX(5, 4, inarow=3), ConnectX(9, 12, inarow=5)]
CHOICES = st.lists(st.integers(0, 1000), min_size=42, max_size=42)

every_game = pytest.mark.parametrize("game", GAMES, ids=str)


def play(environment: Any, choices: list[int]) -> Iterator[None]:
    """Play legal actions, as many as there are choices, or to the end; pauses before each."""
    environment.reset()
    yield from go_on(environment, choices)


def go_on(environment: Any, choices: list[int]) -> Iterator[None]:
    for choice in choices:
        agent = environment.agent_selection
        if environment.terminations[agent]:
            return
        yield
        legal = np.flatnonzero(environment.observe(agent)["action_mask"])
        environment.step(legal[choice % len(legal)])


def everything_seen(environment: Any) -> list[Any]:
    """What an environment tells about the game, agent by agent."""
    seen: list[Any] = [environment.agents, environment.agent_selection]
    for agent in environment.agents:
        observation = environment.observe(agent)
        seen += [observation["observation"].tolist(), observation["action_mask"].tolist()]
        seen += [environment.rewards[agent], environment.terminations[agent]]
        seen += [environment.truncations[agent], environment._cumulative_rewards[agent]]
    return seen


def begun(game: BoardGame | None = None, moves: Any = "", **arguments: Any) -> Any:
    """An environment after these moves."""
    environment = env(game, **arguments)
    environment.reset(options={"moves": moves})
    return environment


class TestPettingZoosOwnTests:
    # The first two come for every game that is not on a list of names in PettingZoo's own test,
    # the third for every game that begins with an empty board.
    INEVITABLE = (
        "Observation is not a NumPy array",
        "Observation space for each agent probably should be gymnasium.spaces.box or "
        "gymnasium.spaces.discrete",
        "Observation numpy array is all zeros.",
    )

    @every_game
    @pytest.mark.parametrize(("make", "observation"), [(env, "planes"), (raw_env, "flat")])
    def test_api(self, game: BoardGame, make: Callable[..., Any], observation: str) -> None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            api_test(make(game, observation=observation), num_cycles=100)
        assert {str(warning.message) for warning in caught} <= {*self.INEVITABLE}

    @every_game
    def test_seeds_rendering_and_demo(self, game: BoardGame, no_screen: None) -> None:
        seed_test(lambda: env(game), num_cycles=50)
        render_test(lambda render_mode: env(game, render_mode=render_mode))
        assert random_demo(env(game, render_mode="ansi"), episodes=3) == 0.0


class TestByName:
    @pytest.fixture
    def make(self) -> Callable[..., Any]:
        """`pettingzoo.make` of the environments with turns."""
        zoo = pytest.importorskip("pettingzoo", "1.27", reason="it makes by name from 1.27 on")
        return lambda name, **arguments: zoo.make("aec", name, **arguments)

    @pytest.mark.parametrize(
        ("name", "sizes", "game"),
        [
            ("connectx/ConnectFour-v0", {}, ConnectFour()),
            ("connectx/ConnectX-v0", {"rows": 5, "columns": 4, "inarow": 3}, ConnectX(5, 4, 3)),
            ("connectx/ConnectX-v0", {"inarow": 5}, ConnectX(inarow=5)),
            ("connectx/TicTacToe", {}, TicTacToe()),
        ],
    )
    def test_it_is_what_env_makes(
        self, make: Callable[..., Any], name: str, sizes: dict[str, int], game: BoardGame
    ) -> None:
        named = make(name, render_mode="ansi", observation="flat", **sizes)
        by_hand = env(game, render_mode="ansi", observation="flat")
        assert type(named) is type(by_hand)
        choices = np.random.default_rng(5).integers(0, 1000, 42).tolist()
        for _ in zip(play(named, choices), play(by_hand, choices), strict=True):
            assert everything_seen(named) == everything_seen(by_hand)
            assert named.render() == by_hand.render()

    def test_what_it_does_not_take_is_said(self, make: Callable[..., Any]) -> None:
        with pytest.raises(ValueError, match="rows must be a whole number of at least 1, not 0"):
            make("connectx/ConnectX-v0", rows=0)
        with pytest.raises(TypeError, match="'rows'"):
            make("connectx/TicTacToe-v0", rows=3)


@pytest.fixture
def no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """pygame without a screen to draw on, and without waiting between the pictures."""
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr("envs.learning.pettingzoo_env.RENDER_FPS", 10_000)


@pytest.mark.parametrize(
    ("name", "game", "same_cell", "transposed"),
    [
        ("connect_four", ConnectFour(), [*range(7)], (2, 0, 1)),
        # The peer counts cells column by column; the lines are the same then.
        ("tictactoe", TicTacToe(), [0, 3, 6, 1, 4, 7, 2, 5, 8], (2, 1, 0)),
    ],
)
@given(choices=CHOICES)
@settings(max_examples=30)
def test_a_game_goes_as_pettingzoos_own(
    name: str, game: BoardGame, same_cell: list[int], transposed: Sequence[int], choices: list[int]
) -> None:
    pytest.importorskip("pygame")  # by which the peer draws
    ours, peer = raw_env(game), import_module(f"pettingzoo.classic.{name}.{name}").raw_env()
    ours.reset()
    peer.reset()
    names = dict(zip(AGENTS, peer.possible_agents, strict=True))
    for choice in choices:
        for agent, other in names.items():
            seen, expected = ours.observe(agent), peer.observe(other)
            np.testing.assert_array_equal(
                seen["observation"], expected["observation"].transpose(transposed)
            )
            assert ours._cumulative_rewards[agent] == peer._cumulative_rewards[other]
            assert ours.rewards[agent] == peer.rewards[other]
            assert ours.terminations[agent] == peer.terminations[other]
        assert names[ours.agent_selection] == peer.agent_selection
        if ours.terminations[ours.agent_selection]:
            return
        for agent, other in names.items():
            mask = ours.observe(agent)["action_mask"]
            assert mask.tolist() == peer.observe(other)["action_mask"][same_cell].tolist()
        legal = np.flatnonzero(ours.observe(ours.agent_selection)["action_mask"])
        action = legal[choice % len(legal)]
        ours.step(action)
        peer.step(same_cell[action])


class TestAGame:
    @pytest.mark.parametrize("action", [0, 7, -1, 1000])
    def test_an_illegal_action_loses_or_raises(self, action: int) -> None:
        environment, strict = (begun(moves="111111", illegal=way) for way in ("loss", "raise"))
        before, seen = environment.unwrapped.board_state, everything_seen(strict)
        environment.step(action)
        assert environment.rewards == {"player_1": -1.0, "player_2": 1.0}
        assert environment.terminations == {"player_1": True, "player_2": True}
        assert environment.truncations == {"player_1": False, "player_2": False}
        assert environment.unwrapped.board_state == before
        assert not any(environment.observe(agent)["action_mask"].any() for agent in AGENTS)
        assert [environment.last()[1] for _ in play_dead(environment)] == [-1.0, 1.0]
        with pytest.raises(ValueError, match=rf"illegal action {action} .*legal: 1, 2, 3, 4, 5, 6"):
            strict.step(action)
        assert everything_seen(strict) == seen

    @pytest.mark.parametrize(
        ("ask", "sentence"),
        [
            (lambda: env(render_mode="svg"), "'svg': choose one of human, ansi, rgb_array"),
            (lambda: env(illegal="ignore"), "illegal is 'ignore': choose one of loss, raise"),
            (lambda: env(observation="board"), "'board': choose one of planes, flat"),
            (lambda: begun(moves=3), "^moves must be a string such as '4453', not 3$"),
            (partial(begun().reset, options=["moves"]), "reset options must be a dict like"),
            (lambda: env("connectx"), "^'connectx' is not a game: give one such as ConnectX"),  # type: ignore[arg-type]
            (lambda: env(TicTacToe), r"^TicTacToe is a class: .*TicTacToe\(\)$"),  # type: ignore[arg-type]
            (lambda: env(Nim), r"^Nim is a class: .*Nim\(\)$"),  # type: ignore[arg-type]
            (lambda: env(Nim(2, 3)), r"Nim has no encode\(state\)"),
            (lambda: begun().observe("player_0"), "choose one of player_1, player_2"),
            (lambda: begun(moves="1212121"), "the game is over after the moves '1212121'"),
            *(
                (lambda action=action: begun().step(action), "action must be a whole number, not")
                for action in (None, "3", 3.0, True)
            ),
        ],
    )
    def test_what_does_not_fit_is_refused(self, ask: Callable[[], Any], sentence: str) -> None:
        with pytest.raises(ValueError, match=sentence):
            ask()

    def test_before_a_reset_and_after_the_end_there_is_nothing_to_play(self) -> None:
        with pytest.raises(AttributeError, match="reset"):
            _ = env().agent_selection
        environment = begun(moves="121212")
        environment.step(0)
        with pytest.raises(ValueError, match="None"):
            environment.step(3)

    @every_game
    def test_moves_are_played_before_the_start(self, game: BoardGame) -> None:
        environment = begun(game, "213")
        assert environment.unwrapped.board_state == state_from_moves(game, "213")
        assert environment.agent_selection == "player_2"


def play_dead(environment: Any) -> Iterator[str]:
    """The agents of a game that is over, one after the other."""
    for agent in environment.agent_iter():
        yield agent
        environment.step(None)


class TestCopies:
    @pytest.mark.parametrize("make", [env, raw_env])
    @every_game
    def test_a_copy_goes_on_from_any_ply(self, game: BoardGame, make: Callable[..., Any]) -> None:
        original = make(game)
        choices = np.random.default_rng(3).integers(0, 1000, 12).tolist()
        copies = []
        for ply, _ in enumerate(play(original, choices)):
            seen = everything_seen(original)
            twins = copy.deepcopy(original), pickle.loads(pickle.dumps(original))
            copies += [(ply, twin, seen) for twin in twins]
        assert len(copies) > 6
        for ply, copied, seen in copies:
            assert everything_seen(copied) == seen
            for _ in go_on(copied, choices[ply:]):
                pass
            assert everything_seen(copied) == everything_seen(original)

    def test_a_shallow_copy_goes_on_alone(self) -> None:
        original = raw_env(TicTacToe())
        original.reset(options={"moves": "1245"})
        seen = everything_seen(original)
        winning = copy.copy(original)
        winning.step(6)
        assert winning.rewards == {"player_1": 1.0, "player_2": -1.0}
        assert everything_seen(original) == seen

    def test_a_copy_may_close_its_window(self, no_screen: None) -> None:
        original = begun(render_mode="human")
        copied = pickle.loads(pickle.dumps(original))
        copied.step(3)
        copied.close()
        assert original.unwrapped.board_state == ConnectFour().initial_state()
        original.step(0)
        original.close()


class TestObservations:
    def test_the_state_is_what_player_1_sees(self) -> None:
        environment = begun(moves="4453")
        state = environment.state()
        assert environment.state_space.contains(state)
        np.testing.assert_array_equal(state, environment.observe("player_1")["observation"])

    def test_an_agents_spaces_are_its_own(self) -> None:
        environment = env()
        for space in (environment.observation_space, environment.action_space):
            space("player_2").seed(1)
            first = space("player_2").sample()
            space("player_2").seed(1)
            space("player_1").seed(2)
            np.testing.assert_equal(space("player_2").sample(), first)

    def test_arrays_are_new(self) -> None:
        environment = begun()
        for agent in AGENTS:
            seen, again = environment.observe(agent), environment.observe(agent)
            assert not any(np.shares_memory(seen[key], again[key]) for key in seen)


class TestRendering:
    def test_text_and_picture_are_those_of_the_board(self) -> None:
        game = ConnectX(5, 6, inarow=3)
        state = state_from_moves(game, "1213")
        text, picture, nothing = (
            begun(game, "1213", render_mode=mode) for mode in ("ansi", "rgb_array", None)
        )
        assert text.render() == board_ansi(game, state)
        np.testing.assert_array_equal(picture.render(), board_rgb(game, state))
        with pytest.warns(UserWarning, match="render_mode"):
            assert nothing.render() is None

    def test_a_window_shows_the_board_and_follows_the_game(self, no_screen: None) -> None:
        import pygame

        environment = begun(render_mode="human")
        for action in (3, 3, 3):
            window = pygame.display.get_surface()
            assert window is not None
            shown = pygame.surfarray.array3d(window).swapaxes(0, 1)
            bare = environment.unwrapped
            np.testing.assert_array_equal(shown, board_rgb(bare.game, bare.board_state))
            environment.step(action)
        environment.close()
        assert not pygame.display.get_init()


class TestWithoutPygame:
    PROGRAM = """
import sys
sys.modules["pygame"] = None
from envs.learning.pettingzoo_env import env
for mode in ("ansi", "rgb_array", None):
    game = env(render_mode=mode)
    game.reset()
    game.step(3)
    mode and game.render()
try:
    env(render_mode="human").reset()
except ModuleNotFoundError as error:
    print(error)
"""

    def test_all_but_the_window_works(self) -> None:
        assert output_of(self.PROGRAM).splitlines() == [
            "render_mode='human' shows the board with pygame: install it (pip install pygame-ce)"
        ]
