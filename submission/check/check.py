"""Whether Kaggle would accept a submission: plays it as Kaggle does, in sandboxes, and reports."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from submission.checking.check_games import FIRST_GAMES, planned_games, play_games
from submission.checking.check_result import CheckReport
from submission.checking.check_summary import JudgedGame, summarise
from submission.checking.choice import doubt_choice
from submission.checking.diagnosis import Fault, diagnose
from submission.checking.exception_causes import Surroundings
from submission.checking.game_watch import Limits
from submission.checking.observed_game import GamePlan, ObservedGame
from submission.checking.source_facts import SourceFacts, read_source
from submission.checking.staging import stage
from submission.isolation.child_process import PROJECT
from submission.isolation.limits import default_memory
from submission.isolation.project_hiding import PROJECT_PACKAGES
from submission.kaggle import kaggle_environments
from submission.progress import OnProgress

PATIENCE = 60.0
"""Seconds after which no further game begins."""


def check_submission(
    path: Path,
    *,
    python: Path | None = None,
    speed: float = 1.0,
    act_timeout: float = 2.0,
    bank: float = 60.0,
    run_timeout: float = 1200.0,
    game_seconds: float | None = None,
    pair_only: bool = False,
    patience: float = PATIENCE,
    memory: int | None = None,
    on_progress: OnProgress = lambda done, total, name: None,
) -> CheckReport:
    """Check a submission: it may hang, crash, end its interpreter or eat memory.

    The games that decide are on 6x7x4, in both seats against Kaggle's `random` agent and, if the
    submission passes these, against itself as in Kaggle's validation. Further games, on other
    sizes and with a short time limit, only warn.

    Args:
        path: a `.py` file, or a `.tar.gz` file with `main.py` at its top.
        python: the interpreter that plays, with the packages of its own, as `find_python` finds it;
            by default this one.
        speed: how fast the machine is to be beside this one, at most 1: below 1 the submission,
            with all its threads and processes, has this share of one core (only on Linux).
        act_timeout: seconds for a move.
        bank: seconds that a game's moves may take beyond their limit, in all.
        run_timeout: seconds for a game. The defaults of these three are Kaggle's.
        game_seconds: how long a game that decides is played, from the end of its first move; by
            default 8 at full speed. It goes on while the bank could still run out.
        pair_only: play no games but those against the `random` agent, one on each seat.
        patience: seconds after which no further game begins.
        memory: bytes of address space for the submission's process, enforced on Linux; by default
            a third of the machine's memory (two processes run at the same time), but at least
            4 GiB and at most the 16 GiB of Kaggle's.
        on_progress: told after each game how many are over, of how many at most, and its name.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is not a file that Kaggle can load, a limit leaves nothing, or the
            submission cannot be slowed down here.
        ModuleNotFoundError: kaggle_environments is not installed.
        ChildProcessError: Kaggle's environment does not start in a process of its own.
    """
    limits = Limits(
        act_timeout, bank, run_timeout, default_memory() if memory is None else memory, speed
    )
    if python is None:
        kaggle_environments()
    plans = planned_games(limits, game_seconds)[: FIRST_GAMES if pair_only else None]
    done = count(1)

    def on_game(plan: GamePlan) -> None:
        on_progress(next(done), len(plans), str(plan))

    with TemporaryDirectory(prefix="connectx-") as temporary:
        staged = Path(temporary)
        source = read_source(stage(path, staged), python)

        def play(plans: Sequence[GamePlan], patience: float) -> list[JudgedGame]:
            records = play_games(
                plans, staged, limits, python=python, patience=patience, on_game=on_game
            )
            return [JudgedGame(record, _judge(record, path, source, limits)) for record in records]

        games = _play_in_turn(plans, play, patience)
    return summarise(path, source, limits, games, len(plans))


def _play_in_turn(
    plans: Sequence[GamePlan],
    play: Callable[[Sequence[GamePlan], float], list[JudgedGame]],
    patience: float,
) -> list[JudgedGame]:
    """The games against the random agent and, unless they show a fault, all others."""
    begun = monotonic()
    first = play(plans[:FIRST_GAMES], patience)
    if any(game.fault for game in first):
        return first
    return first + play(plans[FIRST_GAMES:], patience - (monotonic() - begun))


def _neighbours(path: Path) -> Iterator[str]:
    """Names of what lies beside a submission, without this project's own packages."""
    packages = [PROJECT / name for name in PROJECT_PACKAGES]
    for entry in path.resolve().parent.iterdir():
        if entry not in packages:
            yield entry.name.partition(".")[0]


def _judge(record: ObservedGame, path: Path, source: SourceFacts, limits: Limits) -> Fault | None:
    surroundings = Surroundings(
        neighbours=frozenset(_neighbours(path)),
        project_packages=frozenset(PROJECT_PACKAGES),
        python=record.versions.python,
        hidden=record.hidden,
        memory=limits.memory,
    )
    doubt = doubt_choice(record.choice, source) if record.choice else None
    return diagnose(record, surroundings, doubt)
