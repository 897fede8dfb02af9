"""Times the compiled searches and the vector environments by the width of their words."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from time import process_time

import numpy as np

from agents.alpha_beta_agent import AlphaBetaAgent
from agents.mcts_agent import MCTSAgent
from agents.solver.solver import Solver
from benchmarks.results import Report, table
from benchmarks.searches.forced_words import words_of_at_least
from envs.compiled.jit import WORDS
from envs.connectx import ConnectFour, ConnectX
from envs.learning.random_play import LegalActionSampler
from envs.learning.vector.vector_env import make_vector_env

CONNECT_FOUR = ConnectFour()
WIDE_BOARDS = (ConnectX(8, 8, 4), ConnectX(7, 9, 4), ConnectX(10, 12, 5))
NODES = 2_000_000
SIMULATIONS = 50_000
DEPTH = 12
NUM_ENVS, STEPS = 8192, 30


@dataclass(frozen=True)
class WordSpeed:
    """A search's rate per second of processor time, by round."""

    work: str
    game: ConnectX
    bits: int
    """The minimum bits of a word; a board that needs more uses more."""
    rates: list[float]

    @property
    def median(self) -> float:
        """The median over the rounds."""
        return median(self.rates)


def solver_rate(game: ConnectX) -> float:
    """Positions that the solver visits per second."""
    solver, state = Solver(game), game.initial_state()
    solver.bounds(state, node_limit=1000)
    begun = process_time()
    return solver.bounds(state, node_limit=NODES).nodes / (process_time() - begun)


def alpha_beta_rate(game: ConnectX) -> float:
    """States that alpha-beta reaches per second."""
    state = game.initial_state()

    def search(depth: int) -> int:
        agent = AlphaBetaAgent(depth, None, engine="compiled", heuristic="open_lines")
        return agent.search(game, state).nodes

    search(2)
    begun = process_time()
    return search(DEPTH) / (process_time() - begun)


def mcts_rate(game: ConnectX, rollout: str) -> float:
    """MCTS simulations per second."""
    state = game.initial_state()

    def search(simulations: int) -> int:
        agent = MCTSAgent(simulations, engine="compiled", rollout=rollout, seed=1)
        return agent.search(game, state).simulations or 0

    search(10)
    begun = process_time()
    return search(SIMULATIONS) / (process_time() - begun)


def vector_rate(game: ConnectX) -> float:
    """Steps of a vector environment per second, with random legal moves."""
    env, sampler = make_vector_env(game, NUM_ENVS), LegalActionSampler(seed=1)
    masks = env.reset(seed=1)[1]["action_mask"]
    seconds = []
    for _ in range(STEPS):
        actions = sampler.sample(masks)
        begun = process_time()
        masks = env.step(actions)[4]["action_mask"]
        seconds.append(process_time() - begun)
    return NUM_ENVS / float(np.median(seconds))


RATES: Mapping[str, Callable[[ConnectX], float]] = {
    "solver, positions": solver_rate,
    "alpha-beta, states": alpha_beta_rate,
    "MCTS, simulations with uniform playouts": lambda game: mcts_rate(game, "uniform"),
    "MCTS, simulations with decisive playouts": lambda game: mcts_rate(game, "decisive"),
    "vector environment, steps": vector_rate,
}


def measure_words(rounds: int) -> Iterator[WordSpeed]:
    """Time each kind of work by the width of words, in Connect Four and on boards that need it."""
    cases = [
        *((CONNECT_FOUR, bits) for bits in sorted(WORDS)),
        *((game, 64) for game in WIDE_BOARDS),
    ]
    for work, rate in RATES.items():
        speeds = [WordSpeed(work, game, bits, []) for game, bits in cases]
        for _ in range(rounds):
            for speed in speeds:
                with words_of_at_least(speed.bits):
                    speed.rates.append(rate(speed.game))
        yield from speeds


def word_report(speeds: list[WordSpeed]) -> Report:
    """A row for each kind of work, with its rates in wide words as shares of that in 64 bits."""
    forced = [f"in {bits} bits" for bits in sorted(WORDS) if bits > min(WORDS)]
    boards = [f"{game.rows}x{game.columns}x{game.inarow}" for game in WIDE_BOARDS]
    rows = table("a second", "64 bits", *forced, *boards, words=("a second",))
    for work in RATES:
        narrow, *others = [speed.median for speed in speeds if speed.work == work]
        wide, elsewhere = others[: len(forced)], others[len(forced) :]
        rows.add_row(
            work,
            shown(narrow),
            *(f"{rate / narrow:.2f}" for rate in wide),
            *map(shown, elsewhere),
        )
    return [
        "Rates by processor time: Connect Four in words of 64 bits, the share of these rates in "
        "wider words, and boards that need such words (rows x columns x line):",
        rows,
    ]


def shown(rate: float) -> str:
    """A rate in millions."""
    return f"{rate / 1e6:.2g} M"
