"""Finds the value of each move of a position: proofs, and a search's estimates until then.

The work is done in slices of time, with a snapshot after each, for a page or a notebook.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any

from agents.agent import Clock, TimeUp
from agents.alpha_beta_agent import AlphaBetaAgent
from agents.mcts_agent import MCTSAgent
from agents.solver.exact_moves import SMALL_BOARD, bounds_of_best, played_out_score, proven_best
from agents.solver.position_bounds import win_score
from agents.solver.score_words import plies_to_end, result_in_words
from agents.solver.solver import ScoreBounds, Solver, final_bounds
from agents.solver.solver_engine import SolverJob
from envs.board import BoardGame, BoardState

SLICE_SECONDS = 0.015  # time from one snapshot to the next
FIRST_NODES = 50_000
"""Nodes of the solver for each move in the first round; each further round doubles the total."""
OUTCOME_NODES = 400_000
"""Nodes for a move after which only its result is proven at first, and its exact score later."""
ESTIMATE_AFTER = 0.15  # seconds of proving after which the unproven moves are estimated, too
ESTIMATE_SHARE = 3  # slices of proving for each slice of estimating
SIMULATIONS_OF_SLICE = 20_000
MOST_SIMULATIONS = 120_000  # more hardly change the estimates
MOST_TACTICS = 8  # plies of look-ahead on a board that is too large for the solver
MOST_SECONDS = 300.0  # time after which unproven values stay unknown


@dataclass(frozen=True)
class MoveValue:
    """The value of a move, or of a position, from the view of the player to move."""

    bounds: ScoreBounds  # proven bounds of the score
    plies: int | None
    """Plies until the game ends, with the move; the most if the bounds differ, None if the result
    is not proven."""
    estimate: float | None = None
    """A search's estimate, strictly between -1 and 1; None if there is none, or the result is
    proven."""

    @property
    def kind(self) -> str:
        """`win`, `draw`, `loss`, or `unknown`."""
        return {1: "win", 0: "draw", -1: "loss", None: "unknown"}[self.bounds.outcome]

    @property
    def text(self) -> str:
        """In words, such as `wins in 5 moves`; the winner's moves are counted."""
        return result_in_words(self.bounds, self.plies)

    @property
    def short(self) -> str:
        """In short: `win · 5`, `draw`, or `?`."""
        if self.plies is None or self.kind == "draw":
            return {"unknown": "?"}.get(self.kind, self.kind)
        if not self.bounds.exact:
            return self.kind
        return f"{self.kind} · {(self.plies + 1) // 2}"


@dataclass(frozen=True)
class PositionValues:
    """The values of a position's moves, as far as they are known."""

    moves: Mapping[int, MoveValue]  # by legal action
    position: MoveValue
    player: int  # who is to move
    phase: str = "solving"
    """`preparing` while the solver is compiled, then `solving`, or `estimating` without it."""
    done: bool = True
    elapsed: float = 0.0  # seconds of work

    @property
    def best(self) -> list[int]:
        """The moves that are proven to be at least as good as all others."""
        return proven_best({action: value.bounds for action, value in self.moves.items()})


def position_values(
    env: BoardGame,
    state: BoardState,
    scores: Mapping[int, ScoreBounds],
    estimates: Mapping[int, float] | None = None,
    **progress: Any,
) -> PositionValues:
    """The values of moves with these scores and estimates, and of the position by its best move."""
    cells, ply = env.rows * env.columns, state.ply

    def value(bounds: ScoreBounds, estimate: float | None) -> MoveValue:
        plies = plies_to_end(cells, ply, bounds)
        return MoveValue(bounds, plies, estimate if plies is None else None)

    moves = {move: value(found, (estimates or {}).get(move)) for move, found in scores.items()}
    open_estimates = [each.estimate for each in moves.values() if each.estimate is not None]
    position = value(bounds_of_best(scores), max(open_estimates, default=None))
    return PositionValues(moves, position, state.player, **progress)


def growing_values(
    env: BoardGame, state: BoardState, solver: Solver | None, seconds: float = MOST_SECONDS
) -> Iterator[PositionValues]:
    """Value the moves of a position, with a snapshot after every slice of time.

    The last snapshot is `done`: nothing is left to find, or `seconds` of work are used up. `solver`
    is None if there is none, for example for a board that is too large.
    """
    valuation = Valuation(env, state, solver)
    while not valuation.done:
        valuation.work(SLICE_SECONDS)
        if valuation.elapsed >= seconds:
            valuation.done = True
        yield valuation.snapshot()


class Valuation:
    """The work of `growing_values`, which takes the same arguments."""

    def __init__(self, env: BoardGame, state: BoardState, solver: Solver | None) -> None:
        self.env = env
        self.state = state
        self.elapsed = 0.0
        self.done = False
        self._cells = env.rows * env.columns
        self._estimator = MCTSAgent(simulations=SIMULATIONS_OF_SLICE, seed=0, weights=None)
        self._estimates: dict[int, float] = {}
        self._simulations = self._slices = 0
        self._has_solver = solver is not None
        self._sign = 1 if state.player == 1 else -1
        self.children = {
            action: env.get_next_state(state, action) for action in env.get_available_actions(state)
        }
        left = self._cells - state.ply
        # Unless a move wins, the next stone may lose the game, and the one after it may win.
        unknown = ScoreBounds(-((left - 1) // 2), left // 2)
        known = partial(final_bounds, env) if solver is None else solver.known
        self.found = {
            action: (known(child) or unknown).for_opponent()
            for action, child in self.children.items()
        }
        if solver is not None:
            self._proofs = self._solve(solver)
        elif self._cells <= SMALL_BOARD:
            self._proofs = self._play_out()
        else:
            self._proofs = self._look_ahead()
        self._is_proving = True

    def work(self, seconds: float) -> None:
        """Work for a slice of time."""
        self._clock = Clock(seconds)
        self._slices += 1
        is_turn = self._slices % (ESTIMATE_SHARE + 1) == 0 or not self._is_proving
        if is_turn and self._can_estimate():
            self._estimate()
        else:
            self._is_proving = next(self._proofs, None) is not None
        is_decided = all(bounds.exact for bounds in self.found.values())
        self.done = is_decided or not (self._is_proving or self._can_estimate())
        self.elapsed += self._clock.elapsed

    def snapshot(self) -> PositionValues:
        """The values found so far."""
        is_exact = self._has_solver or self._cells <= SMALL_BOARD
        return position_values(
            *(self.env, self.state, self.found, self._estimates),
            phase="solving" if is_exact else "estimating",
            done=self.done,
            elapsed=self.elapsed,
        )

    def _solve(self, solver: Solver) -> Iterator[bool]:
        """Prove the moves' scores by the solver in turn; their results first if that takes long."""
        widest = (self._cells + 1) // 2
        whole = {
            action: solver.job([child], -widest, widest)
            for action, child in self.children.items()
            if not self.found[action].exact
        }
        yield from self._run(whole, most=OUTCOME_NODES)
        outcomes = {
            action: solver.job([self.children[action]], -1, 1)
            for action in whole
            if self.found[action].outcome is None
        }
        yield from self._run(outcomes, within=1)
        yield from self._run(whole)

    def _run(
        self, jobs: Mapping[int, SolverJob], within: float = inf, most: float = inf
    ) -> Iterator[bool]:
        """Go on with the jobs of moves in turn, with twice the nodes in each round, up to `most`.

        Their windows reach from -`within` to `within`.
        """
        budget = FIRST_NODES
        while budget <= most and not all(self._is_settled(*item) for item in jobs.items()):
            for action, job in jobs.items():
                while not self._is_settled(action, job) and job.nodes < budget:
                    job.run(self._clock, budget)
                    self._narrow(action, -int(job.uppers[0]), -int(job.lowers[0]), within)
                    if self._clock.expired():
                        yield True
            budget *= 2

    def _is_settled(self, action: int, job: SolverJob) -> bool:
        return self.found[action].exact or int(job.lowers[0]) == int(job.uppers[0])

    def _narrow(self, action: int, lower: int, upper: int, within: float = inf) -> None:
        """Narrow the bounds of a move by those that a search from -`within` to `within` has found.

        A lower bound of -`within` proves nothing, nor does an upper bound of `within`.
        """
        known = self.found[action]
        self.found[action] = ScoreBounds(
            max(known.lower, lower) if lower > -within else known.lower,
            min(known.upper, upper) if upper < within else known.upper,
        )

    def _play_out(self) -> Iterator[bool]:
        for action, child in self.children.items():
            score = -played_out_score(self.env, child)
            self._narrow(action, score, score)
            if self._clock.expired():
                yield True

    def _look_ahead(self) -> Iterator[bool]:
        """Look for wins and losses a few plies ahead, on a board that is too large to solve."""
        search = AlphaBetaAgent(heuristic="zero", table_size=200_000, engine="reference")
        for depth in range(1, MOST_TACTICS + 1):
            for action in self.children:
                if self.found[action].outcome is None:
                    recursion = search.new_search(self.env, self._clock)
                    try:
                        value, *_ = recursion.action_value(self.state, action, depth, 0, -1.0, 1.0)
                    except TimeUp:
                        return
                    if abs(value) == 1.0:  # it wins or loses with the last of these plies
                        won = win_score(self._cells, self.state.ply + depth - 1)
                        score = round(value) * self._sign * won
                        self._narrow(action, score, score)
                yield True

    def _can_estimate(self) -> bool:
        """Whether estimates are needed, and would still change."""
        late = self.elapsed >= ESTIMATE_AFTER or not self._has_solver
        is_open = any(bounds.outcome is None for bounds in self.found.values())
        return late and is_open and self._simulations < MOST_SIMULATIONS

    def _estimate(self) -> None:
        """Grow the tree, and take its proofs and its estimates."""
        result = self._estimator.search(self.env, self.state, self._clock.left)
        self._simulations += result.simulations
        tree = self._estimator.tree
        for action, child in tree.root.children.items() if tree else ():
            proven = child.proven
            if proven is None:
                self._estimates[action] = self._sign * child.value
            else:
                outcome = round(self._sign * proven)
                self._narrow(action, outcome, outcome, within=1)
        if result.simulations == 0 or (tree and tree.root.proven is not None):
            self._simulations = MOST_SIMULATIONS  # it will not grow any more
