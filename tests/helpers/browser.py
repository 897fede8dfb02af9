"""The page of `connectx web` in the system's Chromium, driven by Playwright."""

import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

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
NO_CONNECTION = re.compile(r"net::ERR_INTERNET_DISCONNECTED|net::ERR_CONNECTION")


@dataclass
class Site:
    """A server, and a browser that opens its page."""

    address: str
    """Up to the fragment, with the token."""
    browser: "Browser"
    complaints: list[str] = field(default_factory=list)
    """The faults of pages: errors, words on the console, requests to another host."""

    @contextmanager
    def page(
        self, fragment: str = "", *, address: str | None = None, **context: Any
    ) -> "Iterator[Page]":
        """The page at a fragment of its address, in a browser that remembers nothing.

        Args:
            fragment: with its `#`.
            address: of another page, which is watched like the server's own.
            context: what Playwright is told of the browser.
        """
        begin = self.address if address is None else address
        folder = re.split(r"[?#]", begin)[0].rpartition("/")[0]
        context = {"reduced_motion": "reduce", "viewport": {"width": 1280, "height": 800}} | context

        def note_host(url: str) -> None:
            if not url.startswith((f"{folder}/", "blob:")):
                self.complaints.append(f"a request to {url}")

        with self.browser.new_context(**context) as opened:
            page = opened.new_page()
            page.set_default_timeout(PATIENCE)
            page.on("pageerror", lambda error: self.complaints.append(str(error.stack)))
            page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
            page.on("console", lambda message: self._note(message.text))
            page.on("request", lambda request: note_host(request.url))
            page.goto(begin + fragment)
            places(page).first.wait_for()
            yield page

    def _note(self, words: str) -> None:
        if not NO_CONNECTION.search(words):
            self.complaints.append(words)


@contextmanager
def opened_browser() -> "Iterator[Browser]":
    """The system's Chromium; skips where it or Playwright is missing."""
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
    """`connectx web` with these files, and a browser; skips where there is none."""
    for package in ("starlette", "uvicorn"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    from benchmarks.web_pages import started_server

    with opened_browser() as browser, started_server(*map(str, files)) as (at, _):
        yield Site(f"http://{at.host}:{at.port}/?token={at.token}", browser)


def expect(shown: Any) -> Any:
    """Playwright's expectations of a page, or of one or several elements."""
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
    """Find no violation of the rules of axe-core, in light and dark."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        found = axe.run(page)
        assert found.violations_count == 0, f"{scheme}: {found.generate_report()}"


def go_to(page: "Page", fragment: str) -> None:
    """Change the fragment of the address, as a link does."""
    page.evaluate("fragment => { location.hash = fragment }", fragment)
