"""What the tables and sentences of a match say, and those of its openings."""

from collections.abc import Iterable
from dataclasses import replace
from math import log

import pytest
from rich.console import Group

from submission.arena.game_record import GameConfiguration, GameRecord, Result
from submission.executors.work import Completion
from submission.match.match import Match
from submission.match.opening_table import render_openings
from submission.match.sprt import Sprt
from tests.helpers.game_records import (
    DRAW,
    LOSS,
    OPPONENT_FAILED,
    PLAYER_FAILED,
    WIN,
    match_of,
    opened_games,
)
from tests.helpers.shell import printed


def shown(match: Match, width: int = 80) -> str:
    return printed(Group(match.tables(), *match.summary()), width)


def sentences(match: Match) -> str:
    return " ".join(shown(match).split())


def rows(text: str, name: str) -> list[list[str]]:
    """The other cells of every table row that begins with `name`."""
    cells = (line.split() for line in text.splitlines())
    return [row[1:] for row in cells if row[:1] == [name]]


def test_a_row_tells_results_by_seat_score_and_elo() -> None:
    second_win = replace(LOSS, game=3, result=Result.WIN)
    results, times = rows(shown(match_of(WIN, LOSS, DRAW, second_win)), "rival")
    # 2.5 of 4 points, and 400 log10(5 / 3).
    assert results == ["4", "1-1-0", "1-0-1", "62.5", "+89", "0", "player"]
    assert times[0] == "0.500"


def test_failures_are_counted_apart_with_their_first_cause() -> None:
    again = replace(PLAYER_FAILED, game=5)
    text = shown(match_of(WIN, LOSS, PLAYER_FAILED, again), width=200)
    assert rows(text, "rival")[0][1:] == ["1-0-0", "0-0-1", "25.0", "-191", "2", "player"]
    first = "first in game 5 of hero against rival: ERROR, ValueError: boom."
    assert f"hero failed in 2 games, {first}" in text


def test_the_opponents_failures_bear_its_name() -> None:
    text = shown(match_of(OPPONENT_FAILED), width=200)
    assert rows(text, "rival")[0][3:5] == ["-", "-"]
    assert "1 opponent" in text
    cause = "INVALID, the agent returned column 9"
    assert f"rival failed in 1 game, first in game 7 of hero against rival: {cause}" in text


def test_a_strangers_names_and_causes_cannot_steer_the_terminal() -> None:
    names = "\x1b[2Ja.py", "\x1b]0;b\x07"
    record = replace(PLAYER_FAILED, player=names[0], opponent=names[1], cause="\x1b[1A it won")
    text = str(match_of(record, names=names))
    assert not {"\x1b", "\x07"} & {*text}
    assert "\N{REPLACEMENT CHARACTER}[2Ja.py failed in 1 game" in text


def pairs(count: int, first: Result = Result.WIN, second: Result = Result.WIN) -> list[GameRecord]:
    """Pairs of games with these results on either seat, each from an opening of its own."""
    return opened_games(*[replace(WIN, result=first), replace(LOSS, result=second)] * count)


def judged(played: list[GameRecord], games: int | None = None) -> Match:
    match = match_of(*played, games=games)
    return replace(match, settings=replace(match.settings, sprt=Sprt(0, 100)))


@pytest.mark.parametrize(
    ("played", "told"),
    [
        (pairs(20), "Stronger, rather by 100 Elo than by 0. Decided after"),
        # A score far below a half accepts the lower hypothesis as one of a half does.
        (
            pairs(100, Result.LOSS, Result.LOSS),
            "Not 100 Elo stronger; by the games weaker, with 0.0 % of the points.",
        ),
        (
            pairs(100, Result.WIN, Result.LOSS),
            "Not 100 Elo stronger; by the games neither stronger nor weaker for certain, "
            "with 50.0 % of the points.",
        ),
        (pairs(1), "Not decided"),
    ],
    ids=["stronger", "weaker", "equal", "undecided"],
)
def test_a_sequential_test_tells_its_verdict(played: list[GameRecord], told: str) -> None:
    text = sentences(judged(played))
    assert f"Against rival: Elo +0 or +100? {told}" in text
    assert "bounds -2.94 and +2.94" in text, "Wald's: log(0.95 / 0.05) and its negative"


def test_json_has_what_a_sequential_test_says() -> None:
    """Each pair of wins weighs ln(0.6401 / 0.5), and the twelfth one reaches ln 19."""
    (told,) = judged(pairs(20)).to_dict()["tests"]
    assert told.pop("log_likelihood_ratio") == pytest.approx(12 * log(0.6401 / 0.5), rel=1e-3)
    assert told == {"player": "hero", "opponent": "rival", "verdict": "elo1 accepted", "games": 24}
    (told,) = judged(pairs(1)).to_dict()["tests"]
    assert (told["verdict"], told["games"]) == (None, None)
    assert match_of(WIN).to_dict()["tests"] == []


@pytest.mark.parametrize(("count", "openings"), [(3, "3 openings"), (1, "opening")])
def test_a_test_that_ends_because_games_repeat_says_so(count: int, openings: str) -> None:
    match = judged(pairs(count), games=400)
    text = sentences(match)
    assert "Elo +0 or +100? Not decided (log-likelihood ratio" in text
    assert f"the score is exact for the {openings} of these games, and says nothing" in text
    assert "exact for" not in sentences(replace(match, completion=Completion.INTERRUPTED))


@pytest.mark.parametrize(
    ("completion", "said"),
    [
        (Completion.INTERRUPTED, "Interrupted after 1 of 8 games."),
        (Completion.WORKER_DIED, "The workers died after 1 of 8 games"),
        (Completion.UNFINISHED, "So far 1 of 8 games have been played."),
    ],
)
def test_an_early_end_is_said(completion: Completion, said: str) -> None:
    match = match_of(WIN, games=8, completion=completion)
    assert said in sentences(match)
    assert " of 1 games" not in shown(match_of(WIN))


def test_games_that_repeat_are_said() -> None:
    text = shown(match_of(WIN, replace(WIN, game=2)), width=200)
    assert "Distinct games: hero and rival 1 of 2." in text
    assert "Distinct" not in shown(match_of(WIN, LOSS))


def test_a_match_ends_with_its_score() -> None:
    match = match_of(WIN, replace(LOSS, result=Result.WIN))
    (said,) = match.summary()
    assert said == (
        "hero against rival: 100.0 % [20.6, 100.0] of the points in 2 games, Elo +inf [-235, open]."
    ), "Wilson's interval of 1 in 1, and 400 log10(0.2065 / 0.7935)"
    words = " ".join(str(match).split())
    assert words.endswith(said)
    assert "1-0-0 100.0 +inf " in words, "the row of the table"


def test_what_went_wrong_and_the_verdict_of_a_test_stand_before_it() -> None:
    verdict, failed, score = judged([WIN, LOSS, DRAW, PLAYER_FAILED]).summary()
    assert "Not decided" in verdict
    assert failed.startswith("hero failed in 1 game")
    assert score.startswith("hero against rival: 50.0 %")


def test_no_game_has_no_score() -> None:
    assert match_of(games=2).summary() == [
        "hero against rival: no pair of games counts, of 0 games."
    ]


# --- by opening


def by_opening(*games: GameRecord, configuration: GameConfiguration | None = None) -> str:
    match = match_of(*games)
    rules = configuration or match.settings.configuration
    match = replace(match, settings=replace(match.settings, configuration=rules))
    pairings = tuple(dict.fromkeys(game.pairing for game in games))
    return printed(render_openings(replace(match, pairings=pairings)), 80)


def pair(opening: Iterable[int], first: GameRecord, second: GameRecord) -> list[GameRecord]:
    """Games from one opening with these results, the player on seat 1 and then on seat 2."""
    return [
        replace(record, opening=tuple(opening), seat=seat)
        for seat, record in enumerate((first, second), start=1)
    ]


@pytest.mark.parametrize(
    ("games", "row"),
    [
        ([*pair((3, 3), WIN, LOSS), *pair((3, 3), DRAW, LOSS)], "44 won 1-1-0 0-0-2 3-1-0"),
        (pair((3, 3), PLAYER_FAILED, DRAW), "44 won 0-0-0 0-1-0 0-1-0"),
        (pair((3, 3), OPPONENT_FAILED, DRAW), "44 won 0-0-0 0-1-0 0-1-0"),
        ([WIN], "none won 1-0-0 0-0-0 1-0-0"),
    ],
    ids=["two pairs", "player failed", "opponent failed", "empty board"],
)
def test_a_row_tells_both_seats_and_the_first_mover(games: list[GameRecord], row: str) -> None:
    """Games in which somebody failed are left out."""
    opening, *cells = row.split()
    assert rows(by_opening(*games), opening) == [cells]


def test_totals_are_over_all_openings() -> None:
    games = [*pair((3, 3), WIN, LOSS), *pair((2, 3), DRAW, WIN), *pair((3, 4), WIN, DRAW)]
    assert rows(by_opening(*games), "all") == [
        ["won", "2-0-0", "0-1-1", "3-1-0"],
        ["drawn", "0-1-0", "1-0-0", "0-1-1"],
        ["2-1-0", "1-1-1", "3-2-1"],
    ]


def test_theory_is_that_of_allis() -> None:
    """L. V. Allis, "A knowledge-based approach of Connect-Four" (1988): the first player wins from
    the middle column, draws from its neighbours and loses from the others."""
    text = by_opening(*(game for column in range(7) for game in pair((column,), WIN, LOSS)))
    theory = [row[:2] for row in map(str.split, text.splitlines()) if row and row[0] in "1234567"]
    others = [[column, "lost"] for column in "1267"]
    assert theory == [["4", "won"], ["3", "drawn"], ["5", "drawn"], *others]


def test_on_other_boards_the_theory_is_not_known() -> None:
    text = by_opening(*pair((9, 0), WIN, LOSS), configuration=GameConfiguration(10, 12, 5))
    assert rows(text, "10,1") == [["-", "1-0-0", "0-0-1", "2-0-0"]]


def test_each_pairing_has_its_table_of_openings() -> None:
    others = [replace(game, opponent="[bold]") for game in pair((3, 3), DRAW, DRAW)]
    text = by_opening(*pair((3, 3), WIN, LOSS), *others)
    assert "hero against rival, by opening" in text
    assert "hero against [bold], by opening" in text
    assert [row[-1] for row in rows(text, "44")] == ["2-0-0", "0-2-0"]
