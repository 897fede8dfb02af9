"""Keeps a submission from the network, which Kaggle's machines do not have, as far as is known.

It works in the player's process, on any system: it reports attempts, and lets them fail as on a
machine without a network. Only `containment`, where Linux offers it, stops native code and
programs; programs that are known to need the network are reported.
"""

import errno
import os
import re
import socket
from collections.abc import Callable
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any

REACHED_FOR = "network:"
"""The prefix of a host or a command in reports about the network; no path begins with it."""

NAMING = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")
"""Python's audit events for looking up a host, which is their first argument."""

SENDING = ("socket.connect", "socket.sendto", "socket.sendmsg")
"""The events for sending something through a socket to an address."""

STARTING = {"os.system": 0, "os.exec": 1, "os.posix_spawn": 1, "os.spawn": 2, "subprocess.Popen": 1}
"""The events for starting a program, with the index of the command among their arguments."""

DOWNLOAD = re.compile(
    r"\b(?:(?:pip[\d.]*|uv|conda|mamba|apt|apt-get)\s(?:.*\s)?(?:install|download|add)\b"
    r"|git\s(?:.*\s)?(?:clone|fetch|pull)\b|(?:curl|wget)\s).*"
)
"""Finds the part of a command that needs the network."""

LONGEST_TOLD = 60


class NetworkGuard:
    """Refuses connections beyond this machine, and reports the host or command of each attempt."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """See `sys.addaudithook`; raise OSError if the event would reach another machine."""
        if event in NAMING:
            host = _text(arguments[0])
            if not (_address(host) or _is_own(host)):
                self._tell(host[:LONGEST_TOLD])
                raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        elif event in SENDING:
            self._require_own(*arguments)
        elif event in STARTING:
            download = DOWNLOAD.search(_command(arguments[STARTING[event]]))
            if download is not None:
                self._tell(download[0][:LONGEST_TOLD])

    def _require_own(self, sending: socket.socket, address: Any) -> None:
        if sending.family not in (socket.AF_INET, socket.AF_INET6) or not address:
            return
        host = _text(address[0])
        if not _is_own(host):
            self._tell(host[:LONGEST_TOLD])
            raise OSError(errno.ENETUNREACH, "Network is unreachable")


def _text(host: Any) -> str:
    return os.fsdecode(host) if isinstance(host, str | bytes) else ""


def _command(command: Any) -> str:
    words = command if isinstance(command, list | tuple) else [command]
    return " ".join(
        os.fsdecode(word) for word in words if isinstance(word, str | bytes | os.PathLike)
    )


def _is_own(host: str) -> bool:
    """Whether a host, given by an address or by a name, which may be empty, is this machine."""
    if (address := _address(host)) is not None:
        return address.is_loopback or address.is_unspecified
    return host in ("", "localhost", socket.gethostname())


def _address(host: str) -> IPv4Address | IPv6Address | None:
    with suppress(ValueError):
        return ip_address(host)
    return None
