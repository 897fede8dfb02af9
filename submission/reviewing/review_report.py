"""A review for the terminal: the games, what was given away in each, the totals, and the times."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from agents.solver.reached_position import ReachedPosition
from agents.solver.score_words import in_words
from agents.solver.solver import ScoreBounds
from envs.board import moves_text, state_from_moves
from submission.match.match import Completion
from submission.reports import NOTHING, plain_table
from submission.reviewing.judged_game import JudgedPly
from submission.reviewing.review import Review, ReviewedGame
from submission.terminal import plain_text


def render_review(review: Review) -> RenderableType:
    """The games, the totals by phase, the times, and the moves that gave something away."""
    told = [line for game in review.games for line in _given_away(game)]
    has_logs = any(game.log is not None for game in review.games)
    return Group(
        _games_table(review),
        _totals_table(review),
        *([_times_table(review)] if has_logs else []),
        Text(RULES, "dim"),
        *map(Text, ["Given away, columns counted from 1:", *told] if told else []),
    )


RULES = (
    "Given away: a win that became a draw or a loss, or a draw that became a loss, under best play "
    "from there. Slower: the result was kept, but not by the quickest win or the longest defence. "
    "Undecided: the time for a position did not do. A phase is a third of the board's plies. The "
    "first of the moves that a log times includes loading, and compiling where there is any."
)


def _games_table(review: Review) -> Table:
    count = f"{len(review.games)} game" + ("" if len(review.games) == 1 else "s")
    table = plain_table(plain_text(f"{review.player} in {count}"))
    table.add_column("game", overflow="fold")
    table.add_column("against", overflow="fold")
    table.add_column("seat", justify="right")
    table.add_column("result")
    for heading in ("moves", "given\naway", "slower"):
        table.add_column(heading, justify="right", no_wrap=True)
    for game in review.games:
        slower = sum(ply.mistake is not None for ply in game.plies) - len(game.given_away)
        table.add_row(
            plain_text(_name(game)),
            plain_text(game.opponent),
            str(game.seat),
            game.result,
            str(len(game.plies)),
            str(len(game.given_away)),
            str(slower),
        )
    return table


def _name(game: ReviewedGame) -> str:
    """The file, and in a results file the number of the game, counted from 1."""
    many = game.file.kind == "results"
    return f"{game.file.name} #{game.replay.number + 1}" if many else game.file.name


def _given_away(game: ReviewedGame) -> Iterator[str]:
    for ply in game.given_away:
        words = f"{_column(game, ply, ply.action, ply.after)}; "
        words += _column(game, ply, ply.best[0], ply.before)
        yield plain_text(f"  {_name(game)}, {_where(game, ply.ply)}: {words}")


def _where(game: ReviewedGame, ply: int) -> str:
    moves = moves_text(game.replay.actions[:ply])
    return f"after {moves}" if ply else "on the empty board"


def _column(game: ReviewedGame, ply: JudgedPly, column: int, bounds: ScoreBounds) -> str:
    """As in "column 3 loses in 4 moves"."""
    env = game.env
    moves = moves_text(game.replay.actions[: ply.ply])
    position = ReachedPosition(env, moves, state_from_moves(env, moves))
    verdict = in_words(position, bounds)
    return f"column {column + 1} {f'leads to a {verdict}' if verdict == 'draw' else verdict}"


TOTALS = ("moves", "win to\ndraw", "win to\nloss", "draw to\nloss", "slower", "undecided")


def _totals_table(review: Review) -> Table:
    table = plain_table("By phase")
    table.add_column("")
    for heading in TOTALS:
        table.add_column(heading, justify="right", no_wrap=True)
    for name, totals in review.totals().items():
        table.add_row(
            name,
            str(totals.moves),
            str(totals.win_to_draw),
            str(totals.win_to_loss),
            str(totals.draw_to_loss),
            str(totals.slower),
            str(totals.undecided),
        )
    return table


def _times_table(review: Review) -> Table:
    """Seconds of each game's moves; a dash where there is no log."""
    table = plain_table("Seconds for a move")
    table.add_column("game", overflow="fold")
    for heading in ("first", "mean", "longest", "over the\nlimit", "errors"):
        table.add_column(heading, justify="right", no_wrap=True)
    for game in review.games:
        table.add_row(plain_text(_name(game)), *_times(game))
    return table


def _times(game: ReviewedGame) -> list[str]:
    log = game.log
    if log is None or not log.seconds:
        return [NOTHING] * 5
    seconds = log.seconds
    overtime = log.overtime(game.file.configuration.act_timeout)
    times = seconds[0], sum(seconds) / len(seconds), max(seconds), overtime
    return [*(f"{time:.3f}" for time in times), str(len(log.errors))]


def review_notes(review: Review) -> Iterator[str]:
    """An early end, what was left out, and the versions and the errors in the logs."""
    if review.completion is Completion.INTERRUPTED:
        count = len(review.games)
        yield f"Interrupted: {count} game{' was' if count == 1 else 's were'} judged."
    yield from map(plain_text, review.notes)
    for game in review.games:
        if game.replay.cause is not None:
            failed = "the player" if game.result == "player failed" else "the opponent"
            yield plain_text(f"{_name(game)}: {failed} failed, {game.replay.cause}.")
        if game.log is not None and game.log.versions is not None:
            yield plain_text(f"{_name(game)}: played with {game.log.versions}.")
        for number, line in game.log.errors if game.log else ():
            where = _where(game, game.ply_of_move(number))
            yield plain_text(f"{_name(game)}, {where}, stderr: {line.strip()}")
