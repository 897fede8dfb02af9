"""The checks of players that are compared: whether Kaggle accepts them, and how slow they are.

Kaggle's own agents are not checked, for they are no submissions.
"""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from agents.agent import OnProgress
from submission.arena.players import Player
from submission.checking.check import check_submission
from submission.checking.check_report import CheckReport, CheckVerdict
from submission.checking.diagnosis import Fault
from submission.checking.timing import Timing
from submission.sandbox.processes import can_throttle
from submission.sandbox.staging import GZIP

SLOW_SPEED = 1 / 3
PAIR_SECONDS = 5.0  # how long each game is played after its first move


@dataclass(frozen=True, slots=True)
class SlowMoves:
    """The moves of a player on a machine a third as fast."""

    player: str
    timing: Timing | None  # None where it made no move
    fault: str | None  # what went wrong there


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
            f"{player.name} would not be accepted ({fault.cause}): mend it, `connectx check` tells "
            "more"
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
