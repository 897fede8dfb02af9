"""The learner `td`: a linear value function of n-tuples, by temporal differences in self-play.

The n-tuples are those of M. Thill, P. Koch and W. Konen, "Reinforcement Learning with N-Tuples on
the Game Connect-4" (2012): random walks from cell to neighbouring cell, diagonals too.
"""

from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.policy.features import feature_board
from agents.policy.learners.td_kernel import (
    CHANCES,
    TDArrays,
    TDSettings,
    learn_from_games,
)
from agents.policy.network import PolicyNetwork, TrainedPolicy, policy_scope
from agents.policy.training.learner import TrainingSettings
from envs.bitboard import fits_in_word
from envs.board import BoardGame
from envs.compiled.jit import fastest, zeros
from envs.compiled.random_stream import stream_of_seed

TUPLES = 70
LENGTH = 7
ATTEMPTS = 20
"""Walks for each n-tuple that is wanted: a small board may have fewer."""
ROUND_GAMES = 20_000
RATE = 0.02
"""The first step of a weight."""
DECAY = 0.6
"""Lambda."""
FIRST_EXPLORATION, LAST_EXPLORATION = 0.4, 0.2
"""How often anything is played, at the beginning of the training and at its end."""


class TDLearner:
    """Plays against itself, one ply of look-ahead a move, and learns the values that it meets.

    Args:
        game: any board game of lines on a board that `envs.bitboard.fits_in_word`.
        settings: the seed.

    Raises:
        ValueError: the board does not fit.
    """

    def __init__(self, game: BoardGame, settings: TrainingSettings) -> None:
        if not fits_in_word(game.rows, game.columns, game.inarow):
            raise ValueError(
                f"--method td needs a board of at most 64 bits, not {game!r}: choose a smaller one"
            )
        self._scope = policy_scope(game)
        self._board = feature_board(game, random_tuples(game, TUPLES, LENGTH, settings.seed))
        cells = game.rows * game.columns
        self._arrays = TDArrays(
            weights=np.zeros(self._board.features + 1),
            net_changes=np.zeros(self._board.features + 1),
            all_changes=np.zeros(self._board.features + 1),
            found=zeros(self._board.most + 1),
            movers=zeros(cells),
            masks=zeros(cells),
            best=np.zeros(cells),
            explored=zeros(cells),
        )
        self._stream = stream_of_seed(settings.seed)
        self._games = 0

    @property
    def policy(self) -> TrainedPolicy:
        """The value as it is by now; all actions have one logit."""
        outputs = self._scope.actions + 1
        features = np.zeros((self._board.features, outputs), np.float32)
        bias = np.zeros(outputs, np.float32)
        features[:, -1], bias[-1] = self._arrays.weights[:-1], self._arrays.weights[-1]
        network = PolicyNetwork(
            self._board.tuples,
            features,
            bias,
            dense=np.zeros((0, 0), np.float32),
            dense_bias=np.zeros(0, np.float32),
            outputs=np.zeros((0, outputs), np.float32),
        )
        return TrainedPolicy(self._scope, network)

    def advance(self, spent: float) -> Mapping[str, float]:
        """Play some games, and learn from each."""
        exploration = FIRST_EXPLORATION + spent * (LAST_EXPLORATION - FIRST_EXPLORATION)
        settings = TDSettings(RATE, DECAY, round(exploration * CHANCES))
        self._stream, error = fastest(learn_from_games)(
            self._board, self._arrays, settings, self._stream, ROUND_GAMES
        )
        self._games += ROUND_GAMES
        return {"loss/value": error, "games": float(self._games)}

    def state(self) -> dict[str, Any]:
        """All that a later run needs to go on as if there had been no interrupt."""
        arrays = self._arrays
        return {
            "weights": arrays.weights.copy(),
            "net_changes": arrays.net_changes.copy(),
            "all_changes": arrays.all_changes.copy(),
            "stream": self._stream,
            "games": self._games,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a state.

        Raises:
            KeyError, ValueError: it is not of such a training.
        """
        for name in ("weights", "net_changes", "all_changes"):
            getattr(self._arrays, name)[:] = state[name]
        self._stream, self._games = state["stream"], state["games"]


def random_tuples(env: BoardGame, count: int, length: int, seed: int) -> NDArray[np.int64]:
    """Draw n-tuples of cells.

    Args:
        env: the board.
        count: how many n-tuples, at most: none is drawn twice.
        length: cells of each, at most those of the board.
        seed: the same seed draws the same ones.

    Returns:
        Shape (n-tuples, cells): the bits of the cells (`envs.bitboard`), ascending.
    """
    rng = Random(seed)
    length = min(length, env.rows * env.columns)
    drawn: set[tuple[int, ...]] = set()
    for _ in range(ATTEMPTS * count):
        if len(drawn) < count:
            drawn.add(random_walk(env, length, rng))
    return np.array(sorted(drawn), np.int64).reshape(len(drawn), length)


def random_walk(env: BoardGame, length: int, rng: Random) -> tuple[int, ...]:
    """The bits of the first cells, so many different ones, that a random walk meets, ascending."""
    row, column = rng.randrange(env.rows), rng.randrange(env.columns)
    met = {(row, column)}
    while len(met) < length:
        row = min(max(row + rng.randint(-1, 1), 0), env.rows - 1)
        column = min(max(column + rng.randint(-1, 1), 0), env.columns - 1)
        met.add((row, column))
    return tuple(sorted(column * (env.rows + 1) + row for row, column in met))
