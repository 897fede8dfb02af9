"""The page of `connectx web` in the system's Chromium, driven by Playwright."""

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

NAMES = (
    "chromium-headless-shell",  # takes four fifths of the others' processor time
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Each window preloads pages for address suggestions, which cost as much as a test's own pages.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup",
)
PATIENCE = 60_000
"""Milliseconds for anything to appear on a busy machine."""
EPISODE = "4455667"
"""A game that the first player wins on Kaggle."""
LATE = """([path, words, milliseconds]) => {
    const ask = window.fetch;
    window.fetch = async (address, options) => {
        const answer = await ask(address, options);
        if (address === path && options.body?.includes(words)) {
            await new Promise(resolve => setTimeout(resolve, milliseconds));
        }
        return answer;
    };
}"""
"""Delays the answers to a question with these words."""
SETTINGS: dict[str, Any] = {"reduced_motion": "reduce", "viewport": {"width": 1280, "height": 800}}
"""Playwright's settings of the browser."""
RESTING = "#game=connectx-4x4x4&moves=1234&first=person&second=person"
"""Where a page waits for the next test; no test uses this position."""
ARRIVED = """fragment => {
    const read = text => new URLSearchParams(text.slice(1).replaceAll(/,|%2C/g, ""));
    const here = read(document.querySelector("#views a").hash), wanted = read(fragment);
    return ["game", "moves"].every(key => !wanted.has(key) || here.get(key) === wanted.get(key));
}"""
"""Whether a page has reached a fragment, according to the page's links."""
NO_CONNECTION = re.compile(r"net::ERR_INTERNET_DISCONNECTED|net::ERR_CONNECTION")


@dataclass
class Site:
    """A server, and a browser that opens its page."""

    address: str
    """The address up to the fragment, with the token."""
    browser: "Browser"
    complaints: list[str] = field(default_factory=list)
    """The faults of pages: errors, messages on the console, requests to other hosts."""
    _visited: "Page | None" = None

    @contextmanager
    def page(
        self, fragment: str = "", *, address: str | None = None, script: str = "", **settings: Any
    ) -> "Iterator[Page]":
        """The page at a fragment of its address, in a new browser context.

        Args:
            fragment: the fragment, with its `#`.
            address: the address of another page, which is watched like the server's own.
            script: run before the page's own scripts, whenever it is loaded.
            settings: Playwright's settings of the browser, besides the usual ones.
        """
        with self.browser.new_context(**SETTINGS | settings) as context:
            context.add_init_script(script)
            yield self._opened(context, (address or self.address) + fragment)

    @contextmanager
    def visit(self, fragment: str, *, valued: bool = False) -> "Iterator[Page]":
        """The page at a fragment, with values if wanted, in a reused tab, as new ones take long.

        A test that fails does not return its tab; others reset everything but the address.
        """
        page, self._visited = self._visited, None
        if page is None:
            page = self._opened(self.browser.new_context(**SETTINGS), self.address + RESTING)
        _arrive(page, fragment)
        page.locator("#values-switch").set_checked(valued)
        yield page
        page.unroute_all()
        page.set_viewport_size(SETTINGS["viewport"])
        _arrive(page, RESTING)
        page.locator("#values-switch").uncheck()
        page.mouse.move(0, 0)
        page.evaluate("""() => {
            document.activeElement?.shadowRoot?.activeElement?.blur();
            document.activeElement?.blur();
        }""")
        self._visited = page

    def _opened(self, context: "BrowserContext", address: str) -> "Page":
        folder = re.split(r"[?#]", address)[0].rpartition("/")[0]

        def note_host(url: str) -> None:
            if not url.startswith((f"{folder}/", "blob:")):
                self.complaints.append(f"a request to {url}")

        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: self.complaints.append(str(error.stack)))
        page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        page.on("console", lambda message: self._note(message.text))
        page.on("request", lambda request: note_host(request.url))
        page.goto(address)
        places(page).first.wait_for()
        return page

    def _note(self, words: str) -> None:
        if not NO_CONNECTION.search(words):
            self.complaints.append(words)


@contextmanager
def opened_browser() -> "Iterator[Browser]":
    """The system's Chromium; skips if it or Playwright is missing."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    chromium = next(filter(None, map(shutil.which, NAMES)), None)
    if chromium is None:
        pytest.skip(f"no browser is installed: {', '.join(NAMES)}")
    playwright.expect.set_options(timeout=PATIENCE)
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=[*ARGUMENTS])
        yield browser
        browser.close()


@contextmanager
def opened_site(*files: Path) -> Iterator[Site]:
    """`connectx web` with these files, and a browser; skips if there is none."""
    for package in ("starlette", "uvicorn"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    from benchmarks.web_pages import started_server

    with opened_browser() as browser, started_server(*map(str, files)) as (at, _):
        yield Site(f"http://{at.host}:{at.port}/?token={at.token}", browser)


def events(*snapshots: object) -> dict[str, str]:
    """A stream of these snapshots, as arguments for Playwright's `route.fulfill`."""
    told = "".join(f"data: {json.dumps(snapshot)}\n\n" for snapshot in snapshots)
    return {"content_type": "text/event-stream", "body": told}


def expect(shown: Any) -> Any:
    """Playwright's `expect` for a page, or for one or several elements."""
    from playwright.sync_api import expect as expect_in_time

    return expect_in_time(shown)


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


def audit(page: "Page") -> None:
    """Check that the page violates no rule of axe-core, in light and dark."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        found = axe.run(page)
        assert found.violations_count == 0, f"{scheme}: {found.generate_report()}"


def resize(page: "Page", width: int, height: int) -> None:
    """Give the window a size and wait until the page is drawn, as its boards are fitted by then."""
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate("""() => new Promise(
        drawn => requestAnimationFrame(() => requestAnimationFrame(drawn))
    )""")


def go_to(page: "Page", fragment: str) -> None:
    """Change the fragment of the address, as a link does."""
    page.evaluate("fragment => { location.hash = fragment }", fragment)


def _arrive(page: "Page", fragment: str) -> None:
    go_to(page, fragment)
    page.wait_for_function(ARRIVED, arg=fragment)
