"""A review of a player's games: the moves that gave away a win or a draw, by phase, with times."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, astuple, dataclass
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from agents.solver.score_words import column_in_words, position_in_words
from agents.solver.solver import ScoreBounds
from envs.board import moves_text, state_after
from envs.connectx import ConnectX
from envs.games import game_id
from submission.arena.game_record import GameRecord
from submission.executors.work import Completion, early_end_in_words
from submission.grading.solved_positions import Phase
from submission.kaggle import DONE
from submission.reports import NOTHING, Printed, add_figures, counted, plain, plain_table, seconds
from submission.reviewing.judged_game import JudgedPly, Mistake
from submission.reviewing.replays import AgentLog, ReplayFile

RULES = (
    "Given away: a win that became a draw or a loss, or a draw that became a loss, under best play "
    "from there. Slower: the result was kept, but not by the quickest win or the longest defence. "
    "Undecided: the time did not suffice. A phase is a third of the board's plies. The "
    "first of the moves that a log times includes loading, and compiling where there is any."
)

FORMAT = "connectx review, version 1"


@dataclass(frozen=True, slots=True)
class ReviewedGame:
    """A game from the view of one of its seats."""

    file: ReplayFile
    number: int  # in the file, from 0
    record: GameRecord  # from the view of the seat
    log: AgentLog | None
    plies: tuple[JudgedPly, ...] = ()
    """The seat's own, in order, without the opening, which no player chose; none until judged."""

    @property
    def env(self) -> ConnectX:
        """The rules."""
        rules = self.file.configuration
        return ConnectX(rules.rows, rules.columns, rules.inarow)

    @property
    def given_away(self) -> list[JudgedPly]:
        """The moves that turned a win into a draw or a loss, or a draw into a loss."""
        return [ply for ply in self.plies if ply.mistake not in (None, Mistake.SLOWER)]

    @property
    def own_plies(self) -> range:
        """The seat's moves, counted from 0, without those of the opening."""
        opening, seat = len(self.record.opening), self.record.seat
        return range(opening + (opening % 2 != seat - 1), len(self.record.columns), 2)

    @property
    def errors(self) -> list[tuple[int, str]]:
        """The plies played before each move that wrote to stderr, and its last line there."""
        begin, errors = self.own_plies.start, self.log.errors if self.log else ()
        return [(begin + 2 * number, line) for number, line in errors]


@dataclass(frozen=True, slots=True)
class PhaseTotals:
    """The number of moves of a phase, by what they gave away."""

    moves: int
    win_to_draw: int
    win_to_loss: int
    draw_to_loss: int
    slower: int  # kept the result, but not the quickest win or the longest defence
    undecided: int  # the time was too short to decide

    @classmethod
    def of(cls, plies: Sequence[JudgedPly]) -> "PhaseTotals":
        """Count the moves."""
        mistakes = Counter(ply.mistake for ply in plies)
        counts = {mistake.name.lower(): mistakes[mistake] for mistake in Mistake}
        return cls(len(plies), **counts, undecided=sum(not ply.decided for ply in plies))


@dataclass(frozen=True, slots=True, repr=False)
class Review(Printed):
    """A player's moves in some games, with their scores."""

    player: str
    time_limit: float | None
    """Seconds for each position."""
    completion: Completion
    games: tuple[ReviewedGame, ...]
    notes: tuple[str, ...]
    """The files and logs that were left out, and why."""

    @property
    def played(self) -> str:
        """The number of games, such as "2 games"; a player's game against itself counts once."""
        records = [game.record for game in self.games]
        games = [game for game in records if game.seat == 1 or game.opponent != self.player]
        return counted(len(games), "games")

    def totals(self) -> dict[str, PhaseTotals]:
        """The moves by phase, and in all."""
        by_phase: dict[str, list[JudgedPly]] = {phase.value: [] for phase in Phase}
        for game in self.games:
            cells = game.env.rows * game.env.columns
            for ply in game.plies:
                by_phase[Phase.at(ply.ply, cells).value].append(ply)
        everything = [ply for plies in by_phase.values() for ply in plies]
        return {
            name: PhaseTotals.of(plies) for name, plies in {**by_phase, "all": everything}.items()
        }

    def tables(self) -> RenderableType:
        """The games, the totals by phase, the times, and the moves that gave something away."""
        told = [line for game in self.games for line in _given_away(game)]
        return Group(
            _games_table(self),
            _totals_table(self),
            *([_times_table(self)] if any(game.log is not None for game in self.games) else []),
            Text(RULES, "dim"),
            *map(plain, ["Given away, columns counted from 1:", *told] if told else []),
        )

    def summary(self) -> list[str]:
        """The games left out, the failures, and how often a result was given away."""
        totals = self.totals()["all"]
        kinds = {
            "from a win to a draw": totals.win_to_draw,
            "from a win to a loss": totals.win_to_loss,
            "from a draw to a loss": totals.draw_to_loss,
            "not decided in the time": totals.undecided,
        }
        given_away = totals.win_to_draw + totals.win_to_loss + totals.draw_to_loss
        told = "".join(f"; {count} {kind}" for kind, count in kinds.items() if count)
        return [
            *_notes(self),
            f"{self.player} gave the result away in {given_away} of {totals.moves} moves of "
            f"{self.played}{told}.",
        ]

    def to_dict(self) -> dict[str, Any]:
        """All fields, for `json.dumps`; columns are counted from 0."""
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
    record = game.record
    return {
        "file": game.file.name,
        "number": game.number,
        "game": game_id(game.env),
        "moves": moves_text(record.columns),
        "seat": record.seat,
        "opponent": record.opponent,
        "result": record.result,
        "cause": record.cause,
        "plies": [
            {
                "ply": ply.ply,
                "column": ply.action,
                "before": _bounds(ply.before),
                "after": _bounds(ply.after),
                "best": list(ply.best),
                "mistake": ply.mistake,
            }
            for ply in game.plies
        ],
        "versions": None if game.log is None else game.log.versions,
        "seconds": None if game.log is None else list(game.log.seconds),
        "errors": [{"ply": ply, "stderr": line} for ply, line in game.errors],
    }


def _bounds(bounds: ScoreBounds) -> dict[str, int]:
    return {"lower": bounds.lower, "upper": bounds.upper}


def _games_table(review: Review) -> Table:
    table = plain_table(f"{review.player} in {review.played}", "game", "against")
    add_figures(table, "seat")
    table.add_column("result")
    add_figures(table, "moves", "given\naway", "slower")
    for game in review.games:
        slower = sum(ply.mistake is not None for ply in game.plies) - len(game.given_away)
        figures = map(str, (len(game.plies), len(game.given_away), slower))
        names = map(plain, (_name(game), game.record.opponent))
        table.add_row(*names, str(game.record.seat), game.record.result, *figures)
    return table


def _totals_table(review: Review) -> Table:
    table = plain_table("By phase", "")
    given_away = ("win to\ndraw", "win to\nloss", "draw to\nloss")
    add_figures(table, "moves", *given_away, "slower", "undecided")
    for name, totals in review.totals().items():
        table.add_row(name, *map(str, astuple(totals)))
    return table


def _times_table(review: Review) -> Table:
    """The seconds of each game's moves; a dash if there is no log."""
    table = plain_table("Seconds for a move", "game")
    add_figures(table, "first", "mean", "longest", "over the\nlimit", "errors")
    for game in review.games:
        table.add_row(plain(_name(game)), *_times(game))
    return table


def _name(game: ReviewedGame) -> str:
    """The file and, for a results file, the number of the game, counted from 1."""
    file = game.file
    return file.name if file.match is None else f"{file.name} #{game.number + 1}"


def _given_away(game: ReviewedGame) -> Iterator[str]:
    env = game.env
    for ply in game.given_away:
        state = state_after(env, game.record.columns[: ply.ply])
        chosen = column_in_words(env, state, ply.action, ply.after)
        better = column_in_words(env, state, ply.best[0], ply.before)
        yield f"  {_name(game)}, {_where(game, ply.ply)}: {chosen}; {better}"


def _where(game: ReviewedGame, ply: int) -> str:
    return position_in_words(moves_text(game.record.columns[:ply]))


def _times(game: ReviewedGame) -> list[str]:
    log = game.log
    if log is None or not log.seconds:
        return [NOTHING] * 5
    taken = log.seconds
    overtime = log.overtime(game.file.configuration.act_timeout)
    times = taken[0], sum(taken) / len(taken), max(taken), overtime
    return [*map(seconds, times), str(len(log.errors))]


def _notes(review: Review) -> Iterator[str]:
    """Notes on an early end, what was left out, and the versions and errors in the logs."""
    yield from early_end_in_words(review.completion, review.played)
    yield from review.notes
    for game in review.games:
        if game.record.cause is not None:
            failed = "the opponent" if game.record.status == DONE else "the player"
            yield f"{_name(game)}: {failed} failed, {game.record.cause}."
        if game.log is not None and game.log.versions is not None:
            yield f"{_name(game)}: played with {game.log.versions}."
        for ply, line in game.errors:
            yield f"{_name(game)}, {_where(game, ply)}, stderr: {line.strip()}"
