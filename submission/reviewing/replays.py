"""Games to look at again, from results files or Kaggle's episodes, and the logs of their agents."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from agents.reporting.input_file import read_content
from envs.board import BoardGame, moves_text, parse_moves
from envs.games import game_id
from submission.arena.game_record import GameConfiguration, GameRecord, Result
from submission.kaggle import DONE
from submission.match.match import Match
from submission.match.results_file import read_results

ADVICE = "name a file that --results or `kaggle competitions replay` has written"

LOG_ADVICE = "name a file that `kaggle competitions logs EPISODE AGENT` has written"


@dataclass(frozen=True, slots=True)
class Replay:
    """A game that was played."""

    number: int
    """In its file, from 0."""
    game: str
    """As `envs.games.game_id` names it."""
    moves: str
    """As `envs.board.parse_moves` reads them; a move that was not carried out is left out."""
    players: tuple[str, str]
    """The names of who moved first, and who second."""
    player: str
    """From whose view the result is."""
    opponent: str
    seat: int
    """The player's: 1 moves first, 2 second."""
    result: Result
    plies: int
    cause: str | None
    """Why a seat failed; None where none did."""
    opening_plies: int
    """The first plies, which nobody chose."""

    @property
    def actions(self) -> list[int]:
        """The columns played, counted from 0."""
        return parse_moves(self.moves)


@dataclass(frozen=True, slots=True)
class ReplayFile:
    """The games of a file, all of one board."""

    kind: str
    """`results` or `episode`."""
    name: str
    """Of the file, without its folder."""
    configuration: GameConfiguration
    replays: tuple[Replay, ...]
    match: Match | None
    """Of a results file."""
    episode: int | None = None
    """The number that Kaggle has given to an episode."""


def read_replays(path: Path) -> ReplayFile:
    """Read the games of a results file or of an episode.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is neither, it is damaged, or its episode is of another game.
    """
    content = read_content(path, ADVICE)
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        document = None
    if isinstance(document, dict) and "format" not in document:
        return _episode(document, path)
    if content.lstrip().startswith(b'{"format"'):
        return _results(path)
    raise ValueError(f"{path} is no results file and no whole episode: {ADVICE}")


def _results(path: Path) -> ReplayFile:
    match = read_results(path)
    configuration = match.settings.configuration
    game = game_id(configuration.env)
    return ReplayFile(
        kind="results",
        name=path.name,
        configuration=configuration,
        replays=tuple(_recorded(n, game, record) for n, record in enumerate(match.records)),
        match=match,
    )


def _recorded(number: int, game: str, record: GameRecord) -> Replay:
    names = record.player, record.opponent
    return Replay(
        number=number,
        game=game,
        moves=moves_text(record.columns),
        players=names if record.seat == 1 else names[::-1],
        player=record.player,
        opponent=record.opponent,
        seat=record.seat,
        result=record.result,
        plies=len(record.columns),
        cause=record.cause,
        opening_plies=len(record.opening),
    )


# --- episodes, as `env.toJSON()` of kaggle_environments writes them

CAUSES = {
    "ERROR": "it raised an exception",
    "INVALID": "it chose what is no column with room",
    "TIMEOUT": "it took too long",
}
"""By Kaggle's status; an episode says no more."""

LARGEST = 20
"""Of the numbers of rows, columns and stones in a row."""


def _episode(document: Mapping[str, Any], path: Path) -> ReplayFile:
    game = document.get("name")
    if game != "connectx":
        what = f"an episode of {game!r}" if isinstance(game, str) else "no episode"
        raise ValueError(f"{path} is {what}, and only those of connectx can be read: {ADVICE}")
    try:
        return _connectx_episode(document, path)
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is damaged ({error!r}): download the episode again") from error


def _connectx_episode(document: Mapping[str, Any], path: Path) -> ReplayFile:
    info = document.get("info") or {}
    configuration = _configuration(document["configuration"], path)
    env = configuration.env
    actions = _actions(env, document["steps"], path)
    statuses = str(document["statuses"][0]), str(document["statuses"][1])
    unfinished = {"ACTIVE", "INACTIVE"} & {*statuses}
    failed = next((seat for seat in (0, 1) if statuses[seat] in CAUSES), None)
    if unfinished or (failed is None and not _is_over(env, actions)):
        raise ValueError(f"{path} ends before its game does: download the episode again")
    players = _names(info)
    cause = None if failed is None else CAUSES[statuses[failed]]
    replay = Replay(
        number=0,
        game=game_id(env),
        moves=moves_text(actions),
        players=players,
        player=players[0],
        opponent=players[1],
        seat=1,
        result=_result(env, actions, failed),
        plies=len(actions),
        cause=None if failed is None else f"{statuses[failed]}: {cause}",
        opening_plies=0,
    )
    number = info.get("EpisodeId")
    episode = number if isinstance(number, int) else None
    return ReplayFile("episode", path.name, configuration, (replay,), None, episode)


def _configuration(settings: Mapping[str, Any], path: Path) -> GameConfiguration:
    sizes = settings["rows"], settings["columns"], settings["inarow"]
    if not all(type(size) is int and 1 <= size <= LARGEST for size in sizes):
        raise ValueError(f"{path} has a board of {sizes}: each must be from 1 to {LARGEST}")
    seconds = settings.get("actTimeout", 2)
    if type(seconds) not in (int, float) or not 0 < seconds < inf:
        raise ValueError(f"{path} has an actTimeout of {seconds!r}: it must be above 0")
    return GameConfiguration(*sizes, act_timeout=float(seconds))


def _actions(env: BoardGame, steps: Sequence[Any], path: Path) -> list[int]:
    """The columns played, told by the boards: what a seat asked for need not have been done.

    Raises:
        ValueError: a board does not follow from the one before it.
    """
    boards = [step[0]["observation"]["board"] for step in steps]
    state, actions = env.initial_state(), list[int]()
    for board in boards:
        if list(board) == env.to_board(state):
            continue  # the beginning, or a move that was not carried out
        followers = {
            action: env.get_next_state(state, action) for action in env.get_available_actions(state)
        }
        reached = [a for a, child in followers.items() if env.to_board(child) == list(board)]
        if not reached:
            raise ValueError(
                f"{path} is damaged (no move leads to the board after {len(actions) + 1} plies): "
                "download the episode again"
            )
        actions += reached
        state = followers[reached[0]]
    return actions


def _is_over(env: BoardGame, actions: Sequence[int]) -> bool:
    return not env.get_available_actions(_reached(env, actions))


def _reached(env: BoardGame, actions: Sequence[int]) -> Any:
    state = env.initial_state()
    for action in actions:
        state = env.get_next_state(state, action)
    return state


def _names(info: Mapping[str, Any]) -> tuple[str, str]:
    """The names of the teams; those of the seats where there are none."""
    names = info.get("TeamNames")
    if isinstance(names, list) and len(names) == 2:
        return str(names[0]), str(names[1])
    return "first", "second"


def _result(env: BoardGame, actions: Sequence[int], failed: int | None) -> Result:
    """The end of the game from the first seat's view."""
    if failed is not None:
        return (Result.PLAYER_FAILED, Result.OPPONENT_FAILED)[failed]
    winner = env.winner(_reached(env, actions))
    return Result.DRAW if winner is None else Result.WIN if winner == 1 else Result.LOSS


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

    A log is an array of steps, and a step an array with an entry for each seat, `{"duration":
    seconds, "stdout": text, "stderr": text}` for who has moved and `{}` or nothing for the other
    one. Kaggle keeps a log for each seat, with the other seat's entries blank.

    Args:
        path: the file.
        seat: 1 or 2.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no agent's log.
    """
    try:
        document = json.loads(read_content(path, LOG_ADVICE))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no agent's log, which is JSON: {LOG_ADVICE}") from error
    if not isinstance(document, list):
        raise ValueError(f"{path} is no agent's log, which is a list of steps: {LOG_ADVICE}")
    try:
        moves = list(_moves(document, seat))
        seconds = tuple(float(move["duration"]) for move in moves)
        lines = [str(move.get("stderr") or "").split("\n") for move in moves]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is no agent's log ({error!r}): {LOG_ADVICE}") from error
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
