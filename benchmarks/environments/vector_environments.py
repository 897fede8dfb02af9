"""Times the vector environments by the size of the batch, beside pgx."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from benchmarks.environments.puffer_peer import PufferGames
from benchmarks.environments.random_games import play_random_games
from benchmarks.environments.vector_peer import PGX_IDS, PgxGames
from benchmarks.results import Report, table
from envs import BoardGame, ConnectFour, TicTacToe
from envs.learning.random_play import LegalActionSampler
from envs.learning.vector.vector_env import make_vector_env

BATCHES = (1, 8, 64, 512, 2048, 8192, 16384, 65536)
"""The numbers of games that step together."""
STEPS = 30
"""Steps of a round: more than a game of tic-tac-toe has, and than most of Connect Four have."""
ONE_THREAD, TWO_THREADS, SAME_STEP, PEER = "1 thread", "2 threads", "same step", "pgx"
ONE_AGAINST_RANDOM, TWO_AGAINST_RANDOM = "1 thread, random", "2 threads, random"
RANDOM_GAMES = 100_000
"""Whole games of a round."""
OPPONENTS = (
    "random",
    *(f"level:n={n}" for n in range(2, 8)),
    "policy",
    "policy:temperature=1",
)
"""The opponents that play inside the step."""
PUFFERLIB = "PufferLib's C environment, its own opponent"
OPPONENT_BATCH = 1024
"""Games that step together against each opponent."""
RULES: dict[str, BoardGame] = {"Connect Four": ConnectFour(), "tic-tac-toe": TicTacToe()}


class Steppable(Protocol):
    """Many games, each of which plays an action at each step."""

    sampler: LegalActionSampler
    """Draws the actions."""

    def action_masks(self) -> NDArray[np.int8]:
        """1 for each legal action, of shape (num_envs, actions)."""

    def prepare(self, actions: NDArray[np.int64]) -> Any:
        """The actions as `step` takes them."""

    def step(self, actions: Any) -> object:
        """Play an action in each game."""


class OurGames:
    """Our vector environment: new observations, masks and rewards at each step."""

    def __init__(
        self,
        game: str,
        num_envs: int,
        threads: int = 1,
        autoreset_mode: str = "NextStep",
        opponent: str | None = None,
    ) -> None:
        self._env = make_vector_env(
            RULES[game],
            num_envs,
            opponent=opponent,
            threads=threads,
            autoreset_mode=autoreset_mode,
        )
        self.sampler = LegalActionSampler(seed=1, threads=threads)
        self._infos = self._env.reset(seed=1)[1]

    def action_masks(self) -> NDArray[np.int8]:
        """The masks that came with the last step."""
        masks: NDArray[np.int8] = self._infos["action_mask"]
        return masks

    def prepare(self, actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """The actions, unchanged."""
        return actions

    def step(self, actions: NDArray[np.int64]) -> None:
        """Play an action in each game."""
        self._infos = self._env.step(actions)[4]


MAKERS: dict[str, Callable[[str, int], Steppable]] = {
    ONE_THREAD: OurGames,
    TWO_THREADS: lambda game, size: OurGames(game, size, threads=2),
    SAME_STEP: lambda game, size: OurGames(game, size, autoreset_mode="SameStep"),
    ONE_AGAINST_RANDOM: lambda game, size: OurGames(game, size, opponent="random"),
    TWO_AGAINST_RANDOM: lambda game, size: OurGames(game, size, threads=2, opponent="random"),
    PEER: PgxGames,
}


@dataclass(frozen=True)
class BatchSpeed:
    """Steps per second of a batch: the median over rounds of the median over steps.

    `by_processor` counts processor time, of which two threads save none; `by_clock` elapsed time.
    """

    game: str
    size: int
    by_processor: dict[str, float]
    by_clock: dict[str, float]


def measure_batches(rounds: int) -> Iterator[BatchSpeed]:
    """Time each batch of each game, the compared environments in turn."""
    for game in RULES:
        for size in BATCHES:
            yield measure_batch(game, size, rounds)


def measure_batch(game: str, size: int, rounds: int) -> BatchSpeed:
    """Time the steps of a batch in each environment that is installed."""
    games: dict[str, Steppable] = {}
    for name, make in MAKERS.items():
        try:
            games[name] = make(game, size)
        except ModuleNotFoundError:
            continue
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in games}
    for played in games.values():
        time_steps(played)
    for _ in range(rounds):
        for name, played in games.items():
            times[name].append(time_steps(played))
    return BatchSpeed(
        game,
        size,
        {name: size / median(processor for processor, _ in pairs) for name, pairs in times.items()},
        {name: size / median(clock for _, clock in pairs) for name, pairs in times.items()},
    )


def time_steps(games: Steppable) -> tuple[float, float]:
    """Seconds per step, by the processor and by the clock, without drawing the actions."""
    processor, clock = [], []
    for _ in range(STEPS):
        actions = games.prepare(games.sampler.sample(games.action_masks()))
        busy, started = process_time(), perf_counter()
        games.step(actions)
        clock.append(perf_counter() - started)
        processor.append(process_time() - busy)
    return median(processor), median(clock)


def measure_random_games(rounds: int) -> Iterator[tuple[str, float]]:
    """Plies per second of whole random games on one thread, the median over the rounds."""
    for game, rules in RULES.items():
        play_random_games(rules, 1, seed=1)
        speeds = []
        for seed in range(rounds):
            busy = process_time()
            plies = play_random_games(rules, RANDOM_GAMES, seed).plies
            speeds.append(plies / (process_time() - busy))
        yield game, median(speeds)


def measure_opponents(rounds: int, pufferlib: Path | None = None) -> Iterator[tuple[str, float]]:
    """Steps per second of Connect Four against each opponent, the median over the rounds.

    Args:
        rounds: the number of timings of each.
        pufferlib: the folder of PufferLib's unpacked source, to time its environment as well.

    Raises:
        FileNotFoundError: the source or a C compiler is missing.
    """
    puffer_games = None if pufferlib is None else PufferGames(pufferlib, OPPONENT_BATCH)
    for opponent in OPPONENTS:
        yield (
            opponent,
            steps_per_second(OurGames("Connect Four", OPPONENT_BATCH, opponent=opponent), rounds),
        )
    if puffer_games is not None:
        yield PUFFERLIB, steps_per_second(puffer_games, rounds)


def steps_per_second(games: Steppable, rounds: int) -> float:
    """Steps per second of processor time, the median over the rounds."""
    time_steps(games)
    return len(games.action_masks()) / median(time_steps(games)[0] for _ in range(rounds))


def opponent_report(measured: Iterable[tuple[str, float]]) -> Report:
    """The steps per second against each opponent."""
    return [
        f"Connect Four, {OPPONENT_BATCH} environments, one thread, by the opponent: million steps "
        "a second of processor time, in each a move of the learner and a reply",
        _rates("opponent", "steps", measured, digits=3),
    ]


def random_game_report(measured: Iterable[tuple[str, float]]) -> Report:
    """The plies per second of random games."""
    return [
        "Whole random games, one thread: million plies a second of processor time",
        _rates("game", "plies", measured, digits=2),
    ]


def _rates(kind: str, unit: str, measured: Iterable[tuple[str, float]], digits: int) -> Table:
    rows = table(kind, unit, words=(kind,))
    for name, speed in measured:
        rows.add_row(name, millions(speed, digits))
    return rows


def batch_report(measured: Sequence[BatchSpeed]) -> Report:
    """The steps per second by the size of the batch, and ours beside the peer's best."""
    heading = (
        "Vector environments in self-play: million steps a second of processor time; and how "
        "many times as fast two threads are by the clock, in self-play and against random actions"
    )
    rows = table(
        "game", "batch", ONE_THREAD, SAME_STEP, PEER, TWO_THREADS, "against random", words=("game",)
    )
    for speed in measured:
        figures = [speed.by_processor.get(name) for name in (ONE_THREAD, SAME_STEP, PEER)]
        gains = [
            f"x{speed.by_clock[two] / speed.by_clock[one]:.2f}"
            for one, two in (
                (ONE_THREAD, TWO_THREADS),
                (ONE_AGAINST_RANDOM, TWO_AGAINST_RANDOM),
            )
        ]
        rows.add_row(speed.game, str(speed.size), *map(millions, figures), *gains)
    return [heading, rows, *(_beside_pgx(game, measured) for game in PGX_IDS)]


def _beside_pgx(game: str, measured: Sequence[BatchSpeed]) -> str:
    best = [s.by_processor[PEER] for s in measured if s.game == game and PEER in s.by_processor]
    ours = [s.by_processor[ONE_THREAD] for s in measured if (s.game, s.size) == (game, 8192)]
    if not best:
        return "pgx is missing: install it with `pip install pgx`"
    return f"{game}: ours at 8192 over the best of pgx: x{ours[0] / max(best):.1f}"


def millions(figure: float | None, digits: int = 2) -> str:
    """A rate in millions, or a dash where there is none."""
    return "-" if figure is None else f"{figure / 1e6:.{digits}f}"


def draw_batches(measured: Sequence[BatchSpeed], path: Path) -> None:
    """Draw steps per second against the size of the batch, as PNG or SVG by the path's ending.

    Raises:
        ModuleNotFoundError: matplotlib is not installed.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    games = sorted({speed.game for speed in measured})
    axes: Any = figure.subplots(1, len(games), sharey=True, squeeze=False)[0]
    for axis, game in zip(axes, games, strict=True):
        speeds = [speed for speed in measured if speed.game == game]
        for name in (ONE_THREAD, SAME_STEP, PEER):
            points = [
                (speed.size, speed.by_processor[name])
                for speed in speeds
                if name in speed.by_processor
            ]
            if points:
                axis.loglog(*zip(*points, strict=True), marker="o", label=name)
        axis.set(title=game, xlabel="games in a batch", ylabel="steps per second")
        axis.grid(visible=True, which="major", alpha=0.3)
        axis.legend()
    figure.savefig(path)
