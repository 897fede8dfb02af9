"""The games as Gymnasium environments: one learner, one game at a time.

Each game in the table has a class, `ConnectXEnv` for `ConnectX` and so on.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from types import new_class
from typing import TYPE_CHECKING, Any, Self, SupportsIndex

import numpy as np
from gymnasium import Env, logger
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete
from numpy.typing import NDArray

from envs.board import BoardGame, BoardState, state_from_moves
from envs.compiled.random_stream import stream_of_seed
from envs.connectx import ConnectX
from envs.games import GAMES
from envs.learning.arguments import ILLEGAL, moves_of_reset, require_choice, whole_number
from envs.learning.observations import action_mask, make_observer
from envs.learning.opponents import RANDOM, Dice, Opponent, make_opponent
from envs.render import board_ansi, board_rgb, board_svg
from envs.tic_tac_toe import TicTacToe

PLAYERS = {"first": 1, "second": 2}
RANDOM_SEAT = "random"
RENDERERS = {"ansi": board_ansi, "rgb_array": board_rgb, "svg": board_svg}
KEYS = "123456789"

Observation = NDArray[np.int8]
Info = dict[str, Any]


class BoardGameEnv(Env[Observation, np.int64], BoardGame):
    """A game in which an agent learns: `step` plays its action and the opponent's answer.

    It is the rules of its game, too: a search takes `env.unwrapped` and `env.unwrapped.state`.

    The observation is an int8 array, by default planes of shape (2, rows, columns): the learner's
    stones, then the opponent's (`envs.learning.observations`). `info["action_mask"]` has shape
    (actions,), int8: 1 for each legal action, 0 everywhere once the episode is over. All arrays
    are new at each step. The reward is the learner's: +1 it has won, -1 the opponent has, else 0.

    In self-play, one learner plays both sides, an action a step: the observation is the view of the
    player to move (after the last action, of who would be next), and the reward is that of the
    player who has just moved.

    Args:
        size: the arguments of the rules, by place or by name, such as `rows`, `columns` and
            `inarow` of ConnectX.
        opponent: `"random"`; a registered agent with or without options, such as
            `"alphabeta:depth=3"`; a function (game, state) -> action, such as an agent's `act`,
            which no specification of the environment can hold as JSON; or None for self-play.
        seat: which player the learner is: `first`, `second`, or `random`, drawn at each reset. It
            has no meaning in self-play.
        observation: `planes` or `flat`, Kaggle's board.
        illegal: whether an illegal action ends the episode with a `loss` (-1; the board stays as
            it is), or is to `raise` ValueError.
        render_mode: `ansi`, `rgb_array`, `svg` or None.
        named_size: see `size`.

    Raises:
        ValueError: an argument that does not fit; the message says what does.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (Gymnasium declares it so)
        "render_modes": [*RENDERERS],
        "render_fps": 2,
    }

    def __init__(
        self,
        *size: int,
        opponent: str | Opponent | None = RANDOM,
        seat: str = RANDOM_SEAT,
        observation: str = "planes",
        illegal: str = "loss",
        render_mode: str | None = None,
        **named_size: int,
    ) -> None:
        super().__init__(*size, **named_size)
        require_choice("seat", seat, [*PLAYERS, RANDOM_SEAT])
        require_choice("illegal", illegal, ILLEGAL)
        require_choice("render_mode", render_mode, [*RENDERERS, None])
        if opponent not in (RANDOM, None):
            make_opponent(opponent, seed=0)
        self.opponent = opponent
        self.seat = seat
        self.illegal = illegal
        self.render_mode = render_mode
        self._observer = make_observer(observation, self)
        self._actions = len(self.action_cells)
        self.observation_space = self._observer.space
        self.action_space = Discrete(self._actions)

        self._dice = Dice(0)
        self._seeded = False
        self._answer: Opponent | None = None
        self._learner: int | None = None
        self._state = self.initial_state()
        self._legal: Sequence[int] = ()

    @property
    def state(self) -> BoardState:
        """The position on the board."""
        return self._state

    @property
    def learner(self) -> int | None:
        """The learner's player, 1 or 2; None in self-play."""
        return self._learner

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Begin a game; the opponent moves first where it is its turn.

        Args:
            seed: of the seats and of the opponent; without one, their random numbers go on.
            options: `{"moves": "4453"}` begins after these moves (`envs.board`).

        Raises:
            ValueError: an unknown option, an illegal move, or a game that is over before the
                learner's first action.
        """
        super().reset(seed=seed)
        if seed is not None or not self._seeded:
            self._seed(int(self.np_random.integers(2**63)) if seed is None else seed)
        self._begin(moves_of_reset(options))
        return self._observation(), self._info()

    def step(self, action: SupportsIndex) -> tuple[Observation, float, bool, bool, Info]:
        """Play an action, and the opponent's answer.

        Returns:
            observation, reward, terminated, truncated (always False) and info.

        Raises:
            ValueError: the action is no whole number; or it is illegal and `illegal="raise"`.
            ResetNeeded: no episode has begun, or it is over.
        """
        if not self._legal:
            raise ResetNeeded("the episode has not begun or is over: call reset() before step()")
        chosen = whole_number(action)
        if chosen not in self._legal and self.illegal == "loss":
            self._legal = ()
            return self._observation(), -1.0, True, False, self._info()
        self._play(chosen)
        reward = 1.0 if self._state.won else 0.0
        if self._answer is not None and self._legal:
            self._play_answer(self._answer)
            reward = -1.0 if self._state.won else 0.0
        return self._observation(), reward, not self._legal, False, self._info()

    def render(self) -> Any:
        """Draw the board in the render mode: text, an image, or an SVG document."""
        if self.render_mode is None:
            logger.warn("render() draws nothing: make the environment with a render_mode")
            return None
        return RENDERERS[self.render_mode](self, self._state)

    def action_masks(self) -> Observation:
        """Return `info["action_mask"]` anew; sb3-contrib looks for a method of this name."""
        return action_mask(self._legal, self._actions)

    def __copy__(self) -> Self:
        """Copy the whole game: copies with common random numbers would disturb each other."""
        return deepcopy(self)

    def get_keys_to_action(self) -> dict[tuple[int, ...], int]:
        """Return the keys 1 to 9, for `gymnasium.utils.play` (with `wait_on_player=True`)."""
        return {(ord(key),): action for action, key in enumerate(KEYS[: self._actions])}

    def _seed(self, seed: int) -> None:
        self._dice = Dice(stream_of_seed(seed))
        self._seeded = True
        if self.opponent == RANDOM:
            self._answer = self._dice.action
        elif self.opponent is not None:
            self._answer = make_opponent(self.opponent, self._dice.stream)

    def _begin(self, moves: str) -> None:
        self._state = state_from_moves(self, moves)
        self._legal = self.get_available_actions(self._state)
        if self._answer is not None:
            self._learner = PLAYERS.get(self.seat) or self._dice.player()
            if self._legal and self._state.player != self._learner:
                self._play_answer(self._answer)
        if not self._legal:
            raise ValueError(
                f"the game is over before the learner's first action (moves {moves!r}): begin "
                "earlier, or let the learner be the first player"
            )

    def _play(self, action: int) -> None:
        self._state = self.get_next_state(self._state, action)
        self._legal = self.get_available_actions(self._state)

    def _play_answer(self, answer: Opponent) -> None:
        action = answer(self, self._state)
        try:
            self._play(action)
        except ValueError as error:
            raise ValueError(f"the opponent {self.opponent!r} plays an {error}") from error

    def _observation(self) -> Observation:
        return self._observer.observe(self._state, self._learner or self._state.player)

    def _info(self) -> Info:
        return {"action_mask": action_mask(self._legal, self._actions)}


def _environment(rules: type[BoardGame]) -> type[BoardGameEnv]:
    """Make the class of a game's environments: `class ConnectXEnv(BoardGameEnv, ConnectX)`."""
    body = {
        "__module__": __name__,
        "__doc__": f"`{rules.__name__}` as an environment, with the arguments of `BoardGameEnv`.",
    }
    return new_class(
        f"{rules.__name__}Env", (BoardGameEnv, rules), exec_body=lambda own: own.update(body)
    )


ENVIRONMENTS = {entry.rules: _environment(entry.rules) for entry in GAMES.values()}
"""The environments of the games in the table, by the classes of their rules."""


if TYPE_CHECKING:

    class ConnectXEnv(BoardGameEnv, ConnectX):
        """`ConnectX` as an environment, to those who check types."""

    class TicTacToeEnv(BoardGameEnv, TicTacToe):
        """`TicTacToe` as an environment, to those who check types."""


def __getattr__(name: str) -> type[BoardGameEnv]:
    """Find `ConnectXEnv`, `TicTacToeEnv` and so on, for Gymnasium and pickle."""
    for environment in ENVIRONMENTS.values():
        if environment.__name__ == name:
            return environment
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
