"""Alpha-beta: minimax's values without visiting states that cannot change them."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from enum import IntEnum
from math import inf
from typing import Any, NamedTuple

from agents.agent import (
    UNKNOWN,
    BackedUp,
    Clock,
    Finding,
    Found,
    final_reward,
    mean,
    possible_outcomes,
)
from agents.depth_first import DepthFirstSearch
from agents.guidance.heuristics import Heuristic, guess
from agents.guidance.ordering import Ordering, in_order
from envs.protocol import CHANCE, Action, Env, State


class Bound(IntEnum):
    """The relation of the value v that a windowed search returned to the true value."""

    EXACT = 0  # v is the value
    LOWER = 1  # the value is at least v, because v reached beta
    UPPER = 2  # the value is at most v, because v did not exceed alpha


class Entry(NamedTuple):
    """The result of a search of one state."""

    depth: float  # plies that the search looked ahead; inf: to the end of the game
    bound: Bound  # the relation of the finding's value to the true one at this depth
    finding: BackedUp  # its bounds hold at any depth
    action: Any  # the best action, or the one that caused the cutoff

    def bounds(self, depth: float) -> tuple[float, float]:
        """The least and the greatest value that the state can have in a search of this depth."""
        value, low, high, _ = self.finding
        if depth == self.depth:
            low = low if self.bound is Bound.UPPER else value
            high = high if self.bound is Bound.LOWER else value
        return low, high


class TranspositionTable(dict[Hashable, Entry]):
    """Entries by state, about 0.5 kB each; a full table takes no new states."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity

    def store(self, state: Hashable, entry: Entry) -> None:
        """Store `entry` in place of the old entry for `state`."""
        if len(self) < self.capacity or state in self:
            self[state] = entry


class AlphaBeta(DepthFirstSearch[State, Action]):
    """One alpha-beta search, with a transposition table and killer moves kept between depths.

    The window (alpha, beta) is what the players can already get elsewhere: player 1 at least alpha,
    and player 2 at most beta. The value v that a search returns bounds the true value t (minimax's
    at the same depth):

        v <= alpha          t <= v
        alpha < v < beta    t == v
        beta <= v           t >= v

    Besides its value each finding has proven bounds: they rest only on ends of the game, and hold
    for any values of the states that were pruned or lie beyond the horizon. So a guess may cause
    cutoffs, but never becomes a proof. In a game in which a state recurs at different plies, bounds
    proven at one ply may be used at another, where minimax at this depth would still have to guess.

    Where chance decides, t is the expected value of the outcomes; no value lies outside [-1, 1].

    D. E. Knuth and R. W. Moore, "An Analysis of Alpha-Beta Pruning" (1975), in the fail-soft form
    of J. P. Fishburn (1983).

    Args:
        env: the rules.
        heuristic: the value of states at which the search stops looking ahead.
        ordering: which actions to try first, after the table's and the killer moves.
        clock: ends the search.
        table: results by state; one of capacity 0 stores nothing.
        killer_moves: whether actions that caused a cutoff are tried first at the same ply.
    """

    def __init__(
        self,
        env: Env[State, Action],
        heuristic: Heuristic,
        ordering: Ordering,
        clock: Clock,
        table: TranspositionTable,
        killer_moves: bool,
    ) -> None:
        super().__init__(env, heuristic, clock)
        self.ordering = ordering
        self.table = table
        self.killers: dict[int, tuple[Action, ...]] = {}
        self.killer_slots = 2 if killer_moves else 0

    def search_root(
        self, state: State, actions: Iterable[Action], depth: float, found: Found[Action]
    ) -> None:
        """Examine `actions` in turn, each within the window that the earlier ones leave."""
        maximising = self.env.current_player(state) == 1
        alpha, beta = -1.0, 1.0
        self.observer.enter_root(state, (alpha, beta))
        for action in actions:
            found[action] = Finding(*self.action_value(state, action, depth, 0, alpha, beta))
            if maximising:
                alpha = max(alpha, found[action].value)
            else:
                beta = min(beta, found[action].value)
            if alpha >= beta:
                break

    def action_value(
        self, state: State, action: Action, depth: float, ply: int, alpha: float, beta: float
    ) -> BackedUp:
        """The value of `action`, within the window."""
        self.nodes += 1
        child = self.env.get_next_state(state, action)
        replies = self.env.get_available_actions(child)
        if not replies:
            reward = final_reward(self.env, state, action)
            return reward, reward, reward, None
        if depth == 1:
            return guess(self.heuristic, self.env, child), -1.0, 1.0, None
        return self.state_value(child, replies, depth - 1, ply + 1, alpha, beta)

    def state_value(
        self,
        state: State,
        actions: Sequence[Action],
        depth: float,
        ply: int,
        alpha: float,
        beta: float,
    ) -> BackedUp:
        """The value of `state`, within the window."""
        self.clock.check()
        entry = self.table.get(state)
        if entry is not None:
            low, high = entry.bounds(depth)
            if low >= beta or high <= alpha or low == high:
                value = high if high <= alpha else low
                self.observer.recall(low, high, value)
                _, low, high, _ = entry.finding
                return value, low, high, (entry.action, None)
            alpha, beta = max(alpha, low), min(beta, high)

        player = self.env.current_player(state)
        if player == CHANCE:
            return self.chance_value(state, depth, ply, alpha, beta)

        window = alpha, beta
        maximising = player == 1
        best = low = high = -inf if maximising else inf
        examined = 0
        for action in self.ordered(state, actions, ply, entry):
            value, least, most, line = self.action_value(state, action, depth, ply, alpha, beta)
            examined += 1
            if (least > low) if maximising else (least < low):
                low = least
            if (most > high) if maximising else (most < high):
                high = most
            if (value > best) if maximising else (value < best):
                best, variation = value, (action, line)
                if maximising:
                    alpha = max(alpha, best)
                else:
                    beta = min(beta, best)
                if alpha >= beta:
                    self.remember_killer(ply, action)
                    break
        if examined < len(actions):  # the others may be better
            low, high = (low, 1.0) if maximising else (-1.0, high)
        return self.remember(state, depth, (best, low, high, variation), window, entry)

    def chance_value(
        self, state: State, depth: float, ply: int, alpha: float, beta: float
    ) -> BackedUp:
        """The expected value of a state in which chance decides, within the window.

        Star1 of B. W. Ballard, "The *-Minimax Search Procedure for Trees Containing Chance Nodes"
        (1983): the window of an outcome is chosen so that a value outside of it puts the expected
        value outside (alpha, beta), whatever the values of later outcomes. Then the result is the
        bound that was crossed, because no sharper one is known.
        """
        probabilities = possible_outcomes(self.env, state)
        self.observer.weigh(probabilities)
        findings: list[BackedUp] = []
        known, unknown = 0.0, 1.0  # the sum over earlier outcomes; the probability of later ones
        for action, probability in probabilities.items():
            unknown -= probability
            outcome_alpha = (alpha - known - unknown) / probability
            outcome_beta = (beta - known + unknown) / probability
            window = max(outcome_alpha, -1.0), min(outcome_beta, 1.0)
            if window[0] >= window[1]:  # closed by rounding
                window = -1.0, 1.0
            finding = self.action_value(state, action, depth, ply, *window)
            findings.append(finding)
            value = finding[0]
            if not outcome_alpha < value < outcome_beta:
                exceeded = alpha if value <= outcome_alpha else beta
                findings += [UNKNOWN] * (len(probabilities) - len(findings))
                _, low, high, _ = mean(findings, probabilities.values())
                return narrowed((exceeded, -1.0, 1.0, None), low, high)
            known += probability * value
        return mean(findings, probabilities.values())

    def ordered(
        self, state: State, actions: Sequence[Action], ply: int, entry: Entry | None
    ) -> Iterable[Action]:
        """`actions`, the most promising first: from the table, killer moves, then the ordering."""
        promising = self.killers.get(ply, ())
        if entry is not None:
            promising = (entry.action, *(action for action in promising if action != entry.action))
        if promising:
            return self.promising_first(promising, state, actions)
        return in_order(self.ordering, self.env, state, actions)

    def promising_first(
        self, promising: Sequence[Action], state: State, actions: Sequence[Action]
    ) -> Iterator[Action]:
        """The promising `actions`, then the others, which are ordered only if they are needed."""
        for action in promising:
            if action in actions:
                yield action
        for action in in_order(self.ordering, self.env, state, actions):
            if action not in promising:
                yield action

    def remember_killer(self, ply: int, action: Action) -> None:
        """Try `action`, which has just caused a cutoff, first in the other states of this ply."""
        known = self.killers.get(ply, ())
        if action not in known:
            self.killers[ply] = (action, *known)[: self.killer_slots]

    def remember(
        self,
        state: State,
        depth: float,
        finding: BackedUp,
        window: tuple[float, float],
        known: Entry | None,
    ) -> BackedUp:
        """Store the finding about `state`, merged with the bounds in the table."""
        value, _, _, variation = finding
        alpha, beta = window
        if value <= alpha:
            bound = Bound.UPPER
        elif value >= beta:
            bound = Bound.LOWER
        else:
            bound = Bound.EXACT
        if known is not None:
            _, low, high, _ = known.finding
            finding = narrowed(finding, low, high)
        action = variation[0] if variation else None
        self.table.store(state, Entry(depth, bound, finding, action))
        return finding


def narrowed(finding: BackedUp, low: float, high: float) -> BackedUp:
    """A finding, narrowed by bounds that were proven elsewhere."""
    value, least, most, variation = finding
    low, high = max(low, least), min(high, most)
    return min(max(value, low), high), low, high, variation
