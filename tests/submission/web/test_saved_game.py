"""Games as pages: what stands in them is the game that was played, and each value is BitBully's."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envs.board import moves_text
from envs.connectx import ConnectFour
from envs.tic_tac_toe import TicTacToe
from submission.arena.game_record import GameRecord
from submission.web.export import export_page
from submission.web.saved_game import game_to_show, save_games, saved_game, saved_page
from tests.helpers.bitbully_judge import Judge
from tests.helpers.game_records import DRAW, LOSS, OPPONENT_FAILED, PLAYER_FAILED, WIN

MOST_BYTES, MOST_EXPORTED = 60_000, 650_000
"""Of a saved page, and of the page that is exported as a folder."""
DATA = re.compile(r'<script type="application/json" id="games">(.*?)</script>', re.DOTALL)


def games_in(page: str) -> list[dict[str, Any]]:
    """What the page's script is handed."""
    (content,) = DATA.findall(page)
    games: list[dict[str, Any]] = json.loads(content)
    return games


def saved(record: GameRecord, folder: Path) -> str:
    env = ConnectFour()
    path = folder / "game.html"
    save_games([(env, record)], path, 60.0)
    return path.read_text(encoding="utf-8")


def test_the_page_has_the_game_stays_small_and_each_value_is_what_bitbully_says(
    tmp_path: Path,
) -> None:
    page, judge = saved(DRAW, tmp_path), Judge()
    assert len(page.encode()) < MOST_BYTES
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")
    (game,) = games_in(page)
    assert game["end"]["moves"] == moves_text(DRAW.columns)
    assert game["course"] == "A draw."
    assert [ply["ply"] for ply in game["plies"]] == list(range(42))
    for ply in game["plies"][8:]:
        scores = judge.scores(DRAW.columns[: ply["ply"]])
        rows = {
            action: dict(zip(game["keys"], game["values"][number], strict=True))
            for action, number in ply["columns"]
        }
        kinds = {action: row["kind"] for action, row in rows.items()}
        assert kinds == {
            action: "win" if score > 0 else "loss" if score < 0 else "draw"
            for action, score in scores.items()
        }
        best = max(scores.values())
        stands_out = best >= 0 or min(scores.values()) < best
        assert {action for action, row in rows.items() if row["best"]} == {
            action for action, score in scores.items() if score == best and stands_out
        }
        assert (ply["mistake"] is not None) == (scores[ply["action"]] < best)


@pytest.mark.parametrize(
    ("record", "course", "players"),
    [
        (WIN, "X wins.", ["hero", "rival"]),
        (LOSS, "X wins.", ["rival", "hero"]),
        (PLAYER_FAILED, "X failed: ValueError: boom", ["hero", "rival"]),
        (replace(OPPONENT_FAILED, seat=2, cause="it went"), "X failed: it went", ["rival", "hero"]),
    ],
)
def test_the_course_is_told_and_the_names_in_the_order_of_the_seats(
    record: GameRecord, course: str, players: list[str], tmp_path: Path
) -> None:
    (game,) = games_in(saved(record, tmp_path))
    assert (game["course"], game["players"]) == (course, players)


def test_a_name_cannot_break_the_page(tmp_path: Path) -> None:
    name = '</script><script>alert(1)</script><!-- "GAMES"'
    page = saved(replace(WIN, opponent=name), tmp_path)
    assert page.count("</script>") == 2  # of the games, and of what shows them
    assert games_in(page)[0]["players"] == ["hero", name]


def test_a_game_that_no_solver_takes_has_no_values(tmp_path: Path) -> None:
    env = TicTacToe()
    record = replace(WIN, columns=(0, 3, 1, 4, 2))
    game = saved_game(record, env, 0.1, lambda: None)
    assert game["plies"] == []
    assert games_in(saved_page([game, game]))[1]["end"]["title"] == "Tic-tac-toe"


def test_the_first_game_that_was_not_won_is_shown() -> None:
    assert game_to_show([WIN, DRAW, LOSS]) is DRAW
    assert game_to_show([WIN, OPPONENT_FAILED]) is OPPONENT_FAILED
    second_win = replace(WIN, game=2)
    assert game_to_show([WIN, second_win]) is WIN
    assert game_to_show([]) is None


def test_an_export_is_small_and_does_not_replace_another_page(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError, match="choose another folder"):
        export_page(tmp_path)
    with pytest.raises(NotADirectoryError, match="name a folder"):
        export_page(tmp_path / "index.html")
    for _ in range(2):
        export_page(tmp_path / "new")
    sizes = {file.name: file.stat().st_size for file in (tmp_path / "new").iterdir()}
    assert {*sizes} == {"icon.svg", "index.html", "page.js", "style.css", "theme.js"}
    assert sum(sizes.values()) < MOST_EXPORTED
