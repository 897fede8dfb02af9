"""Reads games to replay, from results files or Kaggle's episodes, and the logs of their agents."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import inf
from pathlib import Path
from typing import Any

from agents.reporting.input_file import quoted, read_content, read_json, refused
from envs.board import BoardGame, BoardState, state_after
from submission.arena.game_record import GameConfiguration, GameRecord, Result
from submission.arena.own_referee import rewards_of
from submission.entry import PLAYED_WITH
from submission.kaggle import DONE
from submission.match.match import Match
from submission.match.results_file import match_of
from submission.reviewing.episodes import Episode, connectx_episode, open_spiel_episode

ADVICE = "name a file that --results or `kaggle competitions replay` has written"
LOG_ADVICE = "name a file that `kaggle competitions logs EPISODE AGENT` has written"


@dataclass(frozen=True, slots=True)
class ReplayFile:
    """The games of a results file or of an episode, all on the same board."""

    name: str  # of the file, without its folder
    configuration: GameConfiguration
    records: tuple[GameRecord, ...]
    """Its games; that of an episode has no move times, and the seed 0."""
    match: Match | None = None  # of a results file; None for an episode
    episode: int | None = None  # Kaggle's number of an episode


def read_replays(path: Path) -> ReplayFile:
    """Read the games of a results file or of an episode.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is neither, it is damaged, or its episode is of another game.
    """
    return replays_of(read_content(path, ADVICE), path)


def replays_of(content: bytes, path: Path) -> ReplayFile:
    """The games in the content of a file; raises ValueError like `read_replays`."""
    document = read_json(content, dict)
    if document is not None and "format" not in document:
        return _episode(document, path)
    if content.lstrip().startswith(b'{"format"'):
        match = match_of(content, path)
        configuration = match.settings.configuration
        return ReplayFile(path.name, configuration, match.records, match)
    raise ValueError(f"{path} is neither a results file nor a whole episode: {ADVICE}")


CAUSES = {
    "ERROR": "it raised an exception",
    "INVALID": "it did not choose a column with room",
    "TIMEOUT": "it took too long",
}
"""The cause of a failure by Kaggle's status, which is all that an episode has."""

LARGEST = 20  # rows, columns and stones in a row

EPISODES: Mapping[str, Callable[[Mapping[str, Any]], Episode]] = {
    "connectx": connectx_episode,
    "open_spiel_connect_four": open_spiel_episode,
}
"""The readers, by the name of the environment."""


def _episode(document: Mapping[str, Any], path: Path) -> ReplayFile:
    game = document.get("name")
    if not isinstance(game, str) or game not in EPISODES:
        what = f"an episode of {quoted(game)}" if isinstance(game, str) else "not an episode"
        known = " and ".join(EPISODES)
        raise ValueError(f"{path} is {what}; only those of {known} can be read: {ADVICE}")
    with refused(f"{path} is damaged", "download the episode again"):
        return _replayed(EPISODES[game](document), path.name)


def _replayed(episode: Episode, name: str) -> ReplayFile:
    configuration = _configuration(episode)
    env = configuration.env
    actions, state = _actions(env, episode)
    first, second = (status if status in CAUSES else DONE for status in episode.statuses)
    failed = next((status for status in (first, second) if status != DONE), None)
    is_over = failed is not None or not env.get_available_actions(state)
    if {"ACTIVE", "INACTIVE"} & {*episode.statuses} or not is_over:
        raise ValueError("it ends before its game does")
    player, opponent = _names(episode.info)
    rewards = rewards_of(env.winner(state))
    record = GameRecord(
        player=player,
        opponent=opponent,
        game=0,
        seed=0,
        seat=1,
        opening=tuple(episode.opening),
        columns=tuple(actions),
        statuses=(first, second),
        rewards=(rewards[0] if first == DONE else None, rewards[1] if second == DONE else None),
        result=Result.of((first, second), rewards, 1),
        durations=((), ()),
        cause=None if failed is None else f"{failed}: {CAUSES[failed]}",
    )
    id_ = episode.info.get("EpisodeId")
    number = id_ if isinstance(id_, int) else None
    return ReplayFile(name, configuration, (record,), episode=number)


def _configuration(episode: Episode) -> GameConfiguration:
    sizes, seconds = episode.sizes, episode.act_timeout
    if not all(type(size) is int and 1 <= size <= LARGEST for size in sizes):
        raise ValueError(f"its sizes are {quoted(sizes)}: each must be from 1 to {LARGEST}")
    if type(seconds) not in (int, float) or not 0 < seconds < inf:
        raise ValueError(f"its actTimeout is {quoted(seconds)}: it must be above 0")
    return GameConfiguration(*sizes, act_timeout=float(seconds), referee=episode.referee)


def _actions(env: BoardGame, episode: Episode) -> tuple[list[int], BoardState]:
    """The columns played and the last position, from the boards: a move may have been refused."""
    actions = [*episode.opening]
    state = state_after(env, actions)
    for board in map(list, episode.boards):
        if board == env.to_board(state):
            continue  # the beginning, or a refused move
        followers = {
            action: env.get_next_state(state, action) for action in env.get_available_actions(state)
        }
        reached = [a for a, child in followers.items() if env.to_board(child) == board]
        if not reached:
            plies = len(actions) + 1 - len(episode.opening)
            raise ValueError(f"no move leads to the board after {plies} plies")
        actions += reached
        state = followers[reached[0]]
    return actions, state


def _names(info: Mapping[str, Any]) -> tuple[str, str]:
    """The names of the teams, or else those of the seats."""
    names = info.get("TeamNames")
    if isinstance(names, list) and len(names) == 2:
        return str(names[0]), str(names[1])
    return "first", "second"


@dataclass(frozen=True, slots=True)
class AgentLog:
    """The moves of one seat in one game, in order, with a failed move, if any."""

    seconds: tuple[float, ...]
    errors: tuple[tuple[int, str], ...]
    """For each move that wrote to stderr, its number, from 0, and its last line there."""
    versions: str | None = None
    """The versions that the agent ran with, if it wrote them; see `submission.entry`."""

    @classmethod
    def of_moves(cls, seconds: Sequence[float], lines: Sequence[Sequence[str]]) -> "AgentLog":
        """The log of moves that took these seconds and wrote these lines to stderr."""
        errors = list[tuple[int, str]]()
        for number, written in enumerate(lines):
            own = [line for line in written if line.strip() and not line.startswith(PLAYED_WITH)]
            errors += [(number, line) for line in own[-1:]]
        told = (line for line in chain.from_iterable(lines) if line.startswith(PLAYED_WITH))
        versions = (line.removeprefix(PLAYED_WITH).strip() for line in told)
        return cls(tuple(seconds), tuple(errors), next(versions, None))

    @classmethod
    def of_record(cls, record: GameRecord) -> "AgentLog":
        """The log of the player of a game in a results file."""
        last = () if record.status == DONE else record.stderr
        return cls.of_moves(record.seconds, [*[()] * (len(record.seconds) - 1), last])

    def after_setting_up(self) -> "AgentLog":
        """The log with the first call merged into the first move.

        OpenSpiel's environments call the agent once before the game begins.
        """
        set_up, moves = self.seconds[:1], self.seconds[1:]
        seconds = (sum((*set_up, *moves[:1])), *moves[1:])
        errors = tuple((max(0, move - 1), line) for move, line in self.errors)
        return replace(self, seconds=seconds, errors=errors)

    def overtime(self, act_timeout: float) -> float:
        """The total seconds by which moves exceeded this limit."""
        return sum(max(0.0, seconds - act_timeout) for seconds in self.seconds)


def read_agent_log(path: Path, seat: int) -> AgentLog:
    """Read the log of a seat.

    A log is an array of steps, and a step an array with an entry for each seat: `{"duration":
    seconds, "stdout": text, "stderr": text}` for the seat that has moved, `{}` or nothing for the
    other one. Kaggle keeps a log for each seat, in which the other seat's entries are blank.

    Raises:
        OSError: the log cannot be read.
        ValueError: the file is not an agent's log.
    """
    steps = read_json(read_content(path, LOG_ADVICE), list)
    with refused(f"{path} is not an agent's log", LOG_ADVICE):
        if steps is None:
            raise ValueError("a log is a list of steps, in JSON")
        moves = list(_moves(steps, seat))
        lines = [str(move.get("stderr") or "").split("\n") for move in moves]
        return AgentLog.of_moves([*map(_duration, moves)], lines)


def _moves(steps: list[Any], seat: int) -> Iterator[dict[str, Any]]:
    """The entries of a seat that are not blank."""
    for step in steps:
        entries = step if isinstance(step, list) else [step]
        entry = entries[seat - 1] if len(entries) > 1 else next(iter(entries), None)
        if entry:
            yield entry


def _duration(move: Mapping[str, Any]) -> float:
    seconds = float(move["duration"])
    if not 0 <= seconds < inf:
        raise ValueError(f"a move took {seconds} s")
    return seconds


def log_beside(episode_file: Path, episode: int | None, seat: int) -> Path | None:
    """Find the log of a seat in the folder of an episode, by its file name.

    Kaggle's client names them `episode-123-replay.json` and `episode-123-agent-0-logs.json`; any
    name with the numbers of the episode and of the agent, in this order, will do. If the episode
    does not contain its number, its file name may. Seats 1 and 2 are agents 0 and 1.
    """
    in_name = re.search(r"\d+", episode_file.stem)
    number = episode if episode is not None else in_name[0] if in_name else None
    if number is None:
        return None
    name = re.compile(rf"(.*\D)?{number}\D+{seat - 1}(\D.*)?")
    found = sorted(path for path in episode_file.parent.iterdir() if name.fullmatch(path.name))
    return next((path for path in found if path.is_file() and path != episode_file), None)
