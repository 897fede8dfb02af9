"""Episodes and agent logs made by Kaggle's own environment."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from submission.kaggle import kaggle_environments

NUMBER = 81234567


def plays(columns: Sequence[int]) -> Any:
    """An agent for Kaggle that plays these columns, counted from 0, on its turns."""
    left = iter(columns)
    return lambda observation, configuration: next(left)


def episode_of(
    moves: str, names: Sequence[str] | None = ("Mine", "Theirs"), **configuration: int
) -> Any:
    """Kaggle's environment after a game with these columns, a digit each, counted from 1."""
    columns = [int(digit) - 1 for digit in moves]
    env = kaggle_environments().make("connectx", configuration)
    if names is not None:
        env.info |= {"TeamNames": [*names], "EpisodeId": NUMBER}
    env.run([plays(columns[::2]), plays(columns[1::2])])
    return env


def write_episode(env: Any, folder: Path, number: int = NUMBER) -> Path:
    """Write the episode to a file named as by Kaggle's client."""
    path = folder / f"episode-{number}-replay.json"
    path.write_text(json.dumps(env.toJSON()), encoding="utf-8")
    return path


def write_log(env: Any, folder: Path, agent: int) -> Path:
    """Write the log of one agent, 0 or 1, with the other's entries blank, as Kaggle does."""
    steps = [[entry if seat == agent else {} for seat, entry in enumerate(s)] for s in env.logs]
    path = folder / f"episode-{NUMBER}-agent-{agent}-logs.json"
    path.write_text(json.dumps(steps), encoding="utf-8")
    return path
