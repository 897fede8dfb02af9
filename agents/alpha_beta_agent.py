"""The alpha-beta agent: iterative deepening around `agents.alpha_beta`, and ties at the root."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from math import inf
from typing import Any, Generic

from agents.agent import Agent, SearchResult, legal_actions
from agents.alpha_beta import AlphaBeta, TranspositionTable
from agents.compiled.compilation import runs_compiled
from agents.compiled.compiled_alpha_beta import ALPHA_BETA, CompiledAlphaBeta, can_compile
from agents.guidance.heuristics import HEURISTICS, Heuristic
from agents.guidance.ordering import ORDERINGS, Ordering, best_action, sensible_actions
from agents.guidance.tie_break import LOOK_AHEAD, best_against_fallible, require_tie_break
from agents.options import choose, option, require_at_least, require_engine
from agents.search import Clock, Found, TimeUp, line_actions
from envs.protocol import Action, Env, State


class ProvenTies(Generic[State, Action]):
    """Tells equally good actions of a root apart by what a fallible opponent makes of them.

    Args:
        exact: searches actions as deep as the root's value was proven.
        seen: what the opponent's look-ahead sees; without a table, which might know more.
        state: the root.
        depth: how deep its value was proven, at least 2 plies.
        value: its value, not a win for the player whose turn it is.
    """

    def __init__(
        self,
        exact: AlphaBeta[State, Action],
        seen: AlphaBeta[State, Action],
        state: State,
        depth: float,
        value: float,
    ) -> None:
        self.exact = exact
        self.seen = seen
        self.state = state
        self.depth = depth
        self.value = value
        self.sign = 1 if exact.env.current_player(state) == 1 else -1

    def best(self, known: Action, others: Sequence[Action]) -> Action:
        """The best of the actions that have the root's value.

        Args:
            known: one of them; the answer where the time is up, or none is better.
            others: actions that may have it, too.
        """
        try:
            equals = [known, *(action for action in others if self._is_equal(known, action))]
        except TimeUp:
            return known
        return best_against_fallible(
            self.exact.env, self.state, equals, self._seen_value, self._exact_value
        )

    def _is_equal(self, known: Action, action: Action) -> bool:
        """Whether another action, which is no better than the known one, is no worse either."""
        if action == known:
            return False
        if self.value == -self.sign:
            return True
        window = (-1.0, self.value) if self.sign == 1 else (self.value, 1.0)
        value, _ = self.exact.action_value(self.state, action, self.depth, 0, *window)
        return self.sign * value >= self.sign * self.value

    def _seen_value(self, state: State, action: Action) -> float:
        return self.seen.action_value(state, action, LOOK_AHEAD, 0, -1.0, 1.0)[0]

    def _exact_value(self, state: State, action: Action) -> float:
        return self.exact.action_value(state, action, self.depth - 1, 1, -1.0, 1.0)[0]


@dataclass
class AlphaBetaAgent(Agent):
    """Searches one ply deeper again and again, pruning what cannot matter, until its time is up.

    Deepening ends early when the value is proven. So of several wins it plays the fastest that it
    can see, and a lost state it defends for as long as it can.

    On ConnectX boards of up to 64 bits (a guard bit for each column counted in), with a heuristic
    and an ordering that are named here, the search is compiled: the same values, some hundred times
    as fast. The first search of a process compiles it, which takes seconds; they are not part of
    its time.
    """

    unlimited = {"depth": None, "time_limit": None}  # noqa: RUF012
    quick = {"depth": 3, "time_limit": None}  # noqa: RUF012

    depth: int | None = option(None, "plies to look ahead at most; none: to the end of the game")
    time_limit: float | None = option(1.0, "seconds for each move; none: no limit")
    heuristic: str | Heuristic = option(
        "auto", "value of unfinished states: auto, open_lines, zero, open_twos, squares, threats"
    )
    ordering: str | Ordering = option("auto", "which actions to try first: auto, centre, natural")
    iterative_deepening: bool = option(
        True, "search depth 1, 2, 3 ...; false: the full depth at once"
    )
    killer_moves: bool = option(True, "try first what caused a cutoff at the same ply")
    table_size: int = option(1_000_000, "states that the transposition table holds; 0: no table")
    tie_break: str = option(
        "first",
        "of actions proven equal: first, expectimax (for the opponent's mistakes)",
    )
    engine: str = option("auto", "auto, compiled (ConnectX only), reference (plain Python)")

    def __post_init__(self) -> None:
        require_at_least("depth", self.depth, 1)
        require_at_least("time_limit", self.time_limit, 0)
        require_at_least("table_size", self.table_size, 0)
        choose("heuristic", self.heuristic, HEURISTICS)
        choose("ordering", self.ordering, ORDERINGS)
        require_tie_break(self.tie_break)
        require_engine(self.engine)

    def search(
        self, env: Env[State, Action], state: State, time_limit: float | None = None
    ) -> SearchResult[Action]:
        """Search until the time is up, the depth is reached or the value is proven.

        Of the `action_values` that of the chosen action is exact at `depth`, the others are
        bounds: no better for the player whose turn it is than the best before them.

        Raises:
            ValueError: the game is over; or the compiled engine is asked for and cannot search it.
        """
        return self.search_among(env, state, legal_actions(env, state), time_limit)

    def search_among(
        self,
        env: Env[State, Action],
        state: State,
        candidates: Sequence[Action],
        time_limit: float | None = None,
    ) -> SearchResult[Action]:
        """Search as `search` does, but for the best of some legal actions, at least one."""
        compiled = self.is_compiled(env)  # before the clock starts, for this may take seconds
        clock = Clock(self.time_limit, time_limit)
        tree = self._tree(env, clock, compiled)
        actions = tree.ordering(env, state, candidates)
        sensible = sensible_actions(env, state, actions)
        order = sorted(actions, key=lambda action: action not in sensible)
        sign = 1 if env.current_player(state) == 1 else -1

        best, results, completed, proven = sensible[0], Found[Action](), 0.0, False
        for depth in self._depths():
            found, guesses = Found[Action](), tree.guesses
            try:
                tree.search_root(state, order, depth, found)
            except TimeUp:
                values = {action: found[action][0] for action in found if action in sensible}
                if values:
                    best = best_action(values, sensible, sign)
                elif best not in sensible:  # the heuristic liked it, one ply deep
                    best = sensible[0]
                results |= found
                break
            values = {action: value for action, (value, _) in found.items()}
            best = best_action(values, sensible, sign)
            results, completed = found, depth
            order.sort(key=lambda action: action != best)
            proven = tree.guesses == guesses or abs(values[best]) == 1.0
            if proven:
                break

        value, line = results.get(best, (0.0, None))
        if self.tie_break == "expectimax" and proven and value != sign and completed > 1:
            first = best
            ties = self._ties(env, state, completed, value, clock, compiled)
            best = ties.best(first, sensible)
            line = line if best == first else None
            results[best] = value, line
        return SearchResult(
            best,
            value,
            principal_variation=(best, *line_actions(line)),
            action_values={action: value for action, (value, _) in results.items()},
            nodes=tree.nodes,
            depth=None if completed == inf else int(completed),
            elapsed=clock.elapsed,
            engine="compiled" if compiled else "reference",
        )

    def compile(self, env: Env[Any, Any]) -> None:
        """Compile the search, if it is to be compiled for this game."""
        if self.engine != "reference" and self._can_compile(env):
            ALPHA_BETA.begin()

    def is_compiled(self, env: Any) -> bool:
        """Whether the compiled engine searches this game; compiles it, if so and if need be."""
        return runs_compiled(
            self.engine,
            self._can_compile(env),
            ALPHA_BETA,
            "the heuristic open_lines or zero with an ordering chosen by name",
        )

    def _can_compile(self, env: Any) -> bool:
        heuristic = choose("heuristic", self.heuristic, HEURISTICS)
        return can_compile(env, heuristic, choose("ordering", self.ordering, ORDERINGS))

    def _tree(self, env: Any, clock: Clock, compiled: bool) -> AlphaBeta[Any, Any]:
        heuristic = choose("heuristic", self.heuristic, HEURISTICS)
        ordering = choose("ordering", self.ordering, ORDERINGS)
        if compiled:
            return CompiledAlphaBeta(
                env, heuristic, ordering, clock, self.table_size, self.killer_moves
            )
        table = TranspositionTable(self.table_size)
        return AlphaBeta(env, heuristic, ordering, clock, table, self.killer_moves)

    def _ties(
        self, env: Any, state: Any, depth: float, value: float, clock: Clock, compiled: bool
    ) -> ProvenTies[Any, Any]:
        exact = AlphaBetaAgent._tree(self, env, clock, compiled)
        seen = AlphaBetaAgent._tree(replace(self, table_size=0), env, clock, compiled)
        return ProvenTies(exact, seen, state, depth, value)

    def _depths(self) -> Iterable[float]:
        if not self.iterative_deepening:
            return (inf if self.depth is None else self.depth,)
        return count(1) if self.depth is None else range(1, self.depth + 1)
