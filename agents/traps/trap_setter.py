"""Setting traps during a game: a short search with models that adapt to the opponent's moves."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from math import inf
from typing import Any

from agents.agent import Clock, TimeUp
from agents.alpha_beta_agent import AlphaBetaAgent
from agents.guidance.opponent_models import OpponentMixture, Remembered, epsilon_greedy
from agents.traps.likely_replies import Judge
from agents.traps.trap_search import TrapSearch, steady_guess
from agents.traps.trap_tree import Turn
from envs.board import BoardState
from envs.connectx import ConnectX
from envs.protocol import Env

MISTAKE = 0.1  # the assumed share of mistakes among the opponent's moves that no trial has reached
DEPTHS = (1, 2, 4, 6, 8)  # plies that models of the opponent look ahead, if compiled ...
DEPTHS_IN_PYTHON = (1, 2, 3)  # ... and if not
EPSILON = 0.05  # the assumed share of random moves of such an opponent
TABLE_STATES = 4096  # entries of the transposition table of these short searches


class WatchedGame:
    """The opponent's known moves in the current game."""

    def __init__(self) -> None:
        self.replies: list[tuple[Any, Any]] = []
        """Positions in which the opponent was to move, and its action there."""
        self._env: object = None
        self._left: Any = None

    def see(self, env: Env[Any, Any], state: Any) -> None:
        """Infer the opponent's reply from the position after it, or detect a new game."""
        if self._env != env:
            self._env, self._left, self.replies = env, None, []
        left = self._left
        if left is not None:
            for action in env.get_available_actions(left):
                if env.get_next_state(left, action) == state:
                    self.replies.append((left, action))
                    self._left = None
                    return
        if not (self.replies and env.get_next_state(*self.replies[-1]) == state):
            self.replies = []

    def play(self, env: Env[Any, Any], state: Any, action: Any) -> None:
        """Record the player's own move."""
        self._left = env.get_next_state(state, action)


class TrapSetter:
    """Chooses, among moves with the same result, the one after which a likely opponent errs most.

    The opponent is assumed to look a few plies ahead; the number is inferred from its moves.
    """

    def __init__(self, judge: Judge) -> None:
        self.env = judge.env
        self.judge = judge
        self._watched: list[tuple[BoardState, int]] = []
        self.mixture = likely_opponents(self.env)
        """The model of the opponent, updated by its moves in this game."""

    def forget(self) -> None:
        """Forget the opponent and all judgements, for a new game."""
        self._watched, self.mixture = [], likely_opponents(self.env)
        self.judge.forget()

    def watch(self, replies: Sequence[tuple[BoardState, int]], clock: Clock) -> None:
        """Update the model by the opponent's replies, until the clock expires."""
        has_all_models = len(self.mixture.models) == len(look_ahead_depths(self.env))
        if self._watched != replies[: len(self._watched)] or not has_all_models:
            self.forget()
        for state, column in replies[len(self._watched) :]:
            if clock.expired():
                break
            self.mixture = self.mixture.after(self.env, state, column)
            self._watched.append((state, column))

    def best(self, state: BoardState, turn: Turn, clock: Clock, trials: float = inf) -> int:
        """Choose the most promising move in a position that the player to move cannot win.

        `turn` has its exact score and the moves that keep the result, at least one; the first is
        taken if no other is better, or the time is already up. The search ends with the clock, or
        after some trials.
        """
        column = turn.moves[0]
        if len(turn.moves) > 1:
            for promising in self.growing(state, turn, trials, lambda: clock):
                column = promising
                if clock.expired():
                    break
        return column

    def growing(
        self, state: BoardState, turn: Turn, trials: float, new_clock: Callable[[], Clock]
    ) -> Iterator[int]:
        """The most promising move after each trial; each trial gets its own clock.

        If a trial runs out of time, later ones benefit from the solver's table.
        """
        search = TrapSearch(self.env, steady_guess(self.env, MISTAKE))
        root = search.turn(state, turn, self.mixture.weights)
        while root.visits < trials and (trial := search.select(root)) is not None:
            models = {number: self.mixture.models[number] for number in trial.models}
            with suppress(TimeUp):
                search.expand(trial, self.judge.replies(trial.state, models, new_clock()))
            column = search.column(state)
            yield turn.moves[0] if column is None else column


def likely_opponents(env: ConnectX) -> OpponentMixture:
    """Players who look a few plies ahead, all equally likely."""
    depths = look_ahead_depths(env)
    agents = [
        AlphaBetaAgent(
            depth,
            time_limit=None,
            heuristic="open_lines",
            table_size=TABLE_STATES,
            engine="auto" if depths is DEPTHS else "reference",
            weights=None,
        )
        for depth in depths
    ]
    return OpponentMixture([Remembered(epsilon_greedy(agent, EPSILON)) for agent in agents])


def look_ahead_depths(env: ConnectX) -> Sequence[int]:
    """The plies that models of the opponent look ahead; more if their search is compiled."""
    agent = AlphaBetaAgent(heuristic="open_lines", weights=None)
    return DEPTHS if agent.is_compiled(env) else DEPTHS_IN_PYTHON
