"""In the browser: the page without a server, games saved as pages, and links that lead on."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from envs.board import moves_text, parse_moves, state_from_moves
from envs.connectx import ConnectFour, ConnectX
from envs.render import COLOURS
from submission.rating.ladder import make_ladder
from submission.rating.ladder_page import ladder_page
from submission.web.export import export_page
from submission.web.one_script import OFFLINE
from submission.web.saved_game import save_games
from tests.helpers.bitbully_judge import Judge
from tests.helpers.browser import PATIENCE, Site, audit, expect, go_to, message, places, resize
from tests.helpers.game_records import DRAW, WIN, match_of
from tests.helpers.published_positions import published_positions

if TYPE_CHECKING:
    from playwright.sync_api import Page

HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page as a folder."""
    folder = tmp_path_factory.mktemp("exported") / "page"
    export_page(folder)
    return folder


BOTH = pytest.mark.parametrize(
    "exported", ["file", pytest.param("http", marks=pytest.mark.slow)], indirect=True
)
"""What a file does, a server of files does too; one light test asks both."""


@pytest.fixture(scope="module", params=["file", "http"])
def exported(request: pytest.FixtureRequest, folder: Path) -> Iterator[str]:
    """The address of the exported page: in the file system, and on a server of files."""
    if request.param == "file":
        yield (folder / "index.html").as_uri()
        return
    handler = partial(SimpleHTTPRequestHandler, directory=folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page with a game, twice; its first two plies were nobody's choice."""
    env = ConnectFour()
    record = replace(DRAW, opponent=HOSTILE, opening=DRAW.columns[:2])
    path = tmp_path_factory.mktemp("saved") / "game.html"
    save_games([(env, record)] * 2, path)
    return path.as_uri()


def test_a_saved_game_is_stepped_through_from_its_file(site: Site, saved: str) -> None:
    with site.page(address=saved) as page:
        expect(page.locator("#players")).to_have_text(f"hero{HOSTILE}")
        assert page.locator("img").count() == 0
        expect(page.locator("#course")).to_have_text("Connect Four. A draw.")
        expect(message(page)).to_have_text("A draw.")
        assert page.locator("#board .stone").count() == 42
        assert page.locator("#curve .mistake").count() > 0
        page.get_by_role("button", name="To the start").click()
        assert page.locator("#board .stone").count() == 0
        assert page.locator("#board .cx-value").count() == 7
        page.keyboard.press("ArrowRight")
        expect(page.locator("#ply-text")).to_contain_text("1. X plays column 5")
        moves = page.locator("#moves button")
        moves.nth(20).click()
        assert page.locator("#board .stone").count() == 20
        marked = moves.evaluate_all("all => all.map(button => button.dataset.mistake === 'true')")
        assert not any(marked[1:3])
        data = json.loads(page.locator("#games").text_content() or "")
        assert any(ply["mistake"] for ply in data[0]["plies"][:2])  # but for the opening
        page.get_by_role("slider").focus()
        page.keyboard.press("End")
        expect(page.get_by_role("button", name="One ply on")).to_be_disabled()
        page.get_by_label("Game", exact=True).select_option("1")
        expect(message(page)).to_have_text("A draw.")


LOOKS = """all => all.map(one =>
  [one.getAttribute("fill"), one.getAttribute("stroke"), one.classList.contains("last")])"""
"""The colour of each circle, its ring, and whether it is marked as the last move."""


def test_a_reader_steps_through_a_lost_game_on_a_ladders_page(site: Site, tmp_path: Path) -> None:
    env, path = ConnectFour(), tmp_path / "ladder.html"
    path.write_text(ladder_page(make_ladder(match_of(WIN), None)), encoding="utf-8")
    with site.browser.new_context() as context:
        page = context.new_page()
        page.goto(path.as_uri())
        page.locator("summary").click()
        back, forward = (page.get_by_label(f"one ply {way}").click for way in ("back", "on"))
        to_start = partial(page.get_by_role("slider", name="ply").fill, "0")
        presses = zip(
            (back, back, forward, forward, forward, to_start), (6, 5, 6, 7, 7, 0), strict=True
        )
        for press, plies in presses:
            press()
            expect(page.locator("output")).to_have_text(f"ply {plies} of 7")
            looks = page.locator(".replay circle").evaluate_all(LOOKS)
            state = state_from_moves(env, moves_text(WIN.columns[:plies]))
            assert [COLOURS.index(fill) for fill, _, _ in looks] == env.to_board(state)
            ringed = sum(ring not in (None, "none") for _, ring, _ in looks)
            assert ringed == (4 if plies == 7 else 0)
            assert sum(is_last for _, _, is_last in looks) == (0 < plies < 7)


def test_a_saved_game_that_was_not_judged_has_no_full_columns(site: Site, tmp_path: Path) -> None:
    env, path = ConnectX(20, 20, 5), tmp_path / "game.html"
    save_games([(env, DRAW)], path)
    with site.page(address=path.as_uri()) as page:
        page.get_by_role("button", name="To the start").click()
        names = places(page).evaluate_all("all => all.map(button => button.ariaLabel)")
        assert names == [f"Column {column}" for column in range(1, 21)]


def test_a_saved_game_fits_any_screen_and_passes_an_audit(site: Site, saved: str) -> None:
    with site.page(address=saved, bypass_csp=True) as page:
        audit(page)
        for width in (320, 360, 1280, 1920):
            resize(page, width, 800)
            assert page.evaluate("document.documentElement.scrollWidth") == width
        expect(page.get_by_role("button", name="To the end")).to_be_in_viewport(ratio=1)


def test_the_page_saves_the_game_on_its_board(site: Site, tmp_path: Path) -> None:
    seats = "first=person&second=level:n=3"
    with site.page(f"#game=connectx-6x7x4&moves=1212121&{seats}") as page:
        page.evaluate("() => { URL.revokeObjectURL = () => { window.isRevoked = true; }; }")
        with page.expect_download() as download:
            page.get_by_role("button", name="Save as page").click()
        path = tmp_path / "saved.html"
        download.value.save_as(path)
        assert not page.evaluate("window.isRevoked")  # Safari has not read it yet
    with site.page(address=path.as_uri()) as page:
        expect(message(page)).to_have_text("X wins.")
        expect(page.locator("#players span")).to_have_text(["Player X", "Level 3"])
        page.get_by_role("button", name="One ply back").click()
        expect(page.locator("#board .cx-value").first).to_contain_text("win")
    assert path.stat().st_size < 60_000


def test_a_page_is_saved_though_the_connection_was_lost_meanwhile(site: Site) -> None:
    with site.page("#game=connectx-6x7x4&moves=1212121") as page:
        page.context.set_offline(True)
        page.get_by_role("button", name="Save as page").click()
        expect(page.locator("#connection")).to_contain_text("lost")
        with page.expect_download() as download:
            page.context.set_offline(False)
        assert "1212121" in Path(download.value.path()).read_text(encoding="utf-8")
        expect(page.locator("#copied")).to_be_empty()


@BOTH
@pytest.mark.parametrize(
    "numbers", [(0, 7), pytest.param(range(10), marks=pytest.mark.slow)], ids=["two", "ten"]
)
def test_games_against_bitbully_are_perfect(
    site: Site, exported: str, numbers: Sequence[int]
) -> None:
    judge, rng = Judge(), Random(33)
    seats = ("first=perfect&second=person", "first=person&second=perfect")
    for number in numbers:
        seat, errs = number % 2, number in (7, 9)
        with site.page(address=f"{exported}#moves=&{seats[seat]}") as page:
            winner = winner_of_game(page, seat, judge, rng, errs)
        if seat == 0 or errs:
            assert winner == seat + 1


def winner_of_game(page: "Page", seat: int, judge: Judge, rng: Random, errs: bool) -> int | None:
    """Play BitBully's best moves against the page, each of whose moves must be exactly best.

    Args:
        page: its agent has the seat, 0 or 1.
        seat: as above.
        judge: BitBully.
        rng: chooses among its best moves.
        errs: whether any move will do for BitBully's second move.
    """
    moves: list[int] = []
    env, state = ConnectFour(), ConnectFour().initial_state()
    while env.get_available_actions(state):
        best = judge.best_moves(moves)
        if len(moves) % 2 == seat:
            page.wait_for_function(
                "count => /moves=(\\d*)/.exec(location.hash)?.[1].length > count",
                arg=len(moves),
                timeout=20_000,
            )
            column = int(re.findall(r"moves=(\d+)", page.url)[0][len(moves)]) - 1
            assert column in best, f"after {moves} column {column} is not among {best}"
        else:
            legal = env.get_available_actions(state)
            column = rng.choice(legal if errs and len(moves) in (2, 4) else best)
            places(page).nth(column).click()
        moves.append(column)
        state = env.get_next_state(state, column)
    return env.winner(state)


@BOTH
def test_values_and_judgements_of_the_exported_page_are_bitbullys(
    site: Site, exported: str
) -> None:
    judge, moves = Judge(), "4444443333331"  # the last one is a mistake, beyond the book
    actions = parse_moves(moves)
    with site.page(address=f"{exported}#moves={moves}") as page:
        page.locator("#values-switch").check()
        scores = judge.scores(actions)
        exact = page.locator("#board .cx-value[data-exact=true]")
        expect(exact).to_have_count(len(scores), timeout=3 * PATIENCE)
        shown = page.locator("#board .cx-value").evaluate_all(
            "values => values.map(value => value.dataset.best === 'true')"
        )
        found = [column for column, is_best in zip(scores, shown, strict=True) if is_best]
        assert found == sorted(judge.best_moves(actions))
        judged = page.locator("#record-state")
        expect(judged).to_contain_text(re.compile("[Mm]istake"), timeout=3 * PATIENCE)
        graves = [
            action
            for ply, action in enumerate(actions)
            if action not in judge.moves_that_keep_the_outcome(actions[:ply])
        ]
        expect(page.locator("#moves button[data-mistake=true]")).to_have_count(len(graves))


def test_the_pages_solver_finds_published_scores(site: Site) -> None:
    sets = {"end-easy": 100, "mid-easy": 100, "mid-medium": 60, "begin-easy": 30, "begin-medium": 8}
    positions = [pair for name, count in sets.items() for pair in published_positions(name, count)]
    with site.browser.new_context() as context:
        found = context.new_page().evaluate(
            """async ([source, positions]) => {
                const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
                const { Position, Solver } = await import(url);
                const solver = new Solver();
                const position = moves => new Position([...moves].map(column => column - 1));
                return positions.map(moves => solver.score(position(moves)));
            }""",
            [
                (OFFLINE / "solver.js").read_text(encoding="utf-8"),
                [moves for moves, _ in positions],
            ],
        )
    assert found == [score for _, score in positions]


def test_the_exported_page_saves_games_plays_levels_and_says_what_it_cannot(
    site: Site, exported: str
) -> None:
    with site.page(address=f"{exported}#moves=4&first=person&second=level:n=7") as page:
        expect(page.locator("#board .stone")).to_have_count(2)
        with page.expect_download() as download:
            page.get_by_role("button", name="Save as page").click()
        assert "Level 7" in Path(download.value.path()).read_text(encoding="utf-8")
        go_to(page, "moves=48&first=person&second=person")
        expect(page.locator("#error")).to_have_text("move 2 is 8: legal: 1, 2, 3, 4, 5, 6, 7")
        go_to(page, "game=tictactoe&first=person&second=person")
        expect(page.locator("#error")).to_contain_text("run connectx web")


ENDLESS_VALUES = """Object.defineProperty(window, "exported", { set(exported) {
  exported.thinker = exported.thinker.replace(/^async function moveScore.*$/m, "$&\\nfor (;;) {}");
  Object.defineProperty(window, "exported", { value: exported });
}, configurable: true });"""
"""Has the exported page's solver never end a slice of values."""


def test_a_move_does_not_wait_for_values(site: Site, folder: Path) -> None:
    address = f"{(folder / 'index.html').as_uri()}#moves=4&first=perfect&second=person"
    with site.page(address=address, script=ENDLESS_VALUES) as page:
        page.locator("#values-switch").check()
        expect(page.locator("#values-state")).to_contain_text("Solving")
        places(page).nth(3).click()
        expect(page.locator("#board .stone")).to_have_count(3)


NO_STORAGE = """for (const name of ["localStorage", "sessionStorage"]) {
  Object.defineProperty(window, name, { get() { throw new DOMException("", "SecurityError"); } });
}"""
"""What a browser does in a frame of another site, if it keeps nothing there."""


def test_the_exported_page_is_used_where_a_browser_keeps_nothing(site: Site, folder: Path) -> None:
    address = f"{(folder / 'index.html').as_uri()}#moves=44&first=person&second=person"
    with site.page(address=address, script=NO_STORAGE) as page:
        places(page).first.click()
        expect(page.locator("#board .stone")).to_have_count(3)
        page.locator("#values-switch").check()
        page.locator("#values-list .value").first.wait_for()
        button = page.get_by_role("button", name="Dark theme")
        before = button.get_attribute("aria-pressed")
        button.click()
        expect(button).not_to_have_attribute("aria-pressed", before or "")
        page.goto("about:blank")


def test_the_exported_page_says_that_its_solver_cannot_run(site: Site, folder: Path) -> None:
    throws = "window.Worker = class extends Worker { constructor() { super('data:,throw 1'); } }"
    with site.page(address=(folder / "index.html").as_uri(), script=throws) as page:
        page.locator("#values-switch").check()
        expect(page.locator("#values-error")).to_contain_text("The solver cannot run")
        places(page).first.click()
        expect(page.locator("#error")).to_contain_text("The solver cannot run")
        expect(page.get_by_role("button", name="Try again")).to_be_visible()
        site.complaints.clear()  # what the worker has thrown


def test_without_the_token_a_page_says_what_to_do_and_goes_on_at_its_position(site: Site) -> None:
    base = site.address.partition("?")[0]
    with site.browser.new_context() as context:
        waiting = context.new_page()
        waiting.goto(f"{base}#game=connectx-6x7x4&moves=4453")
        expect(waiting.get_by_role("heading")).to_contain_text("Open the address")
        context.new_page().goto(site.address)
        places(waiting).first.wait_for(timeout=PATIENCE)
        expect(waiting.locator("#board .stone")).to_have_count(4)
        assert re.fullmatch(re.escape(base) + r"#.*moves=4453.*", waiting.url)
        # In the same tab, too.
        context.clear_cookies()
        waiting.goto("about:blank")
        waiting.goto(f"{base}#moves=44")
        expect(waiting.get_by_role("heading")).to_contain_text("Open the address")
        waiting.goto(site.address)
        expect(waiting.locator("#board .stone")).to_have_count(2)


def test_a_page_without_the_token_goes_on_where_a_browser_keeps_nothing(site: Site) -> None:
    with site.browser.new_context() as context:
        waiting = context.new_page()
        waiting.add_init_script(NO_STORAGE)
        waiting.goto(f"{site.address.partition('?')[0]}#moves=44")
        context.new_page().goto(site.address)
        expect(waiting.locator("#board .stone")).to_have_count(2)


def test_a_link_on_another_site_leads_to_its_position(site: Site) -> None:
    base = site.address.partition("?")[0]
    with site.page() as page:
        other = page.context.new_page()
        other.goto(f"data:text/html,<a href='{base}%23moves=4453'>a game</a>")
        other.get_by_role("link").click()
        expect(other.locator("#board .stone")).to_have_count(4)


def test_pages_go_on_with_a_server_that_was_started_anew(site: Site) -> None:
    """One whose values grow, and one that asks while there is no server."""
    from benchmarks.web_pages import started_server

    with site.browser.new_context() as one, site.browser.new_context() as other:
        growing, idle = one.new_page(), other.new_page()
        growing.add_init_script("localStorage.setItem('values', 'on')")
        with started_server() as (at, _):
            begin = f"http://{at.host}:{at.port}/?token={at.token}"
            growing.goto(f"{begin}#game=connectx-16x16x5&moves=5")
            busy = growing.locator("#values-list[aria-busy=true]")
            busy.locator(".estimate").first.wait_for()
            idle.goto(f"{begin}#moves=44&first=person&second=person")
            expect(idle.locator("#board .stone")).to_have_count(2)
        idle.locator("#values-switch").check()
        banners = [page.locator("#connection") for page in (growing, idle)]
        for banner in banners:
            expect(banner).to_contain_text("is lost")
        with started_server("--port", str(at.port)) as (again, _):
            assert again.port == at.port
            for banner, context in zip(banners, (one, other), strict=True):
                expect(banner).to_contain_text("started anew")
                context.new_page().goto(f"http://{at.host}:{at.port}/?token={again.token}")
                expect(banner).to_have_text("")
            busy.locator(".estimate").first.wait_for()
            places(idle).nth(0).click()
            expect(idle.locator("#board .stone")).to_have_count(3)
