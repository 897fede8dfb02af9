"""Reviews a player's games: finds them in files, and judges their moves by the solver."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from operator import attrgetter
from pathlib import Path

from agents.agent import OnProgress
from agents.book.opening_book import shipped_book_of
from agents.options import require_at_least
from agents.solver.solver import Solver
from envs.connectx import ConnectX
from submission.arena.game_record import GameRecord
from submission.executors.work import EarlyEnd
from submission.reviewing.judged_game import JudgedPly, judged_plies
from submission.reviewing.replays import (
    AgentLog,
    ReplayFile,
    log_beside,
    read_agent_log,
    read_replays,
)
from submission.reviewing.review import Review, ReviewedGame


def review_games(
    files: Sequence[Path],
    player: str,
    log: Path | None,
    time_limit: float | None,
    on_progress: OnProgress,
) -> Review:
    """Judge each move of a player in the games of some files.

    In a game against itself, a player is judged on both seats. Ctrl-C ends the review early with
    the games judged so far; see `Review.completion`. See also `submission.front_door.review`.

    Raises:
        ValueError: no player has this name; a file is damaged or holds something else; the solver
            does not support a board; or the time is negative.
        OSError: a file cannot be read.
    """
    require_at_least("time_limit", time_limit, 0)
    notes: list[str] = []
    unjudged = _unjudged(files, player, log, notes)
    total, done = sum(len(game.own_plies) for game in unjudged), 0
    games: list[ReviewedGame] = []
    with EarlyEnd() as ending:
        for game in unjudged:
            solver, plies = judging_solver(game.env), list[JudgedPly]()
            played = game.record.columns
            for ply in judged_plies(game.env, played, solver, time_limit, game.own_plies):
                plies.append(ply)
                done += 1
                on_progress(done, total, "")
            games.append(replace(game, plies=tuple(reversed(plies))))
    return Review(player, time_limit, ending.completion, tuple(games), tuple(notes))


@lru_cache(maxsize=1)
def judging_solver(env: ConnectX) -> Solver:
    """A solver that is already compiled, so that compiling takes no time from the first position.

    The last one is cached, because its table helps with further games.
    """
    solver = Solver(env, book=shipped_book_of(env))
    _ = solver.engine
    return solver


def _unjudged(
    files: Sequence[Path], player: str, log: Path | None, notes: list[str]
) -> list[ReviewedGame]:
    """The player's games in the files; whatever is left out is added to `notes`."""
    read = [(path, read_replays(path)) for path in dict.fromkeys(files)]
    if log is not None and [file.match for _, file in read] != [None]:
        raise ValueError("a log belongs to one episode: name that file alone, or leave the log out")
    games: list[ReviewedGame] = []
    for path, file in read:
        if not isinstance(file.configuration.env, ConnectX):
            raise ValueError(
                f"{path} has games of {file.configuration.referee}, but only those of Connect Four "
                "can be judged: leave it out"
            )
        own = [
            ReviewedGame(file, number, seen, _log(path, file, seen, log, notes))
            for number, record in enumerate(file.records)
            for seen in sorted((record, record.turned), key=attrgetter("seat"))
            if seen.player == player
        ]
        if not own:
            notes.append(f"{file.name}: nobody called {player} has played in it.")
        games += own
    if not games:
        records = (record for _, file in read for record in file.records)
        names = dict.fromkeys(name for record in records for name in record.in_seats)
        there = f"choose one of {', '.join(map(repr, names))}" if names else "they hold no games"
        raise ValueError(f"nobody called {player!r} has played in these files: {there}")
    return games


def _log(
    path: Path, file: ReplayFile, record: GameRecord, log: Path | None, notes: list[str]
) -> AgentLog | None:
    """A player's log: from the results file, from the user's file, or from beside the episode."""
    if file.match is not None:
        return AgentLog.of_record(record)
    found = log or log_beside(path, file.episode, record.seat)
    if found is None:
        return None
    try:
        read = read_agent_log(found, record.seat)
    except (OSError, ValueError) as error:
        if log is not None:
            raise
        notes.append(f"{error}.")
        return None
    return read.after_setting_up() if file.configuration.referee.is_open_spiel else read
