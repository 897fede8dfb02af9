"""The logs that Kaggle keeps of an agent: the time of each move, and what went to stderr.

A log is an array of steps, and a step an array with an entry for each seat, `{"duration": seconds,
"stdout": text, "stderr": text}` for who has moved and `{}` or nothing for the other one. Kaggle
keeps a log for each seat, with the other seat's entries blank.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from submission.kaggle import DONE
from submission.match.game_record import GameRecord

ADVICE = "name a file that `kaggle competitions logs EPISODE AGENT` has written"


@dataclass(frozen=True, slots=True)
class AgentLog:
    """The moves of one seat in one game, in their order; one that failed is among them."""

    seconds: tuple[float, ...]
    errors: tuple[tuple[int, str], ...]
    """The number of a move, from 0, and the last line that it wrote to stderr."""

    @classmethod
    def of_record(cls, record: GameRecord, seat: int) -> "AgentLog":
        """The same of a game in a results file."""
        seconds = record.durations[seat - 1]
        failed = record.statuses[seat - 1] != DONE
        lines = record.stderr[-1:] if failed else ()
        return cls(seconds, tuple((len(seconds) - 1, line) for line in lines))

    def overtime(self, act_timeout: float) -> float:
        """The seconds by which its moves have exceeded this limit."""
        return sum(max(0.0, seconds - act_timeout) for seconds in self.seconds)


def read_agent_log(path: Path, seat: int) -> AgentLog:
    """Read the log of a seat.

    Args:
        path: the file.
        seat: 1 or 2.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no agent's log.
    """
    try:
        document = json.loads(path.read_bytes())
    except OSError as error:
        raise OSError(f"cannot read {path} ({error.strerror}): {ADVICE}") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no agent's log, which is JSON: {ADVICE}") from error
    if not isinstance(document, list):
        raise ValueError(f"{path} is no agent's log, which is a list of steps: {ADVICE}")
    try:
        moves = list(_moves(document, seat))
        seconds = tuple(float(move["duration"]) for move in moves)
        lines = [str(move.get("stderr") or "").split("\n") for move in moves]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is no agent's log ({error!r}): {ADVICE}") from error
    last = [next((line for line in reversed(each) if line.strip()), "") for each in lines]
    return AgentLog(seconds, tuple((number, line) for number, line in enumerate(last) if line))


def _moves(steps: list[Any], seat: int) -> Iterator[dict[str, Any]]:
    """The entries of a seat that are not blank."""
    for step in steps:
        entries = step if isinstance(step, list) else [step]
        entry = entries[seat - 1] if len(entries) > 1 else next(iter(entries), None)
        if entry:
            yield entry


def log_beside(episode_file: Path, episode: int | None, seat: int) -> Path | None:
    """Find the log of a seat in the folder of an episode, by the name of the file.

    Kaggle's client calls them `episode-123-replay.json` and `episode-123-agent-0-logs.json`; other
    names with the numbers of the episode and of the agent, in this order, do as well.

    Args:
        episode_file: the episode.
        episode: its number; None where it tells none, but its file's name may.
        seat: 1 or 2, which are Kaggle's agents 0 and 1.
    """
    in_name = re.search(r"\d+", episode_file.stem)
    number = episode if episode is not None else in_name[0] if in_name else None
    if number is None:
        return None
    name = re.compile(rf"(.*\D)?{number}\D+{seat - 1}(\D.*)?")
    found = sorted(path for path in episode_file.parent.iterdir() if name.fullmatch(path.name))
    return next((path for path in found if path.is_file() and path != episode_file), None)
