"""The games as PettingZoo environments: two agents take turns (the AEC interface).

`env()` is Connect Four, `env(TicTacToe())` and `env(ConnectX(5, 5, inarow=3))` are other games;
`raw_env` is the same without PettingZoo's check of the order of calls. From PettingZoo 1.27 on,
`pettingzoo.make("aec", "connectx/ConnectX-v0", rows=5)` makes them by name.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from inspect import signature
from typing import Any, Self

import numpy as np
from gymnasium import logger
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from envs.board import BoardGame, state_from_moves
from envs.connectx import ConnectFour
from envs.games import GAMES, OTHER_GAMES, load_games
from envs.learning.arguments import ILLEGAL, options_of_reset, require_choice, whole_number
from envs.learning.numbered_games import NumberedGame, as_text
from envs.learning.observations import action_mask, make_observer
from envs.protocol import Env, illegal_action
from envs.render import board_ansi, board_rgb


class Window:
    """Shows pictures in the one window that pygame has in a process."""

    def __init__(self, title: str, pictures_per_second: int) -> None:
        self._title = title
        self._milliseconds = 1000 // pictures_per_second
        self._opened = False

    def show(self, picture: NDArray[np.uint8]) -> None:
        """Show a picture, uint8 of shape (height, width, 3), in a window of its size.

        Raises:
            ModuleNotFoundError: pygame is not installed.
        """
        pygame = _pygame()
        height, width, _ = picture.shape
        surface = pygame.display.get_surface()
        if surface is None or surface.get_size() != (width, height):
            pygame.display.init()
            pygame.display.set_caption(self._title)
            surface = pygame.display.set_mode((width, height))
            self._opened = True
        pygame.surfarray.blit_array(surface, picture.swapaxes(0, 1))
        pygame.event.pump()
        pygame.display.flip()
        pygame.time.wait(self._milliseconds)

    def close(self) -> None:
        """Close the window if it was opened here; the next picture opens it again."""
        if self._opened:
            _pygame().display.quit()
            self._opened = False


def _pygame() -> Any:
    try:
        import pygame
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "render_mode='human' shows the board with pygame: install it (pip install pygame-ce)"
        ) from error
    return pygame


Observation = dict[str, NDArray[np.int8]]

AGENTS = ("player_1", "player_2")
"""The agents of players 1 and 2, named as in PettingZoo's own tic-tac-toe."""

RENDER_MODES = ("human", "ansi", "rgb_array")
RENDER_FPS = 4  # the most positions that a window shows in a second


class BoardGameAEC(AECEnv[str, Observation, int]):
    """A game of two agents; `agent_selection` is the agent to move.

    An agent's observation is `{"observation": ..., "action_mask": ...}`: the board from the agent's
    view (see `envs.learning.observations`), and int8 of shape (actions,), 1 for each action that is
    legal for the agent now, so all 0 when it is not its turn. The winner's reward is +1, the
    loser's -1; all other rewards are 0. Nothing in a game is random: seeds have no effect. The
    environment can be copied and pickled at any time.

    `game` has the rules and `board_state` the position, for a search:
    `AlphaBetaAgent().act(env.unwrapped.game, env.unwrapped.board_state)`.

    Args:
        game: the rules; None is Connect Four. A game without a board needs the members that
            `envs.learning.numbered_games` lists.
        render_mode: `ansi` (a text), `rgb_array` (a picture), `human` (a pygame window that follows
            the game), or None.
        observation: `planes`, the default, or `flat`; `encoded` for a game without a board.
        illegal: an illegal action loses the game (`loss`) or is a ValueError (`raise`).

    Raises:
        ValueError: an unknown render mode or observation, an unknown choice for illegal actions, or
            a game that lacks a member.
    """

    def __init__(
        self,
        game: Env[Any, Any] | None = None,
        render_mode: str | None = None,
        observation: str | None = None,
        illegal: str = "loss",
    ) -> None:
        super().__init__()
        given = ConnectFour() if game is None else game
        is_board = isinstance(given, BoardGame)
        self.game: Any = given if isinstance(given, BoardGame) else NumberedGame(given)
        modes = RENDER_MODES if is_board else ("ansi",)
        require_choice("render_mode", render_mode, [*modes, None])
        require_choice("illegal", illegal, ILLEGAL)
        self.render_mode = render_mode
        self.illegal = illegal
        name = type(given).__name__
        self.metadata: dict[str, Any] = {
            "name": f"{name}-v0",
            "render_modes": list(modes),
            "render_fps": RENDER_FPS,
            "is_parallelizable": False,
        }
        self.board_state: Any = self.game.initial_state()
        self.possible_agents = list(AGENTS)
        self._observer = make_observer(observation, self.game)
        self._actions = self.game.action_count
        self._as_text: Callable[[Any, Any], str] = board_ansi if is_board else as_text
        self._window = Window(name, RENDER_FPS)
        self.state_space = self._observer.space
        self.action_spaces = {agent: Discrete(self._actions) for agent in AGENTS}
        mask, space = Box(0, 1, (self._actions,), np.int8), self._observer.space
        spaces = {"observation": space, "action_mask": mask}
        self.observation_spaces = {agent: Dict(deepcopy(spaces)) for agent in AGENTS}

    def observation_space(self, agent: str) -> Dict:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> "Discrete[np.int64]":
        """Return the space of the game's actions, legal now or not."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start a game.

        Args:
            seed: ignored, because nothing here is random; PettingZoo's interface requires it.
            options: `{"moves": "4453"}` starts after these plies (`envs.board`); others are
                ignored, as PettingZoo's own tests require.

        Raises:
            ValueError: the moves are not a string or illegal, or the game is over after them.
        """
        moves = options_of_reset(options).get("moves", "")
        state = state_from_moves(self.game, moves)
        if not self.game.get_available_actions(state):
            raise ValueError(f"the game is over after the moves {moves!r}: start from fewer")
        self.board_state = state
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self._select_the_mover()

    def step(self, action: Any) -> None:
        """Play an action for `agent_selection`; None once the game is over, as PettingZoo requires.

        Raises:
            ValueError: the action is not a whole number, or not None once the game is over, or it
                is illegal and `illegal` is `raise`.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        chosen = whole_number(action)
        legal = self.game.get_available_actions(self.board_state)
        if chosen in legal:
            self._play(chosen)
        elif self.illegal == "raise":
            raise illegal_action(chosen, self.board_state, legal)
        else:
            self._end(-1.0 if agent == AGENTS[0] else 1.0)
        self._accumulate_rewards()  # rewards come only once, at the end
        self._select_the_mover()

    def observe(self, agent: str) -> Observation:
        """Return new arrays of the board as an agent sees it and of its legal actions.

        Raises:
            ValueError: there is no such agent.
        """
        require_choice("agent", agent, AGENTS)
        has_the_turn = agent == self.agent_selection and not self.terminations.get(agent, True)
        legal = self.game.get_available_actions(self.board_state) if has_the_turn else ()
        return {
            "observation": self._observer.observe(self.board_state, AGENTS.index(agent) + 1),
            "action_mask": action_mask(legal, self._actions),
        }

    def state(self) -> NDArray[np.int8]:
        """Return the board as `player_1` sees it; a new array."""
        return self._observer.observe(self.board_state, viewer=1)

    def render(self) -> str | NDArray[np.uint8] | None:
        """Draw the board in the render mode: a text, a picture, or None if a window shows it."""
        if self.render_mode is None:
            logger.warn("render() draws nothing: make the environment with a render_mode")
            return None
        if self.render_mode == "ansi":
            return self._as_text(self.game, self.board_state)
        picture = board_rgb(self.game, self.board_state)
        if self.render_mode == "rgb_array":
            return picture
        self._window.show(picture)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        self._window.close()

    def __copy__(self) -> Self:
        """Copy the whole game: shallow copies would share their rewards."""
        return deepcopy(self)

    def _play(self, action: int) -> None:
        self.board_state = self.game.get_next_state(self.board_state, action)
        if not self.game.get_available_actions(self.board_state):
            self._end(self.game.result(self.board_state))

    def _end(self, result: float) -> None:
        """End the game, with a result from player 1's view."""
        self.terminations = dict.fromkeys(self.agents, True)
        if result:
            self.rewards = dict(zip(AGENTS, (result, -result), strict=True))

    def _select_the_mover(self) -> None:
        self.agent_selection = AGENTS[self.board_state.player - 1]
        if self.render_mode == "human":
            self.render()


raw_env = BoardGameAEC
"""The environment without wrappers, under the customary name of PettingZoo's modules."""


def env(
    game: Env[Any, Any] | None = None,
    render_mode: str | None = None,
    observation: str | None = None,
    illegal: str = "loss",
) -> AECEnv[str, Observation, int]:
    """Make a `BoardGameAEC` that raises PettingZoo's errors before `reset` and after the end."""
    return OrderEnforcingWrapper(BoardGameAEC(game, render_mode, observation, illegal))


def named_env(name: str, **arguments: Any) -> AECEnv[str, Observation, int]:
    """Make `env` of a registered game, for `pettingzoo.make`.

    The arguments are the game's sizes and those of `env`.

    Raises:
        ValueError: a size is not a whole number of at least 1, or as for `BoardGameAEC`.
    """
    load_games()
    rules = GAMES[name].rules if name in GAMES else OTHER_GAMES[name]
    sizes = {size: arguments.pop(size) for size in signature(rules).parameters if size in arguments}
    return env(rules(**sizes), **arguments)
