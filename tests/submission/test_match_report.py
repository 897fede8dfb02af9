from dataclasses import replace

import pytest
from rich.console import Group

from submission.arena.game_record import GameRecord, Result
from submission.match.completion import Completion
from submission.match.match import Match
from submission.match.sprt import Sprt
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
    return printed(Group(match.tables(), *match.summary()), width)


def cells(text: str, name: str) -> list[list[str]]:
    """The cells of every table row that begins with `name`."""
    rows = (line.split() for line in text.splitlines())
    return [row for row in rows if row and row[0] == name]


def test_a_row_tells_results_by_seat_score_and_elo() -> None:
    second_win = replace(LOSS, game=3, result=Result.WIN)
    text = shown(match_of(WIN, LOSS, DRAW, second_win))
    results, times = cells(text, "rival")
    # 2.5 of 4 points, and 400 log10(5 / 3).
    assert results == ["rival", "4", "1-1-0", "1-0-1", "62.5", "+89", "0", "player"]
    assert times[1] == "0.500"


def test_an_infinite_elo_is_shown_as_such() -> None:
    text = shown(match_of(WIN, replace(LOSS, result=Result.WIN)))
    assert "+inf" in cells(text, "rival")[0]
    assert "[20.6, 100.0]" in text, "Wilson's interval of 1 in 1, but for a hair"


def test_failures_are_counted_apart_with_their_first_cause() -> None:
    again = replace(PLAYER_FAILED, game=5)
    text = shown(match_of(WIN, LOSS, PLAYER_FAILED, again), width=200)
    assert cells(text, "rival")[0][2:] == ["1-0-0", "0-0-1", "25.0", "-191", "2", "player"]
    assert (
        "hero failed in 2 games, first in game 5 of hero against rival: ERROR, ValueError: boom."
        in text
    )


def test_the_opponents_failures_bear_its_name() -> None:
    text = shown(match_of(OPPONENT_FAILED), width=200)
    assert cells(text, "rival")[0][4:6] == ["-", "-"]
    assert "1 opponent" in text
    cause = "INVALID, the agent returned column 9"
    assert f"rival failed in 1 game, first in game 7 of hero against rival: {cause}" in text


def test_a_sequential_test_tells_its_verdict() -> None:
    match = match_of(*(wins := pairs_won(20)))
    tested = replace(match, settings=replace(match.settings, sprt=Sprt(0, 100)))
    text = " ".join(shown(tested).split())
    # Wald's bounds are log(0.95 / 0.05) and its negative.
    told = "Stronger, rather by 100 Elo than by 0. Decided after"
    assert f"Against rival: Elo +0 or +100? {told}" in text
    assert "bounds -2.94 and +2.94" in text
    undecided = " ".join(shown(replace(tested, records=tuple(wins[:2]))).split())
    assert "Elo +0 or +100? Not decided" in undecided


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (Result.LOSS, Result.LOSS, "weaker, with 0.0 %"),
        (Result.WIN, Result.LOSS, "neither stronger nor weaker for certain, with 50.0 %"),
    ],
)
def test_not_stronger_is_not_equal(first: Result, second: Result, told: str) -> None:
    """A score far below a half accepts the lower hypothesis as one of a half does."""
    games = [replace(game, result=first if game.seat == 1 else second) for game in pairs_won(100)]
    match = match_of(*games)
    tested = replace(match, settings=replace(match.settings, sprt=Sprt(0, 100)))
    text = " ".join(shown(tested).split())
    assert f"Elo +0 or +100? Not 100 Elo stronger; by the games {told} of the points." in text


def pairs_won(count: int) -> list[GameRecord]:
    """Pairs of games, each from an opening of its own."""
    return [
        replace(game, game=2 * pair + game.game, opening=(pair,), columns=(pair, *game.columns))
        for pair in range(count)
        for game in (WIN, replace(LOSS, result=Result.WIN))
    ]


@pytest.mark.parametrize(("count", "openings"), [(3, "3 openings"), (1, "opening")])
def test_a_test_that_ends_because_games_repeat_says_so(count: int, openings: str) -> None:
    match = match_of(*pairs_won(count), games=400)
    tested = replace(match, settings=replace(match.settings, sprt=Sprt(0, 100)))
    text = " ".join(shown(tested).split())
    assert "Elo +0 or +100? Not decided (log-likelihood ratio" in text
    assert f"the score is exact for the {openings} of these games, and no sample" in text
    interrupted = replace(tested, completion=Completion.INTERRUPTED)
    assert "exact for" not in " ".join(shown(interrupted).split())


def test_an_early_end_is_said() -> None:
    interrupted = shown(match_of(WIN, games=8, completion=Completion.INTERRUPTED))
    assert "Interrupted after 1 of 8 games." in interrupted
    died = shown(match_of(WIN, games=8, completion=Completion.WORKER_DIED))
    assert "The workers died after 1 of 8 games" in died
    unfinished = shown(match_of(WIN, games=8, completion=Completion.UNFINISHED))
    assert "So far 1 of 8 games have been played." in unfinished
    assert " of 1 games" not in shown(match_of(WIN))


def test_games_that_repeat_are_said() -> None:
    text = shown(match_of(WIN, replace(WIN, game=2)), width=200)
    assert "distinct are, of hero and rival, 1 of 2." in text
    assert "distinct" not in shown(match_of(WIN, LOSS))


def test_the_rules_of_counting_are_said() -> None:
    text = " ".join(shown(match_of(WIN)).split())
    assert "a failure of the player 0; left out are pairs in which the opponent failed" in text


def test_names_are_shown_as_they_are() -> None:
    name = "mcts:order=[bold]"
    match = match_of(replace(WIN, opponent=name))
    text = shown(replace(match, pairings=(("hero", name),)), width=120)
    assert len(cells(text, name)) == 2


def test_large_figures_fit_eighty_columns() -> None:
    games = [replace(WIN, game=game) for game in range(400)]
    assert "…" not in shown(match_of(*games, LOSS))
