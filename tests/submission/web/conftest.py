"""Servers that tests share, one of which a browser looks at, and searches without a server."""

import asyncio
from collections.abc import Iterator

import pytest

from agents import engines
from agents.compiled import compilation
from agents.compiled.compilation import Patience, WideBoards
from benchmarks.web_pages import until_ready
from submission.web.searching import searches
from submission.web.searching.searches import Searches
from tests.helpers.browser import EPISODE, Site, opened_site
from tests.helpers.episodes import episode_of, write_episode
from tests.helpers.game_records import write_ladder
from tests.helpers.web_server import Running, running_server


@pytest.fixture(scope="session")
def shared_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """`connectx web` with a ladder and an episode, and a browser."""
    folder = tmp_path_factory.mktemp("files")
    episode = write_episode(episode_of(EPISODE), folder)
    with opened_site(write_ladder(folder / "ladder.jsonl"), episode) as site:
        yield site


@pytest.fixture
def site(shared_site: Site) -> Iterator[Site]:
    """The same, whose pages must not complain."""
    yield shared_site
    complaints, shared_site.complaints = shared_site.complaints, []
    assert complaints == []


@pytest.fixture
def own_searches(monkeypatch: pytest.MonkeyPatch) -> Searches:
    """The searches of a process of the server, in this one; what they compile is their own."""
    for name, value in (("PATIENCE", Patience()), ("WIDE_BOARDS", WideBoards())):
        for module in (compilation, engines, searches):
            monkeypatch.setattr(module, name, value, raising=False)
    return Searches()


@pytest.fixture(scope="session")
def server() -> Iterator[Running]:
    """A server whose searches are compiled."""
    with running_server() as running:
        asyncio.run(until_ready(running.address))
        yield running
