"""The perfect agent: an exactly best move, from a repertoire or by the solver."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from agents.agent import Agent, Clock, SearchResult, TimeUp, legal_actions
from agents.alpha_beta_agent import AlphaBetaAgent
from agents.book.book_format import decode_repertoire, shipped_repertoire
from agents.book.opening_book import shipped_book_of
from agents.book.repertoire import Repertoire
from agents.options import file_content, file_option, option, require_at_least, require_one_of
from agents.solver.exact_moves import ExactMoves, is_decided, unrefuted
from agents.solver.prospects import Prospects
from agents.solver.solver import ScoreBounds, Solver
from agents.solver.solver_engine import is_solvable, solver_compilation
from envs.protocol import Action, Env, State

SOLVING_SHARE = 0.5
"""Part of the time that solving may take; what is left is for alpha-beta, if that was in vain."""
SOLVING_SHARE_AFTER_BOOK = 0.95
"""The same for positions after the plies of a book, where the solver is compiled: it is done in a
second, and on a slower machine it should not have to stop short of that."""
OUTCOME_SHARE = 0.7
"""Part of the time for the bare results of all moves, before their scores are asked for, where the
solver is not compiled."""
TIE_SECONDS = 0.2
"""Time to look for the best one of equally good moves."""
LATEST_TIE = 0.5
"""Seconds of solving after which any of the best moves will do."""
HARD_POSITION_SHARE = 0.4
"""Part of a match's bank that a single move may take."""
PROSPECTS_SHARE = 0.5
"""Part of the time left that may go into what a fallible opponent makes of a move ..."""
PROSPECTS_SECONDS = 2.0
"""... and how long that is at most."""
EXACT_TIE_BREAKS = ("score", "expectimax")
"""Ways to choose among moves that lead to the same result."""


@dataclass
class PerfectAgent(Agent):
    """Plays Connect Four without a mistake: the fastest win, or else the longest defence.

    From the empty board on it plays by heart, from a repertoire, until so few cells are left that
    the solver is done in no time even in plain Python. Elsewhere it solves the position, compiled
    where Numba is ready.

    Of several moves with the best score it prefers the one after which most of the opponent's
    replies are mistakes. With the tie-break `expectimax` it plays drawn and lost positions for the
    opponent's mistakes: of all moves that keep the result it takes the one that is worth most
    against a player who looks a few plies ahead, even if he who makes no mistake then wins sooner.

    On other boards of up to 124 cells it does the same where the solver is done in time. Where it
    is not, and in other games, it plays as the alpha-beta agent does.
    """

    unlimited = {"time_limit": None}  # noqa: RUF012
    quick = {"time_limit": 0.05, "table_megabytes": 1}  # noqa: RUF012
    compiling_share = 0.0

    time_limit: float | None = option(5.0, "seconds for each move; none: until it is solved")
    table_megabytes: int = option(64, "size of the solver's transposition table")
    threads: int = option(2, "threads that solve hard positions together, compiled")
    book: bool = option(True, "look openings up: in a repertoire, and in a book of scores")
    tie_break: str = option(
        "score", "of moves with the same result: score (exact), expectimax (for mistakes)"
    )
    repertoire: str | bytes | None = file_option(
        "moves by heart, as `connectx book --repertoire` writes them; none: those of Connect Four",
        default=None,
    )
    _repertoire: Repertoire | None = field(init=False, repr=False, compare=False, default=None)
    _exact_moves: ExactMoves | None = field(init=False, repr=False, compare=False, default=None)
    _prospects: Prospects | None = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        require_at_least("time_limit", self.time_limit, 0)
        require_at_least("table_megabytes", self.table_megabytes, 1)
        require_at_least("threads", self.threads, 1)
        require_one_of("tie_break", self.tie_break, EXACT_TIE_BREAKS)
        if self.repertoire is not None:
            self._repertoire = decode_repertoire(file_content(self.repertoire))

    def compile(self, env: Env[Any, Any]) -> None:
        """Compile the solver for this game."""
        if is_solvable(env):
            solver_compilation(env).begin()

    def bank_share(self, env: Env[Any, Any]) -> float:
        """Much on the board of the repertoire: hard positions are rare there, and are solved."""
        return 0.0 if self._repertoire_of(env) is None else HARD_POSITION_SHARE

    def act(self, env: Env[State, Action], state: State, time_limit: float | None = None) -> Action:
        """The action that `search` chooses; by heart where it can be, without a search."""
        by_heart = self._by_heart(env, state)
        return self.search(env, state, time_limit).action if by_heart is None else by_heart

    def search(
        self, env: Env[State, Action], state: State, time_limit: float | None = None
    ) -> SearchResult[Action]:
        """Find a best move; the `action_values` are those of the equally good moves found.

        Raises:
            ValueError: the game is over.
        """
        legal_actions(env, state)
        exact_moves = self._exact_moves_in(env)
        clock = Clock(self.time_limit, time_limit)  # what is compiled, is compiled by now
        result = self._searched(exact_moves, env, state, clock)
        by_heart = self._by_heart(env, state)
        if by_heart is not None:
            # For want of time it may be a guess, of a search that likes another move better.
            value = result.action_values.get(by_heart, result.value)
            result = replace(result, action=by_heart, value=value, principal_variation=(by_heart,))
        return replace(result, elapsed=clock.elapsed)

    def _by_heart(self, env: Env[Any, Any], state: Any) -> Any:
        """The repertoire's move; None where it has none, or another tie-break is asked for."""
        repertoire = self._repertoire_of(env)
        return None if repertoire is None or self.tie_break != "score" else repertoire.move(state)

    def _repertoire_of(self, env: Env[Any, Any]) -> Repertoire | None:
        """The repertoire, if it is of this game."""
        if not self.book or not is_solvable(env):
            return None
        repertoire = self._repertoire or shipped_repertoire()
        size = env.rows, env.columns, env.inarow
        return repertoire if size == repertoire.scope[:3] else None

    def _searched(
        self, exact_moves: ExactMoves | None, env: Env[Any, Any], state: Any, clock: Clock
    ) -> SearchResult[Any]:
        if exact_moves is None:
            return self._guessed(env, state, legal_actions(env, state), clock)
        if exact_moves.solver.is_compiled:
            try:
                return search_exactly(exact_moves, self._prospects, state, clock)
            except TimeUp:
                return self._guessed(env, state, legal_actions(env, state), clock)
        is_compiled = partial(self._is_compiled, env)
        share = Clock(clock.left * OUTCOME_SHARE)
        outcomes = exact_moves.outcomes(state, share, is_enough=is_compiled)
        if is_compiled():
            return self._searched(self._exact_moves_in(env), env, state, clock)
        candidates = unrefuted(outcomes)
        if len(candidates) == 1:
            return _decided(state, outcomes, candidates)
        if is_decided(outcomes):
            with suppress(TimeUp):
                return search_exactly(exact_moves, self._prospects, state, clock)
        return self._guessed(env, state, candidates, clock)

    def _is_compiled(self, env: Any) -> bool:
        """Whether the compiled solver can be used by now."""
        return solver_compilation(env).is_ready(patient=False)

    def _guessed(
        self, env: Env[Any, Any], state: Any, candidates: Sequence[Any], clock: Clock
    ) -> SearchResult[Any]:
        """The best of some moves by alpha-beta, in the time that is left."""
        tie_break = "expectimax" if self.tie_break == "expectimax" else "first"
        agent = AlphaBetaAgent(time_limit=None, tie_break=tie_break, weights=None)
        return agent.search_among(env, state, candidates, clock.left)

    def _exact_moves_in(self, env: Env[Any, Any]) -> ExactMoves | None:
        """The judge of moves in this game, with what it has learnt from earlier moves.

        Compiled as soon as that is ready. None for games that the solver does not play.
        """
        if not is_solvable(env):
            return None
        ready = self._is_compiled(env)
        known = self._exact_moves
        if known is None or known.env != env or known.solver.is_compiled != ready:
            book = shipped_book_of(env) if self.book and ready else None
            solver = Solver(env, self.table_megabytes, self.threads, book, plain=not ready)
            self._exact_moves = ExactMoves(solver)
            if self.tie_break == "expectimax":
                self._prospects = Prospects(self._exact_moves)
        return self._exact_moves


def _decided(
    state: Any, outcomes: Mapping[int, ScoreBounds], candidates: Sequence[int]
) -> SearchResult[Any]:
    """The one move that is not refuted, with its result where that is proven."""
    (action,) = candidates
    result = outcomes[action].outcome or 0
    value = float(result if state.player == 1 else -result)
    return SearchResult(action, value, (action,), {action: value})


def search_exactly(
    exact_moves: ExactMoves, prospects: Prospects | None, state: Any, clock: Clock
) -> SearchResult[Any]:
    """Find a best move by exact score, or, where it is not won, by the prospects.

    Raises:
        TimeUp: the score could not be proven in time.
    """
    nodes = exact_moves.solver.nodes
    compiled = exact_moves.solver.is_compiled
    quick = exact_moves.solver.book is not None and compiled
    solving = Clock(clock.left * (SOLVING_SHARE_AFTER_BOOK if quick else SOLVING_SHARE))
    score = exact_moves.score(state, solving)
    patience = Clock(TIE_SECONDS, max(0.0, LATEST_TIE - solving.elapsed), solving.left)
    best = exact_moves.best(state, score, solving, patience)
    action = exact_moves.hardest_to_answer(state, score, best, patience)
    if prospects is not None and score <= 0:
        if score < 0:
            best = list(legal_actions(exact_moves.env, state))
        best.sort(key=lambda move: move != action)
        hoping = Clock(clock.left * PROSPECTS_SHARE, PROSPECTS_SECONDS)
        action = prospects.best(state, best, hoping)
    sign = 1 if state.player == 1 else -1
    value = float(sign * ((score > 0) - (score < 0)))
    return SearchResult(
        action,
        value,
        principal_variation=(action,),
        action_values=dict.fromkeys(best, value),
        nodes=exact_moves.solver.nodes - nodes,
        engine="compiled" if compiled else "reference",
    )
