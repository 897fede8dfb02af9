"""The load on `connectx web`, small: pages play, watch, and are told of refusals."""

import asyncio
from time import perf_counter

import pytest
from rich.table import Table

from benchmarks.web_pages import GAME, PageClient, play, watch, web_report
from tests.helpers.web_server import Running


def test_pages_play_and_watch_while_their_time_lasts(server: Running) -> None:
    async def load() -> list[float]:
        until, page = perf_counter() + 0.5, PageClient(server.address, "refusedpage")
        pages = play(server.address, 1, until), watch(server.address, 1, until)
        taken, _ = await asyncio.gather(*pages)
        with pytest.raises(ValueError, match="seconds: Expected"):
            await page.post("move", game=GAME, moves="", agent={"name": "random"}, seconds=-1)
        await page.close()
        return taken

    taken = asyncio.run(load())
    assert taken
    assert all(0 < seconds < 60 for seconds in taken)


def test_the_report_compares_with_the_goals() -> None:
    taken = [number / 1000 for number in range(1, 201)]
    title, rows = web_report({"values": taken, "moves": taken})
    assert isinstance(rows, Table)
    assert "connectx web" in str(title)
    shown = [list(column.cells) for column in rows.columns]
    assert shown[1:4] == [["200", "200"], ["100 ms", "100 ms"], ["191 ms", "191 ms"]]
