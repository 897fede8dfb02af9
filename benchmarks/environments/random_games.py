"""Compiled games of random play, to time the rules themselves."""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from envs import BoardGame
from envs.bitboard import word_of_board
from envs.compiled.jit import Words, fastest, jit, words_of
from envs.compiled.random_stream import stream_of_seed
from envs.learning.vector.vector_kernels import landing_cell, played, random_reply


class RandomGames(NamedTuple):
    """The counted results of random games, and their plies in all."""

    wins_first: int
    wins_second: int
    draws: int
    plies: int


def play_random_games(game: BoardGame, games: int, seed: int) -> RandomGames:
    """Play games in which both players choose uniformly among the legal actions."""
    word, cells = word_of_board(game.rows, game.columns, game.inarow), game.action_cells
    play = make_random_games(game.rows, game.inarow, word(sum(cells)))
    lowest = words_of([column & -column for column in cells], word)
    return RandomGames(*play(games, stream_of_seed(seed), lowest, words_of(cells, word)))


@lru_cache
def make_random_games(rows: int, inarow: int, board: int) -> Callable[..., tuple[int, ...]]:
    """Make the kernel of a board, which plays games and counts either's wins, draws and plies."""

    @jit
    def random_games(
        games: int, stream: int, lowest: Words, cells: Words
    ) -> tuple[int, int, int, int]:
        wins_first, wins_second, plies = 0, 0, 0
        for _ in range(games):
            mover, mask, over = 0, 0, False
            while not over:
                action, stream = random_reply((lowest, cells), 0, stream, mover, mask)
                cell = landing_cell(mask, lowest[action], cells[action])
                mover, mask, over, reward = played(cell, mover, mask, rows, inarow, board)
                if reward != 0.0:
                    by_first = mask.bit_count() & 1
                    wins_first += by_first
                    wins_second += 1 - by_first
                if over:  # after the loop, Numba could not unify a wide mask with the initial 0
                    plies += mask.bit_count()
        return wins_first, wins_second, games - wins_first - wins_second, plies

    return fastest(random_games)
