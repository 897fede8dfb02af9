"""Games in the browser: by clicks, by keys, back and forth, by links; and what moves are worth."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest

from agents.levels import LEVELS
from envs.board import moves_text, state_from_moves
from envs.connectx import ConnectFour
from envs.tic_tac_toe import TicTacToe
from tests.helpers.bitbully_judge import Judge, score_in_words
from tests.helpers.browser import (
    LATE,
    Site,
    events,
    expect,
    go_to,
    legal_places,
    message,
    places,
    resize,
)
from tests.helpers.game_records import DRAW, unfinished_game

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page, Route

QUICK_LEVELS = (1, 10)
"""One in plain Python, and the solver."""
FOCUSED = "document.activeElement.shadowRoot.activeElement.ariaLabel"
"""The name of the place of the board that has the focus."""


def game_moves(address: str) -> str:
    """The moves that an address carries."""
    found = re.search(r"[#&]moves=([^&]*)", address)
    return found[1] if found else ""


def wait_for_moves(page: "Page", count: int) -> None:
    """Wait until `count` moves have been made, and no agent is thinking."""
    page.wait_for_url(lambda url: len(game_moves(url)) >= count)
    page.locator("#seats [data-thinking=true]").wait_for(state="detached")


@contextmanager
def late(page: "Page", *questions: tuple[str, str, int]) -> Iterator[None]:
    """Delay the answers to questions of a path with these words by milliseconds meanwhile."""
    page.evaluate("void (window.undelayed = fetch)")
    for question in questions:
        page.evaluate(LATE, [*question])
    yield
    page.evaluate("void (window.fetch = undelayed)")


@pytest.mark.parametrize(
    "level",
    [
        n if n in QUICK_LEVELS else pytest.param(n, marks=pytest.mark.slow)
        for n in (level.n for level in LEVELS)
    ],
)
def test_a_game_against_each_level_by_clicks(site: Site, level: int) -> None:
    rng, env = Random(level), ConnectFour()
    fragment = f"#game=connectx-6x7x4&moves=&first=person&second=level:n={level}"
    with site.visit(fragment) as page:
        page.evaluate("localStorage.removeItem('beaten')")
        while legal := legal_places(page):
            before = len(game_moves(page.url))
            places(page).nth(rng.choice(legal)).click()
            wait_for_moves(page, before + 1)
        state = state_from_moves(env, game_moves(page.url))
        assert not env.get_available_actions(state)
        winner = env.winner(state)
        words = {None: "A draw", 1: "You win!", 2: f"Level {level} wins"}[winner]
        assert message(page).inner_text() == words
        assert page.locator("#ending-title").inner_text() == words
        beaten = page.evaluate("localStorage.getItem('beaten')")
        assert beaten == (str(level) if winner == 1 else None)


def test_a_game_by_keyboard_alone(site: Site) -> None:
    with site.page() as page:
        intro = page.get_by_role("region", name="New here?")
        expect(intro).to_contain_text("Watch how an agent thinks")
        page.keyboard.press("n")
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog", name="New game")).to_be_hidden()
        expect(page.locator("#ply-line")).to_have_text("4 in a row wins")
        page.keyboard.press("4")
        expect(page.locator("#ply-line")).to_have_text("move 2 of 2")
        expect(intro).to_be_hidden()
        page.keyboard.press("ArrowLeft")
        assert page.evaluate(FOCUSED) == "Column 3"
        page.keyboard.press("Enter")
        expect(page.locator("#ply-line")).to_have_text("move 4 of 4")
        page.keyboard.press("u")
        expect(page.locator("#ply-line")).to_have_text("move 2 of 4")
        page.keyboard.press("r")
        expect(page.locator("#ply-line")).to_have_text("move 4 of 4")
        while legal := legal_places(page):
            before = len(game_moves(page.url))
            page.keyboard.press(str(legal[0] + 1))
            wait_for_moves(page, before + 1)
        assert re.search("win|draw", message(page).inner_text())
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Help")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog", name="Help")).to_be_hidden()


def test_a_digit_without_a_column_does_nothing_and_a_full_column_says_so(site: Site) -> None:
    with site.visit("#game=connectx-6x7x4&moves=111111&first=person&second=person") as page:
        page.keyboard.press("ArrowLeft")
        assert page.evaluate(FOCUSED) == "Column 4"
        for key in ("9", "8", "7"):
            page.keyboard.press(key)
        told = page.locator("#board [role=status]")
        expect(told).to_have_text("X plays column 7. O\u2019s turn")
        expect(places(page).first).to_have_attribute("aria-label", "Column 1, full")
        places(page).first.click(force=True)
        expect(told).to_have_text("Column 1, full.")
        assert game_moves(page.url) == "1111117"


def name_of_best(words: str, best: bool, all_lose_alike: bool) -> str:
    """The words of a move with the name of what stands out: in a lost position none is best."""
    if not best or all_lose_alike:
        return words
    kind = words.partition(" ")[0]
    names = {"wins": "best", "draw": "keeps the draw", "loses": "resists longest"}
    return f"{words} {names[kind]}"


def test_values_are_those_of_an_independent_solver(site: Site) -> None:
    judge, rng = Judge(), Random(5)
    with site.visit("#game=connectx-6x7x4&moves=", valued=True) as page:
        for plies in range(16, 30, 2):
            columns = unfinished_game(rng, plies)
            go_to(page, f"game=connectx-6x7x4&moves={moves_text(columns)}")
            expect(page.locator("#ply-line")).to_have_text(f"move {plies} of {plies}")
            expect(page.locator("#values-list")).to_have_attribute("aria-busy", "false")
            scores, best = judge.scores(columns), judge.best_moves(columns)
            expected = {column: score_in_words(plies, score) for column, score in scores.items()}
            rows = page.locator("#values-list .words").all_inner_texts()
            rows = [row.removesuffix(", best trap").removesuffix(" best trap") for row in rows]
            lost_alike = len(best) == len(expected) and "loses" in expected[best[0]]
            assert rows == [
                name_of_best(words, column in best, lost_alike)
                for column, words in expected.items()
            ], columns
            names = places(page).evaluate_all("all => all.map(button => button.ariaLabel)")
            for column, words in expected.items():
                name = names[column].removesuffix(", best trap")
                assert name == f"Column {column + 1}, {words}"


def test_a_lost_position_names_what_resists_and_what_sets_a_trap(site: Site) -> None:
    assert max(Judge().scores([3]).values()) < 0
    with site.visit("#game=connectx-6x7x4&moves=4&first=person&second=perfect") as page:
        page.locator("#values-switch").check()
        page.wait_for_url(lambda url: len(game_moves(url)) == 2)
        page.get_by_label("Who plays O").select_option("A person")
        played = int(game_moves(page.url)[1])
        page.get_by_role("button", name="Undo").click()
        row = page.locator("#values-list .value", has_text="best trap")
        expect(row.locator(".place")).to_have_text(re.compile(str(played)))
        expect(row).not_to_contain_text("resists longest")
        expect(page.locator("#values-list")).to_contain_text("resists longest")
        expect(places(page).nth(played - 1)).to_have_attribute(
            "aria-label", re.compile("best trap")
        )
        expect(page.locator("#values-list em", has_text=re.compile("best$"))).to_have_count(0)
        go_to(page, "game=connectx-6x7x4&moves=44&first=person&second=person")
        expect(page.locator("#values-list")).to_have_attribute("aria-busy", "false")
        expect(page.locator("#values-list")).not_to_contain_text("best trap")


def press_slowly(page: "Page", button: "Locator", part: str) -> None:
    """Press a part of a button as a hand does, with new values between down and up."""
    button.scroll_into_view_if_needed()
    x, y = button.evaluate(
        """(button, part) => {
            const { left, right, top, bottom } = button.querySelector(part).getBoundingClientRect();
            return [(left + right) / 2, (top + bottom) / 2];
        }""",
        part,
    )
    page.mouse.move(x, y)
    page.mouse.down()
    page.wait_for_timeout(400)
    page.mouse.up()


def test_a_press_counts_though_new_estimates_come_before_the_hand_is_lifted(site: Site) -> None:
    with site.visit("#game=connectx-16x16x5&moves=5&first=person&second=person") as page:
        page.locator("#values-switch").check()
        row = page.locator("#values-list .value[data-exact=false]").first
        expect(row).to_contain_text(re.compile("estimate [+\N{MINUS SIGN}]?[01]"))
        expect(row).not_to_contain_text("exact")
        line = page.locator("#ply-line")
        estimates = page.locator("#values-list .estimate")
        for column in (3, 6, 7):
            expect(estimates).not_to_have_count(0)
            before = len(game_moves(page.url))
            press_slowly(page, places(page).nth(column - 1), ".cx-number")
            expect(line).to_have_text(f"move {before + 1} of {before + 1}")
        expect(estimates).not_to_have_count(0)
        expect(page.locator("#record-state")).to_have_text("Judging the moves…")
        press_slowly(page, page.locator("#moves button").nth(1), "small")
        expect(line).to_have_text("move 1 of 4")


def test_undo_redo_and_any_ply(site: Site) -> None:
    with site.visit("#game=connectx-6x7x4&moves=4453") as page:
        line = page.locator("#ply-line")
        page.get_by_role("button", name="Undo").click()
        expect(line).to_have_text("move 3 of 4")
        page.get_by_role("button", name="Redo").click()
        expect(line).to_have_text("move 4 of 4")
        page.get_by_role("button", name="2. O, column 4").click()
        expect(line).to_have_text("move 2 of 4")
        page.reload()
        expect(line).to_have_text("move 2 of 4")
        places(page).nth(6).click()
        expect(line).to_have_text("move 3 of 3")
        assert game_moves(page.url) == "447"
        page.get_by_role("button", name="Back to 3. 5, 3").click()
        expect(line).to_have_text("move 2 of 4")
        assert game_moves(page.url) == "4453"
        page.get_by_role("button", name="Back to 3. 7").click()
        expect(line).to_have_text("move 2 of 3")
        page.go_back()
        page.go_back()
        expect(line).to_have_text("move 3 of 3")
        page.go_back()
        expect(line).to_have_text("move 2 of 4")
        page.go_forward()
        expect(line).to_have_text("move 3 of 3")


def test_a_replayed_line_is_offered_only_where_it_leads_on(site: Site) -> None:
    with site.visit("#game=connectx-6x7x4&moves=4453") as page:
        line, offered = page.locator("#ply-line"), page.locator("#lines button")
        page.get_by_role("button", name="2. O, column 4").click()
        for column, text in ((7, "move 3 of 3"), (None, "move 2 of 3"), (5, "move 3 of 3")):
            if column is None:
                page.get_by_role("button", name="Undo").click()
            else:
                places(page).nth(column - 1).click()
            expect(line).to_have_text(text)
        expect(offered).to_have_text(["Back to 4. 3", "Back to 3. 7"])
        offered.first.click()
        expect(line).to_have_text("move 3 of 4")
        expect(offered).to_have_text(["Back to 3. 7"])
        offered.first.click()
        expect(line).to_have_text("move 2 of 3")
        places(page).nth(4).click()
        expect(offered).to_have_text(["Back to 4. 3", "Back to 3. 7"])
        places(page).nth(2).click()
        expect(line).to_have_text("move 4 of 4")
        expect(offered).to_have_text(["Back to 3. 7"])


def test_lines_on_a_wide_board_are_told_apart_by_their_moves(site: Site) -> None:
    with site.visit("#game=connectx-4x12x4&moves=4,10,12&first=person&second=person") as page:
        offered = page.locator("#lines button")
        for column in (1, 11):
            page.get_by_role("button", name="2. O, column 10").click()
            places(page).nth(column - 1).click()
            expect(page.locator("#ply-line")).to_have_text("move 3 of 3")
        expect(offered).to_have_text(["Back to 3. 12", "Back to 3. 1"])
        offered.first.click()
        expect(offered).to_have_text(["Back to 3. 1", "Back to 3. 11"])


NOTE_FALLS = """() => {
    const animate = Element.prototype.animate;
    window.falls = [];
    Element.prototype.animate = function (...how) {
        const fall = animate.apply(this, how);
        falls.push(fall.finished.then(() => this.isConnected));
        return fall;
    };
}"""
"""Notes of each stone that falls whether it is still the same one when it has landed."""


def test_a_stone_falls_to_its_cell_though_values_come_meanwhile(site: Site) -> None:
    link = "#game=connectx-16x16x5&moves=5&first=person&second=person"
    with site.visit(link) as page:
        page.emulate_media(reduced_motion="no-preference")
        page.locator("#values-switch").check()
        expect(page.locator("#values-list .estimate")).not_to_have_count(0)
        page.evaluate(NOTE_FALLS)
        places(page).first.click()
        page.wait_for_function("() => falls.length")
        assert page.evaluate("Promise.all(falls)") == [True]
        page.emulate_media(reduced_motion="reduce")


def test_a_disc_falls_before_a_slow_server_answers_and_is_taken_back(site: Site) -> None:
    slow = ("api/position", '"447"', 1000)
    link = "#game=connectx-6x7x4&moves=44&first=person&second=person"
    with site.visit(link) as page, late(page, slow):
        discs, awaiting = page.locator("#board .stone"), page.locator("[data-awaiting]")
        for take_back in (page.locator("#undo").click, lambda: None):
            places(page).nth(6).click()
            expect(discs).to_have_count(3)
            assert legal_places(page) == []
            assert game_moves(page.url) == "44"
            expect(awaiting).to_have_count(1)
            take_back()
            page.wait_for_function("() => !document.querySelector('[data-awaiting]')")
        expect(page.locator("#moves li")).to_have_count(4)
        page.route("**/api/position", lambda route: route.fulfill(status=400, body="{}"))
        places(page).nth(6).click()
        expect(page.locator("#error")).to_have_text("The server answered 400.")
        expect(discs).to_have_count(3)
        assert "400" in site.complaints.pop()


def test_an_agents_value_is_told_in_its_own_view_and_its_trap_does_not_move_the_board(
    site: Site,
) -> None:
    answer = {"action": 1, "value": -1.0, "elapsed": 0.0, "engine": None, "trap": ""}
    with site.visit("#game=connectx-6x7x4&moves=44&first=person&second=random") as page:
        page.route("**/api/move", lambda route: route.fulfill(json=answer))
        places(page).first.click()
        expect(page.locator("#seats .seat small").nth(2)).to_have_text("value +1")
        answer["trap"] = "sets a trap: 2 replies only draw, 3 lose, 2 keep the win"
        before = page.locator("#board svg").bounding_box()
        places(page).nth(2).click()
        expect(page.locator("#seats .trap").nth(1)).to_have_text(str(answer["trap"]))
        assert page.locator("#board svg").bounding_box() == before


def test_the_list_of_moves_stays_where_it_was_scrolled_to_while_moves_are_judged(
    site: Site,
) -> None:
    link = f"#game=connectx-6x7x4&moves={moves_text(DRAW.columns)}&first=person&second=person"
    plies = list[dict[str, object]]()

    def judge_one_more(route: "Route") -> None:
        judged = {"player": 1, "value": 0, "text": "draw", "mistake": None}
        plies.append({"ply": len(plies), **judged})
        route.fulfill(**events({"plies": plies, "done": False}))

    with site.visit(link) as page:
        page.route("**/api/review?*", judge_one_more)
        page.locator("#values-switch").check()
        course = page.locator(".course")
        course.wait_for(state="attached")
        page.locator("#moves").evaluate("list => { list.scrollTop = 0; }")
        expect(course).not_to_have_attribute("d", course.get_attribute("d") or "")
        assert page.locator("#moves").evaluate("list => list.scrollTop") == 0


def test_the_judgement_of_another_move_is_forgotten_on_a_wide_board(site: Site) -> None:
    link = "#game=connectx-4x12x4&moves=4,10,1&first=person&second=person"
    with site.visit(link) as page:
        ply = {"ply": 2, "player": 1, "action": 0, "mistake": "win-to-draw", "best": [3]}
        answer = events({"plies": [{**ply, "value": 0, "text": "draw"}], "done": True})
        page.route("**/api/review?*", lambda route: None)
        page.route("**/api/review?*", lambda route: route.fulfill(**answer), times=1)
        page.locator("#values-switch").check()
        last = page.locator("#moves button").last
        expect(last).to_have_text("X1?")
        page.get_by_role("button", name="2. O, column 10").click()
        places(page).nth(11).click()
        expect(last).to_have_text("X12")


def test_the_curve_marks_mistakes_and_leads_to_any_ply(site: Site) -> None:
    # X leaves a win at its second move from the end, and O does not block.
    with site.visit("#game=connectx-6x7x4&moves=12121", valued=True) as page:
        curve = page.get_by_role("slider", name="Ply of the game")
        expect(page.locator("#record-state")).to_contain_text("istake")
        mistakes = page.locator("#moves button[data-mistake=true]")
        expect(mistakes.first).to_be_visible()
        assert page.locator(".mistake").count() == mistakes.count()
        box = curve.bounding_box()
        assert box is not None
        curve.click(position={"x": 0.4 * box["width"], "y": 20})
        expect(page.locator("#ply-line")).to_have_text("move 2 of 5")
        page.keyboard.press("End")
        expect(page.locator("#ply-line")).to_have_text("move 5 of 5")
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#ply-line")).to_have_text("move 4 of 5")
        expect(curve).to_have_attribute("aria-valuetext", re.compile("^4. O plays column 2"))


def test_the_moves_are_one_stop_of_the_tab_key_and_arrows_lead_through_them(site: Site) -> None:
    with site.visit("#game=connectx-6x7x4&moves=4453&first=person&second=person") as page:
        page.locator("#moves button").last.focus()
        for key, ply in (
            ("ArrowLeft", 3),
            ("ArrowUp", 2),
            ("Home", 0),
            ("ArrowDown", 1),
            ("End", 4),
        ):
            page.keyboard.press(key)
            expect(page.locator("#ply-line")).to_have_text(f"move {ply} of 4")
            expect(page.locator("#moves button").nth(ply)).to_be_focused()
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Tab")
        expect(page.locator("#moves :focus")).to_have_count(0)
        page.keyboard.press("Shift+Tab")
        expect(page.locator("#moves button").nth(3)).to_be_focused()


def test_games_of_other_sizes_and_from_moves(site: Site) -> None:
    with site.visit("#game=connectx-6x7x4&moves=&first=person&second=level:n=3") as page:
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
        expect(page.locator("#ply-line")).to_have_text("3 in a row wins")
        page.locator("#values-switch").check()
        expect(page.locator("#values-list")).to_have_attribute("aria-busy", "false")
        assert page.locator("#values-list .words").all_inner_texts() == ["draw keeps the draw"] * 9
        assert page.locator("#board .cx-value[data-kind=draw]").count() == 9
        assert page.locator("#board .light[data-kind]").count() == 0  # a cell colours no column
        places(page).nth(4).click()
        wait_for_moves(page, 2)
        assert state_from_moves(TicTacToe(), game_moves(page.url)).player == 1


def agents_for_the_second_seat(page: "Page") -> "Locator":
    """The dialog of the second seat, opened for an agent to be chosen."""
    page.get_by_label("Who plays O").select_option("An agent with options…")
    return page.get_by_role("dialog", name="Which agent plays O?")


def take_the_second_seat(
    page: "Page", agent: str, numbers: dict[str, str], choices: dict[str, str]
) -> None:
    """Choose an agent with these options, by their labels, and make a move against it."""
    dialog = agents_for_the_second_seat(page)
    dialog.get_by_label("agent", exact=True).select_option(agent)
    for name, value in numbers.items():
        dialog.get_by_label(name).fill(value)
    for name, choice in choices.items():
        dialog.get_by_label(name).select_option(choice)
    dialog.get_by_role("button", name="Take the seat").click()
    places(page).nth(3).click()
    expect(page.locator("#ply-line")).to_have_text("move 4 of 4")


def test_a_seat_is_taken_by_any_agent_that_knows_the_game_with_its_options(site: Site) -> None:
    with site.visit("#game=connectx-6x7x4&moves=44") as page:
        take_the_second_seat(page, "mcts", {"simulations": "50", "seed": "1"}, {})
        assert "second=mcts:simulations=50;seed=1;seconds=2" in page.url.replace("%3B", ";")
        page.get_by_role("button", name="Swap seats").click()
        expect(page.locator("#ply-line")).to_have_text("move 5 of 5")
        page.reload()
        expect(page.locator("#seats .choice").first).to_have_text("mcts")

        go_to(page, "game=connectx-6x7x4&moves=44&first=person&second=person")
        expect(page.locator("#ply-line")).to_have_text("move 2 of 2")
        take_the_second_seat(page, "alphazero", {"seconds a move": "10"}, {"weights": "zero"})
        assert 'second=alphazero:weights="zero"' in unquote(page.url)

        go_to(page, "game=connectx-5x5x4&moves=44&first=person&second=person")
        expect(places(page)).to_have_count(5)
        dialog = agents_for_the_second_seat(page)
        agent = dialog.get_by_label("agent", exact=True)
        expect(agent).to_have_value("alphabeta")  # not the weakest
        names = agent.locator("option").all_inner_texts()
        assert "mcts" in names
        assert not {"policy", "alphazero"} & {*names}
        page.keyboard.press("Escape")


def test_a_level_is_chosen_in_its_place_and_goes_on_with_the_game(site: Site) -> None:
    with site.visit("#game=connectx-6x7x4&moves=44&first=person&second=level:n=3") as page:
        card, choice = page.locator("#seats .seat").last, page.get_by_label("Who plays O")
        expect(card.locator(".choice")).to_have_text("Level 3")
        for corner in ({"x": 8, "y": 8}, {"x": 120, "y": 44}):
            choice.click(position=corner, trial=True)  # nothing lies above it
        # By keyboard: an arrow opens the list, and chooses nobody yet.
        choice.focus()
        for key in ("ArrowDown", "ArrowDown", "ArrowDown"):
            page.keyboard.press(key)
        expect(card.locator(".choice")).to_have_text("Level 3")
        page.keyboard.press("Enter")
        expect(card.locator(".choice")).to_have_text("Level 5")
        expect(message(page)).to_have_text("The game goes on with level 5")
        assert "second=level:n=5" in page.url
        assert page.evaluate("document.activeElement.ariaLabel") == "Who plays O"
        assert game_moves(page.url) == "44"
        places(page).nth(3).click()
        wait_for_moves(page, 4)
        expect(message(page)).to_have_text("Your turn")
        page.go_back()
        page.go_back()
        expect(card.locator(".choice")).to_have_text("Level 3")

        go_to(page, "game=connectx-6x7x4&moves=&first=person&second=level:n=3")
        expect(page.locator("#board .stone")).to_have_count(0)
        choice.select_option("1")
        expect(message(page)).to_have_text("A new game with level 1")
        go_to(page, "game=connectx-6x7x4&moves=1212121&first=person&second=level:n=3")
        expect(message(page)).to_have_text("You win!")
        choice.select_option("2")
        expect(message(page)).to_have_text("A new game with level 2")
        assert game_moves(page.url) == ""


def test_agents_play_each_other_with_pauses_and_steps(site: Site) -> None:
    fragment = "#game=connectx-6x7x4&moves=&first=random:seed=1&second=random:seed=2"
    with site.visit(fragment) as page:
        page.get_by_label("Pace").select_option("fast")
        page.get_by_role("button", name="Pause").click()
        page.get_by_role("button", name="One move").wait_for()
        wait_for_moves(page, 0)
        before = len(game_moves(page.url))
        page.get_by_role("button", name="One move").click()
        page.wait_for_url(lambda url: len(game_moves(url)) == before + 1)
        expect(page.get_by_role("button", name="Go on")).to_be_visible()
        page.get_by_label("Who plays O").select_option("1")
        expect(message(page)).to_have_text("The game goes on with level 1")
        page.get_by_role("button", name="One move").click()
        expect(message(page)).to_have_text(re.compile("(random|Level 1) is to move, paused…"))
        page.get_by_role("button", name="Go on").click()
        expect(message(page)).to_have_text(re.compile("wins|draw"))


def test_an_agent_is_thinking_only_where_it_has_been_asked(site: Site) -> None:
    with site.visit("#game=connectx-6x7x4&moves=4453&first=person&second=level:n=1") as page:
        page.get_by_role("button", name="3. X, column 5").click()
        expect(message(page)).to_have_text("Level 1 is to move.")
        refusal = {"status": 422, "json": {"error": "the search has failed"}}
        page.route("**/api/move", lambda route: route.fulfill(**refusal))
        page.get_by_role("button", name="Play on from here").click()
        expect(page.locator("#error")).to_have_text("the search has failed")
        expect(message(page)).to_have_text("Level 1 is to move.")
        page.unroute("**/api/move")
        page.get_by_role("button", name="Try again").click()
        wait_for_moves(page, 4)
        expect(message(page)).to_have_text("Your turn")
        assert "422" in site.complaints.pop()


def test_agents_play_in_a_tab_that_has_another_servers_words(site: Site) -> None:
    with site.page(script="sessionStorage.setItem('page', '2')") as page:
        places(page).nth(3).click()
        wait_for_moves(page, 2)


def test_a_lost_connection_is_told_and_taken_up_again(site: Site) -> None:
    with site.visit("#game=connectx-6x7x4&moves=44535", valued=True) as page:
        expect(page.locator("#values-list")).to_have_attribute("aria-busy", "false")
        page.context.set_offline(True)
        places(page).nth(0).click()
        expect(page.locator("#connection")).to_contain_text("lost")
        page.context.set_offline(False)
        expect(page.locator("#ply-line")).to_have_text("move 6 of 6")
        expect(page.locator("#connection")).to_be_empty()
        expect(page.locator("#values-list .value").first).to_be_visible()
        # Though what has lost it is not wanted any more.
        page.locator("#values-switch").uncheck()
        page.context.set_offline(True)
        page.locator("#values-switch").check()
        expect(page.locator("#connection")).to_contain_text("Trying again")
        page.locator("#values-switch").uncheck()
        page.context.set_offline(False)
        expect(page.locator("#connection")).to_be_empty()


def test_streams_are_closed_while_the_page_is_hidden(site: Site) -> None:
    with site.visit("#game=connectx-6x7x4&moves=12") as page:
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


def test_more_windows_than_a_browser_has_connections_for_take_turns(site: Site) -> None:
    """Each of three asks for values and judged moves: six connections, all that there are."""
    long = "#game=connectx-8x7x4&moves=4453"
    with site.visit(long) as first:
        first.locator("#values-switch").check()
        windows = [first.context.new_page() for _ in range(3)]
        for window in windows:
            window.goto(site.address + long)
            window.locator("#values-list .estimate").first.wait_for()
        for window in windows:
            window.close()


def test_an_agents_answer_does_not_call_off_a_new_game_that_is_on_its_way(site: Site) -> None:
    link = "game=connectx-6x7x4&moves=&first=person&second=random:seed=1"
    slow = ("api/move", '"moves":"1"', 800), ("api/position", "connectx-5x5x4", 1600)
    with site.visit(f"#{link}") as page, late(page, *slow):
        title = page.locator("#game-title")
        for way in ("dialog", "link"):
            go_to(page, link)
            expect(title).to_have_text("Connect Four")
            expect(page.locator("#board .stone")).to_have_count(0)
            places(page).first.click()
            expect(page.locator("#moves li")).to_have_count(2)
            if way == "link":
                go_to(page, "game=connectx-5x5x4&moves=1&first=person&second=person")
            else:
                page.get_by_role("button", name="New game").click()
                page.locator("#game-rows").fill("5")
                page.locator("#game-columns").fill("5")
                page.get_by_role("button", name="Begin").click()
            expect(title).to_have_text("ConnectX 5x5, 4 in a row")
            assert "game=connectx-5x5x4" in page.url
            page.go_back()
            expect(title).to_have_text("Connect Four")


def test_a_new_game_that_is_refused_leaves_the_agents_turn(site: Site) -> None:
    link = "#game=connectx-6x7x4&moves=&first=person&second=random:seed=1"
    slow = ("api/move", '"moves":"1"', 1500), ("api/position", '"99"', 1000)
    with site.visit(link) as page, late(page, *slow):
        places(page).first.click()
        expect(page.locator("#moves li")).to_have_count(2)
        page.keyboard.press("n")
        page.get_by_label("moves so far").fill("99")
        page.get_by_role("button", name="Begin").click()
        expect(page.locator("#game-error")).to_contain_text("move 1 is 9")
        page.get_by_role("button", name="Cancel").click()
        wait_for_moves(page, 2)
        assert "400" in site.complaints.pop()


def test_a_place_that_is_left_before_it_is_there_leaves_nothing(site: Site) -> None:
    link = "game=connectx-6x7x4&moves=44&first=person&second=person"
    words = (("replays", '"offset":3'), ("position", '"77"'), ("position", '"8"'))
    slow = [(f"api/{path}", word, 600) for path, word in words]
    with site.visit(f"#{link}") as page, late(page, *slow):
        replay = "view=replays&file=0&replay=3"
        for left in (f"{replay}&moves=12", f"{replay}&moves=77", "moves=8"):
            page.evaluate(
                """([left, link]) => {
                    location.hash = left;
                    setTimeout(() => { location.hash = link }, 300);
                }""",
                [left, link],
            )
            page.wait_for_timeout(1200)
            expect(page.locator("#seats .choice").first).to_have_text("Player X")
            expect(page.locator("#ply-line")).to_have_text("move 2 of 2")
            expect(page.locator("#error")).to_be_hidden()
            assert "moves=44" in page.url
        assert "400" in site.complaints.pop()


def test_an_agent_goes_on_though_its_position_was_looked_at_before_its_move_was_there(
    site: Site,
) -> None:
    link = "#game=connectx-6x7x4&moves=44&first=person&second=random:seed=1"
    with site.visit(link) as page, late(page, ("api/position", '"447', 700)):
        places(page).nth(6).click()
        expect(page.locator("#moves li")).to_have_count(4)
        page.wait_for_timeout(500)
        page.locator("#moves button").last.click()
        wait_for_moves(page, 4)


REFUSED_LINKS = {
    "game=connectx-6x7x9&moves=": "no line of 9 fits on a board of 6x7",
    "game=connectx-6x7x4&moves=1111111": "move 7 is 1",
    "game=connectx-6x7x4&moves=44&first=person&second=level": "level:n=3",
    "view=replays&file=0&replay=9999": "ladder.jsonl has no game 10000: its last is 15.",
    "view=replays&file=7&replay=0": "The file of this link is not open",
    "view=replays&file=0&replay=3&moves=1": "Game 4 of ladder.jsonl is not the game of this link",
    "game=connectx-6x7x4&moves=&first=person:%0A;n=%0A&second=nobody": "an agent that is not",
    "game=connectx-6x7x4&moves=4488": "move 3 is 8",
}


def test_an_impossible_link_is_reported_and_its_legal_moves_are_kept(site: Site) -> None:
    with site.page(f"#{next(iter(REFUSED_LINKS))}") as page:
        for link, words in REFUSED_LINKS.items():
            go_to(page, link)
            expect(page.locator("#error")).to_contain_text(words)
        assert game_moves(page.url) == "44"
        site.complaints.clear()  # the browser notes each answer 400


def test_the_end_of_a_game_offers_a_rematch_and_a_review(site: Site) -> None:
    fragment = "#game=connectx-6x7x4&moves=415263&first=person&second=level:n=3"
    with site.page(fragment, has_touch=True) as page:
        assert page.locator("#ending").is_hidden()
        places(page).nth(6).tap()
        ending = page.get_by_role("region", name="You win!")
        expect(ending).to_be_visible()
        assert page.locator("#board .above .last").count() == 4  # the line is ringed
        expect(page.locator("#next-level")).to_be_hidden()  # the level has not played a move here
        resize(page, 390, 844)
        review = ending.get_by_role("button", name="Review")
        review.tap()
        for part in ("#board .cx-field", "#moves", "#ply-text"):
            expect(page.locator(part)).to_be_in_viewport(ratio=1)
        touched = (
            "one => [getComputedStyle(one).touchAction, getComputedStyle(one).backgroundColor]"
        )
        action, colour = review.evaluate(touched)
        assert action == places(page).first.evaluate(touched)[0] == "manipulation"
        assert colour == ending.get_by_role("button", name="Swap seats").evaluate(touched)[1]
        expect(page.locator("#values-switch")).to_be_checked()
        ending.get_by_role("button", name="Rematch").click()
        expect(ending).to_be_hidden()
        assert game_moves(page.url) == ""
        assert "Column" in page.evaluate(FOCUSED)


def test_whoever_beats_a_level_is_offered_the_next(site: Site) -> None:
    with site.visit("#game=connectx-6x7x4&moves=44&first=person&second=person") as page:
        page.get_by_role("button", name="Swap seats").click()  # during a game that is left then
        go_to(page, "game=connectx-6x7x4&moves=4455&first=person&second=level:n=1")
        places(page).nth(5).click()
        wait_for_moves(page, 6)
        resize(page, 1024, 768)
        places(page).nth(6 if game_moves(page.url)[-1] == "3" else 2).click()
        expect(page.locator("#ending-detail")).to_have_text("Levels beaten: 1 of 10.")
        assert page.evaluate("document.documentElement.scrollHeight") == 768
        page.get_by_role("button", name="Play level 2").click()
        expect(message(page)).to_have_text("Your turn: drop a disc")
        assert game_moves(page.url) == ""
        assert "second=level:n=2" in page.url
        assert "Column" in page.evaluate(FOCUSED)
        go_to(page, "game=connectx-6x7x4&moves=71713121&first=person&second=level:n=1")
        ending = page.get_by_role("region", name="Level 1 wins")
        expect(ending.get_by_role("button")).to_have_text(["Rematch", "Swap seats", "Review"])


def test_back_leads_from_a_new_game_with_other_seats_to_the_finished_one(site: Site) -> None:
    link = "#game=connectx-6x7x4&moves=1212121&first=person&second=level:n=1"
    with site.visit(link) as page:
        ending = page.get_by_role("region", name="You win!")
        page.get_by_role("button", name="Swap seats").last.click()
        wait_for_moves(page, 1)
        expect(ending).to_be_hidden()
        page.go_back()
        expect(ending).to_be_visible()
        page.get_by_label("Who plays O").select_option("2")
        expect(message(page)).to_have_text("A new game with level 2")
        page.go_back()
        expect(ending).to_be_visible()
        expect(page.locator("#seats .choice").last).to_have_text("Level 1")


def test_mistakes_are_retried_with_the_solver_as_judge(site: Site) -> None:
    with site.visit("#game=connectx-6x7x4&moves=12121&first=person&second=person") as page:
        page.locator("#values-switch").check()
        page.get_by_role("button", name="Retry the mistakes").click()
        expect(message(page)).to_have_text("X: find a better move")
        verdict = page.locator("#retrying-detail")
        assert "Column" in page.evaluate(FOCUSED)
        page.keyboard.press("r")  # its button is not there
        keeping = Judge().moves_that_keep_the_outcome([])
        for column in sorted(range(7), key=lambda column: column in keeping):
            places(page).nth(column).click()
            start = "Right" if column in keeping else "Not yet"
            expect(verdict).to_contain_text(f"{start}: column {column + 1}")
        expect(page.get_by_role("button", name="Done")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("#retrying")).to_be_hidden()
        assert game_moves(page.url) == "12121"
        answer = events({"plies": [], "done": False})
        page.route("**/api/review?*", lambda route: route.fulfill(**answer))
        page.locator("#moves button").last.click()
        with page.expect_response("**/api/review?*"):
            places(page).nth(3).click()  # the mistakes before it are still known
        page.get_by_role("button", name="Retry the mistakes").click()
        expect(message(page)).to_have_text("X: find a better move")
        page.get_by_role("button", name="Done").click()


def test_mistakes_in_tic_tac_toe_are_told_by_cells(site: Site) -> None:
    with site.visit("#game=tictactoe&moves=1529&first=person&second=person", valued=True) as page:
        page.get_by_role("button", name="Retry the mistakes").click()
        told = page.locator("#retrying-detail")
        expect(told).to_contain_text("O played cell 9, which loses")
        places(page).nth(6).click()
        expect(told).to_contain_text("Not yet: cell 7 loses")
        places(page).nth(2).click()
        expect(told).to_contain_text("Right: cell 3 leads to a draw.")


def test_board_and_moves_keep_their_places_when_values_come_and_are_awaited(site: Site) -> None:
    with site.visit("#game=connectx-6x7x4&moves=445344&first=person&second=person") as page:
        stones = page.locator("#board svg")
        before = stones.bounding_box()
        page.locator("#values-switch").check()
        expect(page.locator("#values-list")).to_have_attribute("aria-busy", "false")
        expect(page.locator("#board .cx-bar")).to_have_class("cx-bar cx-known")
        assert stones.bounding_box() == before

        def tops() -> list[int]:
            found = []
            for width, height in ((1024, 768), (1280, 800), (1440, 900)):
                resize(page, width, height)
                found.append(page.locator("#record").evaluate("one => one.offsetTop"))
            return found

        known = tops()
        page.route("**/api/values?*", lambda route: None)
        places(page).nth(0).click()
        expect(page.locator("#values-state")).to_have_text("Solving…")
        assert tops() == known


def test_on_a_telephone_on_its_side_the_board_keeps_its_place_from_turn_to_turn(site: Site) -> None:
    game = "#game=connectx-6x7x4&moves=4455&first=person&second=level:n=3"
    with site.visit(game) as page:
        resize(page, 640, 360)
        page.route("**/api/move", lambda route: None)
        before = page.locator("#board svg").bounding_box()
        places(page).nth(0).click()
        expect(message(page)).to_have_text("Level 3 is thinking…")
        assert page.locator("#board svg").bounding_box() == before
