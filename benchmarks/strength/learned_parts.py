"""The parts of the benchmark of learned agents, each for weights of one game.

They count points in matches, moves that lose value, and good moves without search. The README of
this folder explains the published figures.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple, Protocol

from agents.agent import Agent
from agents.registry import make_agent
from agents.reporting.stats import Estimate, score_estimate
from benchmarks.results import interval
from benchmarks.strength.matches import play, points
from benchmarks.strength.value_losses import (
    DrawnSets,
    exact_outcomes,
    losses_everywhere,
    losses_in_sets,
)
from envs.board import BoardGame
from envs.connectx import ConnectFour, ConnectX
from envs.tic_tac_toe import TicTacToe
from submission.arena.game_record import GameConfiguration
from submission.executors.work import Completion
from submission.front_door import evaluate, grade
from submission.grading.answers import answer_stats
from submission.match.match import failures, repetitions
from submission.match.schedule import Arena, openings, require_pairs
from submission.terminal import progress_bar

CONNECT_FOUR, TIC_TAC_TOE, SMALL_BOARD = ConnectFour(), TicTacToe(), ConnectX(5, 6, 4)

SIMULATIONS = 600
"""Simulations for each move without a clock, the same as AlphaZero.jl's agent has."""
SECONDS = 0.1
"""Seconds for each move of both players if they have equal times."""
UNHURRIED = 600.0
"""Seconds for a move in our own arena: agents limit their time themselves, except to compile."""
KAGGLE_SECONDS = 2.0
FEWEST_PLIES = 2
"""The fewest plies of a match's openings."""

PUBLISHED_LOSSES = {
    "end-easy": "0",
    "mid-easy": "0",
    "mid-medium": "2 to 3",
    "begin-easy": "0",
    "begin-medium": "2",
    "begin-hard": "7",
}
"""Moves of AlphaZero.jl's agent that lose value in P. Pons' sets, in %, read from a picture."""


class Figure(NamedTuple):
    """A share of games or positions."""

    name: str
    share: Estimate
    """In [0, 1]; the interval has no width if everything was counted."""
    of: int
    """The number of games or positions."""
    published: str = ""
    """What AlphaZero.jl's agent reaches, in %."""

    def __str__(self) -> str:
        """The share in percent, with its interval."""
        share = self.share
        return f"{100 * share.value:.1f}" if share.low == share.high else interval(share, 1)


class Measured(NamedTuple):
    """The figures of a part, with notes for the report."""

    figures: Sequence[Figure]
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class LearnedSettings:
    """The extent of the measurements.

    Raises:
        ValueError: an odd number of games.
    """

    sets: DrawnSets
    """The positions in which moves may lose value."""
    games: int = 98
    """Games of a match: by default each opening of two plies on Kaggle's board, from both seats."""
    seed: int = 1
    workers: int = 1
    """Games at the same time."""

    def __post_init__(self) -> None:
        require_pairs(self.games)


class Part(Protocol):
    """A measurement of weights for one game."""

    @property
    def name(self) -> str:
        """The name by which the part is chosen."""

    @property
    def game(self) -> BoardGame:
        """The game that the weights must have been trained for."""

    def measure(self, weights: str, settings: LearnedSettings) -> Measured:
        """Measure weights, given by the name of shipped ones or a file.

        Raises:
            KeyboardInterrupt: Ctrl-C has ended the measurement.
            ValueError, OSError, ModuleNotFoundError: the weights cannot be measured.
        """


@dataclass(frozen=True)
class MatchPart:
    """The points of `alphazero` against an opponent."""

    name: str
    terms: str
    """The terms of the match, as a sentence."""
    options: str
    """The options of `alphazero`, besides its weights."""
    opponent: str
    game: ConnectX = CONNECT_FOUR
    arena: Arena = Arena.OWN

    def measure(self, weights: str, settings: LearnedSettings) -> Measured:
        """Play each opening from both seats; see `Part`."""
        match = evaluate(
            f"alphazero:weights={weights},{self.options}",
            self.opponent,
            games=settings.games,
            seed=settings.seed,
            opening_plies=opening_plies(self.game, settings.games),
            arena=self.arena,
            rows=self.game.rows,
            columns=self.game.columns,
            inarow=self.game.inarow,
            act_timeout=KAGGLE_SECONDS if self.arena is Arena.KAGGLE else UNHURRIED,
            workers=settings.workers,
        )
        _require_complete(match.completion)
        (stats,) = match.stats()
        title = f"points against {self.opponent.partition(':')[0]}"
        figures = [Figure(title, stats.score, stats.games)] if stats.score else []
        return Measured(figures, [self.terms, *failures(match), *repetitions(match)])


@dataclass(frozen=True)
class ValueLossPart:
    """Moves of `alphazero` that lose value in six sets of positions."""

    name: str = "value"
    game: BoardGame = CONNECT_FOUR

    def measure(self, weights: str, settings: LearnedSettings) -> Measured:
        """Judge a move in each position; see `Part`."""
        agent = _searching(weights, settings.seed)
        sets = settings.sets.positions
        total = sum(map(len, sets.values()))
        lost: Counter[str] = Counter()
        with progress_bar(f"Moves of {weights}:") as show:
            for number, (kind, loses) in enumerate(losses_in_sets(agent, settings.sets), start=1):
                lost[kind] += loses
                show(number, total, kind)
        return Measured(
            [
                Figure(
                    f"moves that lose value, {kind}",
                    score_estimate(lost[kind], len(positions)),
                    len(positions),
                    PUBLISHED_LOSSES[kind],
                )
                for kind, positions in sets.items()
            ],
            [f"Moves that lose value: {SIMULATIONS} simulations, in {settings.sets.origin}."],
        )


@dataclass(frozen=True)
class NoSearchPart:
    """Moves of `policy`, which looks one ply ahead at most, in the graded positions."""

    name: str = "grade"
    game: BoardGame = CONNECT_FOUR

    def measure(self, weights: str, settings: LearnedSettings) -> Measured:
        """Grade `policy` with all shipped positions; see `Part`."""
        graded = grade(f"policy:weights={weights}", seed=settings.seed, workers=settings.workers)
        _require_complete(graded.completion)
        stats = answer_stats(graded.answers)
        found = {
            "moves that keep the result": (stats.kept, stats.at_stake),
            "moves that are exactly best": (stats.best, stats.positions),
        }
        return Measured(
            [
                Figure(name, share.player, of)
                for name, (share, of) in found.items()
                if share is not None
            ],
            [
                "Moves that keep the result or are exactly best: of `policy`, as `connectx grade` "
                "counts them."
            ],
        )


@dataclass(frozen=True)
class TicTacToePart:
    """All positions of tic-tac-toe, and a game of the agent against itself."""

    name: str = "tic-tac-toe"
    game: BoardGame = TIC_TAC_TOE

    def measure(self, weights: str, settings: LearnedSettings) -> Measured:
        """Check each move by brute force; see `Part`."""
        outcomes = exact_outcomes(self.game)
        players = {
            f"{SIMULATIONS} simulations": _searching(weights, settings.seed),
            "no search": make_agent("policy", weights=weights),
        }
        figures: list[Figure] = []
        for budget, agent in players.items():
            result = play(self.game, self.game.initial_state(), {1: agent, 2: agent})
            figures.append(_whole(f"points of player 1, {budget}", points(result, seat=1), 1))
            with progress_bar(f"Moves of {weights}, {budget}:") as show:
                lost = 0
                judged = losses_everywhere(agent, self.game, outcomes)
                for number, loses in enumerate(judged, start=1):
                    lost += loses
                    show(number, len(outcomes), "")
            figures.append(_whole(f"moves that lose value, {budget}", lost, len(outcomes)))
        notes = [
            "Points of player 1: of a game against itself, 50 for a draw. Moves that lose value: "
            f"in all {len(outcomes)} positions of unfinished games."
        ]
        return Measured(figures, notes)


def _whole(name: str, counted: float, of: int) -> Figure:
    """A share of everything there is, which has no interval."""
    share = counted / of
    return Figure(name, Estimate(share, share, share), of)


def opening_plies(game: ConnectX, games: int) -> int:
    """The fewest plies, at least two, with enough openings for all games to differ."""
    configuration = GameConfiguration(game.rows, game.columns, game.inarow)
    return next(
        plies for plies in count(FEWEST_PLIES) if 2 * len(openings(configuration, plies)) >= games
    )


def _searching(weights: str, seed: int) -> Agent:
    """The agent that searches, without reusing earlier searches."""
    return make_agent(
        "alphazero", weights=weights, simulations=SIMULATIONS, keep_tree=False, seed=seed
    )


def _require_complete(completion: Completion) -> None:
    if completion is Completion.INTERRUPTED:
        raise KeyboardInterrupt
    if completion is not Completion.COMPLETE:
        raise OSError(f"nothing was measured, for it ended early ({completion})")


PARTS: Sequence[Part] = (
    MatchPart(
        "negamax",
        f"Against negamax: {SIMULATIONS} simulations, within {KAGGLE_SECONDS:g} s on Kaggle's "
        "environment.",
        f"simulations={SIMULATIONS}",
        "negamax",
        arena=Arena.KAGGLE,
    ),
    MatchPart(
        "alphabeta",
        f"Against alphabeta: {SIMULATIONS} simulations, to its depth of 6 with `open_lines`.",
        f"simulations={SIMULATIONS}",
        "alphabeta:depth=6,time_limit=none,heuristic=open_lines",
    ),
    MatchPart(
        "mcts",
        f"Against mcts: {SECONDS} s a move for both, its rollouts `decisive`.",
        f"simulations=none,time_limit={SECONDS}",
        f"mcts:simulations=none,time_limit={SECONDS},rollout=decisive",
    ),
    ValueLossPart(),
    NoSearchPart(),
    TicTacToePart(),
    MatchPart(
        "5x6",
        f"Against alphabeta on 5 rows and 6 columns: {SECONDS} s a move for both, with "
        "`open_lines`.",
        f"simulations=none,time_limit={SECONDS}",
        f"alphabeta:time_limit={SECONDS},heuristic=open_lines",
        game=SMALL_BOARD,
    ),
)
