"""The games as Gymnasium vector environments: thousands of games, one call for each step.

Each game in the table has a class, `ConnectXVectorEnv` for `ConnectX` and so on.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from types import new_class
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from envs.board import BoardGame, BoardState
from envs.games import game_entry
from envs.learning.arguments import (
    Seeds,
    require_actions,
    require_choice,
    require_count,
    reset_mask_and_rest,
    seed_of_each,
)
from envs.learning.opponents import RANDOM, BatchOpponent, Opponent
from envs.learning.single_env import (
    ENVIRONMENTS,
    RANDOM_SEAT,
    RENDERERS,
    BoardGameEnv,
    Info,
    Observation,
)
from envs.learning.vector.vector_games import StepArrays, make_games
from envs.learning.vector.vector_kernels import Bytes, Flags, Rewards

Step = tuple[Observation, Rewards, Flags, Flags, Info]


class BoardGameVectorEnv(VectorEnv[Observation, NDArray[Any], NDArray[Any]]):
    """Many games of one kind, each exactly as the single environment plays it.

    Sub-environment i of `reset(seed=s)` goes as a single environment after `reset(seed=s + i)`.
    Observations, rewards and masks have a row for each sub-environment and mean what
    `envs.learning.single_env` says; all arrays are new at each step. Boards of at most 256 bits
    (`envs.bitboard.fits_in_wide_word`) are compiled by Numba, others are played in plain Python.

    `infos["action_mask"]` has shape (num_envs, actions), int8; `LegalActionSampler` draws from it.
    With `SAME_STEP`, `infos["final_obs"]` and `infos["final_info"]` hold what the games that have
    just ended came to, as in Gymnasium's `SyncVectorEnv`; `infos["_final_obs"]` says which.

    Args:
        num_envs: how many games, at least 1.
        size: as in the single environment.
        opponent: as in the single environment, where a named agent is made for each game, but
            `policy`, which chooses for all games at once; or a `BatchOpponent`, who does so too.
        seat: as in the single environment, like `observation`, `illegal` and `render_mode`.
        observation: what the learners see.
        illegal: what an illegal action does.
        render_mode: what `render` returns.
        autoreset_mode: when a game that is over begins anew: `NEXT_STEP`, `SAME_STEP`, or
            `DISABLED`, where `reset(options={"reset_mask": mask})` begins those of the mask.
        threads: how many of Numba's threads share the games at most: one for each processor, and
            for each 1024 games, since smaller shares gain nothing. More than 1 only in self-play
            and against `"random"`, for other opponents are Python code, which threads do not
            hasten; without effect on boards that are not compiled. The games are the same with
            any number, and in a process forked from one whose OpenMP threads have run, which is
            left with one (where the parent has imported `envs`).
        named_size: as in the single environment.

    Raises:
        ValueError: an argument that does not fit; the message says what does.
    """

    single: ClassVar[type[BoardGameEnv]]
    """The single environment, which each class that inherits this one states."""

    def __init__(
        self,
        num_envs: int = 1,
        *size: int,
        opponent: str | Opponent | BatchOpponent | None = RANDOM,
        seat: str = RANDOM_SEAT,
        observation: str = "planes",
        illegal: str = "loss",
        render_mode: str | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        threads: int = 1,
        **named_size: int,
    ) -> None:
        game = self.single(
            *size,
            opponent=None,
            seat=seat,
            observation=observation,
            illegal=illegal,
            render_mode=render_mode,
            **named_size,
        )
        require_count("num_envs", num_envs)
        require_count("threads", threads)
        if threads > 1 and opponent not in (RANDOM, None):
            raise ValueError(
                f"threads is {threads}: make it 1 where the opponent is Python code, which "
                "threads do not hasten"
            )
        require_choice(
            "autoreset_mode",
            autoreset_mode,
            [*AutoresetMode, *(mode.value for mode in AutoresetMode)],
        )
        mode = AutoresetMode(autoreset_mode)
        self.num_envs = num_envs
        self.render_mode = game.render_mode
        self.metadata = {**game.metadata, "autoreset_mode": mode}
        self.single_observation_space = game.observation_space
        self.single_action_space = game.action_space
        self.observation_space = batch_space(game.observation_space, num_envs)
        self.action_space = batch_space(game.action_space, num_envs)

        self._observations = (num_envs, *(game.observation_space.shape or ()))
        self._masks = (num_envs, len(game.action_cells))
        self._game = game
        self._mode = mode
        self._all = np.ones(num_envs, np.bool_)
        self._seeded = np.zeros(num_envs, np.bool_)
        self._begun = False
        self._games = make_games(game, num_envs, opponent, observation, threads)

    def reset(
        self, *, seed: Seeds = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Begin all games, or those of a mask.

        Args:
            seed: of the first game, and one more for each of the others; or a seed (or None) for
                each; or None, with which the random numbers of each go on.
            options: `reset_mask`, bools of shape (num_envs,), says which games begin; `moves` as
                in the single environment.

        Returns:
            The observations and infos of all games, begun or not.

        Raises:
            ValueError: seeds, a mask or options that do not fit; the message says what does.
        """
        which, rest = reset_mask_and_rest(options, self.num_envs)
        seeds = seed_of_each(seed, self.num_envs)
        self._game.reset(options=rest)
        super().reset(seed=seeds.start if isinstance(seeds, range) else None)
        self._begun = False
        self._seed(which, seeds)
        self._games.begin(which, self._game.state)
        self._begun = bool(self._seeded.all())
        arrays = self._new_arrays()
        self._games.observe(self._all, arrays)
        return arrays.observations, self._infos(arrays.action_masks)

    def step(self, actions: NDArray[Any]) -> Step:
        """Play an action in each game, and the opponents' answers.

        Args:
            actions: whole numbers of shape (num_envs,); those of games that begin anew in this step
                are not looked at.

        Returns:
            observations, rewards (float64), terminations, truncations (always False) and infos.

        Raises:
            ValueError: actions of another shape or type; or an illegal one and `illegal="raise"`,
                and then nothing has been played.
            ResetNeeded: a game has not begun, or is over and is not begun anew by itself.
        """
        chosen = require_actions(actions, self.num_envs)
        self._require_begun()
        if self._game.illegal == "raise":
            self._games.require_legal(chosen)
        arrays = self._new_arrays()
        self._games.step(chosen, arrays)
        terminated = arrays.terminations
        infos = self._infos(arrays.action_masks)
        if self._mode is AutoresetMode.SAME_STEP and terminated.any():
            infos |= self._final_infos(terminated, arrays)
            self._games.begin(terminated, self._game.initial_state())
            self._games.observe(terminated, arrays)
        truncated = np.zeros(self.num_envs, np.bool_)
        return arrays.observations, arrays.rewards, terminated, truncated, infos

    def action_masks(self) -> Bytes:
        """Return a new array of `infos["action_mask"]`."""
        masks = np.empty(self._masks, np.int8)
        self._games.write_action_masks(masks)
        return masks

    def state(self, index: int) -> BoardState:
        """Return the position of a sub-environment, for the rules and for searches.

        Raises:
            ValueError: there is no such sub-environment.
        """
        if not 0 <= index < self.num_envs:
            raise ValueError(f"no sub-environment {index}: they go from 0 to {self.num_envs - 1}")
        return self._games.boards.state(index)

    def render(self) -> tuple[Any, ...] | None:
        """Draw the boards in the render mode, one after the other; None without a render mode."""
        if self.render_mode is None:
            return None
        draw = RENDERERS[self.render_mode]
        return tuple(draw(self._game, self.state(index)) for index in range(self.num_envs))

    def __copy__(self) -> Self:
        """Copy all games: copies with common boards would disturb each other."""
        return deepcopy(self)

    def _seed(self, which: Flags, seeds: Sequence[int | None]) -> None:
        for index, seed in enumerate(seeds):
            if not which[index] or (seed is None and self._seeded[index]):
                continue
            self._games.seed(index, int(self.np_random.integers(2**63)) if seed is None else seed)
            self._seeded[index] = True

    def _require_begun(self) -> None:
        if not self._begun:
            raise ResetNeeded("not all games have begun: call reset() before step()")
        if self._mode is AutoresetMode.DISABLED and self._games.over.any():
            raise ResetNeeded(
                "games are over: begin them anew with reset(options={'reset_mask': terminations})"
            )

    def _new_arrays(self) -> StepArrays:
        return StepArrays(
            np.empty(self._observations, np.int8),
            np.empty(self._masks, np.int8),
            np.empty(self.num_envs, np.float64),
            np.empty(self.num_envs, np.bool_),
        )

    def _infos(self, action_masks: Bytes) -> Info:
        return {"action_mask": action_masks, "_action_mask": self._all.copy()}

    def _final_infos(self, ended: Flags, arrays: StepArrays) -> Info:
        last = np.empty(self.num_envs, object)  # None everywhere
        last[ended] = np.fromiter(arrays.observations[ended], object)
        nothing_is_legal = np.zeros_like(arrays.action_masks)
        return {
            "final_obs": last,
            "_final_obs": ended.copy(),
            "final_info": {"action_mask": nothing_is_legal, "_action_mask": ended.copy()},
            "_final_info": ended.copy(),
        }


def make_vector_env(game: BoardGame, num_envs: int, **arguments: Any) -> BoardGameVectorEnv:
    """Make a vector environment of a game, as large as it is.

    Args:
        game: the rules.
        num_envs: how many games.
        arguments: as `BoardGameVectorEnv` has them.

    Raises:
        ValueError: a game that is not in the table, or an argument that does not fit.
    """
    entry = game_entry(game)
    return VECTOR_ENVIRONMENTS[entry.rules](num_envs, *entry.sizes_of(game), **arguments)


def _vector_environment(single: type[BoardGameEnv]) -> type[BoardGameVectorEnv]:
    """Make the class that plays many games of a single environment, as `ConnectXVectorEnv` does."""
    name = single.__name__.removesuffix("Env") + "VectorEnv"
    body = {
        "__module__": __name__,
        "__doc__": f"Many games of `{single.__name__}`.",
        "single": single,
    }
    return new_class(name, (BoardGameVectorEnv,), exec_body=lambda own: own.update(body))


VECTOR_ENVIRONMENTS = {rules: _vector_environment(single) for rules, single in ENVIRONMENTS.items()}
"""The vector environments of the games in the table, by the classes of their rules."""


if TYPE_CHECKING:
    ConnectXVectorEnv: TypeAlias = BoardGameVectorEnv
    TicTacToeVectorEnv: TypeAlias = BoardGameVectorEnv


def __getattr__(name: str) -> type[BoardGameVectorEnv]:
    """Find `ConnectXVectorEnv`, `TicTacToeVectorEnv` and so on, for Gymnasium and pickle."""
    for environment in VECTOR_ENVIRONMENTS.values():
        if environment.__name__ == name:
            return environment
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
