"""Times how games are run: ours beside kaggle_environments, two workers beside one."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Protocol

from benchmarks.results import Report, table
from benchmarks.timings import Timings, spread, time_in_turn
from submission.arena.game_record import GameConfiguration
from submission.arena.players import Pairing, Player, PlayerKind, find_player
from submission.executors.local_workers import local_executor
from submission.kaggle import kaggle_environments
from submission.match.run import play_game, play_match
from submission.match.schedule import Arena, GameSpecification, Settings

TRIVIAL_SUBMISSION = Player(
    "main.py",
    PlayerKind.FILE,
    b"def agent(observation, configuration):\n    return observation['board'].index(0)\n",
)
"""Plays the first open column: the board begins with its top row."""
THINKING_SUBMISSION = Player(
    "main.py",
    PlayerKind.FILE,
    b"from time import perf_counter\n\n"
    b"def agent(observation, configuration):\n"
    b"    end = perf_counter() + 0.01\n"
    b"    while perf_counter() < end:\n"
    b"        pass\n"
    b"    return observation['board'].index(0)\n",
)
"""The same, after computing for a hundredth of a second."""
GAMES = {Arena.KAGGLE: 10, Arena.OWN: 100}
"""Games of a timing without workers, by arena."""
WORKER_GAMES = 60
"""Games of a timing with workers."""


@dataclass(frozen=True)
class RunnerSpeed:
    """The times of a workload: elapsed seconds per move, in each round."""

    name: str
    ours: Timings
    peer: Timings
    goal: float
    """How many times as fast as the peer ours should be."""


class RunnerWorkload(Protocol):
    """Games that are run in two ways."""

    @property
    def name(self) -> str:
        """The players and the arena."""

    def measure(self, rounds: int) -> RunnerSpeed:
        """Time the two in turn, `rounds` times over, after a warm-up of each."""


@dataclass(frozen=True)
class BesideKaggle:
    """A player against itself: by our runner, and by `make` and `run` of kaggle_environments."""

    name: str
    player: Player
    arena: Arena
    goal: float

    def measure(self, rounds: int) -> RunnerSpeed:
        """Time the two in turn.

        Raises:
            ModuleNotFoundError: kaggle_environments is not installed.
        """
        with as_kaggle_takes(self.player) as submission:
            self.ours(games=1)
            plainly_on_kaggle(submission, games=1)
            ours, (peer,) = time_in_turn(
                lambda: self.ours(GAMES[self.arena]),
                [("Kaggle", lambda: plainly_on_kaggle(submission, GAMES[Arena.KAGGLE]))],
                rounds,
            )
        return RunnerSpeed(self.name, ours, peer, self.goal)

    def ours(self, games: int) -> float:
        """Seconds per move, from the empty board, each game with its own seed."""
        pairing, board = Pairing(self.player, self.player), GameConfiguration()
        started = perf_counter()
        records = [
            play_game(GameSpecification(pairing, game, game, (), board, self.arena))
            for game in range(games)
        ]
        return (perf_counter() - started) / sum(len(record.columns) for record in records)


@dataclass(frozen=True)
class TwoWorkers:
    """Games of two players in two worker processes, beside the same games in one."""

    name: str
    pairing: Pairing
    arena: Arena
    goal: float = 1.8

    def measure(self, rounds: int) -> RunnerSpeed:
        """Time the two in turn; starting the processes is not counted."""
        with local_executor(1) as one:
            self.on(one)
            with local_executor(2) as two:
                self.on(two)
                ours, (peer,) = time_in_turn(
                    lambda: self.on(two), [("one", lambda: self.on(one))], rounds
                )
        return RunnerSpeed(self.name, ours, peer, self.goal)

    def on(self, executor: Executor) -> float:
        """Seconds per move."""
        settings = Settings(games=WORKER_GAMES, arena=self.arena)
        started = perf_counter()
        records = play_match([self.pairing], settings, executor=executor).records
        seconds = perf_counter() - started
        return seconds / sum(len(record.columns) - len(record.opening) for record in records)


def runner_workloads() -> list[RunnerWorkload]:
    """The workloads, with their goals."""
    built_in, ours = find_player("random"), find_player("random:")
    return [
        BesideKaggle("two files, Kaggle's arena", TRIVIAL_SUBMISSION, Arena.KAGGLE, 1 / 1.2),
        BesideKaggle("Kaggle's random, own arena", built_in, Arena.OWN, 50),
        BesideKaggle("our random, own arena", ours, Arena.OWN, 50),
        TwoWorkers(
            "two workers, Kaggle's arena", Pairing(THINKING_SUBMISSION, built_in), Arena.KAGGLE
        ),
        TwoWorkers(
            "two workers, own arena",
            Pairing(
                find_player("mcts:simulations=2000,weights=none"),
                find_player("alphabeta:depth=6,weights=none"),
            ),
            Arena.OWN,
        ),
    ]


@contextmanager
def as_kaggle_takes(player: Player) -> Iterator[str]:
    """A player as `env.run` takes it: a built-in's name, or the path of a file."""
    if player.source is None:
        yield player.name
        return
    with TemporaryDirectory(prefix="connectx-") as folder:
        path = Path(folder, "main.py")
        path.write_bytes(player.source)
        yield str(path)


def plainly_on_kaggle(submission: str, games: int) -> float:
    """Seconds per move of a submission against itself, by kaggle_environments alone."""
    make = kaggle_environments().make
    started = perf_counter()
    moves = 0
    for _ in range(games):
        steps = make("connectx").run([submission, submission])
        moves += len(steps) - 1
    return (perf_counter() - started) / moves


def runner_report(measured: Sequence[RunnerSpeed]) -> Report:
    """A row for each workload."""
    rows = table("games", "ours", "beside", "times as fast", "goal", words=("games",))
    for speed in measured:
        factors = speed.ours.times_faster(speed.peer)
        missed = "" if median(factors) >= speed.goal else "missed: "
        rows.add_row(
            speed.name,
            f"{1000 * speed.ours.median:.3g}",
            f"{speed.peer.name} {1000 * speed.peer.median:.3g}",
            spread(factors),
            f"{missed}{speed.goal:.2g}",
        )
    return ["Running games: milliseconds a move by the clock, beside kaggle_environments", rows]
