"""`connectx web` in a process of its own, for tests."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
import psutil

from benchmarks.web_pages import Address, started_server


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
        """The processes that search, but not Python's own beside them."""
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
