"""Whole games of random actions, without a look at any position in between."""

from typing import NamedTuple

import numpy as np

from envs.board import BoardGame
from envs.board_kernels import fits_in_word
from envs.jit import compiles
from envs.learning.observations import action_count
from envs.learning.vector_arguments import Seed, require_seed
from envs.learning.vector_boards import cells_of_actions
from envs.learning.vector_kernel import make_random_games
from envs.random_stream import random_action, stream_of_seed


class RandomGames(NamedTuple):
    """How many games ended how, and their plies in all."""

    wins_first: int
    wins_second: int
    draws: int
    plies: int


def play_random_games(game: BoardGame, games: int, seed: Seed) -> RandomGames:
    """Play games in which both players choose among the legal actions, all equally likely.

    Compiled on boards that `envs.board_kernels.fits_in_word`, with the same results as elsewhere.

    Args:
        game: the rules.
        games: how many, at least 0.
        seed: at least 0; the same seed plays the same games.

    Raises:
        ValueError: a negative number, or a seed that is no whole number.
    """
    if games < 0:
        raise ValueError(f"the number of games must be at least 0, not {games}")
    stream = stream_of_seed(require_seed(seed))
    if compiles() and fits_in_word(game.rows, game.columns, game.inarow):
        return _compiled_games(game, games, stream)
    return _plain_games(game, games, stream)


def _compiled_games(game: BoardGame, games: int, stream: int) -> RandomGames:
    cells = np.array(cells_of_actions(game), np.int64)
    play = make_random_games(game.rows, game.inarow, int(cells.sum()))
    return RandomGames(*play(games, stream, cells & -cells, cells))


def _plain_games(game: BoardGame, games: int, stream: int) -> RandomGames:
    actions = action_count(game)
    wins = {1: 0, 2: 0, None: 0}
    plies = 0
    for _ in range(games):
        state = game.initial_state()
        while legal := game.get_available_actions(state):
            action, stream = random_action(legal, actions, stream)
            state = game.get_next_state(state, action)
        wins[game.winner(state)] += 1
        plies += state.mask.bit_count()
    return RandomGames(wins[1], wins[2], wins[None], plies)
