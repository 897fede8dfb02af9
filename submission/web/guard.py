"""The guard in front of all routes: it checks the origin, the token and the size of requests."""

import secrets
from asyncio import timeout
from base64 import b64encode
from hashlib import sha256
from http import HTTPStatus
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 64 * 1024  # bytes of any other request's body
FILES_PATH = "/api/files"
LARGEST_FILE = 8 * 1024 * 1024  # bytes of a request that uploads a file of games
LARGEST_ADDRESS = 8 * 1024  # bytes of a path and its query
READ_TO_THE_END = 32 * 1024 * 1024
"""Bytes of a larger body that are read and discarded, so that the client gets the refusal."""
BODY_SECONDS = 10.0  # time for a body to arrive
HEADER = "x-connectx-token"
LOCKED_OUT = "the token of this run is missing: open the address that `connectx web` has printed"
PAGE_PATHS = frozenset({"/", "/index.html"})  # paths that any site may link to
LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})

SAFE_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; "
        "img-src 'self' data:; connect-src 'self'; font-src 'self'; manifest-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

LOCKED = Path(__file__).with_name("locked.html").read_text(encoding="utf-8").encode()
"""The page for a browser without a token: says where to get one, and reloads once it is there."""


def _hash_of(element: bytes) -> str:
    """The hash by which the content security policy allows that page's one script or style."""
    _, _, rest = LOCKED.partition(b"<%b>" % element)
    content, _, _ = rest.partition(b"</%b>" % element)
    return f"'sha256-{b64encode(sha256(content).digest()).decode('ascii')}'"


LOCKED_POLICY = (
    f"default-src 'none'; script-src {_hash_of(b'script')}; style-src {_hash_of(b'style')}; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Refused(HTTPException):
    """Refuses a request, with a 4xx status and a sentence that says what to do."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(status, sentence, {"connection": "close"})


class Guard:
    """Admits only requests of the page that this server has sent.

    Another site in the same browser may send requests here, even by a host name of its own that
    resolves to this machine (DNS rebinding); so the Host header must be an address of this server.
    Each run has a token; opening the printed address stores it in a cookie, which requests of other
    sites do not carry. The Origin of a POST must be this server.
    """

    def __init__(self, app: ASGIApp, *, token: str, host: str, port: int) -> None:
        self.app = app
        self.token = token
        self.port = port
        self.cookie = f"connectx-token-{port}"
        self.is_public = not is_loopback(host)
        names = LOOPBACK_NAMES | {host.lower(), f"[{host.lower()}]"}
        self.hosts = {f"{name}:{port}" for name in names} | (names if port == 80 else set())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond, directly or through the app, with headers that keep other sites out."""

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SAFE_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        answer: ASGIApp
        try:
            answer = self._own_answer(Request(scope)) or self.app
        except Refused as refused:
            sentence = {"error": refused.detail}
            answer = JSONResponse(sentence, refused.status_code, refused.headers)
        # All files are small, so each is sent whole.
        whole = [pair for pair in scope["headers"] if pair[0] not in (b"range", b"if-range")]
        await answer({**scope, "headers": whole}, receive, send_safely)

    def _own_answer(self, request: Request) -> Response | None:
        """The response that sets the cookie, or the locked page; None if the app is to respond."""
        self._require_origin(request)
        path, token = request.scope["path"], request.query_params.get("token")
        is_printed = token is not None and (request.method, path) == ("GET", "/")
        given = [*request.headers.getlist(HEADER), request.cookies.get(self.cookie, "")]
        if not self._has_token([token or ""] if is_printed else given):
            if path not in PAGE_PATHS:
                raise Refused(HTTPStatus.FORBIDDEN, LOCKED_OUT)
            headers = {"content-security-policy": LOCKED_POLICY, "connection": "close"}
            return HTMLResponse(LOCKED, HTTPStatus.FORBIDDEN, headers)
        if not is_printed:
            return None
        cookie = f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict"
        return RedirectResponse("/", HTTPStatus.SEE_OTHER, {"set-cookie": cookie})

    def _require_origin(self, request: Request) -> None:
        """Refuse a request that was not sent to this server, or not by its page."""
        headers, scope = request.headers, request.scope
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_here(hosts[0]):
            raise Refused(
                HTTPStatus.MISDIRECTED_REQUEST,
                "this server answers at the address that `connectx web` has printed, and at no "
                "other name",
            )
        origins = headers.getlist("origin")
        site = headers.get("sec-fetch-site", "same-origin")
        foreign = any(origin != f"http://{hosts[0]}" for origin in origins)
        if foreign or (site not in {"same-origin", "none"} and scope["path"] not in PAGE_PATHS):
            raise Refused(HTTPStatus.FORBIDDEN, "another site's page has sent this request")
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > LARGEST_ADDRESS:
            raise Refused(HTTPStatus.REQUEST_URI_TOO_LONG, "the address is too long")

    def _is_here(self, host: str) -> bool:
        host = host.lower()
        name = host.removesuffix(f":{self.port}")
        if not self.is_public or (name == host and self.port != 80):
            return host in self.hosts
        # Others can make a name resolve to this machine, but not a numeric address.
        return host in self.hosts or _address(name) is not None

    def _has_token(self, given: list[str]) -> bool:
        token = self.token.encode()
        return any(secrets.compare_digest(text.encode(), token) for text in given)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server at this name or address."""
    address = _address(host)
    return host.lower() == "localhost" if address is None else address.is_loopback


def _address(name: str) -> IPv4Address | IPv6Address | None:
    """A host as a numeric address, such as `10.0.0.7` or `[fe80::1]`; None for a name."""
    try:
        return ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None


async def read_body(request: Request) -> bytes:
    """The body of a request; refused if it is too large, not declared as JSON, or late."""
    most = LARGEST_FILE if request.scope["path"] == FILES_PATH else LARGEST_BODY
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body, length = bytearray(), 0
    try:
        async with timeout(BODY_SECONDS):
            async for part in request.stream():
                length += len(part)
                if length <= most:
                    body += part
                elif length > READ_TO_THE_END:
                    break
    except TimeoutError:
        raise Refused(HTTPStatus.REQUEST_TIMEOUT, "the question did not arrive in time") from None
    except ClientDisconnect:
        raise Refused(HTTPStatus.BAD_REQUEST, "the question ended before it was complete") from None
    if length > most:
        raise Refused(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a question has at most {most // 1024} kB here"
        )
    if kind != "application/json":
        raise Refused(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a question is JSON: Content-Type: application/json"
        )
    return bytes(body)
