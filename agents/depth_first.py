"""Depth-first search: iterative deepening, and the agent around any recursion.

A new search needs only its recursion: a `DepthFirstSearch` that examines the actions of a root, and
a `DepthFirstAgent` whose `new_search` makes it. This module has the clock, the order of the root's
actions, deepening, the result, and the parts that `agents.parallel` needs to split the search.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import inf
from typing import Any, Generic

from agents.agent import (
    UNKNOWN,
    Agent,
    Clock,
    Found,
    SearchResult,
    TimeUp,
    legal_actions,
    player_sign,
    variation_actions,
)
from agents.guidance.heuristics import HEURISTICS, Heuristic
from agents.guidance.ordering import ORDERINGS, Ordering, best_action, in_order, sensible_actions
from agents.options import choose, option, require_at_least, require_whole
from envs.protocol import Action, Env, State

ROUNDING = 1e-12
"""The tolerance for rounding when means over the outcomes of chance are compared."""


class Observer:
    """Receives the events of a depth-first search that its `action_value` calls do not show.

    This class ignores them. Values are player 1's.
    """

    def enter_root(self, state: Any, window: tuple[float, float] | None = None) -> None:
        """The search starts at `state`, with this alpha and beta; once for each depth."""

    def weigh(self, probabilities: Mapping[Any, float]) -> None:
        """The current node takes the mean over its actions, which have these probabilities."""

    def recall(self, low: float, high: float, value: float) -> None:
        """The table bounds the current node by `low` and `high`; the search returns `value`."""


class DepthFirstSearch(ABC, Generic[State, Action]):
    """One depth-first search; it is kept from one depth to the next."""

    engine = "reference"  # runs as `reference` or as `compiled` code
    observer = Observer()  # called by the reference only

    def __init__(self, env: Env[State, Action], heuristic: Heuristic, clock: Clock) -> None:
        self.env = env
        self.heuristic = heuristic
        self.clock = clock
        self.nodes = 1  # states visited, the root among them

    @abstractmethod
    def search_root(
        self, state: State, actions: Iterable[Action], depth: float, found: Found[Action]
    ) -> None:
        """Examine `actions` in turn, `depth` >= 1 plies deep, and add the findings to `found`.

        The value of the first of the best actions is exact at this depth. Other values may be
        bounds, no better for the player to move than the best value before them.

        Raises:
            TimeUp: the time is up; `found` has the actions examined so far.
        """


@dataclass
class Deepened(Generic[Action]):
    """The result of iterative deepening so far."""

    best: Action  # the action to play
    sensible: Sequence[Action]  # the actions that two plies of look-ahead leave
    found: Found[Action]  # from the deepest search, which may be incomplete
    depth: float = 0.0
    """Plies that the last complete search looked ahead; inf: to the end of the game."""
    proven: bool = False  # whether the best action is proven to be as good as any other


def deepen(
    search: DepthFirstSearch[State, Action],
    state: State,
    actions: Sequence[Action],
    depths: Iterable[float],
) -> Deepened[Action]:
    """Search one depth after the other, each time trying first the best action so far.

    Deepening ends when the value is proven, so of several wins it finds the fastest. If a search is
    too deep for Python's stack, the deepest one before it counts; a ValueError if there is none.

    The actions, at least one, are in the order in which to try them; the depths ascend.
    """
    sign = player_sign(search.env, state)
    sensible = sensible_actions(search.env, state, actions)
    order = sorted(actions, key=lambda action: action not in sensible)
    deepened = Deepened(sensible[0], sensible, Found[Action]())
    for depth in depths:
        found = Found[Action]()
        try:
            search.search_root(state, order, depth, found)
        except TimeUp:
            take_in_part(deepened, found, sign)
            prefer_proven(deepened, actions, sign)
            break
        except RecursionError as error:  # of the search, or of a heuristic that calls itself
            if not deepened.found:
                raise ValueError(
                    "the search is too deep for Python's stack: choose a smaller depth"
                ) from error
            break
        values = {action: finding.value for action, finding in found.items()}
        deepened = Deepened(best_action(values, sensible, sign), sensible, found, depth)
        prefer_proven(deepened, actions, sign)
        if deepened.proven:
            break
        order.sort(key=lambda action: action != deepened.best)
    return deepened


def take_in_part(deepened: Deepened[Action], found: Found[Action], sign: int) -> None:
    """Add the findings of an unfinished search, for the player with this sign."""
    values = {action: found[action].value for action in found if action in deepened.sensible}
    if values:
        deepened.best = best_action(values, deepened.sensible, sign)
    elif deepened.best not in deepened.sensible:  # chosen one ply deep, by the heuristic
        deepened.best = deepened.sensible[0]
    deepened.found |= found


def prefer_proven(deepened: Deepened[Action], actions: Sequence[Action], sign: int) -> None:
    """Choose an action that is proven to be as good as any other, if there is one."""
    found = deepened.found
    if not found:
        return
    surest = max(found, key=lambda action: found[action].assured(sign))
    most = max(found[action].possible(sign) if action in found else 1.0 for action in actions)
    if found[surest].assured(sign) >= most - ROUNDING:
        deepened.best, deepened.proven = surest, True


@dataclass
class DepthFirstAgent(Agent):
    """Searches one ply deeper again and again, until its time is up or the value is proven."""

    unlimited = {"depth": None, "time_limit": None}  # noqa: RUF012
    iterative_deepening = True  # else there is one search, of the full depth

    depth: int | None = option(None, "plies to look ahead at most; none: to the end of the game")
    time_limit: float | None = option(1.0, "seconds for each move; none: no limit")
    heuristic: str | Heuristic = option(
        "auto", "value of unfinished states: auto, open_lines, zero, open_twos, squares, threats"
    )
    ordering: str | Ordering = option("auto", "which actions to try first: auto, centre, natural")

    def __post_init__(self) -> None:
        require_whole("depth", self.depth, 1)
        require_at_least("time_limit", self.time_limit, 0)
        self.chosen_heuristic()
        self.chosen_ordering()

    def require_playable(self, env: Env[State, Action]) -> None:
        """Raise ValueError unless the heuristic and the ordering are for this game."""
        state = env.initial_state()
        self.chosen_heuristic()(env, state)
        self.chosen_ordering()(env, state, ())

    @abstractmethod
    def new_search(self, env: Env[State, Action], clock: Clock) -> DepthFirstSearch[State, Action]:
        """Make the recursion; restart `clock` after work that should not count, like compiling."""

    def depths(self) -> Iterable[float]:
        """The plies to look ahead in successive searches."""
        if not self.iterative_deepening:
            return (inf if self.depth is None else self.depth,)
        return count(1) if self.depth is None else range(1, self.depth + 1)

    def break_ties(
        self, search: DepthFirstSearch[State, Action], state: State, deepened: Deepened[Action]
    ) -> None:
        """Choose among equally good actions, by replacing `deepened.best`."""

    def search(
        self, env: Env[State, Action], state: State, time_limit: float | None = None
    ) -> SearchResult[Action]:
        """Search until the time is up, the depth is reached or the value is proven.

        In `action_values` the value of the chosen action is exact at `depth`; others may be bounds,
        no better for the player to move than the best value before them.

        Raises:
            ValueError: the game is over; the compiled engine is required and cannot search it; the
                search is too deep for Python's stack; or the ordering drops or repeats an action.
        """
        candidates = legal_actions(env, state)
        search = self.new_search(env, Clock(self.time_limit, time_limit))
        return self.search_with(search, state, candidates)

    def search_with(
        self, search: DepthFirstSearch[State, Action], state: State, candidates: Sequence[Action]
    ) -> SearchResult[Action]:
        """Search some legal actions, at least one, with a recursion whose clock is running."""
        actions = in_order(self.chosen_ordering(), search.env, state, candidates)
        deepened = deepen(search, state, actions, self.depths())
        self.break_ties(search, state, deepened)
        best, found = deepened.best, deepened.found
        finding = found.get(best, UNKNOWN)
        return SearchResult(
            best,
            finding.value,
            proven=deepened.proven,
            principal_variation=(best, *variation_actions(finding.variation)),
            action_values={action: each.value for action, each in found.items()},
            nodes=search.nodes,
            depth=None if deepened.depth == inf else int(deepened.depth),
            elapsed=search.clock.elapsed,
            engine=search.engine,
        )

    def chosen_heuristic(self) -> Heuristic:
        """The function that the option names; a ValueError if none has this name."""
        return choose("heuristic", self.heuristic, HEURISTICS)

    def chosen_ordering(self) -> Ordering:
        """The function that the option names; a ValueError if none has this name."""
        return choose("ordering", self.ordering, ORDERINGS)
