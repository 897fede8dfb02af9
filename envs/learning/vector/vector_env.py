"""The games as Gymnasium vector environments: thousands of games, one call for each step.

Each game in the table has a class, `ConnectXVectorEnv` for `ConnectX` and so on.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import partial
from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np
from gymnasium import logger
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from envs.board import BoardGame, BoardState
from envs.compiled.jit import Flags
from envs.connectx import ConnectX
from envs.games import game_entry, rules_of
from envs.learning.arguments import (
    Seeds,
    require_actions,
    require_choice,
    require_options,
    reset_mask_and_rest,
    seed_of_each,
    whole_number,
)
from envs.learning.observations import DEFAULT_OBSERVATION
from envs.learning.opponents import RANDOM, AnyOpponent
from envs.learning.single_env import (
    ENVIRONMENTS,
    RANDOM_SEAT,
    RENDERERS,
    BoardGameEnv,
    ConnectXEnv,
    GameEnv,
    Info,
    Observation,
    TicTacToeEnv,
    no_change_of_self_play,
)
from envs.learning.vector.vector_boards import Boards
from envs.learning.vector.vector_games import StepArrays, make_games
from envs.learning.vector.vector_kernels import Bytes, Rewards
from envs.protocol import require_count
from envs.tic_tac_toe import TicTacToe

Step = tuple[Observation, Rewards, Flags, Flags, Info]


class BoardGameVectorEnv(VectorEnv[Observation, NDArray[Any], NDArray[Any]]):
    """Many games of one kind, each played exactly as in the single environment.

    Sub-environment i of `reset(seed=s)` runs as a single environment after `reset(seed=s + i)`.
    Observations, rewards and masks have a row for each sub-environment, with the meaning given in
    `envs.learning.single_env`; all arrays are new at each step. Boards of at most 256 bits
    (`envs.bitboard.fits_in_wide_word`) are compiled by Numba, others are played in plain Python.

    `infos["action_mask"]` has shape (num_envs, actions), int8; `LegalActionSampler` draws from it.
    With `SAME_STEP`, `infos["final_obs"]` and `infos["final_info"]` hold the last observations and
    infos of the games that have just ended, as in Gymnasium's `SyncVectorEnv`;
    `infos["_final_obs"]` says which games.

    Args:
        num_envs: how many games, at least 1.
        size: as in the single environment.
        opponent: as in the single environment. `random`, `level:n=1` to `n=7` and `policy` are
            compiled; each game gets its own instance of any other named agent. A `BatchOpponent`
            chooses for all games at once.
        seat: as in the single environment, like `observation`, `illegal` and `render_mode`.
        observation: what the learners see.
        illegal: what an illegal action does.
        render_mode: what `render` returns.
        autoreset_mode: when a game that is over restarts: `NEXT_STEP`, `SAME_STEP`, or `DISABLED`,
            where `reset(options={"reset_mask": mask})` restarts the mask's games.
        threads: the most of Numba's threads that share the games: at most one for each processor,
            and for each 1024 games, since smaller shares gain nothing. More than 1 is valid only in
            self-play and against one compiled opponent, because threads do not speed up Python
            code; on boards that are not compiled it has no effect. The games are the same with any
            number. A process forked after OpenMP's threads have run in its parent uses one thread
            (if the parent had imported `envs`).
        named_size: as in the single environment.

    Raises:
        ValueError: an argument is invalid; the message says what is valid.
    """

    single: ClassVar[type[BoardGameEnv]]
    """The class of the single environment, set by each subclass."""

    def __init__(
        self,
        num_envs: int = 1,
        *size: int,
        opponent: AnyOpponent = RANDOM,
        seat: str = RANDOM_SEAT,
        observation: str | None = None,
        illegal: str = "loss",
        render_mode: str | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        threads: int = 1,
        **named_size: int,
    ) -> None:
        sizes = signature(self.single.rules).parameters
        require_options(named_size, BoardGameVectorEnv, sizes)
        game = self.single(
            *size,
            opponent=None,
            seat=seat,
            observation=observation,
            illegal=illegal,
            render_mode=render_mode,
            **named_size,
        )
        num_envs, threads = require_count("num_envs", num_envs), require_count("threads", threads)
        mode = mode_of_autoreset(autoreset_mode)
        self.num_envs = num_envs
        self.render_mode = game.render_mode
        self.metadata = {**game.metadata, "autoreset_mode": mode}
        self.autoreset_mode = mode  # TorchRL looks for it here
        self.single_observation_space = game.observation_space
        self.single_action_space = game.action_space
        self.observation_space = batch_space(game.observation_space, num_envs)
        self.action_space = batch_space(game.action_space, num_envs)

        self._observations = (num_envs, *(game.observation_space.shape or ()))
        self._masks = (num_envs, game.action_count)
        self._game = game
        self._all = np.ones(num_envs, np.bool_)
        self._seeded = np.zeros(num_envs, np.bool_)
        self._begun = np.zeros(num_envs, np.bool_)
        self._ready = False  # whether all games have started, and no step has failed halfway
        self._observation, self._threads = observation or DEFAULT_OBSERVATION, threads
        boards = Boards(game, num_envs)
        self._games = make_games(game, boards, opponent, self._observation, threads)

    def reset(
        self, *, seed: Seeds = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Start all games, or those of a mask.

        Args:
            seed: the seed of the first game, one more for each further game; or a seed (or None)
                for each game; or None to continue all random numbers.
            options: `reset_mask`, bools of shape (num_envs,), selects the games to start; `moves`
                as in the single environment.

        Returns:
            The observations and infos of all games, started now or not.

        Raises:
            ValueError: invalid seeds, mask or options; the message says what is valid.
        """
        which, rest = reset_mask_and_rest(options, self.num_envs)
        seeds = seed_of_each(seed, self.num_envs)
        self._game.reset(options=rest)
        super().reset(seed=seeds.start if isinstance(seeds, range) else None)
        if self._begun.all() and not self._ready:  # a step has failed
            self._begun[:] = False
        self._ready = False
        self._begun &= ~which
        self._seed(which, seeds)
        self._games.begin(which, self._game.state)
        self._begun |= which
        self._ready = bool(self._begun.all())
        arrays = self._new_arrays()
        self._games.observe(self._all, arrays)
        return arrays.observations, self._infos(arrays.action_masks)

    def step(self, actions: NDArray[Any]) -> Step:
        """Play an action in each game, and the opponents' answers.

        Args:
            actions: whole numbers of shape (num_envs,); ignored in games that restart in this step.

        Returns:
            observations, rewards (float64), terminations, truncations (always False) and infos.

        Raises:
            ValueError: the actions have another shape or type, or one is illegal and
                `illegal="raise"`; in either case nothing has been played.
            ResetNeeded: a game has not started, or is over without autoreset, or the previous step
                failed, for example in an opponent.
        """
        chosen = require_actions(actions, self.num_envs)
        self._require_begun()
        if self._game.illegal == "raise":
            self._games.boards.require_legal(chosen, ~self._games.over, self.action_masks())
        arrays = self._new_arrays()
        self._ready = False
        self._games.step(chosen, arrays)
        terminated = arrays.terminations
        infos = self._infos(arrays.action_masks)
        if self.autoreset_mode is AutoresetMode.SAME_STEP and terminated.any():
            infos |= self._final_infos(terminated, arrays)
            self._games.begin(terminated, self._game.initial_state())
            self._games.observe(terminated, arrays)
            infos |= self._opponent_info(self._all)
        self._ready = True
        truncated = np.zeros(self.num_envs, np.bool_)
        return arrays.observations, arrays.rewards, terminated, truncated, infos

    def set_opponent(self, opponent: AnyOpponent) -> None:
        """Continue against another opponent, as the single environment does."""
        self._game.require_own_turn()
        if (opponent is None) != self._games.is_self_play:
            raise no_change_of_self_play()
        before, boards = self._games, self._games.boards
        self._games = make_games(self._game, boards, opponent, self._observation, self._threads)
        self._games.go_on_from(before)

    def action_masks(self) -> Bytes:
        """Return a new array of `infos["action_mask"]`."""
        masks = np.empty(self._masks, np.int8)
        self._games.boards.write_action_masks(self._games.over, masks)
        return masks

    def state(self, index: int) -> BoardState:
        """Return the position of a sub-environment, for the rules and for searches.

        Raises:
            ValueError: there is no such sub-environment.
        """
        index = whole_number(index, "the number of a sub-environment")
        if not 0 <= index < self.num_envs:
            raise ValueError(f"no sub-environment {index}: choose from 0 to {self.num_envs - 1}")
        return self._games.boards.state(index)

    def render(self) -> tuple[Any, ...] | None:
        """Draw the boards in the render mode, one after the other; None without a render mode."""
        if self.render_mode is None:
            logger.warn("render() draws nothing: make the environments with a render_mode")
            return None
        draw = RENDERERS[self.render_mode]
        return tuple(draw(self._game, self.state(index)) for index in range(self.num_envs))

    def __copy__(self) -> Self:
        """Copy all games: shallow copies would share their boards."""
        return deepcopy(self)

    def _seed(self, which: Flags, seeds: Sequence[int | None]) -> None:
        for index, seed in enumerate(seeds):
            if not which[index] or (seed is None and self._seeded[index]):
                continue
            self._games.seed(index, int(self.np_random.integers(2**63)) if seed is None else seed)
            self._seeded[index] = True

    def _require_begun(self) -> None:
        self._game.require_own_turn()
        if not self._ready:
            raise ResetNeeded(
                "not all games have begun, or a step has failed: call reset() before step()"
            )
        if self.autoreset_mode is AutoresetMode.DISABLED and self._games.over.any():
            raise ResetNeeded(
                "games are over: start them again with reset(options={'reset_mask': terminations})"
            )

    def _new_arrays(self) -> StepArrays:
        return StepArrays(
            np.empty(self._observations, np.int8),
            np.empty(self._masks, np.int8),
            np.empty(self.num_envs, np.float64),
            np.empty(self.num_envs, np.bool_),
        )

    def _infos(self, action_masks: Bytes) -> Info:
        masks = {"action_mask": action_masks, "_action_mask": self._all.copy()}
        return masks | self._opponent_info(self._all)

    def _opponent_info(self, which: Flags) -> Info:
        playing = self._games.playing
        if playing is None:
            return {}
        return {"opponent": np.where(which, playing, 0), "_opponent": which.copy()}

    def _final_infos(self, ended: Flags, arrays: StepArrays) -> Info:
        last = np.empty(self.num_envs, object)  # None everywhere
        last[ended] = np.fromiter(arrays.observations[ended], object)
        nothing_is_legal = np.zeros_like(arrays.action_masks)
        return {
            "final_obs": last,
            "_final_obs": ended.copy(),
            "final_info": {"action_mask": nothing_is_legal, "_action_mask": ended.copy()}
            | self._opponent_info(ended),
            "_final_info": ended.copy(),
        }


def make_vector_env(game: BoardGame, num_envs: int, **arguments: Any) -> BoardGameVectorEnv:
    """Make a vector environment of a game, with its size; see `BoardGameVectorEnv`.

    Raises:
        ValueError: a game that is not in the table, or an invalid argument.
    """
    entry = game_entry(game)
    return VECTOR_ENVIRONMENTS[entry.rules](num_envs, *entry.sizes_of(game), **arguments)


def make_plain_vector_env(
    single: type[GameEnv],
    num_envs: int = 1,
    autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    **arguments: Any,
) -> SyncVectorEnv:
    """Make a vector environment of games without a board, stepped one by one in Python."""
    make = partial(single, **arguments)
    mode = mode_of_autoreset(autoreset_mode)
    return SyncVectorEnv([make] * require_count("num_envs", num_envs), autoreset_mode=mode)


def mode_of_autoreset(mode: str | AutoresetMode) -> AutoresetMode:
    """Return the mode in which vector environments restart games."""
    name = mode.value if isinstance(mode, AutoresetMode) else mode
    require_choice("autoreset_mode", name, [each.value for each in AutoresetMode])
    return AutoresetMode(name)


class ConnectXVectorEnv(BoardGameVectorEnv):
    """Many games of `ConnectXEnv`."""

    single = ConnectXEnv


class TicTacToeVectorEnv(BoardGameVectorEnv):
    """Many games of `TicTacToeEnv`."""

    single = TicTacToeEnv


class VectorEnvironments(dict[type, type[BoardGameVectorEnv]]):
    """The vector environments of boards, by the classes of their rules."""

    def __missing__(self, rules: type) -> type[BoardGameVectorEnv]:
        """Make the class of another game's vector environments, like those above."""
        single = ENVIRONMENTS[rules]
        doc = f"Many games of `{single.__name__}`."
        body = {"__module__": __name__, "__doc__": doc, "single": single}
        self[rules] = type(f"{rules.__name__}VectorEnv", (BoardGameVectorEnv,), body)
        return self[rules]


VECTOR_ENVIRONMENTS = VectorEnvironments(
    {ConnectX: ConnectXVectorEnv, TicTacToe: TicTacToeVectorEnv}
)


def __getattr__(name: str) -> Any:
    """Find the class of a registered game's vector environments, for Gymnasium and pickle."""
    rules = rules_of(name, "VectorEnv", __name__)
    if issubclass(rules, BoardGame):
        return VECTOR_ENVIRONMENTS[rules]
    return partial(make_plain_vector_env, ENVIRONMENTS[rules])
