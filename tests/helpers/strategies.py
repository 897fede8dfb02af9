"""Hypothesis strategies: games of random size, and states reached by random legal play."""

from functools import cache
from random import Random
from typing import NamedTuple, TypeVar

from hypothesis import assume
from hypothesis import strategies as st

from envs import BoardGame, BoardState, ConnectX
from envs.bitboard import fits_in_word
from envs.board import moves_text
from envs.games import GAMES, GameEntry
from tests.helpers.kaggle_rules import KaggleGame, kaggle_game

Game = TypeVar("Game", bound=BoardGame)

WIDE_BOARDS = [ConnectX(8, 8, 4), ConnectX(12, 12, 5)]
"""Boards of 128 and 256 bits, the latter too large for the solver. Kernels are compiled for each
wide board, so the tests share these two."""


class Position(NamedTuple):
    """A state with the game that it belongs to."""

    env: BoardGame
    state: BoardState


@st.composite
def connect_games(draw: st.DrawFn, largest: int = 12, longest_line: int = 12) -> ConnectX:
    """ConnectX with up to `largest` rows and columns and lines of up to `longest_line` stones."""
    sides = st.integers(1, largest)
    return ConnectX(draw(sides), draw(sides), draw(st.integers(1, longest_line)))


@st.composite
def contested_games(draw: st.DrawFn, largest: int = 10) -> ConnectX:
    """ConnectX in which random games mostly end in a win, and not with the first stones."""
    sides = st.integers(3, largest)
    return ConnectX(draw(sides), draw(sides), draw(st.sampled_from([3, 3, 4, 5])))


def narrow(games: st.SearchStrategy[Game]) -> st.SearchStrategy[Game]:
    """Boards of 64 bits, because kernels are compiled for each wider one, which takes seconds."""
    return games.filter(lambda game: fits_in_word(game.rows, game.columns, game.inarow))


@cache  # because making tic-tac-toe takes milliseconds
def board_games(largest: int = 12) -> st.SearchStrategy[BoardGame]:
    """The registered games, of any size up to `largest` if they take sizes."""
    return st.one_of([_games_of(entry, largest) for entry in GAMES.values()])


def _games_of(entry: GameEntry, largest: int) -> st.SearchStrategy[BoardGame]:
    limits = {"rows": largest, "columns": largest, "inarow": 12}
    if entry.sizes:
        return st.builds(entry.make, **{name: st.integers(1, limits[name]) for name in entry.sizes})
    game = entry.make()
    return st.just(game) if max(game.rows, game.columns) <= largest else st.nothing()


def random_game(env: BoardGame, rng: Random) -> list[BoardState]:
    """The states of a whole game of random legal actions."""
    states = [env.initial_state()]
    while actions := env.get_available_actions(states[-1]):
        states.append(env.get_next_state(states[-1], rng.choice(actions)))
    return states


def unfinished_states(env: BoardGame) -> set[BoardState]:
    """Every reachable unfinished state."""
    found: set[BoardState] = set()
    new = {env.initial_state()}
    while new := {state for state in new - found if env.get_available_actions(state)}:
        found |= new
        new = {env.get_next_state(s, a) for s in new for a in env.get_available_actions(s)}
    return found


@st.composite
def played_games(draw: st.DrawFn, env: BoardGame) -> list[BoardState]:
    """The states of a whole random game of `env`."""
    return random_game(env, Random(draw(st.integers(0, 2**32 - 1))))


@st.composite
def positions(draw: st.DrawFn, games: st.SearchStrategy[BoardGame]) -> Position:
    """Any state of a random game, including the last one."""
    env = draw(games)
    return Position(env, draw(st.sampled_from(draw(played_games(env)))))


@st.composite
def unfinished_positions(draw: st.DrawFn, games: st.SearchStrategy[BoardGame]) -> Position:
    """An unfinished state."""
    env = draw(games)
    return Position(env, draw(st.sampled_from(draw(played_games(env))[:-1])))


@st.composite
def late_positions(
    draw: st.DrawFn, games: st.SearchStrategy[BoardGame], most_free_cells: int
) -> Position:
    """An unfinished state with at most this number of free cells."""
    env = draw(games)
    fewest_stones = env.rows * env.columns - most_free_cells
    late = [s for s in draw(played_games(env))[:-1] if s.mask.bit_count() >= fewest_stones]
    assume(late)
    return Position(env, draw(st.sampled_from(late)))


@st.composite
def winnable_positions(draw: st.DrawFn, games: st.SearchStrategy[ConnectX]) -> Position:
    """A state in which a column wins at once, by Kaggle's rules."""
    env = draw(games)
    state = draw(played_games(env))[-2]
    assume(kaggle_game(env, state).winning_columns())
    return Position(env, state)


@st.composite
def threatened_positions(draw: st.DrawFn, games: st.SearchStrategy[ConnectX]) -> Position:
    """A state where no column wins, and some, not all, let the opponent win, by Kaggle's rules."""
    env = draw(games)
    last_states = draw(played_games(env))[-8:-1]
    threatened = [state for state in last_states if _is_threatened(kaggle_game(env, state))]
    assume(threatened)
    return Position(env, draw(st.sampled_from(threatened)))


def _is_threatened(game: KaggleGame) -> bool:
    return not game.winning_columns() and 0 < len(game.safe_columns()) < len(game.open_columns)


def swapped_colours(state: BoardState) -> BoardState:
    """The same position with the players' stones and turns exchanged."""
    return state._replace(player=3 - state.player)


def mirrored(env: BoardGame, state: BoardState) -> BoardState:
    """The same position with left and right exchanged."""
    board = env.to_board(state)
    rows = [board[i : i + env.columns][::-1] for i in range(0, len(board), env.columns)]
    return env.from_board([cell for row in rows for cell in row], state.player)


def quiet_game(env: ConnectX, plies: int, rng: Random) -> str:
    """A random game of this many plies, none of which wins."""
    actions, state = list[int](), env.initial_state()
    while len(actions) < plies:
        quiet = [
            action
            for action in env.get_available_actions(state)
            if not env.get_next_state(state, action).won
        ]
        if not quiet:
            return quiet_game(env, plies, rng)
        actions.append(rng.choice(quiet))
        state = env.get_next_state(state, actions[-1])
    return moves_text(actions)
