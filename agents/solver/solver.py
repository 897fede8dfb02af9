"""The solver: exact scores of ConnectX positions."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Protocol

from agents.agent import Clock, TimeUp, legal_actions
from agents.options import require_whole
from agents.solver.plain_solver import PlainEngine, PlainJob
from agents.solver.position_bounds import sign, win_score
from agents.solver.score_table import MOST_CELLS
from agents.solver.solver_engine import (
    CompiledEngine,
    CompiledJob,
    SolverEngine,
    SolverJob,
    is_solvable,
    solver_compilation,
)
from envs.board import BoardGame, BoardState
from envs.compiled.jit import WORDS
from envs.connectx import ConnectX

ALONE_NODES = 200_000
"""Nodes after which other threads join the search of a single position: some 30 ms."""
FIRST_BUDGET = 100_000
"""Nodes for each move by the end of the first round of `Solver.scores`; each further round raises
the total eightfold."""
STEP_NODES = 2_000_000  # nodes between two progress reports of a search on one thread
STEP_SECONDS = 0.5  # seconds between two progress reports of a search on several threads


@dataclass(frozen=True)
class ScoreBounds:
    """Proven bounds of a score, from the view of the player to move.

    Winning with the last of one's stones scores 1, with the last but one 2, and so on: faster wins
    score more. A lost position has the opponent's score, negated; a draw scores 0. In Connect Four
    scores lie between -18 and 18 (the convention of P. Pons' solver tutorial).
    """

    lower: int
    upper: int
    nodes: int = 0
    """The number of positions visited to prove the bounds."""

    @property
    def exact(self) -> bool:
        """Whether the score is known."""
        return self.lower == self.upper

    @property
    def outcome(self) -> int | None:
        """1 for a win of the player to move, 0 for a draw, -1 for a loss; None if not known."""
        return sign(self.lower) if sign(self.lower) == sign(self.upper) else None

    def proven(self) -> int:
        """The score; raises TimeUp if it is not known."""
        if not self.exact:
            raise TimeUp
        return self.lower

    def for_opponent(self) -> "ScoreBounds":
        """Turn the bounds to the other player's view."""
        return ScoreBounds(-self.upper, -self.lower, self.nodes)


def final_bounds(env: BoardGame, state: BoardState) -> ScoreBounds | None:
    """The score of a finished game, for the player whose turn it would be; None if it goes on."""
    if state.won:
        score = -win_score(env.rows * env.columns, state.ply - 1)
        return ScoreBounds(score, score)
    return None if env.get_available_actions(state) else ScoreBounds(0, 0)


OnBounds = Callable[[ScoreBounds], None]  # takes the bounds proven so far
OnScores = Callable[[Mapping[int, ScoreBounds]], None]
"""Takes the bounds of each action's score that are proven so far."""


class ScoreBook(Protocol):
    """Scores of openings, which are looked up instead of solved."""

    def score(self, state: BoardState) -> int | None:
        """The exact score for the player to move; None if the book does not have it."""

    def least_score(self, state: BoardState) -> int | None:
        """A lower bound of the score one ply beyond the book; None elsewhere."""


class Solver:
    """A solver for the positions of one game, with one table for all.

    Args:
        env: the game, for which `agents.solver.solver_engine.is_solvable` is true.
        table_megabytes: size of the transposition table, at least 1; late positions take at most
            one further megabyte. Boards that nearly fill a word take at least 64 MB with 64 bits,
            and 128 MB with 128 bits.
        threads: the number of threads, which share the table and solve different positions or
            moves, or a hard position together; plain Python uses one. Scores do not depend on it.
        book: scores of openings of this game, which are looked up instead of solved.
        plain: whether to search in plain Python even with Numba.

    Raises:
        ValueError: the solver does not support the game, or the table size or the number of threads
            is not a whole number of at least 1.
    """

    def __init__(
        self,
        env: ConnectX,
        table_megabytes: int = 64,
        threads: int = 1,
        book: ScoreBook | None = None,
        plain: bool = False,
    ) -> None:
        if not is_solvable(env):
            bits = max(WORDS)
            raise ValueError(
                f"the solver takes boards of at most {MOST_CELLS} cells, with "
                f"columns * (rows + 1) at most {bits} and (inarow - 1) * (rows + 2) below {bits}, "
                f"and the rules of ConnectX, not {env!r}"
            )
        require_whole("table_megabytes", table_megabytes, 1)
        require_whole("threads", threads, 1)
        self.env = env
        self.threads = int(threads)
        self.book = book
        self.nodes = 0  # positions that `bounds` has visited so far
        self._plain = plain
        self._table_megabytes = int(table_megabytes)
        self._widest = (env.rows * env.columns + 1) // 2

    @cached_property
    def engine(self) -> SolverEngine:
        """The engine, compiled where possible; a ValueError if there is no memory for its table."""
        compilation = solver_compilation(self.env)
        if self._plain or not compilation.is_ready():
            return PlainEngine(self.env)
        return CompiledEngine(self.env, self._table_megabytes)

    def job(
        self,
        states: Sequence[BoardState],
        lower: int,
        upper: int,
        cold: bool = False,
        shared: bool = False,
    ) -> SolverJob:
        """A new job; see `CompiledJob` for the arguments. Plain Python ignores `shared`."""
        if isinstance(self.engine, CompiledEngine):
            return CompiledJob(self.engine, states, lower, upper, cold, shared)
        return PlainJob(self.engine, states, lower, upper, cold)

    @property
    def is_compiled(self) -> bool:
        """Whether the search is compiled."""
        return isinstance(self.engine, CompiledEngine)

    def forget(self) -> None:
        """Empty the table."""
        self.engine.forget()

    def score(self, state: BoardState) -> int:
        """The exact score for the player to move; a ValueError if the game is over."""
        return self.bounds(state).lower

    def outcome(self, state: BoardState) -> int:
        """1 if the player to move wins, 0 for a draw, -1 for a loss: faster than `score`."""
        return self.bounds(state, within=(-1, 1)).lower

    def bounds(
        self,
        state: BoardState,
        time_limit: float | None = None,
        node_limit: float = inf,
        within: tuple[int, int] | None = None,
        on_progress: OnBounds | None = None,
    ) -> ScoreBounds:
        """Bound the score as tightly as the limits allow.

        Args:
            state: the position.
            time_limit: seconds, not counting the compilation of the search.
            node_limit: the most positions to visit.
            within: a range of scores; a score outside of it is only bounded by its nearer end.
            on_progress: called with the bounds so far, several times a second if compiled.

        Raises:
            ValueError: the game is over, or the range is empty.
        """
        legal_actions(self.env, state)
        lower, upper = within or (-self._widest, self._widest)
        if lower > upper:
            raise ValueError(f"a score cannot lie within {within}: give the lower bound first")
        known = self.known(state)
        if known is not None:
            score = min(max(known.lower, lower), upper)
            return ScoreBounds(score, score)
        least = self.book.least_score(state) if self.book else None
        if least is not None:
            lower = min(upper, max(lower, least))
        together = self.threads > 1 and self.is_compiled and node_limit == inf
        job = self.job([state], lower, upper, shared=together)
        jobs, clock = [job], Clock(time_limit)
        tell = None if on_progress is None else (lambda: on_progress(_bounds(*jobs)))
        _run_one(job, clock, ALONE_NODES if together else node_limit, tell)
        if together and isinstance(job, CompiledJob) and not _bounds(job).exact:
            # All threads share the table, and the moves of each position.
            jobs += [job.helper() for _ in range(1, self.threads)]
            self._run_on_threads(jobs, clock, inf, tell, is_one_enough=True)
        bounds = _bounds(*jobs)
        self.nodes += bounds.nodes
        return bounds

    def scores(
        self,
        state: BoardState,
        time_limit: float | None = None,
        on_progress: OnScores | None = None,
    ) -> dict[int, ScoreBounds]:
        """Score each legal action, from the view of the player to move in `state`.

        `time_limit` is as in `bounds`. Raises ValueError if the game is over.
        """
        actions = legal_actions(self.env, state)
        children = {action: self.env.get_next_state(state, action) for action in actions}
        unknown = ScoreBounds(-self._widest, self._widest)
        found = {
            action: (self.known(child) or unknown).for_opponent()
            for action, child in children.items()
        }
        jobs = {
            action: self.job([child], -self._widest, self._widest)
            for action, child in children.items()
            if not found[action].exact
        }

        def take() -> None:
            found.update((action, _bounds(job).for_opponent()) for action, job in jobs.items())
            if on_progress is not None:
                on_progress(found)

        clock = Clock(time_limit)  # the search is compiled by now
        budget: float = FIRST_BUDGET
        while not clock.expired() and (
            unsolved := [job for action, job in jobs.items() if not found[action].exact]
        ):
            self._run(unsolved, clock, budget, on_progress and take)
            take()
            budget *= 8
        return found

    def after(
        self,
        state: BoardState,
        action: int,
        time_limit: float | None = None,
        node_limit: float = inf,
        within: tuple[int, int] | None = None,
    ) -> ScoreBounds:
        """Bound the score of an action, which may end the game, from the view of its player.

        The limits and the range are as in `bounds`; a known score may lie outside the range.
        """
        child, turned = self.env.get_next_state(state, action), within and (-within[1], -within[0])
        left = self.known(child) or self.bounds(child, time_limit, node_limit, turned)
        return left.for_opponent()

    def score_all(self, states: Sequence[BoardState], cold: bool = False) -> list[int]:
        """Score many positions by search, without the book.

        If `cold`, each starts with an empty table, on one thread, so that they can be timed. A
        ValueError if the game is over in one of the positions.
        """
        for state in states:
            legal_actions(self.env, state)
        if not self.env.winning_lines:
            return [0] * len(states)
        shares = 1 if cold or not self.is_compiled else self.threads
        widest = self._widest
        jobs = [self.job(states[share::shares], -widest, widest, cold) for share in range(shares)]
        self._run(jobs, Clock(), inf)
        scores = [0] * len(states)
        for share, job in enumerate(jobs):
            scores[share::shares] = map(int, job.lowers)
        return scores

    def known(self, state: BoardState) -> ScoreBounds | None:
        """The score if no search is needed, else None.

        It is known if the game is over, if no line fits on the board, and in the book.
        """
        if not self.env.winning_lines:
            return ScoreBounds(0, 0)
        final = final_bounds(self.env, state)
        if final is not None or self.book is None:
            return final
        in_book = self.book.score(state)
        return None if in_book is None else ScoreBounds(in_book, in_book)

    def _run(
        self,
        jobs: Sequence[SolverJob],
        clock: Clock,
        node_limit: float,
        tell: Callable[[], None] | None = None,
    ) -> None:
        """Run the jobs, in parallel if there are several threads."""
        if self.threads == 1 or not self.is_compiled:
            for job in jobs:
                _run_one(job, clock, node_limit, tell)
        else:
            self._run_on_threads(jobs, clock, node_limit, tell)

    def _run_on_threads(
        self,
        jobs: Sequence[SolverJob],
        clock: Clock,
        node_limit: float,
        tell: Callable[[], None] | None,
        is_one_enough: bool = False,
    ) -> None:
        """Run each job on a thread, until all or the first one end; an exception ends all."""
        for job in jobs:
            job.cancelled = False  # it is set when a run on threads has ended
        with ThreadPoolExecutor(self.threads) as executor:
            try:
                running = {executor.submit(job.run, clock, node_limit) for job in jobs}
                while running:
                    done, running = wait(running, STEP_SECONDS, FIRST_COMPLETED)
                    for future in done:
                        future.result()
                    if tell is not None:
                        tell()
                    if done and is_one_enough:
                        break
            finally:
                for job in jobs:
                    job.cancelled = True


def _run_one(
    job: SolverJob, clock: Clock, node_limit: float, tell: Callable[[], None] | None
) -> None:
    """Run a job, in steps if progress is to be reported."""
    if tell is None:
        job.run(clock, node_limit)
        return
    while not (_bounds(job).exact or clock.expired() or job.nodes >= node_limit):
        job.run(clock, min(node_limit, job.nodes + STEP_NODES))
        tell()


def _bounds(*jobs: SolverJob) -> ScoreBounds:
    """The tightest bounds of a position from all jobs that solve it."""
    return ScoreBounds(
        max(int(job.lowers[0]) for job in jobs),
        min(int(job.uppers[0]) for job in jobs),
        sum(job.nodes for job in jobs),
    )
