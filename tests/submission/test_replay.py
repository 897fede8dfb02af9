import json
from dataclasses import replace
from typing import Any

import pytest

from submission.arena.game_record import GameConfiguration, GameRecord
from submission.arena.kaggle_referee import game_to_show, replay_html
from tests.helpers.game_records import DRAW, LOSS, OPPONENT_FAILED, PLAYER_FAILED, WIN


def environment_in(page: str) -> dict[str, Any]:
    """What the page hands to Kaggle's player."""
    start = page.index("window.kaggle = ") + len("window.kaggle = ")
    data, _ = json.JSONDecoder().raw_decode(page, start)
    environment: dict[str, Any] = data["environment"]
    return environment


def replayed(record: GameRecord) -> dict[str, Any]:
    return environment_in(replay_html(record, GameConfiguration()))


def test_the_page_plays_the_game_that_was_recorded() -> None:
    environment = replayed(WIN)
    moves = [step[ply % 2]["action"] for ply, step in enumerate(environment["steps"][1:])]
    assert tuple(moves) == WIN.columns
    assert environment["rewards"] == [1, -1]
    assert environment["statuses"] == ["DONE", "DONE"]


@pytest.mark.parametrize("status", ["ERROR", "INVALID", "TIMEOUT"])
@pytest.mark.parametrize("record", [PLAYER_FAILED, OPPONENT_FAILED])
def test_the_page_ends_with_the_failure(record: GameRecord, status: str) -> None:
    first, second = ("DONE" if old == "DONE" else status for old in record.statuses)
    environment = replayed(replace(record, statuses=(first, second)))
    assert environment["statuses"] == [first, second]
    assert environment["rewards"] == list(record.rewards)


def test_names_stand_in_the_order_of_the_seats() -> None:
    assert replayed(WIN)["info"]["TeamNames"] == ["hero", "rival"]
    assert replayed(LOSS)["info"]["TeamNames"] == ["rival", "hero"]


def test_a_name_cannot_break_the_page() -> None:
    page = replay_html(replace(WIN, opponent="</script>.py"), GameConfiguration())
    assert "</script>.py" not in page
    assert environment_in(page)["info"]["TeamNames"] == ["hero", "&lt;/script&gt;.py"]


def test_the_first_game_that_was_not_won_is_shown() -> None:
    assert game_to_show([WIN, DRAW, LOSS]) is DRAW
    assert game_to_show([WIN, OPPONENT_FAILED]) is OPPONENT_FAILED
    second_win = replace(WIN, game=2)
    assert game_to_show([WIN, second_win]) is WIN


def test_without_a_game_there_is_none_to_show() -> None:
    assert game_to_show([]) is None
