"""Minimax: what a state is worth when both players always choose their best action."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Generic

from agents.agent import Agent, SearchResult, legal_actions
from agents.guidance.heuristics import HEURISTICS, Heuristic
from agents.guidance.ordering import ORDERINGS, Ordering, best_action, sensible_actions
from agents.guidance.tie_break import LOOK_AHEAD, best_against_fallible, require_tie_break
from agents.options import choose, option, require_at_least
from agents.search import (
    Clock,
    Found,
    Line,
    TimeUp,
    expected_value,
    line_actions,
    possible_outcomes,
)
from envs.protocol import CHANCE, Action, Env, State


@dataclass
class MinimaxAgent(Agent):
    """Looks at every line of play to a fixed depth: the textbook's search, nothing pruned.

    Among actions of equal value it prefers one that wins at once, or does not lose at once, then
    the first in its ordering. When the time is up it chooses among the actions examined by then.
    """

    quick = {"depth": 2}  # noqa: RUF012

    depth: int | None = option(4, "plies to look ahead; none: to the end of the game")
    time_limit: float | None = option(None, "seconds for each move; none: no limit")
    heuristic: str | Heuristic = option(
        "auto", "value of unfinished states: auto, open_lines, zero, open_twos, squares, threats"
    )
    ordering: str | Ordering = option("auto", "which of equals goes first: auto, centre, natural")
    tie_break: str = option(
        "first", "of equals: first (in the ordering), expectimax (for the opponent's mistakes)"
    )

    def __post_init__(self) -> None:
        require_at_least("depth", self.depth, 1)
        require_at_least("time_limit", self.time_limit, 0)
        choose("heuristic", self.heuristic, HEURISTICS)
        choose("ordering", self.ordering, ORDERINGS)
        require_tie_break(self.tie_break)

    def search(
        self, env: Env[State, Action], state: State, time_limit: float | None = None
    ) -> SearchResult[Action]:
        """Search to the agent's depth; all `action_values` are exact at that depth."""
        clock = Clock(self.time_limit, time_limit)
        ordering = choose("ordering", self.ordering, ORDERINGS)
        actions = ordering(env, state, legal_actions(env, state))
        sensible = sensible_actions(env, state, actions)
        order = sorted(actions, key=lambda action: action not in sensible)
        depth = inf if self.depth is None else self.depth

        tree = self._tree(env, clock)
        found = Found[Action]()
        try:
            tree.search_root(state, order, depth, found)
        except TimeUp:
            if not found:
                return SearchResult(sensible[0], value=0.0, elapsed=clock.elapsed)

        values = {action: value for action, (value, _) in found.items()}
        best = best_action(values, sensible, 1 if env.current_player(state) == 1 else -1)
        if self.tie_break == "expectimax" and depth > 1 and len(found) == len(actions):
            equals = [action for action in values if values[action] == values[best]]
            best = self._best_against_fallible(env, state, equals, depth, clock)
        value, line = found.get(best, (0.0, None))
        return SearchResult(
            best,
            value,
            principal_variation=(best, *line_actions(line)),
            action_values=values,
            nodes=tree.nodes,
            depth=self.depth,
            elapsed=clock.elapsed,
        )

    def _best_against_fallible(
        self,
        env: Env[State, Action],
        state: State,
        equals: Sequence[Action],
        depth: float,
        clock: Clock,
    ) -> Action:
        """The one of equally good actions that is worth most against a fallible opponent."""
        search = Minimax(env, choose("heuristic", self.heuristic, HEURISTICS), clock)

        def seen(state: State, reply: Action) -> float:
            return search.action_value(state, reply, LOOK_AHEAD)[0]

        def exact(state: State, action: Action) -> float:
            return search.action_value(state, action, depth - 1)[0]

        return best_against_fallible(env, state, equals, seen, exact)

    def _tree(self, env: Env[State, Action], clock: Clock) -> "Minimax[State, Action]":
        return Minimax(env, choose("heuristic", self.heuristic, HEURISTICS), clock)


class Minimax(Generic[State, Action]):
    """One minimax search; `nodes` counts the states that it visits, the root among them.

    Where chance decides, a state is worth what its outcomes are worth on average (D. Michie,
    "Game-Playing and Game-Learning Automata", 1966), and the line of best play ends.
    """

    def __init__(self, env: Env[State, Action], heuristic: Heuristic, clock: Clock) -> None:
        self.env = env
        self.heuristic = heuristic
        self.clock = clock
        self.nodes = 1

    def search_root(
        self, state: State, actions: Iterable[Action], depth: float, found: Found[Action]
    ) -> None:
        """Examine `actions` in turn, `depth` >= 1 plies deep, and enter their values in `found`.

        Raises:
            TimeUp: the time is up; `found` keeps what was examined.
        """
        for action in actions:
            found[action] = self.action_value(state, action, depth)

    def action_value(self, state: State, action: Action, depth: float) -> tuple[float, Line]:
        """The value of `action`, `depth` >= 1 plies deep, and the line that follows it.

        Raises:
            TimeUp: the time is up.
        """
        self.nodes += 1
        child = self.env.get_next_state(state, action)
        replies = self.env.get_available_actions(child)
        if not replies:
            return self.env.reward(state, action), None
        if depth == 1:
            return self.heuristic(self.env, child), None
        return self.state_value(child, replies, depth - 1)

    def state_value(
        self, state: State, actions: Sequence[Action], depth: float
    ) -> tuple[float, Line]:
        """The value of the best of `actions` for the player whose turn it is, and its line."""
        self.clock.check()
        player = self.env.current_player(state)
        if player == CHANCE:
            return self.mean_value(state, possible_outcomes(self.env, state), depth), None
        maximising = player == 1
        best, best_line = -inf if maximising else inf, None
        for action in actions:
            value, line = self.action_value(state, action, depth)
            if (value > best) if maximising else (value < best):
                best, best_line = value, (action, line)
        return best, best_line

    def mean_value(
        self, state: State, probabilities: Mapping[Action, float], depth: float
    ) -> float:
        """What a state is worth on average where actions are taken with these probabilities."""
        values = [self.action_value(state, action, depth)[0] for action in probabilities]
        return expected_value(values, probabilities.values())
