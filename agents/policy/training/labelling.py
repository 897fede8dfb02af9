"""Makes labelled positions, hundreds a second, from games of fallible players.

A *grove* is a bundle of games with a line of play in common. Its positions are similar, so the
solver's table is of use from one to the next, which makes labels cheap.

1. Where there is an opening book for the board, all games of the grove play the opening, and every
   position is labelled without search.
2. Two players who look some plies ahead and err at times continue the first of these games, or,
   without a book, begin one, up to a randomly drawn ply (`FIRST_CELLS_LEFT`), or a later one on a
   board that is hard to solve (`most_solved_left`). Labels, which would cost most here, are not
   computed.
3. From there the games of the grove are played, ply by ply, and every position is labelled:
   `GAMES` of them while more than `LATE_CELLS_LEFT` cells are left, and then `LATE_GAMES` to their
   ends.

In 1 and 3 moves are drawn by their labels: any legal move with a probability of `RANDOM_SHARES`,
otherwise one in proportion to exp(score / temperature), with a temperature of `TEMPERATURES`. Each
game draws both for itself. So all kinds of mistakes occur, with their consequences.
"""

from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache, partial
from itertools import count
from math import inf
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.agent import Clock, OnProgress
from agents.alpha_beta_agent import AlphaBetaAgent
from agents.book.book_positions import keys_of_stones
from agents.book.opening_book import shipped_book_of
from agents.guidance.opponent_models import OpponentModel, epsilon_greedy
from agents.options import require_at_least, require_within
from agents.parallel.workers import Workers
from agents.policy.most_solved_left import most_solved_left
from agents.policy.training.labelled_positions import (
    ILLEGAL,
    LabelledPositions,
    joined,
    label_words,
    require_labelled_board,
    states_of,
)
from agents.solver.position_bounds import win_score
from agents.solver.solver import Solver
from envs.bitboard import has_run
from envs.board import BoardState
from envs.compiled.jit import Flags, Words
from envs.connectx import ConnectX

GAMES = 64  # games of a grove: more make labels cheaper, and positions more alike
LATE_GAMES = 16  # how many of them are played on to their ends ...
LATE_CELLS_LEFT = 28  # ... when as many cells are left: earlier positions are hardest to learn
FIRST_CELLS_LEFT = {34: 3, 33: 4, 32: 4, 31: 3, 30: 2, 28: 1}
"""By cells left, how often step 3 begins there; each further cell doubles the time."""
RANDOM_SHARES = (0.05, 0.1, 0.2, 0.4)
TEMPERATURES = (0.3, 0.7, 1.5)  # in points of score
LOOK_AHEADS = (2, 4, 6, 8)  # plies that a fallible player looks ahead

TABLE_MEGABYTES = 16  # the solver's table: a grove needs no more, and a small table is faster
SEARCH_TABLE = 10_000  # entries in a fallible player's table
TRIES = 10  # attempts at step 2 until a game lasts long enough

MOST_POSITIONS = 10_000_000  # of one run: some hours' work, and a gigabyte of memory
FRUITLESS_GROVES = 200  # groves in a row without a new position after which the search ends

Reals = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LabelSettings:
    """What to label; the same settings give the same positions for any number of workers.

    Raises:
        ValueError: too few or too many positions, a negative seed, or a board too large.
    """

    env: ConnectX
    count: int
    seed: int = 0

    def __post_init__(self) -> None:
        require_within("the number of labelled positions", self.count, 1, MOST_POSITIONS)
        require_at_least("seed", self.seed, 0)
        require_labelled_board(self.env)


class Ending(Enum):
    """Why no more positions were labelled."""

    COMPLETE = "all are there"
    EXHAUSTED = "no new ones are found"
    INTERRUPTED = "Ctrl-C"


def make_labelled_positions(
    settings: LabelSettings, executor: Executor, workers: int, on_progress: OnProgress
) -> tuple[LabelledPositions, Ending]:
    """Label positions, no two of them equal or mirror images; Ctrl-C ends it early.

    Returns:
        The positions, in the order in which they were found, and why there are no more.

    Raises:
        ChildProcessError: a worker process died.
    """
    found: list[LabelledPositions] = []
    seen: set[int] = set()
    begun, fruitless = monotonic(), 0
    on_progress(0, settings.count, "")
    try:
        for grove in _groves(settings, executor, workers):
            new = _new_positions(grove, seen).take(slice(settings.count - len(seen)))
            seen.update(new.keys.tolist())
            found.append(new)
            fruitless = 0 if len(new) else fruitless + 1
            rate = len(seen) / (monotonic() - begun)
            on_progress(len(seen), settings.count, f"({rate:.0f} a second)")
            if len(seen) == settings.count:
                return joined(settings.env, found), Ending.COMPLETE
            if fruitless == FRUITLESS_GROVES:
                break
        return joined(settings.env, found), Ending.EXHAUSTED
    except KeyboardInterrupt:
        return joined(settings.env, found), Ending.INTERRUPTED
    except BrokenExecutor as error:
        raise ChildProcessError(
            "a worker process died, perhaps out of memory: run the command again with fewer workers"
        ) from error


def _groves(
    settings: LabelSettings, executor: Executor, workers: int
) -> Iterator[LabelledPositions]:
    tasks = (
        (number, partial(label_grove, settings.env, settings.seed, number)) for number in count()
    )
    early: dict[int, LabelledPositions] = {}
    following = 0
    # Twice as many as can be played at a time, so that no worker waits for the next one.
    for number, grove in Workers(executor, 2 * workers).run(tasks, Clock()):
        early[number] = grove
        while following in early:
            yield early.pop(following)
            following += 1


def _new_positions(positions: LabelledPositions, seen: set[int]) -> LabelledPositions:
    """The positions whose keys were not seen, each once."""
    _, first = np.unique(positions.keys, return_index=True)
    first.sort()
    keys = positions.keys[first].tolist()
    return positions.take(first[[key not in seen for key in keys]])


def label_grove(env: ConnectX, seed: int, number: int) -> LabelledPositions:
    """Play and label a grove, the same for a seed and number; some positions may be alike."""
    return Grove(_labeller(env), np.random.default_rng((seed, number))).played()


@lru_cache(maxsize=1)
def _labeller(env: ConnectX) -> "Labeller":
    """The labeller of a worker, whose solver's table serves all groves."""
    return Labeller(env)


class Moves(NamedTuple):
    """The effect of the next stone, in each column of many positions [n, columns]."""

    legal: Flags
    wins: Flags
    movers: Words  # the stones of the other player, who is to move next
    masks: Words  # meaningless if the move is illegal


class Labeller:
    """Scores all moves of many positions: won ones by the rules, others by book, or by search."""

    def __init__(self, env: ConnectX) -> None:
        self.env = env
        self.cells = env.rows * env.columns
        self.book = shipped_book_of(env)
        self.book_plies = self.book.scope.plies if self.book else 0
        """After fewer plies than these, the book has the scores of all moves."""
        self._solver = Solver(env, TABLE_MEGABYTES)
        self._bottoms = label_words(env, [cells & -cells for cells in env.action_cells])
        self._columns = label_words(env, env.action_cells)

    def moves(self, movers: Words, masks: Words) -> Moves:
        """The moves of positions [n]."""
        cells = (masks[:, None] + self._bottoms) & self._columns
        stones: Any = movers[:, None] | cells
        lines: Any = has_run(stones, self.env.rows, self.env.inarow)
        others = np.repeat((masks ^ movers)[:, None], self.env.columns, axis=1)
        legal = cells != 0
        return Moves(legal, legal & lines, others, masks[:, None] | cells)

    def scores(self, moves: Moves, ply: int) -> Words:
        """[n, columns] The score of each move after `ply` plies, `ILLEGAL` in full columns."""
        scores = np.full(moves.legal.shape, ILLEGAL, np.int64)
        scores[moves.wins] = win_score(self.cells, ply)
        open_ended = moves.legal & ~moves.wins
        children = moves.movers[open_ended], moves.masks[open_ended]
        if ply + 1 == self.cells:
            scores[open_ended] = 0
        else:
            scores[open_ended] = -self._scores_of(*children, ply + 1)
        return scores

    def _scores_of(self, movers: Words, masks: Words, ply: int) -> Words:
        """[n] The scores of unfinished positions."""
        if self.book and ply <= self.book.scope.plies:
            keys = keys_of_stones(self.book.scope, movers, masks)
            known: Words = self.book.scores[ply][np.searchsorted(self.book.keys[ply], keys)]
            return known
        return np.array(self._solver.score_all(states_of(movers, masks)), np.int64)


class Games(NamedTuple):
    """Unfinished games: arrays [n] of their positions and their ways of choosing moves."""

    movers: Words
    masks: Words
    random_shares: Reals
    temperatures: Reals

    @classmethod
    def begun(cls, env: ConnectX, state: BoardState, rng: np.random.Generator) -> "Games":
        """The games of a grove, all in the same position."""
        movers, masks = (label_words(env, [stones] * GAMES) for stones in (state.mover, state.mask))
        return cls(movers, masks, rng.choice(RANDOM_SHARES, GAMES), rng.choice(TEMPERATURES, GAMES))

    def first(self, count: int) -> "Games":
        """The first of the games, at most `count`."""
        return Games._make(field[:count] for field in self)

    def draw_columns(self, legal: Flags, scores: Words, rng: np.random.Generator) -> Words:
        """Draw a legal column for each game, by its share of random moves and its temperature."""
        noise = rng.gumbel(size=scores.shape)  # the largest sum is a draw from the softmax
        erring = rng.random(len(scores)) < self.random_shares
        merits = np.where(erring[:, None], 0.0, scores / self.temperatures[:, None])
        columns: Words = np.where(legal, merits + noise, -inf).argmax(axis=1)
        return columns

    def after(self, moves: Moves, columns: Words) -> "Games":
        """The games that are not won by a move in each."""
        played = np.arange(len(columns)), columns
        going_on = ~moves.wins[played]
        fields = moves.movers[played], moves.masks[played], *self[2:]
        return Games._make(field[going_on] for field in fields)


class Grove:
    """A grove in the making; the module's docstring says how it is played."""

    def __init__(self, labeller: Labeller, rng: np.random.Generator) -> None:
        self._labeller = labeller
        self._env = labeller.env
        self._rng = rng
        self._labelled: list[LabelledPositions] = []

    def played(self) -> LabelledPositions:
        """Play the grove; return its labelled positions."""
        weights = np.array(list(FIRST_CELLS_LEFT.values()))
        drawn = int(self._rng.choice(list(FIRST_CELLS_LEFT), p=weights / weights.sum()))
        state = self._env.initial_state()
        if self._labeller.book_plies:
            state = self._play_labelled(state, self._labeller.book_plies)
        cells_left = min(drawn, most_solved_left(self._env))
        state = self._play_on(state, self._labeller.cells - cells_left)
        self._play_labelled(state, self._labeller.cells)
        return joined(self._env, self._labelled)

    def _play_labelled(self, state: BoardState, last_ply: int) -> BoardState:
        """Play all games up to a ply, label the positions before it, and return the first game's.

        Return the given position if all games are over.
        """
        games = Games.begun(self._env, state, self._rng)
        for ply in range(state.ply, last_ply):
            if self._labeller.cells - ply <= LATE_CELLS_LEFT:
                games = games.first(LATE_GAMES)
            moves, scores = self._label(games, ply)
            games = games.after(moves, games.draw_columns(moves.legal, scores, self._rng))
            if not len(games.movers):
                return state
        return states_of(games.movers[:1], games.masks[:1])[0]

    def _label(self, games: Games, ply: int) -> tuple[Moves, Words]:
        """Label the games' positions, each once; return each game's moves, and their scores."""
        keys = games.movers + games.masks
        _, first, places = np.unique(keys, return_index=True, return_inverse=True)
        movers, masks = games.movers[first], games.masks[first]
        moves = self._labeller.moves(movers, masks)
        scores = self._labeller.scores(moves, ply)
        labels = LabelledPositions(self._env, movers, masks, scores.astype(np.int8))
        self._labelled.append(labels)
        return Moves._make(field[places] for field in moves), scores[places]

    def _play_on(self, state: BoardState, ply: int) -> BoardState:
        """Play a game to a ply; if all tries end before, return the last one's last position."""
        for _ in range(TRIES):
            reached, players = state, (self._fallible_player(), self._fallible_player())
            while reached.ply < ply:
                probabilities = players[reached.player - 1](self._env, reached)
                action = self._rng.choice(list(probabilities), p=list(probabilities.values()))
                following = self._env.get_next_state(reached, int(action))
                if not self._env.get_available_actions(following):
                    break
                reached = following
            else:
                return reached
        return reached

    def _fallible_player(self) -> OpponentModel:
        look_ahead = int(self._rng.choice(LOOK_AHEADS))
        return fallible_player(look_ahead, float(self._rng.choice(RANDOM_SHARES)))


def fallible_player(look_ahead: int, random_share: float) -> OpponentModel:
    """A player who looks some plies ahead, and makes a share of its moves at random."""
    agent = AlphaBetaAgent(depth=look_ahead, time_limit=None, table_size=SEARCH_TABLE, weights=None)
    return epsilon_greedy(agent, random_share)
