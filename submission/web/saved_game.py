"""Saves games as a self-contained page: one file with the board and the value of each move.

The page of `connectx web` uses the same frame to save the game on its board.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from agents.reporting.output_file import replace_text
from agents.solver.solver_engine import is_solvable
from envs.board import BoardGame
from submission.arena.game_record import GameRecord, Result
from submission.play.game_history import History, position_view
from submission.reviewing.judged_game import JudgedPly, judged_plies
from submission.reviewing.review_games import judging_solver
from submission.terminal import progress_bar
from submission.web.one_script import PAGE, lean, one_script
from submission.web.searching.values import position_values
from submission.web.searching.views import ply_view, values_view

GAMES = '"GAMES"'  # marks the place of the games in the frame
STYLES = ("Buttons, fields and stones", "Moves and their curve")
"""The sections of the page's style sheet that a saved page has besides the first one."""

JUDGING_SECONDS = 2.0  # for a position, by default

SavedGame = Mapping[str, Any]  # a game as `offline/saved_answers.js` describes it


@cache
def saved_frame() -> str:
    """A saved page without its games."""
    first, *sections = re.split(r"^/\* (.*) \*/$", _text("page/style.css"), flags=re.MULTILINE)
    named = dict(zip(sections[::2], sections[1::2], strict=True))
    style = lean("\n".join([first, *(named[name] for name in STYLES)]))
    script = one_script("saved", {"api": "saved_answers"})
    frame = _text("offline/saved.html").replace("STYLE", style, 1)
    return frame.replace("SCRIPT", script.strip(), 1)


def save_games(
    games: Sequence[tuple[BoardGame, GameRecord]], path: Path, time_limit: float = JUDGING_SECONDS
) -> None:
    """Write a page of games with all moves judged; `time_limit` is in seconds per position."""
    total = sum(len(record.columns) for _, record in games)
    done = count(1)
    with progress_bar("Judging") as show:
        saved = [
            saved_game(record, env, time_limit, lambda: show(next(done), total, ""))
            for env, record in games
        ]
    replace_text(path, saved_page(saved))


def _text(name: str) -> str:
    return (PAGE.parent / name).read_text(encoding="utf-8")


def saved_page(games: Sequence[SavedGame]) -> str:
    """A page of one or several games; names in it are never read as markup."""
    content = json.dumps(games, separators=(",", ":"), ensure_ascii=False)
    # Only this character could end the script that holds the games.
    return saved_frame().replace(GAMES, content.replace("<", r"\u003c"), 1)


def saved_game(
    record: GameRecord, env: BoardGame, time_limit: float, on_ply: Callable[[], None]
) -> SavedGame:
    """Judge both players' moves, if the solver supports the board; calls `on_ply` after each."""
    position = History(env, record.columns)
    judged: list[JudgedPly] = []
    if is_solvable(env):
        for ply in judged_plies(env, record.columns, judging_solver(env), time_limit):
            judged.insert(0, ply)
            on_ply()
    return {
        "end": position_view(position),
        "players": record.in_seats,
        "course": f"{record.ending}{'.' if record.cause is None else f': {record.cause}'}",
        "opening": len(record.opening),
        **_packed([_ply(position, ply) for ply in judged]),
    }


def _ply(position: History, judged: JudgedPly) -> dict[str, Any]:
    """A ply as in the page's review, with the values of all moves before it."""
    state = position.states[judged.ply]
    values = position_values(position.env, state, judged.scores)
    return {**ply_view(state, judged.action, values), "columns": values_view(values)["columns"]}


def _packed(plies: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The plies with each value stored once and given by its index, as many moves share one."""
    keys = [key for key in plies[0]["columns"][0] if key != "action"] if plies else []
    values: dict[tuple[Any, ...], int] = {}

    def numbered(column: Mapping[str, Any]) -> tuple[int, int]:
        value = tuple(column[key] for key in keys)
        return column["action"], values.setdefault(value, len(values))

    packed = [{**ply, "columns": [*map(numbered, ply["columns"])]} for ply in plies]
    return {"keys": keys, "values": [*values], "plies": packed}


def game_to_show(records: Sequence[GameRecord]) -> GameRecord | None:
    """The first game that the player did not win, or else the first game, if any."""
    not_won = (record for record in records if record.result is not Result.WIN)
    return next(not_won, records[0] if records else None)
