"""Exact values by definition: the oracle for every search, with nothing pruned or guessed."""

from collections.abc import Iterator
from functools import cache
from typing import Generic

from agents.book.book_positions import BookScope
from agents.book.repertoire import RepertoireScope
from envs import Action, BoardGame, BoardState, ConnectX, Env, State


class BruteForce(Generic[State, Action]):
    """Solves a game by visiting each of its states once; values are from player 1's view."""

    def __init__(self, env: Env[State, Action]) -> None:
        self.env = env
        self._solved: dict[State, tuple[float, int]] = {}

    def value(self, state: State) -> float:
        """The value of an unfinished state."""
        return self._solve(state)[0]

    def action_value(self, state: State, action: Action) -> float:
        """The value of an action."""
        return self._outcome(state, action)[0]

    def plies(self, state: State) -> int:
        """The plies left if the winner wins as soon as possible and the loser delays."""
        return self._solve(state)[1]

    def plies_after(self, state: State, action: Action) -> int:
        """The plies left if `action` is played first, that one included."""
        return self._outcome(state, action)[1]

    def _solve(self, state: State) -> tuple[float, int]:
        if state not in self._solved:
            sign = 1 if self.env.current_player(state) == 1 else -1

            def merit(outcome: tuple[float, int]) -> tuple[float, int]:
                value, plies = outcome
                return sign * value, -plies if sign * value > 0 else plies

            actions = self.env.get_available_actions(state)
            self._solved[state] = max((self._outcome(state, a) for a in actions), key=merit)
        return self._solved[state]

    def _outcome(self, state: State, action: Action) -> tuple[float, int]:
        child = self.env.get_next_state(state, action)
        if not self.env.get_available_actions(child):
            return self.env.reward(state, action), 1
        value, plies = self._solve(child)
        return value, plies + 1


def action_score(
    env: BoardGame, truth: BruteForce[BoardState, int], state: BoardState, action: int
) -> int:
    """The score of an action by definition: one more than the winner's unplayed stones."""
    value = truth.action_value(state, action) * (1 if state.player == 1 else -1)
    stones_at_end = state.mask.bit_count() + truth.plies_after(state, action)
    return round(value) * ((env.rows * env.columns + 2 - stones_at_end) // 2)


def equally_good(env: ConnectX, truth: BruteForce[BoardState, int], state: BoardState) -> list[int]:
    actions = env.get_available_actions(state)
    scores = {action: action_score(env, truth, state, action) for action in actions}
    return [action for action in actions if scores[action] == max(scores.values())]


def score_by_brute_force(
    env: BoardGame, truth: BruteForce[BoardState, int], state: BoardState
) -> int:
    actions = env.get_available_actions(state)
    return max(action_score(env, truth, state, action) for action in actions)


def env_of(scope: BookScope | RepertoireScope) -> ConnectX:
    return ConnectX(scope.rows, scope.columns, scope.inarow)


@cache
def truth_of(env: ConnectX) -> BruteForce[BoardState, int]:
    """The values of a game, shared by tests."""
    return BruteForce(env)


def reached_states(scope: BookScope) -> Iterator[set[BoardState]]:
    """All states after 0, 1, 2 … plies, up to the last ply of the book, by the rules alone."""
    env = env_of(scope)
    states = {env.initial_state()}
    for _ in range(scope.plies + 1):
        yield states
        states = states_after(env, states)


def states_after(env: ConnectX, states: set[BoardState]) -> set[BoardState]:
    """The states after each action in some states."""
    return {
        env.get_next_state(state, action)
        for state in states
        for action in env.get_available_actions(state)
    }
