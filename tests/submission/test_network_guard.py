"""Kaggle's machines have no network, as far as is known: who reaches for it is told so."""

import contextlib
import socket
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pytest

from submission.sandbox.causes import Raised, of_exception
from submission.sandbox.inside.network_guard import REACHED_FOR, NetworkGuard
from tests.helpers.checks import GOOD, check_pair, first_fault, text_of
from tests.helpers.sandboxed import ask, failed, player, refuse_namespaces

HOST = "weights.example.org"
ADDRESS = "192.0.2.1"
"""Addresses of this kind belong to nobody."""

REACHES = "it tries to use the network"
NO_NETWORK = f"{REACHES} ({{}}), but Kaggle's machines have none, as far as is known"

OTHER_ADDRESS = "192.0.2.2"

ATTEMPTS = {
    "urllib.example.org": "urllib.request.urlopen('https://{}/w.npz')",
    "requests.example.org": "requests.get('https://{}/w.npz')",
    "http.example.org": "http.client.HTTPConnection('{}').request('POST', '/')",
    "name.example.org": "socket.gethostbyname('{}')",
    ADDRESS: "socket.create_connection(('{}', 80), timeout=1)",
    OTHER_ADDRESS: "socket.socket(type=socket.SOCK_DGRAM).sendto(b'', ('{}', 53))",
    "asyncio.example.org": "asyncio.run(asyncio.open_connection('{}', 443))",
    "pip install nothing": "subprocess.run([sys.executable, *'-m {}'.split()], check=1)",
}
"""What is reached for, and how."""

MODULES = "asyncio, http.client, os, requests, socket, subprocess, sys, urllib.request"


@pytest.fixture(params=["cut", "open"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Systems that cut the network, where they offer that, and others."""
    if request.param == "open":
        refuse_namespaces(monkeypatch)


@pytest.mark.usefixtures("system")
def test_whoever_needs_the_network_fails_and_is_told_why() -> None:
    attempts = ", ".join(f"lambda: {how.format(what)}" for what, how in ATTEMPTS.items())
    source = f"import {MODULES}\nattempts = [{attempts}]\ndef agent(o): attempts[o.step]()"
    with player(source) as running:
        for step, what in enumerate(ATTEMPTS):
            failure = failed(ask(running, step=step, remainingOverageTime=60))
            assert (failure.status, failure.cause) == ("ERROR", NO_NETWORK.format(what))
            assert "put the data into the file itself" in failure.mend


CAUGHT = f"""
import {MODULES}
def attempt(act):
    try:
        act()
    except OSError as error:
        return error
for act in (
    lambda: urllib.request.urlopen("https://{HOST}"),
    lambda: os.system("curl -s --max-time 1 https://{HOST}/x"),
):
    attempt(act)
    attempt(act)
assert isinstance(attempt(lambda: socket.getaddrinfo("{HOST}", 80)), socket.gaierror)
"""


@pytest.mark.usefixtures("system")
def test_whoever_plays_on_without_it_is_warned(tmp_path: Path) -> None:
    report = check_pair(f"{CAUGHT}{GOOD}", tmp_path)
    assert report.accepted
    assert [warning.partition(", but")[0] for warning in report.warnings] == [
        f"{REACHES} ({HOST})",
        f"{REACHES} (curl -s --max-time 1 https://{HOST}/x)",
    ]
    assert report.warnings[0] in text_of(report)


@pytest.mark.usefixtures("system")
def test_this_machine_itself_may_be_asked(tmp_path: Path) -> None:
    source = """
import socket, subprocess
with socket.create_server(("127.0.0.1", 0)) as own:
    for host in ("127.0.0.1", "localhost"):
        socket.create_connection((host, own.getsockname()[1])).close()
one, other = socket.socketpair()
one.sendmsg([b"x"])
socket.getaddrinfo(None, 80)
subprocess.run(["echo", "pip", "is", "good"])
"""
    report = check_pair(f"{source}{GOOD}", tmp_path)
    assert [game.fault for game in report.games] == [None, None]
    assert report.warnings == ()


def test_a_server_of_this_machine_is_not_reached_where_nothing_else_keeps_it_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real one, by an address that other machines reach, too."""
    addresses = [
        address.address
        for interface in psutil.net_if_addrs().values()
        for address in interface
        if address.family == socket.AF_INET and not address.address.startswith("127.")
    ]
    if not addresses:
        pytest.skip("this machine has no network")
    refuse_namespaces(monkeypatch)
    with socket.create_server((addresses[0], 0)) as server:
        attempt = f"socket.create_connection({server.getsockname()!r}, timeout=1)"
        fault = first_fault(check_pair(f"import socket\n{attempt}\n{GOOD}", tmp_path))
    assert fault.cause.startswith(f"{REACHES} ({addresses[0]}), but")


class Sending(NamedTuple):
    """A socket."""

    family: int = socket.AF_INET


EVENTS: list[tuple[str, tuple[Any, ...], str]] = [
    ("os.system", (b"pip3.11 install x",), "pip3.11 install x"),
    ("os.exec", ("/usr/bin/git", [b"git", "clone", Path("x")], None), "git clone x"),
    ("os.posix_spawn", ("wget", ("wget", "x"), {}), "wget x"),
    ("subprocess.Popen", ("/bin/sh", "cd /tmp && apt-get -y install x", None, None), "apt-get"),
    ("subprocess.Popen", ("python", ["python", "-m", "pip", "list"], None, None), ""),
    ("subprocess.Popen", ("./pip-installer", ["./pip-installer", 3, None], None, None), ""),
    ("subprocess.Popen", ("x", None, None, None), ""),
    ("socket.getaddrinfo", (b"example.org", 80, 0, 0, 0), "example.org"),
    ("socket.getaddrinfo", (ADDRESS, 80, 0, 0, 0), ""),
    ("socket.getaddrinfo", (socket.gethostname(), 80, 0, 0, 0), ""),
    ("socket.connect", (Sending(), (ADDRESS, 80)), ADDRESS),
    ("socket.connect", (Sending(socket.AF_INET6), ("2001:db8::1", 80, 0, 0)), "2001:db8::1"),
    ("socket.connect", (Sending(socket.AF_INET6), ("::1", 80, 0, 0)), ""),
    ("socket.sendmsg", (Sending(), None), ""),
    ("open", ("pip install x", "r", 0), ""),
]


@pytest.mark.parametrize(("event", "arguments", "what"), EVENTS)
def test_the_message_about_an_event(event: str, arguments: tuple[Any, ...], what: str) -> None:
    told: list[str] = []
    with contextlib.suppress(OSError):
        NetworkGuard(told.append).audit(event, arguments)
    assert [attempt[: len(what)] for attempt in told] == [what] * bool(what)


@pytest.mark.parametrize(
    ("kind", "message", "what"),
    [
        ("gaierror", "[Errno -3] Temporary failure in name resolution", " (a.org)"),
        ("ConnectionError", f"HTTPSConnectionPool(host={HOST!r}): Max retries", f" ({HOST})"),
        ("CalledProcessError", "Command 'wget a.org' returned non-zero exit status 4", " (a.org)"),
        ("OSError", "[Errno 101] Network is unreachable", " (a.org)"),
        ("KeyError", "'board'", None),
    ],
)
def test_an_exception_is_told_apart_from_a_related_one(
    kind: str, message: str, what: str | None
) -> None:
    error = Raised(kind, message, None, (), "3.12.1")
    cause = of_exception(error, None, [f"{REACHED_FOR}{HOST}", f"{REACHED_FOR}a.org", "/home/me/x"])
    assert cause.text.startswith("KeyError" if what is None else f"{REACHES}{what},")
    unknown = of_exception(Raised("error", "Could not resolve host: x", None, (), "3.12.1"), None)
    assert unknown.text.startswith(f"{REACHES}, but Kaggle's machines have none")
