"""Minimax: the value of a state when both players always choose their best action."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from agents.agent import BackedUp, Clock, Finding, Found, final_reward, mean, possible_outcomes
from agents.depth_first import Deepened, DepthFirstAgent, DepthFirstSearch
from agents.guidance.final_move import LOOK_AHEAD, TIE_BREAKS, best_against_fallible
from agents.guidance.heuristics import guess
from agents.guidance.ordering import Ordering
from agents.options import option, require_one_of
from envs.protocol import CHANCE, Action, Env, State


@dataclass
class MinimaxAgent(DepthFirstAgent):
    """Looks at every line of play to a fixed depth: the textbook search, nothing pruned.

    Among actions of equal value it prefers one that wins at once, or does not lose at once, then
    the first in its ordering. When the time is up it chooses among the actions examined so far. All
    `action_values` are exact at that depth.
    """

    quick = {"depth": 2}  # noqa: RUF012
    unlimited = {}  # noqa: RUF012  # one search of unlimited depth would never end
    iterative_deepening = False

    depth: int | None = option(4, "plies to look ahead; none: to the end of the game")
    time_limit: float | None = option(None, "seconds for each move; none: no limit")
    ordering: str | Ordering = option("auto", "order of equal actions: auto, centre, natural")
    tie_break: str = option(
        "first", "of equal actions: first (by ordering), expectimax (for the opponent's mistakes)"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        require_one_of("tie_break", self.tie_break, TIE_BREAKS)

    def new_search(self, env: Env[State, Action], clock: Clock) -> "Minimax[State, Action]":
        """Make the recursion."""
        return Minimax(env, self.chosen_heuristic(), clock)

    def break_ties(
        self, search: DepthFirstSearch[State, Action], state: State, deepened: Deepened[Action]
    ) -> None:
        """With `tie_break`, choose among equal actions the best against a fallible opponent.

        This needs values from a complete search of at least two plies.
        """
        depth, found = deepened.depth, deepened.found
        if self.tie_break != "expectimax" or depth <= 1:
            return
        equals = [action for action in found if found[action][:3] == found[deepened.best][:3]]
        exactly = Minimax(search.env, search.heuristic, search.clock)

        def seen(state: State, reply: Action) -> float:
            return exactly.action_value(state, reply, LOOK_AHEAD)[0]

        def exact(state: State, action: Action) -> float:
            return exactly.action_value(state, action, depth - 1)[0]

        deepened.best = best_against_fallible(search.env, state, equals, seen, exact)


class Minimax(DepthFirstSearch[State, Action]):
    """One minimax search.

    Where chance decides, the value of a state is the mean of its outcomes' values (D. Michie,
    "Game-Playing and Game-Learning Automata", 1966), and the principal variation ends.
    """

    def search_root(
        self, state: State, actions: Iterable[Action], depth: float, found: Found[Action]
    ) -> None:
        """Examine `actions` in turn; all values are exact at this depth."""
        self.observer.enter_root(state)
        for action in actions:
            found[action] = Finding(*self.action_value(state, action, depth))

    def action_value(self, state: State, action: Action, depth: float) -> BackedUp:
        """The value of `action`, `depth` >= 1 plies deep; `TimeUp` if there is no time for it."""
        self.nodes += 1
        child = self.env.get_next_state(state, action)
        replies = self.env.get_available_actions(child)
        if not replies:
            reward = final_reward(self.env, state, action)
            return reward, reward, reward, None
        if depth == 1:
            return guess(self.heuristic, self.env, child), -1.0, 1.0, None
        return self.state_value(child, replies, depth - 1)

    def state_value(self, state: State, actions: Sequence[Action], depth: float) -> BackedUp:
        """The value of the best of `actions` for the player to move, the first of equals."""
        self.clock.check()
        player = self.env.current_player(state)
        if player == CHANCE:
            return self.mean_value(state, possible_outcomes(self.env, state), depth)
        maximising = player == 1
        best = low = high = -inf if maximising else inf
        for action in actions:
            value, least, most, line = self.action_value(state, action, depth)
            if (value > best) if maximising else (value < best):
                best, variation = value, (action, line)
            # The proven bounds are the best of the bounds, whichever actions they belong to.
            if (least > low) if maximising else (least < low):
                low = least
            if (most > high) if maximising else (most < high):
                high = most
        return best, low, high, variation

    def mean_value(
        self, state: State, probabilities: Mapping[Action, float], depth: float
    ) -> BackedUp:
        """The mean of a state in which actions are taken with these probabilities."""
        self.observer.weigh(probabilities)
        findings = [self.action_value(state, action, depth) for action in probabilities]
        return mean(findings, probabilities.values())
