"""The alpha-beta agent: its options, its two engines, and its choice among equals."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from agents.agent import UNKNOWN, Clock, Finding, TimeUp, player_sign
from agents.alpha_beta import AlphaBeta, TranspositionTable
from agents.compiled.compilation import Compilation
from agents.compiled.compiled_alpha_beta import (
    CompiledAlphaBeta,
    alpha_beta_on,
    can_compile,
    useful_size,
)
from agents.compiled.learned_value import (
    LearnedValue,
    learned_values,
    learned_weights_option,
    rounding_of,
)
from agents.depth_first import Deepened, DepthFirstAgent, DepthFirstSearch
from agents.engines import TwoEngines
from agents.guidance.final_move import LOOK_AHEAD, TIE_BREAKS, best_against_fallible
from agents.guidance.heuristics import HEURISTICS, Heuristic, automatic
from agents.options import ENGINES, choose, option, require_one_of, require_whole
from envs.protocol import Action, State


@dataclass
class AlphaBetaAgent(DepthFirstAgent, TwoEngines):
    """Searches one ply deeper each time, pruning useless lines, until its time is up.

    Deepening ends early when the value is proven. So it plays the fastest win that it can see, and
    defends a lost state for as long as it can.

    On ConnectX boards of up to 256 bits (with a guard bit for each column), with a heuristic and an
    ordering chosen by name, the search is compiled: the same values, some hundred times as fast.
    The first search of a process compiles it, which takes seconds that its clock does not count. In
    a compiled search of Connect Four, the game of the weights, the heuristic `auto` is the learned
    value; in plain Python a network takes too long.
    """

    quick = {"depth": 3, "time_limit": None}  # noqa: RUF012
    requirement = "the heuristic open_lines, zero or learned with an ordering chosen by name"

    heuristic: str | Heuristic = option(
        "auto",
        "value of unfinished states: learned, open_lines, zero, open_twos, squares, threats, auto "
        "(learned if compiled and the weights know the game, else open_lines or zero)",
    )
    iterative_deepening: bool = option(
        True, "search depth 1, 2, 3 ...; false: the full depth at once"
    )
    killer_moves: bool = option(True, "try first the moves that caused a cutoff at the same ply")
    table_size: int = option(1_000_000, "states that the transposition table holds; 0: no table")
    tie_break: str = option(
        "first", "of actions proven equal: first, expectimax (for the opponent's mistakes)"
    )
    engine: str = option("auto", "auto (the faster), compiled (ConnectX only), reference (Python)")
    weights: str | bytes | None = learned_weights_option("heuristic")
    _learned: Mapping[str, LearnedValue] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._learned = learned_values("heuristic", self.heuristic, self.weights)
        super().__post_init__()
        require_whole("table_size", self.table_size, 0)
        require_one_of("tie_break", self.tie_break, TIE_BREAKS)
        require_one_of("engine", self.engine, ENGINES)

    def new_search(self, env: Any, clock: Clock) -> AlphaBeta[Any, Any]:
        """Make the recursion, compiled if possible."""
        compiled = self.is_compiled(env)
        clock.restart()  # because compiling may have taken seconds
        return self._new_search(env, clock, compiled)

    def break_ties(
        self, search: DepthFirstSearch[State, Action], state: State, deepened: Deepened[Action]
    ) -> None:
        """With `tie_break`, choose among equal actions the hardest one for a fallible opponent."""
        env, best, depth = search.env, deepened.best, deepened.depth
        value = deepened.found.get(best, UNKNOWN).value
        sign = player_sign(env, state)
        if self.tie_break != "expectimax" or not deepened.proven or value == sign or depth <= 1:
            return
        compiled = search.engine == "compiled"
        exactly = self._new_search(env, search.clock, compiled)
        # The opponent's look-ahead has no table, whose entries might come from deeper searches.
        opponent = replace(self, table_size=0)._new_search(env, search.clock, compiled)

        def is_equal(action: Action) -> bool:
            """Whether an action, known to be no better than the best one, is as good."""
            window = (-1.0, value) if sign == 1 else (value, 1.0)
            finding = Finding(*exactly.action_value(state, action, depth, 0, *window))
            return finding.assured(sign) >= sign * value

        def seen(state: State, reply: Action) -> float:
            return opponent.action_value(state, reply, LOOK_AHEAD, 0, -1.0, 1.0)[0]

        def exact(state: State, action: Action) -> float:
            return exactly.action_value(state, action, depth - 1, 1, -1.0, 1.0)[0]

        others = [action for action in deepened.sensible if action != best]
        with suppress(TimeUp):
            equals = [best, *(each for each in others if value == -sign or is_equal(each))]
            deepened.best = best_against_fallible(env, state, equals, seen, exact)
        if deepened.best != best:
            deepened.found[deepened.best] = Finding(value, value, value)

    def chosen_heuristic(self) -> Heuristic:
        """The function that the option names; `learned` needs weights."""
        known: Mapping[str, Heuristic] = {**HEURISTICS, **self._learned}
        return choose("heuristic", self.heuristic, known)

    def heuristic_for(self, env: Any, compiled: bool) -> Heuristic:
        """The heuristic for a game; `auto` is the learned one if compiled and fit for the game."""
        chosen = self.chosen_heuristic()
        if not compiled or chosen is not automatic:
            return chosen
        return next((value for value in self._learned.values() if value.knows(env)), chosen)

    def compilation(self, env: Any) -> Compilation | None:
        """The compiled search of a game; None if it does not support the game or an option."""
        heuristic = self.heuristic_for(env, compiled=True)
        if not can_compile(env, heuristic, self.chosen_ordering()):
            return None
        return alpha_beta_on(env, rounding_of(heuristic))

    def _new_search(self, env: Any, clock: Clock, compiled: bool) -> AlphaBeta[Any, Any]:
        heuristic, ordering = self.heuristic_for(env, compiled), self.chosen_ordering()
        if compiled:
            size = useful_size(env, self.depth, self.table_size)
            return CompiledAlphaBeta(env, heuristic, ordering, clock, size, self.killer_moves)
        table = TranspositionTable(self.table_size)
        return AlphaBeta(env, heuristic, ordering, clock, table, self.killer_moves)
