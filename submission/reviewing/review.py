"""Reviews a player's games: where a win or a draw was given away, by phase, and in what time."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from agents.agent import OnProgress
from agents.book.opening_book import shipped_book_of
from agents.options import require_at_least
from agents.solver.solver import ScoreBounds, Solver
from envs.connectx import ConnectX
from submission.arena.game_record import Result
from submission.grading.solved_positions import Phase
from submission.match.match import Completion
from submission.reports import Printed
from submission.reviewing.judged_game import JudgedPly, Mistake, judged_plies
from submission.reviewing.replays import (
    AgentLog,
    Replay,
    ReplayFile,
    log_beside,
    read_agent_log,
    read_replays,
)

FORMAT = "connectx review, version 1"


@dataclass(frozen=True, slots=True)
class ReviewedGame:
    """A game from the view of one of its seats."""

    file: ReplayFile
    replay: Replay
    seat: int
    """1 moved first, 2 second."""
    plies: tuple[JudgedPly, ...]
    """The seat's own, in their order, without those of the opening that nobody chose; none before
    they are judged."""
    log: AgentLog | None

    @property
    def env(self) -> ConnectX:
        """The rules."""
        rules = self.file.configuration
        return ConnectX(rules.rows, rules.columns, rules.inarow)

    @property
    def opponent(self) -> str:
        """Who had the other seat."""
        return self.replay.players[2 - self.seat]

    @property
    def result(self) -> Result:
        """The end of the game from this seat's view."""
        result = self.replay.result
        return result if self.seat == self.replay.seat else result.for_opponent

    @property
    def given_away(self) -> list[JudgedPly]:
        """The moves that have turned a win into less, or a draw into a loss."""
        return [ply for ply in self.plies if ply.mistake is not None and ply.mistake.gives_away]

    @property
    def own_plies(self) -> range:
        """The seat's moves, counted from 0, without those of the opening."""
        opening = self.replay.opening_plies
        return range(opening + (opening % 2 != self.seat - 1), self.replay.plies, 2)

    def ply_of_move(self, number: int) -> int:
        """The plies played before the seat's own move of this number, from 0."""
        return self.own_plies.start + 2 * number


@dataclass(frozen=True, slots=True)
class PhaseTotals:
    """The moves of a phase by what they gave away."""

    moves: int
    win_to_draw: int
    win_to_loss: int
    draw_to_loss: int
    slower: int
    """Kept the result, but not the quickest win or the longest defence."""
    undecided: int
    """The time did not do to say."""

    @classmethod
    def of(cls, plies: Sequence[JudgedPly]) -> "PhaseTotals":
        """Count them."""
        mistakes = Counter(ply.mistake for ply in plies)
        return cls(
            moves=len(plies),
            win_to_draw=mistakes[Mistake.WIN_TO_DRAW],
            win_to_loss=mistakes[Mistake.WIN_TO_LOSS],
            draw_to_loss=mistakes[Mistake.DRAW_TO_LOSS],
            slower=mistakes[Mistake.SLOWER],
            undecided=sum(not ply.decided for ply in plies),
        )


@dataclass(frozen=True, slots=True, repr=False)
class Review(Printed):
    """A player's moves in some games, with their worth."""

    player: str
    time_limit: float | None
    """Seconds for each position."""
    completion: Completion
    games: tuple[ReviewedGame, ...]
    notes: tuple[str, ...]
    """Files and logs that were left out, and why."""

    def totals(self) -> dict[str, PhaseTotals]:
        """The value that was given away, by phase, and in all."""
        by_phase: dict[str, list[JudgedPly]] = {phase.value: [] for phase in Phase}
        for game in self.games:
            cells = game.env.rows * game.env.columns
            for ply in game.plies:
                by_phase[Phase.at(ply.ply, cells).value].append(ply)
        everything = [ply for plies in by_phase.values() for ply in plies]
        return {
            name: PhaseTotals.of(plies) for name, plies in {**by_phase, "all": everything}.items()
        }

    def to_dict(self) -> dict[str, Any]:
        """All of it as what `json.dumps` takes; columns are counted from 0."""
        return {
            "format": FORMAT,
            "player": self.player,
            "time_limit": self.time_limit,
            "ending": self.completion,
            "totals": {name: asdict(totals) for name, totals in self.totals().items()},
            "games": [_game(game) for game in self.games],
            "notes": list(self.notes),
        }


def _game(game: ReviewedGame) -> dict[str, Any]:
    return {
        "file": game.file.name,
        "number": game.replay.number,
        "game": game.replay.game,
        "moves": game.replay.moves,
        "seat": game.seat,
        "opponent": game.opponent,
        "result": game.result,
        "cause": game.replay.cause,
        "plies": [_ply(ply) for ply in game.plies],
        "versions": None if game.log is None else game.log.versions,
        "seconds": None if game.log is None else list(game.log.seconds),
        "errors": []
        if game.log is None
        else [{"ply": game.ply_of_move(move), "stderr": line} for move, line in game.log.errors],
    }


def _ply(ply: JudgedPly) -> dict[str, Any]:
    return {
        "ply": ply.ply,
        "column": ply.action,
        "before": _bounds(ply.before),
        "after": _bounds(ply.after),
        "best": list(ply.best),
        "mistake": ply.mistake,
    }


def _bounds(bounds: ScoreBounds) -> dict[str, int]:
    return {"lower": bounds.lower, "upper": bounds.upper}


def review_games(
    files: Sequence[Path],
    player: str,
    log: Path | None,
    time_limit: float | None,
    on_progress: OnProgress,
) -> Review:
    """Judge each move of a player in the games of some files.

    Ctrl-C ends it early with the games that were judged until then; `Review.completion` tells.

    Args:
        files: results files and episodes.
        player: the name, as the files have it; who plays against himself is judged on both seats.
        log: the player's log of the one episode; by default those beside the episodes.
        time_limit: seconds for each position; None is no limit.
        on_progress: told how many moves were judged.

    Raises:
        ValueError: nobody of this name has played; a file is damaged or holds something else; the
            solver does not take a board; or a negative time.
        OSError: a file cannot be read.
    """
    require_at_least("time_limit", time_limit, 0)
    notes: list[str] = []
    unjudged = _unjudged(files, player, log, notes)
    total, done = sum(len(game.own_plies) for game in unjudged), 0
    boards = {game.env for game in unjudged}
    solvers = {env: judging_solver(env) for env in boards}
    games: list[ReviewedGame] = []
    completion = Completion.COMPLETE
    try:
        for game in unjudged:
            env, plies = game.env, list[JudgedPly]()
            for ply in judged_plies(
                env, game.replay.actions, solvers[env], time_limit, game.own_plies
            ):
                plies.append(ply)
                done += 1
                on_progress(done, total, "")
            games.append(replace(game, plies=tuple(reversed(plies))))
    except KeyboardInterrupt:
        completion = Completion.INTERRUPTED
    return Review(player, time_limit, completion, tuple(games), tuple(notes))


@lru_cache(maxsize=1)
def judging_solver(env: ConnectX) -> Solver:
    """A solver that is compiled by now: the time for a position is there to solve it.

    The last one is kept, for it knows much of the games that it has judged.
    """
    solver = Solver(env, book=shipped_book_of(env))
    _ = solver.engine
    return solver


def _unjudged(
    files: Sequence[Path], player: str, log: Path | None, notes: list[str]
) -> list[ReviewedGame]:
    """The player's games in the files; `notes` gets what was left out."""
    read = [(path, read_replays(path)) for path in files]
    if log is not None and [file.kind for _, file in read] != ["episode"]:
        raise ValueError("a log belongs to one episode: name that file alone, or leave the log out")
    games: list[ReviewedGame] = []
    for path, file in read:
        if not isinstance(file.configuration.env, ConnectX):
            raise ValueError(
                f"{path} has games of {file.configuration.referee}, and only those of Connect Four "
                "can be judged: leave it out"
            )
        own = [
            (replay, seat)
            for replay in file.replays
            for seat in (1, 2)
            if replay.players[seat - 1] == player
        ]
        if not own:
            notes.append(f"{file.name}: nobody called {player} has played in it.")
        games += [
            ReviewedGame(file, replay, seat, (), _log(path, file, replay, seat, log, notes))
            for replay, seat in own
        ]
    if not games:
        names = dict.fromkeys(name for _, file in read for name in _players(file))
        raise ValueError(
            f"nobody called {player!r} has played in these files: choose one of "
            f"{', '.join(map(repr, names)) or 'none, for they hold no games'}"
        )
    return games


def _players(file: ReplayFile) -> Iterator[str]:
    return (name for replay in file.replays for name in replay.players)


def _log(
    path: Path, file: ReplayFile, replay: Replay, seat: int, log: Path | None, notes: list[str]
) -> AgentLog | None:
    """The log of a seat, from wherever it is."""
    if file.match is not None:
        return AgentLog.of_record(file.match.records[replay.number], seat)
    found = log or log_beside(path, file.episode, seat)
    if found is None:
        return None
    try:
        read = read_agent_log(found, seat)
    except (OSError, ValueError) as error:
        if log is not None:
            raise
        notes.append(f"{error}.")
        return None
    return read.after_setting_up() if file.configuration.referee.is_open_spiel else read
