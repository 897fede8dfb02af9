"""Tries out the players that are compared: Kaggle's check, games, and times on a slow machine.

Kaggle's own agents are not checked, because they are not submissions.
"""

from concurrent.futures import Executor
from contextlib import closing
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from agents.agent import OnProgress
from submission.arena.game_record import GameRecord
from submission.arena.players import Pairing, Player
from submission.checking.check import check_submission
from submission.checking.check_report import CheckReport, CheckVerdict
from submission.checking.observed_game import Fault
from submission.comparing.comparison import Comparison, SlowMoves, duration
from submission.comparing.finding import ComparisonSettings, ThreeWayTest
from submission.executors.work import EarlyEnd
from submission.match.match import Match
from submission.match.run import play_games
from submission.match.schedule import schedule
from submission.sandbox.processes import can_throttle
from submission.sandbox.staging import GZIP

SLOW_SPEED = 1 / 3
PAIR_SECONDS = 5.0  # for each game, after its first move


def require_accepted(player: Player, on_progress: OnProgress) -> None:
    """Play a pair of games, and refuse a player that fails Kaggle's check or lacks a module."""
    if player.source is None:
        return
    report = _pair(player.source, 1.0, on_progress)
    fault = _fault(report)
    if fault is not None and report.verdict is CheckVerdict.UNDECIDED:
        raise ValueError(f"{player.name} cannot be judged here ({fault.cause}): {fault.mend}")
    if fault is not None:
        raise ValueError(
            f"{player.name} would not be accepted ({fault.cause}): fix it; `connectx check` says "
            "more"
        )


FORECAST_SECONDS = 0.5  # from one forecast to the next


def play_until_decided(
    pairing: Pairing, settings: ComparisonSettings, executor: Executor, on_progress: OnProgress
) -> Comparison:
    """Play the new player against the old one, until the test decides or all games are played.

    Ctrl-C and the death of a worker process end it early; see `Match.completion`.
    """
    test, records = ThreeWayTest(settings.margin), dict[int, GameRecord]()
    forecast_at, forecast, begin = 0.0, "", perf_counter()
    games = schedule([pairing], settings.match)
    on_progress(0, settings.games, "")
    with (
        EarlyEnd() as ending,
        closing(play_games(games, lambda _: test.games is None, executor)) as played,
    ):
        for record in played:
            test.add(record)
            records[record.game] = record
            if (passed := perf_counter() - begin) > forecast_at + FORECAST_SECONDS:
                more, forecast_at = test.games_to_come([*records.values()]), passed
                time = duration(more * passed / len(records))
                forecast = f"about {more} more games, {time}"
            on_progress(len(records), settings.games, forecast)
    end = inf if test.games is None else test.games
    counted = [records[game] for game in sorted(records) if game < end]
    return Comparison(
        settings=settings,
        match=Match.of(
            [pairing], settings.match, completion=ending.completion, records=tuple(counted)
        ),
        finding=test.finding,
        seconds=perf_counter() - begin,
        games_to_come=test.games_to_come(counted),
    )


def slow_moves(player: Player, on_progress: OnProgress) -> list[SlowMoves]:
    """Time a player at a third of this machine's speed; empty if that is impossible."""
    if player.source is None or not can_throttle():
        return []
    report = _pair(player.source, SLOW_SPEED, on_progress)
    fault = _fault(report)
    return [SlowMoves(player.name, report.timing, None if fault is None else fault.cause)]


def _pair(source: bytes, speed: float, on_progress: OnProgress) -> CheckReport:
    with TemporaryDirectory(prefix="connectx-") as folder:
        path = Path(folder, "submission.tar.gz" if source.startswith(GZIP) else "submission.py")
        path.write_bytes(source)
        return check_submission(
            path, speed=speed, game_seconds=PAIR_SECONDS, pair_only=True, on_progress=on_progress
        )


def _fault(report: CheckReport) -> Fault | None:
    return next((game.fault for game in report.games if game.decides and game.fault), None)
