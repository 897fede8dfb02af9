"""The perfect agent: an exactly best move, from a repertoire or by the solver."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from agents.agent import Agent, Clock, SearchResult, TimeUp, legal_actions
from agents.alpha_beta_agent import AlphaBetaAgent
from agents.book.book_format import (
    SHIPPED_TRAPS,
    decode_repertoire,
    shipped_repertoire,
    shipped_traps,
    traps_content,
)
from agents.book.opening_book import shipped_book_of
from agents.book.repertoire import Repertoire
from agents.guidance.ordering import sensible_actions
from agents.options import (
    file_content,
    file_option,
    option,
    require_at_least,
    require_one_of,
    require_whole,
)
from agents.solver.exact_moves import ExactMoves, proven_best, unrefuted
from agents.solver.position_bounds import sign
from agents.solver.solver import ScoreBounds, Solver
from agents.solver.solver_engine import is_solvable, solver_compilation
from agents.traps.likely_replies import Judge
from agents.traps.trap_setter import TrapSetter, WatchedGame
from agents.traps.trap_tree import Turn
from envs.protocol import Action, Env, State

SOLVING_SHARE = 0.5  # share of the time for solving; if that fails, the rest is for alpha-beta
SOLVING_SHARE_AFTER_BOOK = 0.95
"""The share after the plies of a book, if the solver is compiled: it takes a second there, and
should have enough time on a slower machine, too."""
OUTCOME_SHARE = 0.7
"""Share of the time for finding whether each move wins, draws or loses, before scores are found, if
the solver is not compiled."""
TIE_SECONDS = 0.2  # seconds for choosing among equally good moves
LATEST_TIE = 0.5  # seconds of solving after which the choice among the best moves is skipped
HARD_POSITION_SHARE = 0.4  # share of a match's bank that a single move may take
TRAP_SHARE = 0.5  # share of the time left that may go into setting a trap
TRAP_SECONDS = 2.0  # the most seconds for setting a trap
TRAP_TRIALS = 400  # the most trials for setting a trap; compiled, they take about a second
RESISTANCES = ("traps", "longest")  # aims where no win can be forced


@dataclass
class PerfectAgent(Agent):
    """Plays Connect Four without a mistake, and sets traps where it cannot win.

    It never gives a result away. It wins a won position as fast as possible. Against a perfect
    opponent all moves that keep the draw are equally good in a drawn position, and all moves in a
    lost one; against a fallible opponent they are not. With the resistance `traps` it takes the
    move after which a typical opponent is most likely to err, even if a perfect one then wins
    sooner; with `longest` the exactly best move, which loses last.

    In a game from the empty board it plays from a repertoire and a book of traps, until so few
    cells are left that the solver is quick even in plain Python. In other positions it solves,
    compiled if Numba is ready. It estimates from an opponent's moves how far they look ahead.

    On other boards of up to 124 cells it solves if the solver is done in time; otherwise, and in
    other games, it plays like the alpha-beta agent.
    """

    unlimited = {"time_limit": None}  # noqa: RUF012
    quick = {"time_limit": 0.05, "table_megabytes": 1}  # noqa: RUF012
    compiling_share = 0.0

    time_limit: float | None = option(5.0, "seconds for each move; none: until it is solved")
    table_megabytes: int = option(64, "size of the solver's transposition table")
    threads: int = option(2, "threads that solve hard positions together, if compiled")
    book: bool = option(True, "use a repertoire and a book of opening scores")
    resistance: str = option(
        "traps",
        "where it cannot win: traps (a likely opponent errs most), longest (an exactly best move)",
    )
    repertoire: str | bytes | None = file_option(
        "file of `connectx book --repertoire`; for a board without one, the package's own",
        default=None,
    )
    traps: str | bytes | None = file_option(
        "file of `connectx book --traps`; shipped: the package's own for player 2 of Connect Four; "
        "none: no book of traps",
        default=SHIPPED_TRAPS,
        read=traps_content,
    )
    _repertoire: Repertoire | None = field(init=False, repr=False, compare=False, default=None)
    _traps: Repertoire | None = field(init=False, repr=False, compare=False, default=None)
    _exact_moves: ExactMoves | None = field(init=False, repr=False, compare=False, default=None)
    _trap_setter: TrapSetter | None = field(init=False, repr=False, compare=False, default=None)
    _game: WatchedGame = field(init=False, repr=False, compare=False)
    _guessing: AlphaBetaAgent = field(init=False, repr=False, compare=False)
    """Chooses where nothing is proven in time; models of the opponent use the same search."""

    def __post_init__(self) -> None:
        require_at_least("time_limit", self.time_limit, 0)
        require_whole("table_megabytes", self.table_megabytes, 1)
        require_whole("threads", self.threads, 1)
        require_one_of("resistance", self.resistance, RESISTANCES)
        if self.repertoire is not None:
            self._repertoire = decode_repertoire(file_content(self.repertoire))
        if self.traps not in (None, SHIPPED_TRAPS):
            self._traps = decode_repertoire(traps_content(self.traps))
        self._game = WatchedGame()
        self._guessing = AlphaBetaAgent(time_limit=None, weights=None)

    def compile(self, env: Env[Any, Any]) -> None:
        """Compile the solver for this game, then the alpha-beta search of guesses and traps."""
        if is_solvable(env):
            solver_compilation(env).begin()
        self._guessing.compile(env)

    def bank_share(self, env: Env[Any, Any]) -> float:
        """Large on the repertoire's board, where hard positions are rare and can be solved."""
        return 0.0 if self._repertoire_of(env) is None else HARD_POSITION_SHARE

    def act(self, env: Env[State, Action], state: State, time_limit: float | None = None) -> Action:
        """The action that `search` chooses, without a search if a book has a move."""
        by_heart: Any = self._by_heart(env, state)[0]
        if by_heart is None:
            return self.search(env, state, time_limit).action
        self._game.see(env, state)
        self._game.play(env, state, by_heart)
        action: Action = by_heart
        return action

    def search(
        self, env: Env[State, Action], state: State, time_limit: float | None = None
    ) -> SearchResult[Action]:
        """Find a best move; the `action_values` are those of the equally good moves found."""
        legal_actions(env, state)
        self.compile(env)
        exact_moves = self._exact_moves_in(env)
        clock = Clock(self.time_limit, time_limit)  # all compiling is done by now
        self._game.see(env, state)
        by_heart: Any = self._by_heart(env, state)[0]
        sets_traps = self.resistance == "traps" and by_heart is None
        result = self._searched(exact_moves, env, state, clock, sets_traps)
        if by_heart is not None:
            # If time is short, the value may be a guess by a search that prefers another move.
            value = result.action_values.get(by_heart, result.value)
            result = replace(result, action=by_heart, value=value, principal_variation=(by_heart,))
        self._game.play(env, state, result.action)
        return replace(result, elapsed=clock.elapsed)

    def source(self, env: Env[Any, Any], state: Any) -> str:
        """The source of a move: the book `traps` or `repertoire`, or `search`.

        The source may change while a search is being compiled.
        """
        return self._by_heart(env, state)[1]

    def _by_heart(self, env: Env[Any, Any], state: Any) -> tuple[Any, str]:
        """The move from the book of traps or the repertoire, or None; and its source.

        Where traps are to be set and the book of traps has no move, the search for traps decides,
        unless it would run in plain Python.
        """
        traps, repertoire = self._traps_of(env), self._repertoire_of(env)
        if traps is not None and traps.scope.plies_of(state.player) >= 0:
            move = traps.move(state)
            if move is not None:
                return move, "traps"
            if self._is_compiled(env):
                return None, "search"
        move = None if repertoire is None else repertoire.move(state)
        return move, "search" if move is None else "repertoire"

    def _traps_of(self, env: Any) -> Repertoire | None:
        """The book of traps, if traps are enabled and it is for this game."""
        if self.resistance != "traps" or self.traps is None:
            return None
        try:
            return self._one_of(self._traps, shipped_traps, env)
        except OSError:  # the bundle of another agent that uses this one lacks the book
            return None

    def _repertoire_of(self, env: Env[Any, Any]) -> Repertoire | None:
        """The repertoire, if it is for this game."""
        return self._one_of(self._repertoire, shipped_repertoire, env)

    def _one_of(
        self, given: Repertoire | None, shipped: Callable[[], Repertoire], env: Any
    ) -> Repertoire | None:
        """The given repertoire or the package's own, if one is for this game."""
        if not (self.book and is_solvable(env)):
            return None
        if given is not None and given.scope[:3] == env.size:
            return given
        return shipped() if shipped().scope[:3] == env.size else None

    def _searched(
        self,
        exact_moves: ExactMoves | None,
        env: Env[Any, Any],
        state: Any,
        clock: Clock,
        sets_traps: bool,
    ) -> SearchResult[Any]:
        if exact_moves is None:
            return self._guessed(env, state, legal_actions(env, state), clock)
        if exact_moves.solver.is_compiled:
            try:
                return self._search_exactly(exact_moves, state, clock, sets_traps)
            except TimeUp:
                return self._guessed(env, state, legal_actions(env, state), clock)
        is_compiled = partial(self._is_compiled, env)
        share = Clock(clock.left * OUTCOME_SHARE)
        outcomes = exact_moves.outcomes(state, share, is_enough=is_compiled)
        if is_compiled():
            return self._searched(self._exact_moves_in(env), env, state, clock, sets_traps)
        candidates = unrefuted(outcomes)
        if len(candidates) == 1:
            return _decided(state, outcomes, candidates)
        if best := proven_best(outcomes):
            with suppress(TimeUp):
                return self._search_exactly(exact_moves, state, clock, sets_traps)
        return self._guessed(env, state, best or candidates, clock)

    def _search_exactly(
        self, exact_moves: ExactMoves, state: Any, clock: Clock, sets_traps: bool
    ) -> SearchResult[Any]:
        """An exactly best move, or a trap if no move wins; TimeUp without a proof."""
        solver = exact_moves.solver
        nodes = solver.nodes
        quick = solver.book is not None and solver.is_compiled
        solving = Clock(clock.left * (SOLVING_SHARE_AFTER_BOOK if quick else SOLVING_SHARE))
        score = exact_moves.score(state, solving)
        patience = Clock(TIE_SECONDS, max(0.0, LATEST_TIE - solving.elapsed), solving.left)
        best = exact_moves.best(state, score, solving, patience)
        action = exact_moves.hardest_to_answer(state, score, best, patience)
        if sets_traps and score <= 0:
            if score < 0:
                best = [*sensible_actions(solver.env, state, legal_actions(solver.env, state))]
            best.sort(key=lambda move: move != action)
            setting = Clock(clock.left * TRAP_SHARE, TRAP_SECONDS)
            if self._trap_setter is None:
                self._trap_setter = TrapSetter(Judge(solver))
            self._trap_setter.watch(self._game.replies, setting)
            action = self._trap_setter.best(state, Turn(score, tuple(best)), setting, TRAP_TRIALS)
        value = float(sign(score) * (1 if state.player == 1 else -1))
        return SearchResult(
            action,
            value,
            proven=True,
            principal_variation=(action,),
            action_values=dict.fromkeys(best, value),
            nodes=solver.nodes - nodes,
            engine="compiled" if solver.is_compiled else "reference",
        )

    def _is_compiled(self, env: Any) -> bool:
        return solver_compilation(env).is_ready(patient=False)

    def _guessed(
        self, env: Env[Any, Any], state: Any, candidates: Sequence[Any], clock: Clock
    ) -> SearchResult[Any]:
        """The best of some moves by alpha-beta, in the time that is left."""
        search = self._guessing.new_search(env, Clock(clock.left))
        return self._guessing.search_with(search, state, candidates)

    def _exact_moves_in(self, env: Env[Any, Any]) -> ExactMoves | None:
        """The exact judge of moves in this game, which keeps its table from earlier moves.

        It is compiled once the compilation is ready; None for games that the solver cannot play.
        """
        if not is_solvable(env):
            return None
        ready = self._is_compiled(env)
        known = self._exact_moves
        if known is None or known.env != env or known.solver.is_compiled != ready:
            book = shipped_book_of(env) if self.book and ready else None
            solver = Solver(env, self.table_megabytes, self.threads, book, plain=not ready)
            self._exact_moves, self._trap_setter = ExactMoves(solver), None
        return self._exact_moves


def _decided(
    state: Any, outcomes: Mapping[int, ScoreBounds], candidates: Sequence[int]
) -> SearchResult[Any]:
    """The only move that is not refuted, with its result if that is proven."""
    (action,) = candidates
    result = outcomes[action].outcome
    value = float((result or 0) * (1 if state.player == 1 else -1))
    return SearchResult(action, value, (action,), {action: value}, proven=result is not None)
