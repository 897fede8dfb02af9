from collections.abc import Iterable
from dataclasses import replace

import pytest

from submission.arena.game_record import GameConfiguration, GameRecord
from submission.match.match import Match
from submission.match.opening_table import render_openings
from tests.helpers.game_records import (
    DRAW,
    LOSS,
    OPPONENT_FAILED,
    PLAYER_FAILED,
    WIN,
    match_of,
)
from tests.helpers.shell import printed


def shown(match: Match, width: int = 80) -> str:
    return printed(render_openings(match), width)


def rows(text: str, first_cell: str) -> list[list[str]]:
    """The cells after the first one, of every row that begins with it."""
    cells = (line.split() for line in text.splitlines())
    return [row[1:] for row in cells if row[:1] == [first_cell]]


def pair(opening: Iterable[int], first: GameRecord, second: GameRecord) -> list[GameRecord]:
    """Games from one opening with these results, the player on seat 1 and then on seat 2."""
    return [
        replace(record, opening=tuple(opening), seat=seat)
        for seat, record in enumerate((first, second), start=1)
    ]


def on_board(match: Match, configuration: GameConfiguration) -> Match:
    return replace(match, settings=replace(match.settings, configuration=configuration))


def test_a_row_tells_both_seats_and_the_first_mover() -> None:
    text = shown(match_of(*pair((3, 3), WIN, LOSS), *pair((3, 3), DRAW, LOSS)))
    assert rows(text, "44") == [["won", "1-1-0", "0-0-2", "3-1-0"]]


def test_totals_are_over_all_openings() -> None:
    games = [*pair((3, 3), WIN, LOSS), *pair((2, 3), DRAW, WIN), *pair((3, 4), WIN, DRAW)]
    totals = rows(shown(match_of(*games)), "all")
    assert totals == [
        ["won", "2-0-0", "0-1-1", "3-1-0"],
        ["drawn", "0-1-0", "1-0-0", "0-1-1"],
        ["2-1-0", "1-1-1", "3-2-1"],
    ]


def test_theory_is_that_of_allis() -> None:
    """L. V. Allis, "A knowledge-based approach of Connect-Four" (1988): the first player wins from
    the middle column, draws from its neighbours and loses from the others."""
    games = [game for column in range(7) for game in pair((column,), WIN, LOSS)]
    text = shown(match_of(*games))
    theory = {str(column): rows(text, str(column))[0][0] for column in range(1, 8)}
    assert theory == {
        "4": "won",
        "3": "drawn",
        "5": "drawn",
        **dict.fromkeys("1267", "lost"),
    }
    openings = [row for row in map(str.split, text.splitlines()) if row and row[0] in theory]
    assert [row[0] for row in openings] == ["4", "3", "5", "1", "2", "6", "7"]


def test_the_empty_board_is_an_opening() -> None:
    assert rows(shown(match_of(WIN)), "none") == [["won", "1-0-0", "0-0-0", "1-0-0"]]


def test_on_other_boards_the_theory_is_not_known() -> None:
    match = on_board(match_of(*pair((9, 0), WIN, LOSS)), GameConfiguration(10, 12, 5))
    assert rows(shown(match), "10,1") == [["-", "1-0-0", "0-0-1", "2-0-0"]]


@pytest.mark.parametrize("failed", [PLAYER_FAILED, OPPONENT_FAILED])
def test_failures_are_left_out(failed: GameRecord) -> None:
    text = shown(match_of(*pair((3, 3), failed, DRAW)))
    assert rows(text, "44") == [["won", "0-0-0", "0-1-0", "0-1-0"]]
    assert "games in which somebody failed are left out" in " ".join(text.split())


def test_each_pairing_has_its_table() -> None:
    games = pair((3, 3), WIN, LOSS)
    others = [replace(game, opponent="[bold]") for game in pair((3, 3), DRAW, DRAW)]
    match = match_of(*games, *others)
    text = shown(replace(match, pairings=(WIN.pairing, ("hero", "[bold]"))))
    assert "hero against rival, by opening" in text
    assert "hero against [bold], by opening" in text
    assert [row[-1] for row in rows(text, "44")] == ["2-0-0", "0-2-0"]
