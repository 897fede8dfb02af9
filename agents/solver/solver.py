"""The solver: exact scores of ConnectX positions."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from math import inf

from agents.agent import legal_actions
from agents.book.opening_book import OpeningBook
from agents.options import require_at_least
from agents.search import Clock
from agents.solver.plain_solver import PlainEngine
from agents.solver.score_table import MOST_CELLS
from agents.solver.solver_engine import (
    CompiledEngine,
    SolverEngine,
    SolverJob,
    fits_solver,
    solver_compilation,
)
from envs.board import BoardState
from envs.connectx import ConnectX
from envs.jit import WORDS

ALONE_NODES = 200_000
"""Nodes after which other threads join in with a single position: some 30 ms."""
FIRST_BUDGET = 100_000
"""Nodes for each move in the first round of `Solver.scores`; each round has eight times more."""


@dataclass(frozen=True)
class ScoreBounds:
    """Proven bounds of a score, from the view of the player to move.

    Winning with the last of one's stones scores 1, with the last but one 2, and so on: faster wins
    score more. A lost position has the opponent's score with a minus, a draw scores 0. On 6 rows
    and 7 columns scores lie between -21 and 21 (the convention of P. Pons' solver tutorial).
    """

    lower: int
    upper: int
    nodes: int = 0
    """Positions visited to prove it."""

    @property
    def exact(self) -> bool:
        """Whether the score is known."""
        return self.lower == self.upper

    @property
    def outcome(self) -> int | None:
        """1 for a win of the player to move, 0 for a draw, -1 for a loss; None if not known."""
        return _sign(self.lower) if _sign(self.lower) == _sign(self.upper) else None

    def for_opponent(self) -> "ScoreBounds":
        """Turn the bounds to the other player's view."""
        return ScoreBounds(-self.upper, -self.lower, self.nodes)


class Solver:
    """Solves positions of one game; the table of one serves the next.

    Args:
        env: the game, on a board that `agents.solver.solver_engine.fits_solver`.
        table_megabytes: size of the transposition table, at least 1; the largest boards take 64.
        threads: how many positions, or moves of a position, are solved at the same time, with the
            same table, or how many solve a hard position together; one in plain Python. The scores
            are the same for any number.
        book: scores of openings of this game, which are looked up and not solved.
        plain: whether to search in plain Python though Numba may be there.

    Raises:
        ValueError: the board does not fit, or there is no table or no thread.
    """

    def __init__(
        self,
        env: ConnectX,
        table_megabytes: int = 64,
        threads: int = 1,
        book: OpeningBook | None = None,
        plain: bool = False,
    ) -> None:
        if not fits_solver(env.rows, env.columns, env.inarow):
            bits = max(WORDS)
            raise ValueError(
                f"the solver takes boards of at most {MOST_CELLS} cells, with "
                f"columns * (rows + 1) at most {bits} and (inarow - 1) * (rows + 2) below {bits}, "
                f"not {env!r}"
            )
        require_at_least("table_megabytes", table_megabytes, 1)
        require_at_least("threads", threads, 1)
        self.env = env
        self.threads = threads
        self.book = book
        self.nodes = 0
        """Positions that `bounds` has visited so far."""
        self._plain = plain
        self._table_megabytes = table_megabytes
        self._widest = (env.rows * env.columns + 1) // 2

    @cached_property
    def engine(self) -> SolverEngine:
        """The engine that searches, compiled where that is possible."""
        compilation = solver_compilation(self.env, self._table_megabytes)
        if self._plain or not compilation.is_ready():
            return PlainEngine(self.env)
        return CompiledEngine(self.env, self._table_megabytes)

    @property
    def is_compiled(self) -> bool:
        """Whether machine code searches."""
        return isinstance(self.engine, CompiledEngine)

    def forget(self) -> None:
        """Empty the table."""
        self.engine.forget()

    def score(self, state: BoardState) -> int:
        """The exact score, from the view of the player to move; see `ScoreBounds`.

        Raises:
            ValueError: the game is over.
        """
        return self.bounds(state).lower

    def outcome(self, state: BoardState) -> int:
        """1 where the player to move wins, 0 for a draw, -1 for a loss; faster than `score`.

        Raises:
            ValueError: the game is over.
        """
        return self.bounds(state, within=(-1, 1)).lower

    def bounds(
        self,
        state: BoardState,
        time_limit: float | None = None,
        node_limit: float = inf,
        within: tuple[int, int] | None = None,
    ) -> ScoreBounds:
        """Bound the score as tightly as the limits allow.

        Args:
            state: the position.
            time_limit: seconds.
            node_limit: positions to visit.
            within: a range; a score outside of it need not be told from its nearer end.

        Raises:
            ValueError: the game is over.
        """
        legal_actions(self.env, state)
        lower, upper = within or (-self._widest, self._widest)
        known = self.known(state)
        if known is not None:
            score = min(max(known.lower, lower), upper)
            return ScoreBounds(score, score)
        least = self.book.least_score(state) if self.book else None
        if least is not None:
            lower = min(upper, max(lower, least))
        clock = Clock(time_limit)
        together = self.threads > 1 and self.is_compiled and node_limit == inf
        job = self.engine.job([state], lower, upper, together=together)
        job.run(clock, ALONE_NODES if together else node_limit)
        bounds = _bounds(job)
        if together and not (bounds.exact or clock.expired()):
            bounds = self._bounds_together(state, job, clock)
        self.nodes += bounds.nodes
        return bounds

    def scores(self, state: BoardState, time_limit: float | None = None) -> dict[int, ScoreBounds]:
        """Score each legal action, from the view of the player to move in `state`.

        Raises:
            ValueError: the game is over.
        """
        clock = Clock(time_limit)
        actions = legal_actions(self.env, state)
        children = {action: self.env.get_next_state(state, action) for action in actions}
        unknown = ScoreBounds(-self._widest, self._widest)
        found = {
            action: (self.known(child) or unknown).for_opponent()
            for action, child in children.items()
        }
        budget: float = FIRST_BUDGET
        while not clock.expired():
            open_actions = [action for action in actions if not found[action].exact]
            if not open_actions:
                break
            jobs = [self._whole_job([children[action]]) for action in open_actions]
            self._run(jobs, clock, budget)
            for action, job in zip(open_actions, jobs, strict=True):
                found[action] = _bounds(job).for_opponent()
            budget *= 8
        return found

    def score_all(self, states: Sequence[BoardState], cold: bool = False) -> list[int]:
        """Score many positions, by search alone.

        Args:
            states: the positions; in none of them is the game over.
            cold: begin each with an empty table, on one thread, so that they can be timed.

        Raises:
            ValueError: the game is over in one of them.
        """
        for state in states:
            legal_actions(self.env, state)
        shares = 1 if cold or not self.is_compiled else self.threads
        jobs = [self._whole_job(states[share::shares], cold) for share in range(shares)]
        self._run(jobs, Clock(), inf)
        scores = [0] * len(states)
        for share, job in enumerate(jobs):
            scores[share::shares] = map(int, job.lowers)
        return scores

    def known(self, state: BoardState) -> ScoreBounds | None:
        """Look up the score of a position whose game is over or which is in the book, else None."""
        if state.won:
            score = (self.env.rows * self.env.columns + 2 - state.mask.bit_count()) // 2
            return ScoreBounds(-score, -score)
        if not self.env.get_available_actions(state):
            return ScoreBounds(0, 0)
        in_book = self.book.score(state) if self.book else None
        return None if in_book is None else ScoreBounds(in_book, in_book)

    def _bounds_together(self, state: BoardState, job: SolverJob, clock: Clock) -> ScoreBounds:
        """Go on with a job by all threads, until one of them has the score.

        They help each other through the table, for every second one takes another way.
        """
        lower, upper = int(job.lowers[0]), int(job.uppers[0])
        others = (
            self.engine.job([state], lower, upper, together=True) for _ in range(1, self.threads)
        )
        jobs = [job, *others]

        def run(job: SolverJob) -> None:
            job.run(clock, inf)
            for other in jobs:
                other.cancelled = True

        with ThreadPoolExecutor(self.threads) as executor:
            try:
                list(executor.map(run, jobs))
            finally:
                for job in jobs:
                    job.cancelled = True
        found = [_bounds(job) for job in jobs]
        return ScoreBounds(
            max(bounds.lower for bounds in found),
            min(bounds.upper for bounds in found),
            sum(bounds.nodes for bounds in found),
        )

    def _whole_job(self, states: Sequence[BoardState], cold: bool = False) -> SolverJob:
        return self.engine.job(states, -self._widest, self._widest, cold)

    def _run(self, jobs: Sequence[SolverJob], clock: Clock, node_limit: float) -> None:
        """Run the jobs, as many at the same time as there are threads."""
        if self.threads == 1 or not self.is_compiled:
            for job in jobs:
                job.run(clock, node_limit)
            return
        with ThreadPoolExecutor(self.threads) as executor:
            try:
                list(executor.map(lambda job: job.run(clock, node_limit), jobs))
            except BaseException:
                for job in jobs:
                    job.cancelled = True
                raise


def _bounds(job: SolverJob) -> ScoreBounds:
    return ScoreBounds(int(job.lowers[0]), int(job.uppers[0]), job.nodes)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
