"""Searches and replays in the browser; and what holds in every view, in light and dark."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from envs.board import moves_text, parse_moves
from submission.arena.game_record import GameRecord, Result
from submission.match.results_file import read_results
from tests.helpers.bitbully_judge import Judge
from tests.helpers.browser import (
    EPISODE,
    LATE,
    SETTINGS,
    Site,
    audit,
    events,
    expect,
    go_to,
    legal_places,
    message,
    places,
    resize,
)
from tests.helpers.episodes import episode_of, write_episode
from tests.helpers.game_records import DRAW, write_ladder

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

PAGE = Path(__file__).parents[3] / "submission" / "web" / "page"
MOST_BYTES = 200_000
MIDDLE = "44444326556"
LONG = "274314756126673163665457233545"
DRAWN = moves_text(DRAW.columns)
VIEWS = {
    "play": f"#game=connectx-6x7x4&moves={MIDDLE}",
    "large": "#game=connectx-20x20x5&moves=10,11,10,11,9",
    "tic-tac-toe": "#game=tictactoe&moves=51",
    "over": "#game=connectx-6x7x4&moves=1212121",
    "search": f"#game=connectx-6x7x4&moves={MIDDLE}&view=search",
    "replays": "#view=replays&file=0&replay=3&moves=12",
}
WIDTHS = (320, 360, 1280, 2560)
LAPTOPS = ((1024, 768), (1280, 720), (1440, 900), (1920, 1080))
TOOLS = ("new-game", "copy-link", "save-page")
PHONE = {"width": 390, "height": 664}
"""With the bars of its browser."""
CUT_SHORT = "all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.innerText)"
"""Which texts have more words than room."""


def show_all(page: "Page", view: str) -> None:
    """Have a view show all that it can."""
    page.locator("#values-switch").check()
    if view == "search":
        page.get_by_role("button", name="Start", exact=True).click()
        page.locator("#search-state", has_text="It chooses").wait_for()
    if view == "replays":
        page.locator("#replays-file").select_option("0")
        page.locator("#standings").wait_for()
    if view not in ("over", "search"):  # the stage is all that is seen
        page.locator("#values-list .value").first.wait_for()


@contextmanager
def games_listed(site: Site) -> "Iterator[Page]":
    """A page with all games of the ladder."""
    with site.visit("#view=replays") as page:
        page.locator("#replays-file").select_option("0")  # filters begin anew
        expect(page.locator("#replays-list button")).to_have_count(15)
        yield page


@contextmanager
def unanswered(page: "Page", path: str) -> Iterator[None]:
    """Have these questions of a page wait for their answers meanwhile."""
    waiting: list[Route] = []
    page.route(path, lambda route: waiting.append(route))
    yield
    for route in waiting:
        route.continue_()
    page.unroute(path)


def test_replays_are_filtered_and_stepped_through(site: Site) -> None:
    with site.page("#view=replays") as page:
        games = page.locator("#replays-list button")
        expect(games).to_have_count(15)
        page.get_by_label("player", exact=True).select_option("hero")
        expect(games).to_have_count(10)
        page.get_by_label("opponent", exact=True).select_option("rival")
        page.get_by_label("result of the player").select_option("win")
        expect(games).to_have_count(2)  # one by a failure of the other
        expect(games.last).to_contain_text("1 ply")
        following = page.get_by_role("button", name="Next game")
        expect(following).to_be_hidden()
        games.first.click()
        expect(following).to_have_attribute("title", "Key: g")
        page.keyboard.press("g")
        title = page.locator("#game-title[aria-live]")
        expect(title).to_have_text(
            f"Connect Four, game {games.last.locator('.number').inner_text()}"
        )
        expect(games.last).to_have_attribute("aria-current", "true")
        expect(following).to_be_disabled()
        resize(page, 1024, 768)
        lines = {page.locator(f"#{name}").bounding_box()["y"] for name in TOOLS}
        assert len(lines) == 1
        resize(page, **SETTINGS["viewport"])
        games.first.click()
        expect(page.locator("#seats")).to_contain_text("hero")
        expect(page.locator("#ply-line")).to_have_text("move 0 of 7")
        expect(page.locator("#moves")).to_be_in_viewport(ratio=1)
        for _ in range(7):
            page.keyboard.press("ArrowRight")
        expect(message(page)).to_have_text("X wins.")
        page.keyboard.press("ArrowLeft")
        page.reload()
        expect(page.locator("#ply-line")).to_have_text("move 6 of 7")
        expect(page.locator("#seats")).to_contain_text("rival")
        assert legal_places(page) == []
        for view in ("Search", "Replays"):
            page.get_by_role("link", name=view).click()
            expect(page.get_by_role("heading", name=view, exact=True)).to_be_visible()
            expect(page.locator("#seats")).to_contain_text("rival")
        page.get_by_role("button", name="Play on from here").click()
        expect(page.locator("#seats .choice").first).to_have_text("Player X")
        assert "moves=121212" in page.url
        places(page).nth(2).click()
        expect(page.locator("#ply-line")).to_have_text("move 7 of 7")
        page.go_back()
        page.go_back()
        expect(page.locator("#seats")).to_contain_text("rival")


def test_failures_standings_and_an_episode_of_kaggle_are_shown(site: Site) -> None:
    with games_listed(site) as page:
        games = page.locator("#replays-list button")
        for table in ("standings", "cross"):
            expect(page.locator(f"#{table}-table tbody tr")).to_have_count(3)
        page.get_by_label("failures only").check()
        expect(games).to_have_count(6)
        expect(games.first).to_contain_text("X failed")
        expect(games.first).to_contain_text("boom")
        page.get_by_label("result of the player").select_option("loss")
        expect(games).to_have_count(3)
        file = page.get_by_label("file", exact=True)
        file.select_option(label="episode-81234567-replay.json (1 game)")
        expect(games).to_have_count(1)  # filters begin anew
        expect(games).to_contain_text("X wins")
        expect(page.locator("#standings")).to_be_hidden()
        file.select_option("0")
        expect(games).to_have_count(15)
        expect(page.get_by_label("result of the player")).to_have_value("")

        file.select_option("1")
        expect(games).to_have_count(1)
        games.click()
        for player in ("Mine", "Theirs"):
            expect(page.locator("#seats")).to_contain_text(player)
        for ply, column in enumerate(EPISODE, 1):
            page.get_by_role("button", name="Next", exact=True).click()
            expect(page.locator("#ply-line")).to_have_text(f"move {ply} of 7")
            words = f"{ply}. {'OX'[ply % 2]} plays column {column}"
            expect(page.locator("#ply-text")).to_contain_text(words)
            assert page.locator("#board .stone").count() == ply
        expect(message(page)).to_have_text("X wins.")
        page.locator("#moves button").nth(3).click()
        page.reload()
        expect(page.locator("#ply-line")).to_have_text("move 3 of 7")
        expect(page.locator("#seats")).to_contain_text("Theirs")


def arrive(page: "Page", kind: str, name: str, text: str, place: str = "body") -> None:
    """Drop or paste something somewhere: a file where it has a name, else a text."""
    page.evaluate(
        """([kind, name, text, place]) => {
            const data = new DataTransfer();
            if (name) data.items.add(new File([text], name));
            else data.setData("text/plain", text);
            const how = { bubbles: true, cancelable: true, dataTransfer: data };
            how.clipboardData = data;
            const made = kind === "drop" ? DragEvent : ClipboardEvent;
            document.querySelector(place).dispatchEvent(new made(kind, how));
        }""",
        [kind, name, text, place],
    )


def test_a_dropped_episode_and_pasted_moves_are_opened(site: Site, tmp_path: Path) -> None:
    episode = write_episode(episode_of(EPISODE, names=("<b>Mine</b>", "Theirs")), tmp_path)
    with site.page() as page:
        arrive(page, "drop", "mine.json", episode.read_text(encoding="utf-8"))
        expect(page.locator("#replays-file")).to_contain_text("mine.json (1 game)")
        expect(page.locator("#seats")).to_contain_text("<b>Mine</b>")
        page.reload()
        expect(page.locator("#seats")).to_contain_text("Theirs")
        arrive(page, "paste", "", " 4, 4,3 ", "#values-switch")
        expect(page.locator("#board .stone")).to_have_count(3)
        assert "view=replays" not in page.url
        arrive(page, "drop", "", episode.read_text(encoding="utf-8"))
        expect(page.locator("#replays-file option")).to_have_count(4)
        expect(page.locator("#seats")).to_contain_text("Theirs")
        arrive(page, "paste", "", "a game, please")
        expect(page.locator("#error")).to_contain_text("nor a move string")
        page.locator("#replays-chooser").set_input_files(episode)
        expect(page.locator("#replays-file option")).to_have_count(5)
        game = episode.read_text(encoding="utf-8")
        arrive(page, "drop", "mine.json", game, "#replays-player")  # where words are typed, too
        expect(page.locator("#replays-file option")).to_have_count(6)


def test_a_file_that_was_dropped_is_seen_again_where_the_page_is_loaded_again(
    site: Site, tmp_path: Path
) -> None:
    ladder = write_ladder(tmp_path / "ladder.jsonl", rounds=4).read_text(encoding="utf-8")
    with site.page() as page:
        arrive(page, "drop", "mine.jsonl", ladder)
        games, title = page.locator("#replays-list button"), page.locator("#game-title")
        expect(games).to_have_count(50)
        page.reload()
        expect(page.locator("#replays-view")).to_be_visible()
        page.locator("#replays-file").select_option(label="mine.jsonl (60 games)")
        expect(games).to_have_count(50)
        games.last.click()
        expect(title).to_have_text("Connect Four, game 50")
        page.get_by_role("button", name="Next game").click()
        expect(title).to_have_text("Connect Four, game 51")
        for _ in range(2):  # a page that is loaded again lists the games around its own
            expect(games).to_have_count(10)
            expect(games.first).to_have_attribute("aria-current", "true")
            page.reload()
        page.locator("#replays-before").click()
        expect(games).to_have_count(50)
        games.first.click()
        expect(title).to_have_text("Connect Four, game 1")
        page.locator("#replays-after").click()
        expect(games).to_have_count(10)
        page.get_by_role("button", name="Next game").click()  # the first of those that are shown
        expect(title).to_have_text("Connect Four, game 51")
        for _ in range(5):
            page.go_back()
        expect(page.locator("#replays-view")).to_be_hidden()


def test_a_game_is_opened_from_the_file_whose_list_it_stands_in(site: Site) -> None:
    with games_listed(site) as page:
        games = page.locator("#replays-list button")
        with unanswered(page, "**/api/replays"):
            page.locator("#replays-file").select_option("1")
            games.nth(4).click()
        expect(page.locator("#seats")).to_contain_text("hero")
        assert "file=0&replay=4" in page.url


def test_errors_in_the_standings_of_a_file_that_was_left_are_not_shown(site: Site) -> None:
    with site.page("#view=replays") as page:
        expect(page.locator("#standings")).to_be_visible()
        page.locator("#replays-file").select_option("1")
        expect(page.locator("#replays-list button")).to_have_count(1)
        page.evaluate(LATE, ["api/standings", '"file":0', 1000])
        refusal = {"status": 422, "json": {"error": "the games cannot be rated"}}
        page.route("**/api/standings", lambda route: route.fulfill(**refusal))
        page.locator("#replays-file").select_option("0")
        page.wait_for_timeout(300)
        page.unroute("**/api/standings")
        page.locator("#replays-file").select_option("1")
        page.wait_for_timeout(1200)
        expect(page.locator("#replays-error")).to_be_hidden()
        assert "422" in site.complaints.pop()


def test_a_game_that_is_tapped_on_a_phone_is_seen(site: Site) -> None:
    with games_listed(site) as page:
        resize(page, 360, 740)
        assert page.locator("#seats :is(b, small)").evaluate_all(CUT_SHORT) == []
        expect(page.locator("#replays-file")).to_be_in_viewport()
        arrive(page, "paste", "", "no game")
        expect(page.locator("#error")).to_be_in_viewport(ratio=1)
        last = page.locator("#replays-list button").last
        last.scroll_into_view_if_needed()
        last.click()
        expect(page.locator("#seats")).to_contain_text("third")
        expect(page.locator("#board")).to_be_in_viewport(ratio=0.5)
        resize(page, **PHONE)
        page.locator("#moves button").last.click()
        page.locator("#moves").evaluate("list => list.scrollIntoView({ block: 'end' })")
        for part in ("#board .cx-field", "#moves", "#moves [aria-current=step]"):
            expect(page.locator(part)).to_be_in_viewport(ratio=0.9)


def mistakes_of(name: str, records: Sequence[GameRecord], judge: Judge) -> dict[str, list[int]]:
    """The moves that keep the result where this player did not, by the moves before."""
    found: dict[str, list[int]] = {}
    for record in records:
        for ply in range(record.seen_by(name).seat - 1, len(record.columns), 2):
            before, chosen = record.columns[:ply], record.columns[ply]
            keeping = judge.moves_that_keep_the_outcome(before)
            if ply >= len(record.opening) and chosen not in keeping:
                found[moves_text([*before, chosen])] = keeping
    return found


def test_the_mistakes_of_a_file_are_practised_while_others_are_found(
    site: Site, tmp_path: Path
) -> None:
    records = read_results(write_ladder(tmp_path / "ladder.jsonl")).records
    lost = (Result.LOSS, Result.PLAYER_FAILED)
    own = [record for record in records if record.player == "hero" and record.result in lost]
    expected = mistakes_of("hero", own, Judge())
    assert len(own) == 4
    assert len(expected) > 1
    met = []
    with games_listed(site) as page:
        page.get_by_label("player", exact=True).select_option("hero")
        page.get_by_label("result of the player").select_option("loss")
        page.get_by_role("button", name="Practise the mistakes of this file").click()
        expect(page.locator("#retrying-progress")).to_have_text("4 of 4 games judged.")
        title = page.locator("#retrying-title")
        urged = page.locator("#retrying .primary:visible")
        for number in range(1, len(expected) + 1):
            expect(title).to_have_text(f"Mistake {number} of {len(expected)}")
            told = page.locator("#retrying-detail")
            played = int(re.search(r"played column (\d)", told.inner_text())[1])  # type: ignore[index]
            query = parse_qs(page.url.partition("#")[2])
            before = query["moves"][0][: int(query["ply"][0])]
            met.append(f"{before}{played}")
            expect(urged).to_have_count(0)  # to find a move, and not to skip it
            places(page).nth(expected[met[-1]][0]).click()
            expect(told).to_contain_text("Right")
            expect(urged).to_have_count(1)
            if number < len(expected):
                page.get_by_role("button", name="Next", exact=True).click()
        assert sorted(met) == sorted(expected)
        page.get_by_role("button", name="Done").click()
        expect(page.locator("#retrying")).to_be_hidden()
        expect(page.locator("#seats")).to_contain_text("hero")


def test_a_move_before_the_next_puzzle_is_on_the_board_is_not_judged(site: Site) -> None:
    with games_listed(site) as page:
        page.get_by_role("button", name="Practise the mistakes of this file").click()
        next_one, told = page.locator("#retry-next"), page.locator("#retrying-detail")
        expect(next_one).to_be_enabled()
        with unanswered(page, "**/api/position"):
            next_one.click()
            places(page).last.click()
            page.wait_for_timeout(300)
            expect(told).not_to_contain_text(re.compile("Right|Not yet"))
        expect(page.locator("#retrying-title")).to_contain_text("Mistake 2")
        places(page).last.click()
        expect(told).to_contain_text(re.compile("Right|Not yet"))


FOUND = """async games => {
    const { findMistakes } = await import("/modules/retry.js");
    const replays = games.map(moves => (
        { game: "connectx-4x12x4", moves, opening_plies: 0, seat: 1, number: 0 }));
    return new Promise(resolve => {
        const found = [];
        findMistakes(replays, false, (mistakes, told, done) => {
            found.push(mistakes.map(({ ply, action }) => [ply, action]));
            if (done) resolve(found);
        });
    });
}"""


def answer_with_a_mistake_at_the_end(route: "Route") -> None:
    """Judge a game's last move alone, as one that turns a draw into a loss."""
    actions = parse_moves(parse_qs(urlsplit(route.request.url).query)["moves"][0])
    ply = {"ply": len(actions) - 1, "player": 2, "action": actions[-1], "mistake": "draw-to-loss"}
    worth = {"value": 1, "text": "loses in 9 moves", "best": [0, 1, 2], "columns": []}
    route.fulfill(**events({"plies": [ply | worth], "done": True}))


def test_mistakes_on_a_wide_board_are_each_met_once(site: Site) -> None:
    with site.visit(VIEWS["play"]) as page:
        page.route("**/api/review?*", answer_with_a_mistake_at_the_end)
        games = ["1,10,1,11", "1,10,1,12", "1,11", "1,10,1,12"]
        found = page.evaluate(FOUND, games)
    assert found == [[[3, 10]], [[3, 11]], [[1, 10]], []]


TELEPHONES = [(844, 390), (932, 430), (640, 400)]


@pytest.mark.parametrize(
    ("view", "parts"),
    [
        ("play", ["#board .cx-field", "#seats", "#undo", "#new-game"]),
        ("over", ["#board .cx-field", "#ending"]),
        ("search", ["#tree", "#search-play", "#search-leave"]),
    ],
)
def test_a_telephone_on_its_side_needs_no_scrolling(
    site: Site, view: str, parts: list[str]
) -> None:
    with site.visit(VIEWS[view]) as page:
        if view == "search":
            show_all(page, view)
        for width, height in TELEPHONES:
            resize(page, width, height)
            for part in parts:
                expect(page.locator(part)).to_be_in_viewport(ratio=1)
            assert page.locator("#seats :is(b, small)").evaluate_all(CUT_SHORT) == []


def test_a_laptop_shows_the_end_of_a_game_and_the_toolbar(site: Site) -> None:
    with site.visit(VIEWS["over"]) as page:
        expect(page.locator("#ending")).to_be_in_viewport(ratio=1)
        expect(page.locator("#new-game")).to_be_in_viewport(ratio=1)
        assert_fits(page, LAPTOPS)
        resize(page, 768, 1024)
        expect(page.locator("#new-game")).to_be_in_viewport(ratio=1)
    with site.visit("#game=connectx-6x7x4&moves=") as page:
        assert_fits(page, LAPTOPS)
        go_to(page, f"#game=connectx-6x7x4&moves={LONG}&first=person&second=person")
        expect(page.locator("#moves li")).to_have_count(1 + len(LONG))
        resize(page, 1024, 768)
        page.route("**/api/review?*", answer_with_a_mistake_at_the_end)
        page.locator("#values-switch").check()
        expect(page.locator("#values-list .value")).to_have_count(6)
        expect(page.locator("#record-state")).to_contain_text("Mistakes that changed the result")
        expect(page.locator("#moves [aria-current=step]")).to_be_in_viewport(ratio=1)
        assert_fits(page, [(1024, 768), (1440, 900), (1920, 1080)])
        go_to(page, f"#game=connectx-6x7x4&moves={DRAWN}&first=person&second=person")
        expect(page.locator("#moves li")).to_have_count(1 + len(DRAWN))
        for nth in (1, -1):  # after a game there is room for all of its moves
            expect(page.locator("#moves li").nth(nth)).to_be_in_viewport(ratio=1)
        assert_fits(page, LAPTOPS)


def assert_fits(page: "Page", sizes: Sequence[tuple[int, int]]) -> None:
    """Find nothing to scroll to in windows of these sizes."""
    for width, height in sizes:
        resize(page, width, height)
        assert page.evaluate("document.documentElement.scrollHeight") == height


@pytest.mark.parametrize(
    ("over", "part"),
    [
        ("tictactoe&moves=15293", "#board"),
        ("connectx-20x20x5&moves=1,2,1,2,1,2,1,2,1", "#board .cx-number"),
    ],
)
def test_the_end_of_a_game_covers_nothing_of_its_board(site: Site, over: str, part: str) -> None:
    with site.visit(f"#game={over}") as page:
        ending, board = (page.locator(one).first.bounding_box() for one in ("#ending", part))
        assert ending["y"] >= board["y"] + board["height"]


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_passes_an_audit_and_is_never_wider_than_the_page(site: Site, view: str) -> None:
    with site.visit(VIEWS[view]) as page:
        show_all(page, view)
        audit(page)
        for width in WIDTHS:
            resize(page, width, 800)
            across = page.evaluate("document.documentElement.scrollWidth")
            assert across == width, f"{view} at {width} pixels"


def test_the_dialogs_pass_an_audit_on_a_phone(site: Site) -> None:
    with site.visit(VIEWS["play"]) as page:
        resize(page, 360, 700)
        for name, key in {"New game": "n", "Help": "?", "Which agent plays O?": None}.items():
            if key is None:
                page.get_by_label("Who plays O").select_option("An agent with options…")
            else:
                page.keyboard.press(key)
            dialog = page.get_by_role("dialog", name=name)
            expect(dialog).to_be_visible()
            heading = dialog.get_by_role("heading").first
            expect(heading).to_be_in_viewport()
            assert heading.evaluate("one => getComputedStyle(one).outlineStyle") == "none"
            audit(page)
            assert dialog.evaluate("dialog => dialog.scrollWidth <= dialog.clientWidth")
            page.keyboard.press("Escape")
            expect(dialog).to_be_hidden()


def test_the_theme_is_chosen_and_remembered(site: Site) -> None:
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
    with site.visit(VIEWS["play"], valued=True) as page:
        live = page.locator("#board [role=status]")
        expect(live).to_have_text(re.compile(r"^Best: column \d.*, wins in \d+ moves\.$"))
        places(page).nth(0).click()
        expect(live).to_contain_text("plays column 1.")


def test_no_stone_hovers_where_a_finger_has_tapped(site: Site) -> None:
    with site.page("#moves=4&first=person&second=person", has_touch=True) as page:
        places(page).nth(2).tap()
        expect(page.locator("#board .stone")).to_have_count(2)
        expect(page.locator("#board .cx-pending")).to_have_count(0)
        assert page.locator("#board .ghost").count() == 0
        page.keyboard.press("ArrowLeft")
        assert page.locator("#board .ghost").count() == 1


def test_the_page_is_small(site: Site) -> None:
    """All that a browser loads of it: the server leaves comments of the modules out."""
    with site.page() as page:
        loaded = page.evaluate(
            """() => ["navigation", "resource"].flatMap(kind => performance.getEntriesByType(kind))
                .map(entry => [new URL(entry.name).pathname, entry.decodedBodySize])"""
        )
    sizes = {path: size for path, size in loaded if not path.startswith("/api/")}
    modules = {f"/modules/{file.name}" for file in (PAGE / "modules").iterdir()}
    assert modules <= {*sizes}
    assert 100_000 < sum(sizes.values()) < MOST_BYTES


def test_nothing_moves_while_the_page_loads_and_nothing_covers_a_columns_number(site: Site) -> None:
    with site.page(viewport={"width": 2560, "height": 1440}) as page:
        moved = page.evaluate(
            """() => new Promise(resolve => {
                let sum = 0;
                const add = list => { for (const { value } of list.getEntries()) sum += value; };
                new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });
                setTimeout(() => resolve(sum), 300);
            })"""
        )
        assert moved < 0.01
        edge = page.locator("#board .under").bounding_box()
        number = page.locator("#board .cx-number").first.bounding_box()
        assert number["y"] >= edge["y"] + edge["height"] - 1


def test_in_forced_colours_nothing_is_told_by_colour_alone(site: Site) -> None:
    roomy = {"width": 1440, "height": 900}  # a cell for the sign and the words of a value
    with site.page(VIEWS["play"], forced_colors="active", viewport=roomy) as page:
        switch = page.locator("#values-switch")
        looks = """input => [getComputedStyle(input).backgroundColor,
            getComputedStyle(input, "::before").translate]"""
        off = switch.evaluate(looks)
        switch.check()
        assert all(one != other for one, other in zip(off, switch.evaluate(looks), strict=True))
        to_move = page.locator(".seat[data-to-move=true]")
        width = "card => getComputedStyle(card).borderTopWidth"
        assert to_move.evaluate(width) != page.locator(".seat[data-to-move=false]").evaluate(width)
        here = page.locator("nav#views a[aria-current]")
        bar = """link => getComputedStyle(link, "::after").backgroundColor"""
        assert here.evaluate(bar) != page.evaluate(
            "getComputedStyle(document.body).backgroundColor"
        )
        # The stones of X bear a cross, those of O a ring; a value has a sign and a word.
        assert page.locator("#board .one path.mark").count() == 6
        assert page.locator("#board .stones .two circle.mark").count() == 5
        words = page.locator("#board .cx-value:not([data-kind=unknown])").first.inner_text()
        assert re.search("[▲=▼]", words)
        assert re.search("win|draw|loss", words)
        places(page).nth(1).hover()
        assert page.locator("#board .hovering .disc").count() == 1
        assert page.locator("#board .ghost").count() == 1
        page.keyboard.press("Tab")
        page.keyboard.press("ArrowLeft")
        assert "solid" in page.evaluate(
            "getComputedStyle(document.activeElement.shadowRoot?.activeElement"
            " ?? document.activeElement).outlineStyle"
        )
