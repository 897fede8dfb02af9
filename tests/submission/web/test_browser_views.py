"""Searches and replays in the browser; and what holds in every view, in light and dark."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from tests.helpers.browser import (
    Site,
    legal_places,
    message,
    opened_site,
    places,
    write_ladder,
)
from tests.helpers.episodes import episode_of, write_episode

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAGE = Path(__file__).parents[3] / "submission" / "web" / "page"
MOST_BYTES = 200_000
MIDDLE = "44444326556"
EPISODE = "4455667"
"""A game that the first player wins on Kaggle."""
VIEWS = {
    "play": f"#game=connectx-6x7x4&moves={MIDDLE}",
    "large": "#game=connectx-20x20x5&moves=10,11,10,11,9",
    "tic-tac-toe": "#game=tictactoe&moves=51",
    "over": "#game=connectx-6x7x4&moves=1212121",
    "search": f"#game=connectx-6x7x4&moves={MIDDLE}&view=search",
    "replays": "#view=replays&file=0&replay=3&moves=12",
}
WIDTHS = (320, 360, 1280, 2560)
SCHEMES: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")


@pytest.fixture(scope="module")
def shared_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("files")
    episode = write_episode(episode_of(EPISODE), folder)
    with opened_site(write_ladder(folder / "ladder.jsonl"), episode) as site:
        yield site


@pytest.fixture
def site(shared_site: Site) -> Iterator[Site]:
    yield shared_site
    complaints, shared_site.complaints = shared_site.complaints, []
    assert complaints == []


def show_all(page: "Page", view: str) -> None:
    """Have a view show all that it can."""
    page.locator("#values-switch").check()
    if view == "search":
        page.get_by_role("button", name="Start", exact=True).click()
        page.locator("#search-state", has_text="Step").wait_for()
    if view == "replays":
        page.locator("#standings").wait_for()
    if view != "over":
        page.locator("#values-list .value").first.wait_for()


@pytest.mark.parametrize("agent", ["alphabeta", "mcts", "minimax", "expectimax"])
def test_the_tree_grows_and_is_stepped_through(site: Site, agent: str) -> None:
    from playwright.sync_api import expect

    with site.page(VIEWS["search"]) as page:
        page.get_by_label("agent", exact=True).select_option(agent)
        page.get_by_role("button", name="Start", exact=True).click()
        state = page.locator("#search-state")
        expect(state).to_have_text(re.compile(r"Step (\d+) of \1\. It chooses column \d\."))
        nodes = page.locator("#tree g.node")
        whole = nodes.count()
        assert whole > 7
        page.get_by_role("button", name="First").click()
        expect(state).to_contain_text("Step 1 of")
        assert nodes.count() < whole
        page.keyboard.press(".")
        expect(state).to_contain_text("Step 2 of")
        page.get_by_role("slider", name="Step").focus()
        page.keyboard.press("End")
        expect(state).to_have_text(re.compile(r"Step (\d+) of \1\."))
        assert page.locator("#search-words li").count() > 1


def test_a_folded_part_opens_and_the_way_leads_back(site: Site) -> None:
    from playwright.sync_api import expect

    with site.page(VIEWS["search"]) as page:
        page.get_by_role("button", name="Start", exact=True).click()
        expect(page.locator("#search-state")).to_contain_text("It chooses")
        way = page.locator("#tree-way button")
        assert way.all_inner_texts() == ["whole tree"]
        folded = page.locator("#tree g.folded").last
        path = folded.locator("title").text_content()
        folded.focus()
        page.keyboard.press("Enter")
        expect(way).to_have_count(1 + len(str(path).split(",")))
        assert page.locator("#tree g.node title").first.text_content() == path
        way.first.click()
        expect(way).to_have_count(1)


def test_the_tree_is_shown_while_the_search_goes_on_and_stops(site: Site) -> None:
    from playwright.sync_api import expect

    with site.page("#game=connectx-6x7x4&moves=&view=search") as page:
        page.get_by_label("depth").fill("12")
        page.get_by_role("button", name="Start", exact=True).click()
        page.locator("#tree g.node").first.wait_for()
        expect(page.locator("#search-state")).to_contain_text("Thinking")
        page.get_by_role("button", name="Stop").click()
        expect(page.locator("#search-state")).to_contain_text("Step")
        page.get_by_role("button", name="Back", exact=True).click()
        expect(page.locator("#search-error")).to_be_hidden()


def test_a_growing_tree_is_paused_and_followed_again(site: Site) -> None:
    from playwright.sync_api import expect

    with site.page("#game=connectx-20x20x5&moves=&view=search") as page:  # a slow one
        page.get_by_label("agent", exact=True).select_option("mcts")
        page.get_by_label("simulations").fill("20000")
        page.get_by_text("More options").click()
        page.get_by_label("time limit").fill("")
        page.get_by_role("button", name="Start", exact=True).click()
        state = page.locator("#search-state")
        expect(state).to_contain_text("Thinking")
        follow = page.locator("#search-follow")
        expect(follow).to_have_text("Pause")

        page.get_by_role("button", name="First").click()
        expect(state).to_have_text("Paused at step 1, while the search goes on.")
        slider = page.get_by_role("slider", name="Step")
        most = int(slider.get_attribute("max") or 0)
        page.wait_for_function(
            "most => document.querySelector('#search-step').max > most", arg=most
        )
        expect(slider).to_have_value("1")

        page.get_by_label("nodes drawn").select_option("60")
        expect(state).to_contain_text("Paused at step 1")
        follow.click()
        expect(state).to_contain_text("Thinking")
        expect(page.get_by_label("nodes drawn")).to_have_value("30")
        page.keyboard.press("p")
        expect(state).to_contain_text("Paused at step")
        page.locator("#tree g.folded").last.click()
        expect(page.locator("#tree-way button")).not_to_have_count(1)
        page.keyboard.press("p")
        expect(page.locator("#tree-way button")).to_have_count(1)

        page.get_by_role("button", name="Stop").click()
        expect(state).to_contain_text("Step")
        expect(follow).to_be_disabled()


def test_replays_are_filtered_and_stepped_through(site: Site) -> None:
    from playwright.sync_api import expect

    with site.page("#view=replays") as page:
        games = page.locator("#replays-list button")
        expect(games).to_have_count(15)
        page.get_by_label("player", exact=True).select_option("hero")
        expect(games).to_have_count(10)
        page.get_by_label("opponent", exact=True).select_option("rival")
        page.get_by_label("result of the player").select_option("win")
        expect(games).to_have_count(1)
        games.first.click()
        expect(page.locator("#seats")).to_contain_text("hero")
        expect(page.locator("#ply-line")).to_have_text("ply 0 of 7")
        for _ in range(7):
            page.keyboard.press("r")
        expect(message(page)).to_have_text("X wins.")
        page.keyboard.press("u")
        page.reload()
        expect(page.locator("#ply-line")).to_have_text("ply 6 of 7")
        expect(page.locator("#seats")).to_contain_text("rival")
        assert legal_places(page) == []
        page.get_by_role("button", name="Play on from here").click()
        expect(page.locator("#seats button").first).to_contain_text("Person")
        assert "moves=121212" in page.url
        places(page).nth(2).click()
        expect(page.locator("#ply-line")).to_have_text("ply 7 of 7")
        page.go_back()
        page.go_back()
        expect(page.locator("#seats")).to_contain_text("rival")


def test_an_episode_of_kaggle_is_opened_and_stepped_through(site: Site) -> None:
    from playwright.sync_api import expect

    with site.page("#view=replays") as page:
        page.get_by_label("file", exact=True).select_option(
            label="episode-81234567-replay.json (1 game)"
        )
        game = page.locator("#replays-list button")
        expect(game).to_have_count(1)
        expect(game).to_contain_text("X wins")
        expect(page.locator("#standings")).to_be_hidden()
        game.click()
        for player in ("Mine", "Theirs"):
            expect(page.locator("#seats")).to_contain_text(player)
        for ply, column in enumerate(EPISODE, 1):
            page.get_by_role("button", name="Next", exact=True).click()
            expect(page.locator("#ply-line")).to_have_text(f"ply {ply} of 7")
            words = f"{ply}. {'OX'[ply % 2]} plays column {column}"
            expect(page.locator("#ply-text")).to_contain_text(words)
            assert page.locator("#board .stone").count() == ply
        expect(message(page)).to_have_text("X wins.")
        page.locator("#moves button").nth(3).click()
        page.reload()
        expect(page.locator("#ply-line")).to_have_text("ply 3 of 7")
        expect(page.locator("#seats")).to_contain_text("Theirs")


def test_failures_and_standings_are_shown(site: Site) -> None:
    from playwright.sync_api import expect

    with site.page("#view=replays") as page:
        page.get_by_label("failures only").check()
        games = page.locator("#replays-list button")
        expect(games).to_have_count(6)
        expect(games.first).to_contain_text("X failed")
        expect(games.first).to_contain_text("boom")
        expect(page.locator("#standings-table tbody tr")).to_have_count(3)
        expect(page.locator("#cross-table tbody tr")).to_have_count(3)


def audit(page: "Page") -> None:
    """Find no violation of the rules of axe-core, in light and dark."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        found = axe.run(page)
        assert found.violations_count == 0, f"{scheme}: {found.generate_report()}"


@pytest.mark.parametrize("view", VIEWS)
def test_an_audit_finds_no_violation(site: Site, view: str) -> None:
    with site.page(VIEWS[view]) as page:
        show_all(page, view)
        audit(page)


@pytest.mark.parametrize("name", ["Who plays O?", "New game", "Keys"])
def test_an_audit_of_the_dialogs_finds_no_violation(site: Site, name: str) -> None:
    with site.page(viewport={"width": 360, "height": 700}) as page:
        if name == "Who plays O?":
            page.locator("#seats button").last.click()
            page.get_by_role("dialog", name=name).get_by_label("Agent", exact=True).check()
        else:
            page.keyboard.press({"New game": "n", "Keys": "?"}[name])
        audit(page)
        dialog = page.get_by_role("dialog", name=name)
        assert dialog.evaluate("dialog => dialog.scrollWidth <= dialog.clientWidth")


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_is_wider_than_the_page(site: Site, view: str) -> None:
    with site.page(VIEWS[view]) as page:
        show_all(page, view)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            across = page.evaluate("document.documentElement.scrollWidth")
            assert across == width, f"{view} at {width} pixels"


def test_the_theme_is_chosen_and_remembered(site: Site) -> None:
    from playwright.sync_api import expect

    with site.page(color_scheme="light") as page:
        ground = "getComputedStyle(document.body.parentElement).backgroundColor"
        light = page.evaluate(ground)
        button = page.get_by_role("button", name="Dark theme")
        expect(button).to_have_attribute("aria-pressed", "false")
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
        assert page.evaluate(ground) != light
        page.reload()
        expect(button).to_have_attribute("aria-pressed", "true")
        assert page.evaluate(ground) != light


def test_moves_and_values_are_read_aloud(site: Site) -> None:
    from playwright.sync_api import expect

    with site.page(VIEWS["play"]) as page:
        page.locator("#values-switch").check()
        live = page.locator("#board [role=status]")
        expect(live).to_have_text(re.compile(r"^Best: column \d.*, (win|loss) in \d+\.|.*draw\.$"))
        places(page).nth(0).click()
        expect(live).to_contain_text("plays column 1.")


def test_a_game_that_ends_rings_the_line(site: Site) -> None:
    with site.page(VIEWS["over"]) as page:
        assert page.locator("#board .above .last").count() == 4
        assert message(page).inner_text() == "X wins."


def test_the_page_is_small() -> None:
    assert sum(file.stat().st_size for file in PAGE.rglob("*") if file.is_file()) < MOST_BYTES
