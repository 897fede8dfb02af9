"""A server that the tests share."""

import asyncio
from collections.abc import Iterator

import pytest

from benchmarks.web_pages import until_ready
from tests.helpers.web_server import Running, running_server


@pytest.fixture(scope="session")
def server() -> Iterator[Running]:
    """A server whose searches are compiled."""
    with running_server() as running:
        asyncio.run(until_ready(running.address))
        yield running
