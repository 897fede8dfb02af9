"""Games in the browser: by clicks, by keys, back and forth, by links; and what moves are worth."""

import re
from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest

from agents.levels import LEVELS
from envs.board import moves_text, parse_moves
from envs.connectx import ConnectFour
from envs.tic_tac_toe import TicTacToe
from tests.helpers.bitbully_judge import Judge
from tests.helpers.browser import (
    Site,
    go_to,
    legal_places,
    message,
    opened_site,
    places,
)

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

POSITIONS = 50
FEWEST_PLIES, MOST_PLIES = 16, 30


@pytest.fixture(scope="module")
def shared_site() -> Iterator[Site]:
    with opened_site() as site:
        yield site


@pytest.fixture
def site(shared_site: Site) -> Iterator[Site]:
    yield shared_site
    complaints, shared_site.complaints = shared_site.complaints, []
    assert complaints == []


def game_moves(address: str) -> str:
    """The moves that an address carries."""
    found = re.search(r"[#&]moves=([^&]*)", address)
    return found[1] if found else ""


def wait_for_moves(page: "Page", count: int) -> None:
    """Wait until so many moves have been made, and no agent is thinking."""
    page.wait_for_url(lambda url: len(game_moves(url)) >= count)
    page.locator("#seats button[data-thinking=true]").wait_for(state="detached")


def is_over(page: "Page") -> bool:
    return not legal_places(page)


def random_position(rng: Random, plies: int) -> list[int]:
    """The columns of a game of Connect Four that is not over, nor about to be."""
    env = ConnectFour()
    while True:
        state = env.initial_state()
        columns: list[int] = []
        while len(columns) < plies and env.get_available_actions(state):
            columns.append(rng.choice(env.get_available_actions(state)))
            state = env.get_next_state(state, columns[-1])
        if env.get_available_actions(state):
            return columns


@pytest.mark.parametrize("level", [level.n for level in LEVELS])
def test_a_game_against_each_level_by_clicks(site: Site, level: int) -> None:
    rng = Random(level)
    fragment = f"#game=connectx-6x7x4&moves=&first=person&second=level:n={level}"
    with site.page(fragment) as page:
        while not is_over(page):
            before = len(game_moves(page.url))
            places(page).nth(rng.choice(legal_places(page))).click()
            wait_for_moves(page, before + 1)
        state = ConnectFour().initial_state()
        for action in parse_moves(game_moves(page.url)):
            state = ConnectFour().get_next_state(state, action)
        assert not ConnectFour().get_available_actions(state)
        winner = ConnectFour().winner(state)
        words = "A draw." if winner is None else f"{'XO'[winner - 1]} wins."
        assert message(page).inner_text() == words


def test_a_game_by_keyboard_alone(site: Site) -> None:
    from playwright.sync_api import expect

    with site.page() as page:
        page.keyboard.press("n")
        page.keyboard.press("Tab")
        focused = page.locator(":focus")
        while focused.get_attribute("type") != "submit":
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog", name="New game")).to_be_hidden()
        page.keyboard.press("4")
        expect(page.locator("#ply-line")).to_have_text("ply 2 of 2")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        name = page.evaluate("() => document.activeElement.shadowRoot.activeElement.ariaLabel")
        assert name == "Column 3"
        page.keyboard.press("Enter")
        expect(page.locator("#ply-line")).to_have_text("ply 4 of 4")
        page.keyboard.press("u")
        expect(page.locator("#ply-line")).to_have_text("ply 2 of 4")
        page.keyboard.press("r")
        expect(page.locator("#ply-line")).to_have_text("ply 4 of 4")
        while not is_over(page):
            before = len(game_moves(page.url))
            page.keyboard.press(str(legal_places(page)[0] + 1))
            wait_for_moves(page, before + 1)
        assert "wins" in message(page).inner_text() or "draw" in message(page).inner_text()
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()


def words_of(score: int, played: int) -> str:
    """The result of a move that the judge gives a score, in the words of the page.

    A score counts the stones that the winner has left after the last one, and one more.
    """
    if score == 0:
        return "draw"
    plies = 44 - 2 * abs(score) - played
    is_win = score > 0
    plies -= (plies % 2 == 1) != is_win  # the mover's own stone is an odd ply
    return f"{'win' if is_win else 'loss'} in {plies}"


def test_values_are_those_of_an_independent_solver(site: Site) -> None:
    from playwright.sync_api import expect

    judge, rng = Judge(), Random(5)
    with site.page() as page:
        page.locator("#values-switch").check()
        for number in range(POSITIONS):
            plies = FEWEST_PLIES + number % (MOST_PLIES - FEWEST_PLIES)
            columns = random_position(rng, plies)
            go_to(page, f"game=connectx-6x7x4&moves={moves_text(columns)}")
            expect(page.locator("#ply-line")).to_have_text(f"ply {plies} of {plies}")
            expect(page.locator("#values-list")).to_have_attribute("aria-busy", "false")
            expected = {
                column: words_of(score, plies) for column, score in judge.scores(columns).items()
            }
            best = [
                column
                for column, score in judge.scores(columns).items()
                if score == max(judge.scores(columns).values())
            ]
            rows = page.locator("#values-list .words").all_inner_texts()
            assert rows == [
                words + (" best" if column in best else "") for column, words in expected.items()
            ], columns
            names = places(page).evaluate_all("all => all.map(button => button.ariaLabel)")
            for column, words in expected.items():
                assert names[column] == f"Column {column + 1}, {words}"


def test_values_tell_what_is_proven_from_what_is_estimated(site: Site) -> None:
    with site.page("#game=connectx-10x10x5&moves=5,6,5") as page:
        page.locator("#values-switch").check()
        page.locator("#values-list .estimate").first.wait_for()
        row = page.locator("#values-list .value[data-exact=false]").first
        assert re.search("estimate [+\N{MINUS SIGN}]?[01]", row.inner_text())
        assert "exact" not in row.inner_text()


def test_undo_redo_and_any_ply(site: Site) -> None:
    from playwright.sync_api import expect

    with site.page("#game=connectx-6x7x4&moves=4453") as page:
        line = page.locator("#ply-line")
        page.get_by_role("button", name="Undo").click()
        expect(line).to_have_text("ply 3 of 4")
        page.get_by_role("button", name="Redo").click()
        expect(line).to_have_text("ply 4 of 4")
        page.get_by_role("button", name="2. O, column 4").click()
        expect(line).to_have_text("ply 2 of 4")
        page.reload()
        expect(line).to_have_text("ply 2 of 4")
        places(page).nth(6).click()
        expect(line).to_have_text("ply 3 of 3")
        assert game_moves(page.url) == "447"
        page.go_back()
        expect(line).to_have_text("ply 2 of 4")
        page.go_forward()
        expect(line).to_have_text("ply 3 of 3")


def test_the_curve_marks_mistakes_and_leads_to_any_ply(site: Site) -> None:
    from playwright.sync_api import expect

    # X leaves a win at its second move from the end, and O does not block.
    with site.page("#game=connectx-6x7x4&moves=12121") as page:
        page.locator("#values-switch").check()
        curve = page.get_by_role("slider", name="Ply of the game")
        expect(page.locator("#record-state")).to_contain_text("istake")
        mistakes = page.locator("#moves button[data-mistake=true]")
        expect(mistakes.first).to_be_visible()
        assert page.locator(".mistake").count() == mistakes.count()
        box = curve.bounding_box()
        assert box is not None
        curve.click(position={"x": 0.4 * box["width"], "y": 20})
        expect(page.locator("#ply-line")).to_have_text("ply 2 of 5")
        page.keyboard.press("End")
        expect(page.locator("#ply-line")).to_have_text("ply 5 of 5")
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#ply-line")).to_have_text("ply 4 of 5")
        expect(curve).to_have_attribute("aria-valuetext", re.compile("^4. O plays column 2"))


def test_games_of_other_sizes_and_from_moves(site: Site) -> None:
    from playwright.sync_api import expect

    with site.page() as page:
        page.get_by_role("button", name="New game").click()
        dialog = page.get_by_role("dialog", name="New game")
        dialog.get_by_label("rows").fill("20")
        dialog.get_by_label("columns", exact=True).fill("20")
        dialog.get_by_label("moves so far").fill("1,20,21")
        dialog.get_by_role("button", name="Begin").click()
        expect(dialog.get_by_role("alert")).to_contain_text("move 3 is 21")
        site.complaints.clear()  # the browser notes the answer 400
        dialog.get_by_label("moves so far").fill("1,20,20")
        dialog.get_by_role("button", name="Begin").click()
        expect(dialog).to_be_hidden()
        assert places(page).count() == 20
        assert "game=connectx-20x20x4&moves=1,20,20" in page.url

        page.get_by_role("button", name="New game").click()
        dialog.get_by_label("game").select_option(label="Tic-tac-toe")
        dialog.get_by_role("button", name="Begin").click()
        expect(page.locator("#game-title")).to_have_text("Tic-tac-toe")
        page.locator("#values-switch").check()
        expect(page.locator("#values-list")).to_have_attribute("aria-busy", "false")
        assert page.locator("#values-list .words").all_inner_texts() == ["draw best"] * 9
        places(page).nth(4).click()
        wait_for_moves(page, 2)
        state = TicTacToe().initial_state()
        for action in parse_moves(game_moves(page.url)):
            state = TicTacToe().get_next_state(state, action)
        assert state.player == 1


def agents_for_the_second_seat(page: "Page") -> "Locator":
    """The dialog of the second seat, opened for an agent to be chosen."""
    page.locator("#seats button").last.click()
    dialog = page.get_by_role("dialog", name="Who plays O?")
    dialog.get_by_label("Agent", exact=True).check()
    return dialog


def test_a_seat_is_taken_by_any_agent_with_its_options(site: Site) -> None:
    from playwright.sync_api import expect

    with site.page("#game=connectx-6x7x4&moves=44") as page:
        dialog = agents_for_the_second_seat(page)
        dialog.get_by_label("agent", exact=True).select_option("mcts")
        dialog.get_by_label("simulations").fill("50")
        dialog.get_by_label("seed").fill("1")
        dialog.get_by_role("button", name="Take the seat").click()
        places(page).nth(3).click()
        expect(page.locator("#ply-line")).to_have_text("ply 4 of 4")
        assert "second=mcts:simulations=50;seed=1;seconds=2" in page.url.replace("%3B", ";")
        page.get_by_role("button", name="Swap seats").click()
        expect(page.locator("#ply-line")).to_have_text("ply 5 of 5")
        page.reload()
        expect(page.locator("#seats button").first).to_contain_text("mcts")


def test_a_trained_agent_is_offered_where_it_knows_the_game(site: Site) -> None:
    from playwright.sync_api import expect

    with site.page("#game=connectx-6x7x4&moves=44&first=person&second=person") as page:
        dialog = agents_for_the_second_seat(page)
        dialog.get_by_label("agent", exact=True).select_option("alphazero")
        dialog.get_by_label("weights").select_option("zero")
        dialog.get_by_label("seconds a move").fill("10")
        dialog.get_by_role("button", name="Take the seat").click()
        places(page).nth(3).click()
        expect(page.locator("#ply-line")).to_have_text("ply 4 of 4")
        assert 'second=alphazero:weights="zero"' in unquote(page.url)
    with site.page("#game=connectx-5x5x4&moves=44&first=person&second=person") as page:
        dialog = agents_for_the_second_seat(page)
        names = dialog.get_by_label("agent", exact=True).locator("option").all_inner_texts()
        assert "mcts" in names
        assert not {"policy", "alphazero"} & {*names}


def test_agents_play_each_other_with_pauses_and_steps(site: Site) -> None:
    from playwright.sync_api import expect

    fragment = "#game=connectx-6x7x4&moves=&first=random:seed=1&second=random:seed=2"
    with site.page(fragment) as page:
        page.get_by_label("Pace").select_option("fast")
        page.get_by_role("button", name="Pause").click()
        page.get_by_role("button", name="One move").wait_for()
        wait_for_moves(page, 0)
        before = len(game_moves(page.url))
        page.get_by_role("button", name="One move").click()
        page.wait_for_url(lambda url: len(game_moves(url)) == before + 1)
        expect(page.get_by_role("button", name="Go on")).to_be_visible()
        page.get_by_role("button", name="Go on").click()
        expect(message(page)).to_have_text(re.compile("wins|draw"))


def test_a_lost_connection_is_told_and_taken_up_again(site: Site) -> None:
    from playwright.sync_api import expect

    with site.page("#game=connectx-6x7x4&moves=44535") as page:
        page.locator("#values-switch").check()
        expect(page.locator("#values-list")).to_have_attribute("aria-busy", "false")
        page.context.set_offline(True)
        places(page).nth(0).click()
        expect(page.locator("#connection")).to_contain_text("lost")
        page.context.set_offline(False)
        expect(page.locator("#ply-line")).to_have_text("ply 6 of 6")
        expect(page.locator("#connection")).to_be_empty()
        expect(page.locator("#values-list .value").first).to_be_visible()


def test_streams_are_closed_while_the_page_is_hidden(site: Site) -> None:
    from playwright.sync_api import expect

    with site.page("#game=connectx-6x7x4&moves=12") as page:
        hide = """hidden => {
            Object.defineProperty(document, 'hidden', {value: hidden, configurable: true});
            document.dispatchEvent(new Event('visibilitychange'));
        }"""
        page.evaluate(hide, True)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.locator("#values-switch").check()
        expect(page.locator("#values-state")).to_have_text("Solving…")
        page.wait_for_timeout(300)
        assert not [url for url in asked if "/api/values" in url]
        page.evaluate(hide, False)
        page.locator("#values-list .value").first.wait_for()
        assert [url for url in asked if "/api/values" in url]


def test_errors_of_a_link_are_told_in_a_sentence(site: Site) -> None:
    from playwright.sync_api import expect

    with site.page("#game=connectx-6x7x4&moves=1111111") as page:
        expect(page.locator("#error")).to_contain_text("move 7 is 1")
        site.complaints.clear()  # the browser notes the answer 400
