"""The games as Gymnasium environments: one learner plays one game at a time.

Each game in the table has a class, `ConnectXEnv` for `ConnectX` and so on.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from inspect import signature
from typing import Any, ClassVar, Self, SupportsIndex, TypeVar

import numpy as np
from gymnasium import Env, logger
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete
from numpy.typing import NDArray

from envs.board import BoardGame, state_from_moves
from envs.compiled.random_stream import stream_of_seed
from envs.connectx import ConnectX
from envs.games import rules_of
from envs.learning.arguments import (
    ILLEGAL,
    Seed,
    moves_of_reset,
    require_choice,
    require_options,
    require_seed,
    whole_number,
)
from envs.learning.numbered_games import NumberedGame, as_text
from envs.learning.observations import action_mask, make_observer
from envs.learning.opponents import (
    RANDOM,
    AnyOpponent,
    Dice,
    Opponent,
    is_random,
    legal_answer,
    make_opponent,
    mixture_of,
    require_opponent,
)
from envs.protocol import illegal_action
from envs.render import board_ansi, board_rgb, board_svg
from envs.tic_tac_toe import TicTacToe

PLAYERS = {"first": 1, "second": 2}
RANDOM_SEAT = "random"
RENDERERS: Mapping[str, Callable[[Any, Any], Any]] = {
    "ansi": board_ansi,
    "rgb_array": board_rgb,
    "svg": board_svg,
}
KEYS = "123456789"

Observation = NDArray[np.int8]
Info = dict[str, Any]
Answer = TypeVar("Answer")


class GameEnv(Env[Observation, np.int64]):
    """A game for a learner: `step` plays the learner's action and the opponent's answer.

    It also implements the game's rules: a search takes `env.unwrapped` and `env.unwrapped.state`.

    The observation is an int8 array, by default planes of shape (2, rows, columns): the learner's
    stones, then the opponent's (`envs.learning.observations`). `info["action_mask"]` has shape
    (actions,), int8: 1 for each legal action, 0 everywhere before and after an episode. All arrays
    are new at each step. The reward is the learner's: +1 for a win, -1 for a loss, else 0.

    In self-play one learner plays both sides, one action in each step: the observation is from the
    view of the player to move (after the last action, of the player who would be next), and the
    reward is that of the player who has just moved.

    Args:
        size: the arguments of the rules, by position or by name, such as `rows`, `columns` and
            `inarow` of ConnectX.
        opponent: `"random"`; a registered agent with or without options, such as
            `"alphabeta:depth=3"`; an agent or a function (game, state) -> action, neither of which
            can be saved in an environment's JSON specification; or None for self-play. If it is a
            list, one is drawn at each reset. A pair in the list, such as `("level:n=3", 2)`, sets
            an opponent's weight; the others have weight 1. `info["opponent"]` is then the index of
            the current opponent.
        seat: which player the learner is: `first`, `second`, or `random`, drawn at each reset;
            without effect in self-play.
        observation: for boards `planes`, the default, or `flat`, Kaggle's board; for other games
            `encoded`, the array that their `encode` returns.
        illegal: what an illegal action does: `loss` ends the episode with -1 and leaves the board
            as it is, `raise` raises ValueError.
        render_mode: `ansi`, `rgb_array`, `svg` or None; games without a board have only `ansi`.
        named_size: see `size`.

    Raises:
        ValueError: an argument is invalid; the message says what is valid.
    """

    rules: ClassVar[Any]  # the class of the game, set by each subclass
    renderers: ClassVar[Mapping[str, Callable[[Any, Any], Any]]]
    """The functions that draw the game, by render mode."""

    def __init__(
        self,
        *size: int,
        opponent: AnyOpponent = RANDOM,
        seat: str = RANDOM_SEAT,
        observation: str | None = None,
        illegal: str = "loss",
        render_mode: str | None = None,
        **named_size: int,
    ) -> None:
        require_options(named_size, GameEnv, signature(self.rules).parameters)
        self._take_rules(*size, **named_size)
        require_choice("seat", seat, [*PLAYERS, RANDOM_SEAT])
        require_choice("illegal", illegal, ILLEGAL)
        require_choice("render_mode", render_mode, [*self.renderers, None])
        self._name_opponent(opponent)
        self.metadata = {**self.metadata}  # SyncVectorEnv wrote into it before Gymnasium 1.4
        self.seat = seat
        self.illegal = illegal
        self.render_mode = render_mode
        game: Any = self
        self._observer = make_observer(observation, game)
        self._actions: int = game.action_count
        self.observation_space = self._observer.space
        self.action_space = Discrete(self._actions)

        self._dice = Dice(0)
        self._seeded = False
        self._answers: Sequence[Opponent] = ()
        self._playing = 0
        self._learner: int | None = None
        self._asking = False
        self._state = game.initial_state()
        self._legal: Sequence[int] = ()

    @abstractmethod
    def _take_rules(self, *size: int, **named_size: int) -> None:
        """Initialise the rules, for a board of this size."""

    @property
    def state(self) -> Any:
        """The current state."""
        return self._state

    @property
    def learner(self) -> int | None:
        """The learner's player, 1 or 2; None in self-play."""
        return self._learner

    def reset(
        self, *, seed: Seed | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Start a game; the opponent moves if it is its turn.

        Args:
            seed: seeds the seats and the opponents; without it, their random numbers continue.
            options: `{"moves": "4453"}` starts after these moves (`envs.board`).

        Raises:
            ValueError: an invalid seed, an unknown option, an illegal move, a game that is over
                before the learner's first action, or a call by an opponent that is choosing.
        """
        self.require_own_turn()
        seed = None if seed is None else require_seed(seed)
        super().reset(seed=seed)
        if seed is not None or not self._seeded:
            drawn = int(self.np_random.integers(2**63)) if seed is None else seed
            self._dice, self._seeded = Dice(stream_of_seed(drawn)), True
            self._make_opponents()
        self._begin(moves_of_reset(options))
        return self._observation(), self._info()

    def step(self, action: SupportsIndex) -> tuple[Observation, float, bool, bool, Info]:
        """Play an action, and the opponent's answer.

        Returns:
            observation, reward, terminated, truncated (always False) and info.

        Raises:
            ValueError: the action is not a whole number, or it is illegal and `illegal="raise"`, or
                an opponent that is choosing makes the call.
            ResetNeeded: no episode has started, or it is over, or the opponent failed to move.
        """
        self.require_own_turn()
        if not self._legal or self._learner not in (None, self._state.player):
            raise ResetNeeded(
                "the episode has not begun or is over, or the opponent has failed to move: call "
                "reset() before step()"
            )
        chosen = whole_number(action)
        if chosen not in self._legal:
            if self.illegal == "raise":
                raise illegal_action(chosen, self._state, self._legal)
            self._legal = ()
            return self._observation(), -1.0, True, False, self._info()
        learner = self._state.player
        self._play(chosen)
        if self._answers and self._legal:
            self._play_answer(learner)
        game: Any = self
        result: float = game.result(self._state)
        reward = result if learner == 1 else -result if result else 0.0
        return self._observation(), reward, not self._legal, False, self._info()

    def set_opponent(self, opponent: AnyOpponent) -> None:
        """Continue against another opponent, in this game and in later ones.

        The environment behaves as if it had been made with this opponent, except that its random
        numbers continue after those drawn since the last reset.

        Args:
            opponent: as for the constructor.

        Raises:
            ValueError: the constructor would refuse the opponent, or it is a change to or from
                self-play.
        """
        self.require_own_turn()
        if (opponent is None) != (self.opponent is None):
            raise no_change_of_self_play()
        self._name_opponent(opponent)
        self._playing = 0
        if self._seeded:
            self._make_opponents()
            self._draw_opponent()

    def render(self) -> Any:
        """Draw the board in the render mode: text, an image, or an SVG document."""
        if self.render_mode is None:
            logger.warn("render() draws nothing: make the environment with a render_mode")
            return None
        return self.renderers[self.render_mode](self, self._state)

    def action_masks(self) -> Observation:
        """Return a new `info["action_mask"]`, under the method name that sb3-contrib calls."""
        return action_mask(self._legal, self._actions)

    def ask(self, choose: Callable[..., Answer], *arguments: Any) -> Answer:
        """Call an opponent, and meanwhile refuse all calls that would change the running game."""
        self._asking = True
        try:
            return choose(*arguments)
        finally:
            self._asking = False

    def require_own_turn(self) -> None:
        """Check that no opponent is choosing an action: it would be the caller."""
        if self._asking:
            raise ValueError(
                "the opponent changes the environment while choosing an action: let it look ahead "
                "with get_next_state(state, action)"
            )

    def __copy__(self) -> Self:
        """Copy the whole game: shallow copies would share their random numbers."""
        return deepcopy(self)

    def get_keys_to_action(self) -> dict[tuple[int, ...], int]:
        """Return the keys 1 to 9, for `gymnasium.utils.play` (with `wait_on_player=True`)."""
        return {(ord(key),): action for action, key in enumerate(KEYS[: self._actions])}

    def _name_opponent(self, opponent: AnyOpponent) -> None:
        mixture = mixture_of(opponent)
        members: Sequence[Any] = (opponent,) if mixture is None else mixture.members
        game: Any = self
        for member in members:
            require_opponent(member, game)
        self.opponent, self._mixture, self._members = opponent, mixture, members

    def _make_opponents(self) -> None:
        self._answers = [
            self._dice.action if is_random(each) else make_opponent(each, self._dice.stream)
            for each in self._members
            if each is not None
        ]

    def _draw_opponent(self) -> None:
        if self._mixture is not None:
            self._playing = self._dice.member(self._mixture)

    def _begin(self, moves: str) -> None:
        game: Any = self
        self._state = state_from_moves(game, moves)
        self._legal = game.get_available_actions(self._state)
        if self._answers:
            self._learner = PLAYERS.get(self.seat) or self._dice.player()
            self._draw_opponent()
            self._play_answer(self._learner)
        if not self._legal:
            raise ValueError(
                f"the game is over before the learner's first action (moves {moves!r}): start "
                "from fewer moves, or let the learner be the first player"
            )

    def _play(self, action: int) -> None:
        game: Any = self
        self._state = game.get_next_state(self._state, action)
        self._legal = game.get_available_actions(self._state)

    def _play_answer(self, learner: int) -> None:
        game: Any = self
        while self._legal and self._state.player != learner:
            answer = self.ask(self._answers[self._playing], game, self._state)
            opponent = self._members[self._playing]
            self._play(legal_answer(answer, self._state, self._legal, opponent))

    def _observation(self) -> Observation:
        return self._observer.observe(self._state, self._learner or self._state.player)

    def _info(self) -> Info:
        info: Info = {"action_mask": action_mask(self._legal, self._actions)}
        if self._mixture is not None:
            info["opponent"] = self._playing
        return info


class BoardGameEnv(GameEnv, BoardGame):
    """A board game as an environment; see `GameEnv`."""

    metadata: dict[str, Any] = {"render_modes": [*RENDERERS], "render_fps": 2}  # noqa: RUF012
    renderers = RENDERERS

    def _take_rules(self, *size: int, **named_size: int) -> None:
        self.rules.__init__(self, *size, **named_size)


class NumberedGameEnv(GameEnv, NumberedGame):
    """A game of five methods as an environment; see `GameEnv`."""

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 2}  # noqa: RUF012
    renderers: ClassVar[Mapping[str, Callable[[Any, Any], Any]]] = {"ansi": as_text}

    def _take_rules(self, *size: int, **named_size: int) -> None:
        NumberedGame.__init__(self, self.rules(*size, **named_size))


def no_change_of_self_play() -> ValueError:
    """Make the error for a change between self-play and opponents."""
    return ValueError(
        "an environment cannot change between self-play and opponents: make another environment"
    )


class ConnectXEnv(BoardGameEnv, ConnectX):
    """`ConnectX` as an environment, with the arguments of `GameEnv`."""

    rules = ConnectX


class TicTacToeEnv(BoardGameEnv, TicTacToe):
    """`TicTacToe` as an environment, with the arguments of `GameEnv`."""

    rules = TicTacToe


class Environments(dict[type, type[GameEnv]]):
    """The environments of games, by the classes of their rules."""

    def __missing__(self, rules: type) -> type[GameEnv]:
        """Make the class of another game's environments, like those above."""
        bases = (BoardGameEnv, rules) if issubclass(rules, BoardGame) else (NumberedGameEnv,)
        doc = f"`{rules.__name__}` as an environment, with the arguments of `GameEnv`."
        body = {"__module__": __name__, "__doc__": doc, "rules": rules}
        make: Any = type(bases[0])
        self[rules] = make(f"{rules.__name__}Env", bases, body)
        return self[rules]


ENVIRONMENTS = Environments({ConnectX: ConnectXEnv, TicTacToe: TicTacToeEnv})


def __getattr__(name: str) -> type[GameEnv]:
    """Find the class of a registered game's environments, for Gymnasium and pickle."""
    return ENVIRONMENTS[rules_of(name, "Env", __name__)]
