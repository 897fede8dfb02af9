"""The perfect agent: the best move by exact score, from a book of openings and the solver."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agents.alpha_beta_agent import AlphaBetaAgent
from agents.book.opening_book import shipped_book_of
from agents.clock import Clock, TimeUp
from agents.compiled.compiled_games import is_compiled_game
from agents.exact.exact_moves import ExactMoves
from agents.exact.prospects import Prospects
from agents.exact.solver import Solver
from agents.options import option, require_at_least
from agents.protocol import Agent, SearchResult, legal_actions
from agents.tie_break import require_tie_break
from envs.board import BoardState
from envs.jit import compiles
from envs.protocol import Action, Env, State

SOLVING_SHARE = 0.5
"""Part of the time that solving may take; what is left is for alpha-beta, if that was in vain."""
SOLVING_SHARE_AFTER_BOOK = 0.95
"""The same for positions after the plies of a book, where the solver is compiled: it is done in a
second, and on a slower machine it should not have to stop short of that."""
TIE_SECONDS = 0.2
"""How long to look for the best one of equally good moves."""
PROSPECTS_SHARE = 0.5
"""Part of the time left that may go into what a fallible opponent makes of a move ..."""
PROSPECTS_SECONDS = 2.0
"""... and how long that is at most."""
EXACT_TIE_BREAKS = ("score", "expectimax")
"""What tells moves apart that lead to the same result."""


@dataclass
class PerfectAgent(Agent):
    """Plays Connect Four without a mistake: the fastest win, or else the longest defence.

    Of several moves with the best score it prefers the one after which most of the opponent's
    replies are mistakes. With the tie-break `expectimax` it plays drawn and lost positions for the
    opponent's mistakes: of all moves that keep the result it takes the one that is worth most
    against a player who looks a few plies ahead, even if he who makes no mistake then wins sooner.

    On other boards of at most 64 bits it does the same where the solver is done in time. Where it
    is not, and in other games, it plays as the alpha-beta agent does.
    """

    unlimited = {"time_limit": None}  # noqa: RUF012

    time_limit: float | None = option(5.0, "seconds for each move; none: until it is solved")
    table_megabytes: int = option(64, "size of the solver's transposition table")
    book: bool = option(True, "look openings of Connect Four up in a book")
    tie_break: str = option(
        "score", "of moves with the same result: score (exact), expectimax (for mistakes)"
    )
    _exact_moves: ExactMoves | None = field(init=False, repr=False, compare=False, default=None)
    _prospects: Prospects | None = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        require_at_least("time_limit", self.time_limit, 0)
        require_at_least("table_megabytes", self.table_megabytes, 1)
        require_tie_break(self.tie_break, EXACT_TIE_BREAKS)

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
        if exact_moves is not None:
            try:
                return search_exactly(exact_moves, self._prospects, state, clock)
            except TimeUp:
                pass
        tie_break = "expectimax" if self.tie_break == "expectimax" else "first"
        agent = AlphaBetaAgent(time_limit=None, tie_break=tie_break)
        found = agent.search(env, state, clock.left)
        return replace(found, elapsed=clock.elapsed)

    def _exact_moves_in(self, env: Env[Any, Any]) -> ExactMoves | None:
        """What judges moves in this game, with what it has learnt from earlier moves.

        None for games that the solver does not play.
        """
        if not is_compiled_game(env):
            return None
        if self._exact_moves is None or self._exact_moves.env != env:
            book = shipped_book_of(env) if self.book else None
            solver = Solver(env, self.table_megabytes, book=book)
            solver.compile()
            self._exact_moves = ExactMoves(solver)
            if self.tie_break == "expectimax":
                self._prospects = Prospects(self._exact_moves)
        return self._exact_moves


def search_exactly(
    exact_moves: ExactMoves, prospects: Prospects | None, state: Any, clock: Clock
) -> SearchResult[Any]:
    """Find a best move by exact score, or, where it is not won, by the prospects.

    Raises:
        TimeUp: the score could not be proven in time.
    """
    nodes = exact_moves.solver.nodes
    quick = exact_moves.solver.book is not None and compiles()
    share = SOLVING_SHARE_AFTER_BOOK if quick else SOLVING_SHARE
    solving = Clock(clock.left * share)
    score = exact_moves.score(state, solving)
    patience = Clock(TIE_SECONDS, solving.left)
    best = exact_moves.best(state, score, solving, patience)
    action = hardest_to_answer(exact_moves, state, score, best, patience)
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
        elapsed=clock.elapsed,
        engine="compiled" if compiles() else "reference",
    )


def hardest_to_answer(
    exact_moves: ExactMoves, state: BoardState, score: int, best: Sequence[int], clock: Clock
) -> int:
    """The one of the best moves after which most replies are mistakes; the first where none is.

    Args:
        exact_moves: judges the replies.
        state: the position.
        score: its exact score, for the player to move.
        best: moves that keep that score, at least one.
        clock: ends the comparison; the best move that was judged until then is taken.
    """
    mistakes: dict[int, float] = {}
    try:
        for action in best:
            child = exact_moves.env.get_next_state(state, action)
            if len(best) == 1 or not exact_moves.env.get_available_actions(child):
                return action
            mistakes[action] = exact_moves.mistakes(child, -score, clock)
    except TimeUp:
        pass
    return max(best, key=lambda action: mistakes.get(action, -1.0))
