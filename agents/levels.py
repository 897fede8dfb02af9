"""Ten levels of strength, from random to perfect, whatever the speed of the machine.

Each level looks some plies ahead, but slips in a share of its moves: it looks only as far as a
weaker player. So, as people do, it misses a block more often than a win, and a plan more often than
a block.
"""

from dataclasses import dataclass, field
from math import log
from random import getrandbits
from typing import Any, SupportsIndex

from agents.agent import Agent, SearchResult, legal_actions
from agents.alpha_beta_agent import AlphaBetaAgent
from agents.options import option
from agents.perfect import PerfectAgent
from envs.compiled.random_stream import (
    DRAWN_BITS,
    DRAWN_MASK,
    drawn_index,
    next_stream,
    stream_of_seed,
)
from envs.protocol import Action, Env, State

EXACT = 99  # the depth of a level that solves the position
DEEPEST_IN_PYTHON = 6  # plies that plain Python looks ahead in some milliseconds, without compiling
MOST_STATES = 500  # states that plain Python may visit for a move, as `affordable_depth` estimates


@dataclass(frozen=True)
class Level:
    """How far a level looks ahead, in plies: 0 is a random action, `EXACT` to the end."""

    n: int
    name: str
    depth: int
    slips: float  # share of the moves in which the level looks ahead only `slip_depth` plies
    slip_depth: int
    elo: int  # points above level 1 in Connect Four, from `benchmarks/results/levels.json`

    @property
    def slip_numbers(self) -> int:
        """The bound below which a number of a random stream is a slip."""
        return round(self.slips * (1 << DRAWN_BITS))


LEVELS = (
    Level(1, "random", depth=0, slips=0.0, slip_depth=0, elo=0),
    Level(2, "newcomer", depth=1, slips=0.74, slip_depth=0, elo=185),
    Level(3, "beginner", depth=1, slips=0.49, slip_depth=0, elo=395),
    Level(4, "casual", depth=1, slips=0.05, slip_depth=0, elo=567),
    Level(5, "steady", depth=2, slips=0.35, slip_depth=1, elo=706),
    Level(6, "skilled", depth=3, slips=0.3, slip_depth=2, elo=861),
    Level(7, "strong", depth=6, slips=0.2, slip_depth=5, elo=1001),
    Level(8, "expert", depth=14, slips=0.2, slip_depth=10, elo=1185),
    Level(9, "master", depth=EXACT, slips=0.35, slip_depth=12, elo=1403),
    Level(10, "perfect", depth=EXACT, slips=0.0, slip_depth=EXACT, elo=1574),
)
"""The levels, the weakest first."""


@dataclass
class LevelAgent(Agent):
    """Plays as strongly as its level says, from 1 (random) to 10 (perfect).

    Neighbouring levels of Connect Four are 100 to 250 Elo apart. From level 6 on they take every
    win at hand and see every threat; lower levels overlook some, the lower the more. No level
    counts seconds, so a seed gives the same moves on any machine, except that levels 9 and 10,
    which solve, depend on what the agent `perfect` finds in its time.

    Up to level 7 the search is plain Python, at level 8 it is compiled. In games with many actions,
    or where Numba is missing, a level looks less far ahead, so that no move takes seconds.
    """

    quick = {"n": 6}  # noqa: RUF012
    compiling_share = 0.0

    n: int = option(7, "the level, from 1 (random) to 10 (perfect)")
    seed: int | None = option(None, "seed of its random slips; none: different in every run")
    _stream: int = field(init=False, repr=False, compare=False)
    _perfect: PerfectAgent = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.n, SupportsIndex) or not 1 <= self.n <= len(LEVELS):
            raise ValueError(f"the level n must be from 1 to {len(LEVELS)}, not {self.n!r}")
        self._stream = stream_of_seed(getrandbits(62) if self.seed is None else self.seed)
        resistance = "traps" if self.n == len(LEVELS) else "longest"
        self._perfect = PerfectAgent(threads=1, resistance=resistance)

    @property
    def level(self) -> Level:
        """The level's entry in `LEVELS`."""
        return LEVELS[self.n - 1]

    def search(
        self, env: Env[State, Action], state: State, time_limit: float | None = None
    ) -> SearchResult[Action]:
        """Search as far as the level looks ahead, or less far when it slips."""
        depth = self._drawn_depth()
        if depth == 0:
            action = self._drawn_action(env, state)
            return SearchResult(action, value=0.0, principal_variation=(action,))
        return self._player(env, state, depth).search(env, state, time_limit)

    def act(self, env: Env[State, Action], state: State, time_limit: float | None = None) -> Action:
        """The action that `search` chooses; the highest levels take some from a book."""
        depth = self._drawn_depth()
        if depth == 0:
            return self._drawn_action(env, state)
        return self._player(env, state, depth).act(env, state, time_limit)

    def compile(self, env: Env[Any, Any]) -> None:
        """Compile the level's search, if it is to be compiled for this game."""
        if self.level.depth == EXACT:
            self._perfect.compile(env)
        for depth in (self.level.depth, self.level.slip_depth):
            if DEEPEST_IN_PYTHON < depth < EXACT:
                self._alpha_beta(depth).compile(env)

    def bank_share(self, env: Env[Any, Any]) -> float:
        """As large as the perfect agent's, where the level solves."""
        return self._perfect.bank_share(env) if self.level.depth == EXACT else 0.0

    def _drawn_depth(self) -> int:
        """Draw whether the level slips in this move; return how far it looks ahead."""
        self._stream = next_stream(self._stream)
        slips = self._stream & DRAWN_MASK < self.level.slip_numbers
        return self.level.slip_depth if slips else self.level.depth

    def _drawn_action(self, env: Env[State, Action], state: State) -> Action:
        actions = legal_actions(env, state)
        self._stream = next_stream(self._stream)
        return actions[drawn_index(self._stream, len(actions))]

    def _player(self, env: Env[Any, Any], state: Any, depth: int) -> Agent:
        """The agent that looks ahead `depth` >= 1 plies."""
        if depth == EXACT:
            return self._perfect
        agent = self._alpha_beta(depth)
        if agent.is_compiled(env):
            return agent
        return self._alpha_beta(affordable_depth(depth, len(legal_actions(env, state))))

    def _alpha_beta(self, depth: int) -> AlphaBetaAgent:
        """The search of the levels in between, compiled only if plain Python would take long."""
        engine = "reference" if depth <= DEEPEST_IN_PYTHON else "auto"
        return AlphaBetaAgent(depth, time_limit=None, engine=engine, weights=None)


def affordable_depth(depth: int, actions: int) -> int:
    """The plies that plain Python can look ahead, at most `depth`, at least 2 if `depth` is.

    With w actions and d plies alpha-beta visits some w^(d/2) states at best (D. E. Knuth and R. W.
    Moore, 1975).
    """
    return max(min(depth, 2), min(depth, int(2 * log(MOST_STATES) / log(max(actions, 2)))))
