"""Minimax: what a state is worth when both players always choose their best action."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Generic

from agents.clock import Clock, TimeUp
from agents.evaluation import HEURISTICS, Heuristic
from agents.lines import Found, Line, line_actions
from agents.options import choose, option, require_at_least
from agents.ordering import ORDERINGS, Ordering
from agents.protocol import Agent, SearchResult, legal_actions
from agents.tactics import best_action, sensible_actions
from envs.protocol import Action, Env, State


@dataclass
class MinimaxAgent(Agent):
    """Looks at every line of play to a fixed depth: the textbook's search, nothing pruned.

    Among actions of equal value it prefers one that wins at once, or does not lose at once, then
    the first in its ordering. When the time is up it chooses among the actions examined by then.
    """

    depth: int | None = option(4, "plies to look ahead; none: to the end of the game")
    time_limit: float | None = option(None, "seconds for each move; none: no limit")
    heuristic: str | Heuristic = option(
        "auto", "value of unfinished states: auto, open_lines, zero"
    )
    ordering: str | Ordering = option("auto", "which of equals goes first: auto, centre, natural")

    def __post_init__(self) -> None:
        require_at_least("depth", self.depth, 1)
        require_at_least("time_limit", self.time_limit, 0)
        choose("heuristic", self.heuristic, HEURISTICS)
        choose("ordering", self.ordering, ORDERINGS)

    def search(
        self, env: Env[State, Action], state: State, time_limit: float | None = None
    ) -> SearchResult[Action]:
        """Search to the agent's depth; all `action_values` are exact at that depth."""
        clock = Clock(self.time_limit, time_limit)
        ordering = choose("ordering", self.ordering, ORDERINGS)
        actions = ordering(env, state, legal_actions(env, state))
        sensible = sensible_actions(env, state, actions)
        depth = inf if self.depth is None else self.depth

        tree = self._tree(env, clock)
        found = Found[Action]()
        try:
            for action in sorted(actions, key=lambda action: action not in sensible):
                found[action] = tree.action_value(state, action, depth)
        except TimeUp:
            if not found:
                return SearchResult(sensible[0], value=0.0, elapsed=clock.elapsed)

        values = {action: value for action, (value, _) in found.items()}
        best = best_action(values, sensible, 1 if env.current_player(state) == 1 else -1)
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

    def _tree(self, env: Env[State, Action], clock: Clock) -> "Minimax[State, Action]":
        return Minimax(env, choose("heuristic", self.heuristic, HEURISTICS), clock)


class Minimax(Generic[State, Action]):
    """One minimax search; `nodes` counts the states that it visits, the root among them."""

    def __init__(self, env: Env[State, Action], heuristic: Heuristic, clock: Clock) -> None:
        self.env = env
        self.heuristic = heuristic
        self.clock = clock
        self.nodes = 1

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
        maximising = self.env.current_player(state) == 1
        best, best_line = -inf if maximising else inf, None
        for action in actions:
            value, line = self.action_value(state, action, depth)
            if (value > best) if maximising else (value < best):
                best, best_line = value, (action, line)
        return best, best_line
