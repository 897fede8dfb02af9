"""Whether Kaggle would accept a submission: plays it as Kaggle does, in sandboxes, and reports."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from itertools import count
from pathlib import Path
from time import monotonic

from agents.agent import OnProgress
from submission.arena.game_record import GameConfiguration
from submission.checking.check_result import CheckReport, JudgedGame, summarise
from submission.checking.diagnosis import Fault, Surroundings, diagnose, doubt_choice
from submission.checking.observed_game import GamePlan, Limits, ObservedGame, Seats, observe_game
from submission.checking.source_facts import SourceFacts, read_source
from submission.kaggle import Referee, environment_of
from submission.sandbox.file_guard import PROJECT_MODULES, PROJECT_PLACES
from submission.sandbox.launcher import Launcher
from submission.sandbox.processes import default_memory
from submission.sandbox.staging import stage

PATIENCE = 60.0
"""Seconds after which no further game begins."""

FULL_SECONDS = 8.0
"""How long a game at the full time limit is played, from the end of its first move, at full
speed."""

SHORT_ACT_TIMEOUT = 0.1
"""Seconds for a move in the further games."""

SHORT_SECONDS = 1.5
"""As FULL_SECONDS, in the further games."""

DECIDING_SEATS: tuple[Seats, ...] = ((1,), (2,), (1, 2))

FIRST_GAMES = 2
"""How many games are played before all others: those against the `random` agent."""

OTHER_SIZES: tuple[tuple[tuple[int, int, int], Seats], ...] = (
    ((4, 5, 3), (1,)),
    ((4, 5, 3), (2,)),
    ((7, 8, 4), (1,)),
    ((7, 8, 4), (2,)),
    ((10, 12, 5), (1,)),
    ((10, 12, 5), (2,)),
    ((1, 1, 1), (1,)),
)
"""Rows, columns and inarow of further games of ConnectX, and the seats."""

MOST_GAMES = 2


def check_submission(
    path: Path,
    *,
    python: Path | None = None,
    referee: Referee = Referee.CONNECTX,
    speed: float = 1.0,
    act_timeout: float = 2.0,
    bank: float | None = None,
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
        referee: the environment of kaggle-environments whose games are played. OpenSpiel's hold
            the games themselves, in this process.
        speed: how fast the machine is to be beside this one, at most 1: below 1 the submission,
            with all its threads and processes, has this share of one core (only on Linux).
        act_timeout: seconds for a move.
        bank: seconds that a game's moves may take beyond their limit, in all; by default the
            referee's, 60 or, with OpenSpiel's, 12.
        run_timeout: seconds for a game. The defaults of these three are those of Kaggle's ConnectX.
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
        ModuleNotFoundError: kaggle_environments is not installed, or OpenSpiel where it is needed.
        ChildProcessError: Kaggle's environment does not start in a process of its own.
    """
    limits = Limits(
        act_timeout,
        referee.bank if bank is None else bank,
        run_timeout,
        default_memory() if memory is None else memory,
        speed,
    )
    if referee.is_open_spiel:
        environment_of(referee)  # which is needed here, wherever the submission runs
    plans = planned_games(limits, game_seconds, referee)[: FIRST_GAMES if pair_only else None]
    done = count(1)

    def on_game(plan: GamePlan) -> None:
        on_progress(next(done), len(plans), str(plan))

    with closing(Launcher(python)) as launcher:
        staged = launcher.folder()
        source = read_source(stage(path, staged), python)

        def play(plans: Sequence[GamePlan], patience: float) -> list[JudgedGame]:
            records = _play_games(plans, staged, limits, launcher, patience, on_game)
            return [JudgedGame(record, _judge(record, path, source)) for record in records]

        games = _play_in_turn(plans, play, patience)
    return summarise(path, source, limits, games, len(plans))


def planned_games(
    limits: Limits, seconds: float | None = None, referee: Referee = Referee.CONNECTX
) -> list[GamePlan]:
    """All games of a check, in the order in which they are played.

    The first three decide: those against Kaggle's `random` agent, and that against itself, with
    which Kaggle validates a submission. The others show whether the submission depends on the
    board's size or on the time to think.

    Args:
        limits: what the submission may take.
        seconds: how long a game that decides is played, from the end of its first move; by default
            FULL_SECONDS, and longer at a lower speed, as the others are in any case.
        referee: who holds them.
    """
    full = FULL_SECONDS / limits.speed if seconds is None else seconds
    short = SHORT_SECONDS / limits.speed
    rules = GameConfiguration.of(referee)
    full_size = rules.rows, rules.columns, rules.inarow
    deciding = [
        GamePlan(*full_size, seats, limits.act_timeout, full, decides=True, referee=referee)
        for seats in DECIDING_SEATS
    ]
    other_sizes = OTHER_SIZES if referee.game == "connectx" else ()
    further = [
        GamePlan(*size, seats, SHORT_ACT_TIMEOUT, short, decides=False, referee=referee)
        for size, seats in ((full_size, (1, 2)), *other_sizes)
    ]
    return deciding + further


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


def _play_games(
    plans: Sequence[GamePlan],
    staged: Path,
    limits: Limits,
    launcher: Launcher,
    patience: float,
    on_game: Callable[[GamePlan], None],
) -> list[ObservedGame]:
    """Play games, at most one a core and two at the same time, which distorts no timing.

    Args:
        plans: the games, in the order in which they begin.
        staged: folder with the submission.
        limits: what the submission may take.
        launcher: starts players; it is closed where this fails.
        patience: seconds after which no game begins that does not decide.
        on_game: told, in the caller's thread, after each game.

    Returns:
        The records of the games that were played, in the order of the plans.
    """
    end = monotonic() + patience

    def play(plan: GamePlan) -> ObservedGame | None:
        if not plan.decides and monotonic() > end:
            return None
        return observe_game(plan, staged, limits, launcher)

    with ThreadPoolExecutor(min(MOST_GAMES, os.cpu_count() or 1)) as pool:
        games = {pool.submit(play, plan): plan for plan in plans}
        try:
            for game in as_completed(games):
                game.result()
                on_game(games[game])
        except BaseException:
            launcher.close()
            pool.shutdown(cancel_futures=True)
            raise
    return [record for game in games if (record := game.result()) is not None]


def _neighbours(path: Path) -> Iterator[str]:
    """Names of what lies beside a submission, without this project's own."""
    for entry in path.resolve().parent.iterdir():
        if entry not in PROJECT_PLACES:
            yield entry.name.partition(".")[0]


def _judge(record: ObservedGame, path: Path, source: SourceFacts) -> Fault | None:
    surroundings = Surroundings(
        neighbours=frozenset(_neighbours(path)), project_modules=frozenset(PROJECT_MODULES)
    )
    doubt = doubt_choice(record.choice, source) if record.choice else None
    return diagnose(record, surroundings, doubt)
