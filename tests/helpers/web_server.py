"""`connectx web` for tests: in a separate process, or in this one without searches."""

import asyncio
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil

from benchmarks.web_pages import Address, started_server
from submission.reviewing.replays import read_replays
from submission.web.guard import Guard
from submission.web.opened_files import OpenedFile
from submission.web.routes import Server

TOKEN = "t0ken"
HOST = "127.0.0.1:8642"


class Visitor:
    """Sends requests to a server without search processes.

    Args:
        headers: sent with every request, besides the token, which they may replace.
        host: the host on which the server listens.
        files: the files of games that it has opened.
    """

    def __init__(
        self,
        headers: Mapping[str, str] | None = None,
        *,
        host: str = "127.0.0.1",
        files: Sequence[Path] = (),
    ) -> None:
        server = Server(1, [OpenedFile(read_replays(path)) for path in files])
        self.guard = Guard(server.app(), token=TOKEN, host=host, port=8642)
        self._client = httpx.AsyncClient(
            transport=httpx.ASGITransport(self.guard),
            base_url=f"http://{HOST}",
            headers={"X-Connectx-Token": TOKEN, **(headers or {})},
        )

    def get(self, path: str) -> httpx.Response:
        return self.request("GET", path)

    def post(self, path: str, **content: Any) -> httpx.Response:
        return self.request("POST", path, **content)

    def request(self, method: str, path: str, **content: Any) -> httpx.Response:
        return asyncio.run(self._client.request(method, path, **content))


@dataclass
class Running:
    """A server, and a client that has its token."""

    address: Address
    process: subprocess.Popen[str]
    client: httpx.Client

    @property
    def base(self) -> str:
        return f"http://{self.address.host}:{self.address.port}"

    @property
    def searchers(self) -> list[psutil.Process]:
        """The search processes, without Python's own helper processes."""
        below = psutil.Process(self.process.pid).children(recursive=True)
        return [process for process in below if "spawn_main" in " ".join(process.cmdline())]


@contextmanager
def running_server(*arguments: str) -> Iterator[Running]:
    """`connectx web` with a client that has its token, until the block ends."""
    with started_server(*arguments) as (address, process):
        base = f"http://{address.host}:{address.port}"
        headers = {"X-Connectx-Token": address.token}
        with httpx.Client(base_url=base, headers=headers, timeout=60, trust_env=False) as client:
            yield Running(address, process, client)
