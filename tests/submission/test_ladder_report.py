"""What a ladder's tables and page say, read back from their text."""

from dataclasses import replace
from functools import reduce
from itertools import combinations
from math import inf
from xml.etree import ElementTree

import pytest

from agents.reporting.stats import Estimate
from envs.connectx import ConnectX
from envs.render import COLOURS
from submission.arena.game_record import GameRecord, Result
from submission.executors.work import Completion
from submission.match.match import Match
from submission.match.schedule import Settings
from submission.rating.ladder import Ladder, make_ladder
from submission.rating.ladder_page import SHOWN, ladder_page, lost_games
from tests.helpers.game_records import LOSS, PLAYER_FAILED, WIN, match_of
from tests.helpers.html_reading import Page
from tests.helpers.shell import printed
from tests.helpers.svg_reading import SVG, read_drawing

NAMES = ("weak", "strong", "<b>&\"middle'.py")


def meeting(player: str, opponent: str, *results: GameRecord) -> list[GameRecord]:
    return [
        replace(record, player=player, opponent=opponent, game=game, seat=1 + game % 2)
        for game, record in enumerate(results)
    ]


RECORDS = (
    *meeting("weak", "strong", LOSS, LOSS, LOSS, LOSS),
    *meeting("weak", NAMES[2], LOSS, WIN, PLAYER_FAILED, LOSS),
    *meeting("strong", NAMES[2], WIN, WIN, LOSS, WIN),
)


def tournament(*records: GameRecord) -> Match:
    return replace(match_of(*records, names=NAMES), settings=Settings(games=4, seed=1))


@pytest.fixture(scope="module")
def ladder() -> Ladder:
    return make_ladder(tournament(*RECORDS), None)


def shown(ladder: Ladder, width: int = 200) -> str:
    return "\n".join([printed(ladder.tables(), width), *ladder.summary()])


def rows(text: str, name: str) -> list[list[str]]:
    """The cells of every table row of a player."""
    cells = (line.split() for line in text.splitlines())
    return [row for row in cells if len(row) > 1 and row[0].isdigit() and row[1] == name]


def test_the_tables_tell_results_scores_and_times(ladder: Ladder) -> None:
    text = shown(ladder)
    results, scores, seconds = rows(text, "strong")
    assert results[2:6] == ["8", "87.5", "7-0-1", "0"]
    assert results[6].startswith("+")
    assert scores[2:] == ["-", "75", "100"]
    assert seconds[2:] == [f"{6.8 / 28:.3f}", "0.500"], "four games on either seat"
    ranks = [rows(text, name)[0][0] for name in ("strong", NAMES[2], "weak")]
    assert ranks == ["1", "2", "3"]
    assert "Seed 1, openings up to ply 2, at most 4 games per pair; connectx-agents 0.1.0" in text


def test_a_failure_is_a_loss_that_is_told_apart(ladder: Ladder) -> None:
    text = shown(ladder)
    assert rows(text, "weak")[0][2:7] == ["8", "12.5", "1-0-7", "1", "ERROR"]
    first = f"first in game 3 of weak against {NAMES[2]}: ERROR, ValueError: boom."
    assert f"weak failed in 1 game, {first}" in text


def test_few_games_and_games_that_repeat_are_said(ladder: Ladder) -> None:
    few, repeated = "Some players have met in only", "Distinct games:"
    assert f"{few} 4 games: with fewer than 20" in shown(ladder)
    assert f"{repeated} weak and strong 2 of 4; weak and" in shown(ladder)
    enough = [
        replace(game, columns=(number, *game.columns))
        for pair in combinations(NAMES, 2)
        for number, game in enumerate(meeting(*pair, *[WIN, LOSS] * 10))
    ]
    text = shown(make_ladder(tournament(*enough), None))
    assert few not in text
    assert repeated not in text


def test_an_open_interval_and_the_anchor_are_said(ladder: Ladder) -> None:
    unbeaten = make_ladder(tournament(*meeting("weak", "strong", LOSS, LOSS)), "weak")
    text = shown(unbeaten)
    for words in (", open]", "[open, ", "anchor", "points above weak"):
        assert words in text


def test_an_early_end_is_said_with_the_games_of_all_pairings() -> None:
    part = make_ladder(replace(tournament(RECORDS[0]), completion=Completion.UNFINISHED), None)
    for text in (shown(part), ladder_page(part)):
        assert "So far 1 of 12 games have been played." in text


def test_a_ladder_ends_with_the_ratings() -> None:
    *_, first, second = make_ladder(match_of(WIN, LOSS, WIN, games=4), "rival").summary()
    assert first.startswith("1  hero: Elo +")
    assert second == "2  rival: Elo 0, the anchor"


def test_certainty_is_not_claimed() -> None:
    unbeaten = make_ladder(match_of(*meeting("hero", "rival", *[WIN] * 40)), None)
    results, _, _ = rows(shown(unbeaten), "hero")
    assert results[-1] == ">99.9"


def test_the_page_is_whole_needs_nothing_else_and_escapes_names(ladder: Ladder) -> None:
    text = ladder_page(ladder)
    page = Page(text)
    assert {name for name, _ in page.attributes}.isdisjoint(["src", "href"])
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert page.text.count(NAMES[2]) >= 3, "the picture and two tables"
    assert NAMES[2] not in text


def test_the_page_has_failures_first_and_says_how_many_losses_are_left_out(ladder: Ladder) -> None:
    text = ladder_page(ladder)
    words = Page(text).text
    assert "to strong, 2 more left out" in words
    assert "to weak" in words, "the middle one has lost to the weak one"
    weak_to_middle = text[text.index("weak: 7 lost") :].split("<h3>")[2]
    assert "ERROR of weak after ply 2: ValueError: boom." in weak_to_middle.split("</figure>")[0]
    losses = (4, 3, 3, 1, 1)  # of weak, the middle one and strong, by opponent
    assert text.count("<figure") == sum(min(SHOWN, lost) for lost in losses)


def test_quick_losses_come_first() -> None:
    long = replace(LOSS, columns=(0, 1, 0, 1, 0, 1, 6, 1), game=0)
    (lost,) = lost_games("hero", [long, LOSS, replace(WIN, game=2)], most=1)
    assert (lost.opponent, lost.shown, lost.left_out) == ("rival", (LOSS,), 1)
    assert lost_games("rival", [WIN], most=1)[0].shown == (WIN,)
    assert lost_games("stranger", [WIN, LOSS], most=1) == []


def test_the_picture_shows_the_ratings_to_scale(ladder: Ladder) -> None:
    rungs = ladder.rungs
    elo = (Estimate(300, 100, inf), Estimate(0, 0, 0), Estimate(-150, -inf, -50))
    drawn = replace(
        ladder,
        rungs=tuple(replace(rung, elo=known) for rung, known in zip(rungs, elo, strict=True)),
    )
    picture = drawn.pictures()[0]
    root = ElementTree.fromstring(picture)
    points = [
        (float(circle.attrib["cx"]), float(circle.attrib["cy"]))
        for circle in root.iter(f"{SVG}circle")
    ]
    (first, second, third), heights = zip(*points, strict=True)
    assert list(heights) == sorted(heights)
    assert (first - second) / (second - third) == pytest.approx(300 / 150, abs=0.01)
    right, left = (
        [float(point.split(",")[0]) for point in arrow.attrib["points"].split()]
        for arrow in root.iter(f"{SVG}polygon")
    )
    assert right[0] == max(right) > first, "the strongest one's limit is open above"
    assert left[0] == min(left) < third, "the weakest one's below"
    drawing = read_drawing(picture)
    assert [name for name in drawing.words if name in NAMES] == [rung.player for rung in rungs]
    for words, box in drawing.texts:
        assert drawing.size.left <= box.left, words
        assert box.right <= drawing.size.right + 1, words


def replay_figure(record: GameRecord) -> str:
    """The only one on the page of a lost game."""
    page = ladder_page(make_ladder(match_of(record), None))
    return page[page.index("<figure") : page.index("</figure>") + len("</figure>")]


def test_a_replay_ends_with_the_last_board_and_its_line() -> None:
    figure, env = replay_figure(WIN), ConnectX()
    circles = ElementTree.fromstring(figure).iter(f"{SVG}circle")
    shown = [COLOURS.index(circle.attrib["fill"]) for circle in circles]
    assert shown == env.to_board(reduce(env.get_next_state, WIN.columns, env.initial_state()))
    assert figure.count("stroke-width") == 4
    assert "Over after ply 7." in figure


def test_the_first_mover_has_the_first_colour() -> None:
    figure = replay_figure(replace(WIN, seat=2, result=Result.LOSS))
    assert figure.index(COLOURS[1], figure.index("<figcaption")) < figure.index("rival")
    assert figure.index("rival") < figure.index("hero")
