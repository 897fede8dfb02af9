"""The page of `connectx web` in the system's Chromium, driven by Playwright."""

import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from submission.arena.players import Identity, PlayerKind
from submission.match.results_content import ResultsHeader
from submission.match.results_file import new_results
from tests.helpers.game_records import DRAW, LOSS, OPPONENT_FAILED, PLAYER_FAILED, WIN, match_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Each window prepares pages for suggestions below its address, as costly as those of a test.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup",
)
PATIENCE = 60_000
"""Milliseconds for anything to appear on a machine that others use."""
EPISODE = "4455667"
"""A game that the first player wins on Kaggle."""
NO_CONNECTION = re.compile(r"net::ERR_INTERNET_DISCONNECTED|net::ERR_CONNECTION")


@dataclass
class Site:
    """A server, and a browser that opens its page."""

    address: str
    """Up to the fragment, with the token."""
    browser: "Browser"
    complaints: list[str] = field(default_factory=list)
    """What no page may have: errors, words on the console, requests to another host."""

    @contextmanager
    def page(self, fragment: str = "", **context: Any) -> "Iterator[Page]":
        """The page at a fragment of its address, in a browser that remembers nothing."""
        context = {"reduced_motion": "reduce", "viewport": {"width": 1280, "height": 800}} | context
        with self.browser.new_context(**context) as opened:
            page = opened.new_page()
            page.set_default_timeout(PATIENCE)
            page.on("pageerror", lambda error: self.complaints.append(str(error)))
            page.on("console", lambda message: self._note(message.text))
            page.on("request", lambda request: self._note_host(request.url))
            page.goto(self.address + fragment)
            places(page).first.wait_for()
            yield page

    def _note(self, words: str) -> None:
        if not NO_CONNECTION.search(words):
            self.complaints.append(words)

    def _note_host(self, url: str) -> None:
        if not url.startswith(self.address.partition("?")[0]):
            self.complaints.append(f"a request to {url}")


@contextmanager
def opened_site(*files: Path) -> Iterator[Site]:
    """`connectx web` with these files, and a browser; skips where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    for package in ("starlette", "uvicorn"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    from benchmarks.web_pages import started_server

    chromium = next(filter(None, map(shutil.which, NAMES)), None)
    if chromium is None:
        pytest.skip(f"no browser is installed: {', '.join(NAMES)}")
    playwright.expect.set_options(timeout=PATIENCE)
    with started_server(*map(str, files)) as (at, _), playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=[*ARGUMENTS])
        yield Site(f"http://{at.host}:{at.port}/?token={at.token}", browser)
        browser.close()


def places(page: "Page") -> Any:
    """The buttons of the board, in the order of their actions."""
    return page.locator("#board button")


def legal_places(page: "Page") -> list[int]:
    """The actions that can be chosen."""
    disabled: Sequence[str] = places(page).evaluate_all(
        "buttons => buttons.map(button => button.ariaDisabled)"
    )
    return [action for action, state in enumerate(disabled) if state == "false"]


def message(page: "Page") -> Any:
    """The line below the board."""
    return page.locator("#board .cx-message")


def go_to(page: "Page", fragment: str) -> None:
    """Change the fragment of the address, as a link does."""
    page.evaluate("fragment => { location.hash = fragment }", fragment)


def write_ladder(path: Path) -> Path:
    """Write a results file of three players, with every result."""
    names = ("hero", "rival", "third")
    pairings = (("hero", "rival"), ("hero", "third"), ("rival", "third"))
    match = match_of(games=8)
    header = ResultsHeader(
        tuple(Identity(name, PlayerKind.FILE, "0" * 64) for name in names),
        pairings,
        match.settings,
        match.versions,
    )
    with new_results(path, header) as results:
        for player, opponent in pairings:
            for record in (WIN, LOSS, DRAW, PLAYER_FAILED, OPPONENT_FAILED):
                results.append(replace(record, player=player, opponent=opponent))
    return path
