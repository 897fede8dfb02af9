"""Files of games in the browser: which games are listed, and the table of their players."""

import json
from pathlib import Path
from typing import Any

import pytest

from envs.board import state_from_moves
from envs.games import game_from_id
from submission.arena.game_record import Result
from submission.front_door import ladder as play_ladder
from submission.match.results_file import read_results
from submission.rating.ladder import make_ladder
from submission.reviewing.replays import read_replays
from submission.web.opened_files import OpenedFile, ReplayFilter
from submission.web.routes import MOST_DROPPED
from tests.helpers.game_records import write_ladder
from tests.helpers.shell import Shell
from tests.helpers.web_server import Visitor

GAMES = ["--games", "4", "--arena", "own", "--workers", "1"]


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results file of three players' round robin."""
    file = tmp_path_factory.mktemp("ladder") / "ladder.jsonl"
    players = ["random", "greedy", "minimax:depth=1"]
    play_ladder(players, games=4, arena="own", workers=1, results=file, progress=False)
    return file


@pytest.fixture(scope="module")
def server(ladder: Path) -> Visitor:
    return Visitor(files=[ladder])


def asked(server: Visitor, path: str, **question: Any) -> Any:
    return server.post(f"/api/{path}", json=question).json()


def listed(server: Visitor, **wanted: Any) -> dict[str, Any]:
    """The games that pass a filter, from the view of a page."""
    games: dict[str, Any] = asked(
        server, "replays", **{"file": 0, "offset": 0, "count": 200, **wanted}
    )
    return games


def test_games_are_filtered_and_the_table_is_that_of_the_report(
    server: Visitor, ladder: Path
) -> None:
    (form,) = server.get("/api/setup").json()["files"]
    assert (form["name"], form["kind"], form["games"]) == ("ladder.jsonl", "results", 12)
    assert {*form["players"]} == {"random", "greedy", "minimax:depth=1"}
    everything = listed(server)["replays"]
    assert [replay["number"] for replay in everything] == list(range(12))
    for replay in everything:
        env = game_from_id(replay["game"])
        assert not env.get_available_actions(state_from_moves(env, replay["moves"]))
    mine = listed(server, player="greedy")["replays"]
    assert {replay["player"] for replay in mine} == {"greedy"}
    assert len(mine) == 8
    assert all(replay["players"][replay["seat"] - 1] == "greedy" for replay in mine)
    results = ("win", "draw", "loss")
    assert sum(listed(server, player="greedy", result=each)["total"] for each in results) == 8
    assert listed(server, result="player failed") == listed(server, result="opponent failed")
    assert listed(server, player="greedy", opponent="random", count=2)["total"] == 4
    assert len(listed(server, offset=10)["replays"]) == 2
    assert listed(server, failed=True)["total"] == 0
    assert listed(server, player="nobody") == {"total": 0, "replays": []}
    standings = asked(server, "standings", file=0)
    rated = make_ladder(read_results(ladder), None)
    assert [row[0] for row in standings["rows"]] == [rung.player for rung in rated.rungs]
    assert standings["cross"]["players"] == [rung.player for rung in rated.rungs]
    for rung, row in zip(rated.rungs, standings["cross"]["rows"], strict=True):
        for meeting, percent in zip(rung.against, row, strict=True):
            assert percent == (None if meeting.score is None else round(100 * meeting.score, 1))
    assert all(len(row) == len(standings["columns"]) for row in standings["rows"])


def test_a_result_is_from_the_view_of_the_player_who_is_asked_for(ladder: Path) -> None:
    file = OpenedFile(read_replays(ladder))
    won = file.replays(ReplayFilter("greedy", "random", Result.WIN), 0, 99)
    lost = file.replays(ReplayFilter("random", "greedy", Result.LOSS), 0, 99)
    assert won["total"] == lost["total"] > 0
    assert [game["number"] for game in won["replays"]] == [g["number"] for g in lost["replays"]]
    assert [3 - game["seat"] for game in won["replays"]] == [g["seat"] for g in lost["replays"]]


def test_who_fails_has_lost(tmp_path: Path) -> None:
    file = OpenedFile(read_replays(write_ladder(tmp_path / "ladder.jsonl")))
    for result, count in (("win", 2), ("loss", 2), ("draw", 1), ("player failed", 1)):
        wanted = ReplayFilter("hero", "rival", Result(result))
        assert file.replays(wanted, 0, 99)["total"] == count, result


def test_dropped_files_are_opened_like_named_ones_up_to_a_limit(ladder: Path) -> None:
    server = Visitor(files=[ladder])
    content = {"name": "C:\\games\\mine\x1b.jsonl", "text": ladder.read_text(encoding="utf-8")}
    form = asked(server, "files", **content)
    assert (form["number"], form["name"], form["games"]) == (1, "mine\\x1b.jsonl", 12)
    assert listed(server, file=1) == listed(server)
    assert asked(server, "standings", file=1) == asked(server, "standings", file=0)
    assert len(server.get("/api/setup").json()["files"]) == 2
    answers = [server.post("/api/files", json=content) for _ in range(MOST_DROPPED)]
    assert [answer.status_code for answer in answers] == [200] * (MOST_DROPPED - 1) + [422]


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '{"format": 7}', "\ud800", '{"name": "connectx"}']
)
def test_what_is_no_file_of_games_is_refused_by_its_name(server: Visitor, text: str) -> None:
    content = json.dumps({"name": "x.json", "text": text})
    kind = {"Content-Type": "application/json"}
    answer = server.post("/api/files", content=content, headers=kind)
    assert answer.status_code == 400
    assert "x.json" in answer.json()["error"]
    assert "tmp" not in answer.json()["error"]


def test_a_file_that_is_not_open_is_refused(server: Visitor) -> None:
    for path, fields in {"standings": {}, "replays": {"offset": 0, "count": 1}}.items():
        beyond = asked(server, path, file=1, **fields)
        assert beyond == {"error": "file is a whole number from 0 to 0"}
        assert "no file is open" in asked(Visitor(), path, file=0, **fields)["error"]


def test_one_players_games_have_the_table_of_evaluate(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    outcome = shell.run("evaluate", "greedy", "--against", "random", *GAMES, "--results", str(file))
    assert outcome.status == 0
    standings = OpenedFile(read_replays(file)).standings
    assert standings["rows"][0][:2] == ["random", "4"]
    assert standings["cross"] is None
    assert standings["notes"]
