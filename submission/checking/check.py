"""Checks whether Kaggle would accept a submission, by playing it as Kaggle does, in sandboxes."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import count
from math import inf
from pathlib import Path
from time import monotonic

from agents.agent import Clock, OnProgress
from agents.options import require_at_least
from agents.parallel.workers import CORES, Workers
from submission.checking.check_report import CheckReport
from submission.checking.check_result import summarise
from submission.checking.diagnosis import diagnose
from submission.checking.game_plan import FIRST_GAMES, GamePlan, Limits, planned_games
from submission.checking.game_watch import doubtful_seats
from submission.checking.observed_game import ObservedGame, observe_game
from submission.kaggle import Referee, environment_of
from submission.sandbox.folders import owned_folder
from submission.sandbox.inside.file_guard import PROJECT_PLACES
from submission.sandbox.inside.source_facts import read_source
from submission.sandbox.launcher import Launcher
from submission.sandbox.processes import default_memory
from submission.sandbox.staging import stage

PATIENCE = 60.0  # seconds after which no further game that only warns starts
MOST_GAMES = 2  # at the same time, and at most one per core, so as not to distort the times


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
    memory: float | None = None,
    on_progress: OnProgress = lambda done, total, name: None,
) -> CheckReport:
    """Check a submission, which may hang, crash, end its interpreter or use up memory.

    The games that decide are on 6x7x4, in both seats against Kaggle's `random` agent and, if the
    submission passes these, against itself as in Kaggle's validation. These are seldom full games.
    If its bank of time could run out in a full game, it plays a long game in that seat, which
    decides, too. Further games, on other sizes and with a short time limit, only cause warnings.

    Args:
        path: a `.py` file, or a `.tar.gz` file with `main.py` at its top.
        python: the interpreter that plays, with its own packages, as `find_python` finds it; by
            default this one.
        referee: the environment of kaggle-environments whose games are played. OpenSpiel's
            environments referee the games themselves, in this process.
        speed: the simulated speed of the machine, 1 for this one: below 1 the submission, with all
            its threads and processes, gets this share of one core (only on Linux).
        act_timeout: seconds for a move.
        bank: seconds that a game's moves may take beyond their limit, in all; by default the
            referee's, 60 or, with OpenSpiel's, 12.
        run_timeout: seconds for a game. The defaults of these three are those of Kaggle's ConnectX.
        game_seconds: how long a game that decides is played, from the end of its first move; by
            default 8 at full speed. A long one continues while the bank could still run out.
        pair_only: play only the games against the `random` agent, one in each seat, and long games
            if these make them necessary.
        patience: seconds after which no further game that only warns starts; with 0 none does.
        memory: bytes of address space for the submission's process, enforced on Linux; by default
            a third of the machine's memory (two processes run at the same time), but at least
            4 GiB and at most the 16 GiB of Kaggle's.
        on_progress: called after each game with the number of games so far, the number planned,
            and its name.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: Kaggle cannot load the file, a limit is out of range, a time is below 0, or the
            submission cannot be slowed down on this system.
        ModuleNotFoundError: kaggle_environments is not installed, or OpenSpiel where it is needed.
        ChildProcessError: Kaggle's environment does not start in a process of its own.
    """
    require_at_least("memory", memory, 0)
    for name, number in (("patience", patience), ("game_seconds", game_seconds)):
        require_at_least(name, number, 0, inf)
    limits = Limits(
        act_timeout,
        referee.bank if bank is None else bank,
        run_timeout,
        default_memory() if memory is None else int(memory),
        speed,
    )
    if referee.is_open_spiel:
        environment_of(referee)  # needed here, wherever the submission runs
    plans = planned_games(limits, game_seconds, referee)[: FIRST_GAMES if pair_only else None]
    done = count(1)
    with owned_folder() as folder:
        source = read_source(stage(path, folder), python)
    submission, end = path.read_bytes(), monotonic() + patience
    beside = (entry for entry in path.resolve().parent.iterdir() if entry not in PROJECT_PLACES)
    neighbours = {entry.name.partition(".")[0] for entry in beside}
    with (
        ThreadPoolExecutor(min(MOST_GAMES, CORES)) as pool,
        closing(Launcher(python)) as launcher,  # closed before the pool, whose threads wait for it
    ):

        def judge(plan: GamePlan) -> ObservedGame | None:
            if not plan.decides and monotonic() > end:
                return None
            game = observe_game(plan, submission, limits, launcher)
            return replace(game, fault=diagnose(game, source, neighbours))

        def play(chosen: Sequence[GamePlan]) -> list[ObservedGame]:
            tasks = ((plan, partial(judge, plan)) for plan in chosen)
            games = dict[GamePlan, ObservedGame | None]()
            for plan, game in Workers(pool, len(chosen)).run(tasks, Clock()):
                games[plan] = game
                on_progress(next(done), len(plans), str(plan))
            return [game for plan in chosen if (game := games[plan])]

        games = _play_in_turn(plans, play, limits)
    return summarise(path, source, limits, games, len(plans), patience)


def _play_in_turn(
    plans: list[GamePlan], play: Callable[[Sequence[GamePlan]], list[ObservedGame]], limits: Limits
) -> list[ObservedGame]:
    """Play the games against the random agent and, unless they show a fault, all others.

    Long games that the others make necessary are added to the plans, and played right after them.
    """
    games = list[ObservedGame]()
    for part in (plans[:FIRST_GAMES], plans[FIRST_GAMES:]):
        games += play(part)
        long_ones = _long_games(games, limits)
        plans += long_ones
        games += play(long_ones)
        if any(game.fault for game in games if game.plan.decides):
            break
    return games


def _long_games(games: Sequence[ObservedGame], limits: Limits) -> list[GamePlan]:
    """A long game in each seat whose bank could run out; none if one was played or a fault found.

    An estimate would not do, because agents may plan with their bank: one that uses much of it in
    the opening may never run out.
    """
    deciding = [game for game in games if game.plan.decides]
    if any(game.fault for game in deciding):
        return []
    shown = {seat for game in deciding if game.plan.is_long for seat in game.moves}
    long_ones = {
        seat: replace(game.plan, seats=(seat,), is_long=True)
        for game in deciding
        for seat in doubtful_seats(game.moves, game.plan, limits)
        if seat not in shown
    }
    return [long_ones[seat] for seat in sorted(long_ones)]
