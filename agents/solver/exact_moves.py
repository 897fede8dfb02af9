"""Exactly best moves and mistakes, found by the solver."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache

from agents.agent import Clock, TimeUp, legal_actions
from agents.guidance.ordering import from_the_middle
from agents.solver.position_bounds import win_score
from agents.solver.solver import ScoreBounds, Solver
from envs.board import BoardGame, BoardState

FIRST_ROUND_NODES = 1000
"""Nodes for each move in the first round of `ExactMoves`; each later round has eight times as many,
so that easy moves are decided before hard ones."""
MOST_SLICE_NODES = 64_000
"""The most nodes for each move in a round of `ExactMoves.outcomes`; the table keeps the results."""
SMALL_BOARD = 9  # cells of a board that is searched exhaustively in a moment


class ExactMoves:
    """Finds the moves that keep the score of a position."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.env = solver.env

    def score(self, state: BoardState, clock: Clock) -> int:
        """The exact score, for the player to move; TimeUp if it was not proven in time."""
        return self.solver.bounds(state, clock.left).proven()

    def best(self, state: BoardState, score: int, clock: Clock, patience: Clock) -> list[int]:
        """The moves that keep the score: all, or those found when `patience` expires, at least one.

        TimeUp if `clock` expires first.
        """
        best = []
        for action, keeps in self.verdicts(state, score, clock):
            if keeps:
                best.append(action)
            if best and patience.expired():
                break
        return best

    def hardest_to_answer(
        self, state: BoardState, score: int, best: Sequence[int], clock: Clock
    ) -> int:
        """The best move after which the largest share of replies are mistakes; the first of equals.

        A best move that ends the game takes precedence.
        """
        mistakes: dict[int, float] = {}
        with suppress(TimeUp):
            for action in best:
                child = self.env.get_next_state(state, action)
                if len(best) == 1 or not self.env.get_available_actions(child):
                    return action
                verdicts = self.verdicts(child, -score, clock)
                keeps = [kept for _, kept in verdicts if kept is not None]
                mistakes[action] = keeps.count(False) / len(keeps)
        return max(best, key=lambda action: mistakes.get(action, -1.0))

    def outcomes(
        self, state: BoardState, clock: Clock, is_enough: Callable[[], bool]
    ) -> dict[int, ScoreBounds]:
        """Bound the result of each move, from -1 (lost) to 1 (won), for the player to move.

        The search ends when a move is proven to be best, when the clock expires, or when
        `is_enough`, which is called between two slices of it, returns True.
        """
        legal = from_the_middle(self.env.columns, legal_actions(self.env, state))
        found = dict.fromkeys(legal, ScoreBounds(-1, 1))
        budget = FIRST_ROUND_NODES
        while True:
            for action in legal:
                if proven_best(found) or clock.expired() or is_enough():
                    return found
                if not found[action].exact:
                    found[action] = self.solver.after(state, action, clock.left, budget, (-1, 1))
            budget = min(8 * budget, MOST_SLICE_NODES)

    def verdicts(
        self, state: BoardState, score: int, clock: Clock
    ) -> Iterator[tuple[int, bool | None]]:
        """Whether each legal move keeps the exact score; None while this is not known.

        TimeUp if the clock expires before all moves are judged.
        """
        legal = legal_actions(self.env, state)
        undecided = list(from_the_middle(self.env.columns, legal))
        budget, some_keeps = FIRST_ROUND_NODES, False
        while undecided:
            for action in tuple(undecided):
                clock.check()
                if len(undecided) == 1 and not some_keeps:
                    yield action, True  # all others are worse, and some move keeps the score
                    return
                within = score - 1, score
                bounds = self.solver.after(state, action, clock.left, budget, within)
                keeps = bounds.lower >= score if bounds.exact else None
                if keeps is not None:
                    undecided.remove(action)
                    some_keeps = some_keeps or keeps
                yield action, keeps
            budget *= 8


def proven_best(outcomes: Mapping[int, ScoreBounds]) -> list[int]:
    """List the moves that are proven to be at least as good as every other; there may be none."""
    most = max((bounds.upper for bounds in outcomes.values()), default=0)
    return [action for action, bounds in outcomes.items() if bounds.lower >= most]


def best_so_far(outcomes: Mapping[int, ScoreBounds]) -> list[int]:
    """List the moves with the highest lower bound: the best ones, once all are solved."""
    most = max(bounds.lower for bounds in outcomes.values())
    return [action for action, bounds in outcomes.items() if bounds.lower == most]


def bounds_of_best(outcomes: Mapping[int, ScoreBounds]) -> ScoreBounds:
    """Bound the score of a position by the bounds of its moves, at least one."""
    return ScoreBounds(
        max(bounds.lower for bounds in outcomes.values()),
        max(bounds.upper for bounds in outcomes.values()),
    )


def unrefuted(outcomes: Mapping[int, ScoreBounds]) -> list[int]:
    """List the moves that are not proven to be worse than another one."""
    best = max(bounds.lower for bounds in outcomes.values())
    return [action for action, bounds in outcomes.items() if bounds.upper >= best]


@lru_cache(maxsize=10_000)
def played_out_score(env: BoardGame, state: BoardState) -> int:
    """The score of a position of a small board, for the player to move; see `ScoreBounds`."""
    actions = env.get_available_actions(state)
    if state.won:
        return -win_score(env.rows * env.columns, state.ply - 1)
    return max((-played_out_score(env, env.get_next_state(state, a)) for a in actions), default=0)
