"""Thousands of requests that no page would send: a clear refusal, and the server lives on."""

import json
import socket
from http.client import HTTPConnection
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.web_server import Running

PATHS = (
    *("/", "/index.html", "/api/setup", "/api/position", "/api/move", "/api/values"),
    *("/api/review", "/api/search", "/api/search/picture", "/api/replays", "/api/standings"),
    *("/api/files", "/saved.html"),
)
WORDS = ["connectx-6x7x4", "tictactoe", "4453", "", "mcts", "random", "abcdefgh12", "../x", "\x00"]
FIELDS = [
    *("page", "game", "moves", "agent", "seconds", "options", "nodes", "step", "root", "name"),
    *("file", "player", "opponent", "result", "failed", "offset", "count", "simulations", "n"),
    "text",
]

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.sampled_from(WORDS)
    | st.text(max_size=20)
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=5), inner, max_size=5)
    ),
    max_leaves=12,
)
nearly_right = st.fixed_dictionaries(
    {
        "page": st.just("fuzzedpage"),
        "game": st.sampled_from(["connectx-6x7x4", "connectx-20x20x4", "tictactoe", "x"]),
        "moves": st.text("123456789,", max_size=12),
    },
    optional={
        "agent": st.fixed_dictionaries(
            {"name": st.sampled_from(["random", "greedy", "minimax", "level", "x"])},
            optional={"options": st.dictionaries(st.sampled_from(FIELDS), scalars, max_size=2)},
        )
        | st.sampled_from(["mcts", "alphabeta"]),
        "seconds": st.sampled_from([0.05, 0, -1, 1e9]),
        "nodes": st.integers(-5, 500).map(str),
        "options": st.sampled_from(["{}", '{"simulations": 3}', '{"depth": 2}', "[", "null"]),
    },
)


def torn(fields: dict[str, Any], place: int, written: bytes) -> bytes:
    """JSON into which something has been written."""
    whole = json.dumps(fields).encode()
    return whole[:place] + written + whole[place + len(written) :]


numbers = st.sampled_from([b"1e999", b"9" * 5000, b"NaN", b"[" * 99_999, rb'"\u001b[2J\n"'])
bodies = (
    st.binary(max_size=200)
    | values.map(lambda value: json.dumps(value).encode("utf-8", "surrogatepass"))
    | nearly_right.map(lambda fields: json.dumps(fields).encode())
    | st.builds(torn, nearly_right, st.integers(0, 150), st.binary(max_size=9) | numbers)
)
headers = st.fixed_dictionaries(
    {},
    optional={
        "Content-Type": st.sampled_from(["application/json"] * 4 + ["text/plain", "x"]),
        "Host": st.sampled_from(["evil.example", "127.0.0.1", "localhost:1"]),
        "Origin": st.sampled_from(["null", "http://evil.example"]),
        "Cookie": st.sampled_from(["a=b", 'connectx-token-1="', "=;=;", "x" * 3000]),
        "X-Connectx-Token": st.sampled_from(["", "wrong"]),
        "Content-Encoding": st.just("gzip"),
        "Range": st.sampled_from(["bytes=0-1", "bytes=-1,5-2", "x"]),
        "If-Modified-Since": st.text("0123456789:GMT", max_size=10),
        "Accept": st.sampled_from(["text/html", "*/*"]),
        "Last-Event-ID": st.text("0123456789", max_size=5),
    },
)
requests = st.tuples(
    st.sampled_from(["GET", "POST", "POST", "POST", "HEAD", "PUT", "DELETE"]),
    st.sampled_from(PATHS) | st.text("/.%aA0-_~é?#", max_size=12).map(lambda path: f"/{path}"),
    nearly_right | st.dictionaries(st.sampled_from(FIELDS), scalars, max_size=5),
    bodies,
    st.one_of(st.just({"Content-Type": "application/json"}), headers),
)


def send(
    server: Running,
    method: str,
    path: str,
    query: dict[str, Any],
    body: bytes,
    more: dict[str, str],
) -> None:
    """Send a request; the beginning of a stream is all that is waited for."""
    texts = {name: str(value).encode("utf-8", "replace") for name, value in query.items()}
    params = texts if method == "GET" and path.startswith("/api/") else {}
    content = body if method == "POST" else b""
    with server.client.stream(
        method, f"{server.base}{path}", params=params, content=content, headers=more
    ) as answer:
        assert answer.status_code < 500 or answer.status_code == 503, (method, path, query, body)
        assert "content-security-policy" in answer.headers
        if "text/html" in answer.headers.get("content-type", ""):
            assert answer.status_code in {200, 206, 403}
        elif answer.status_code >= 400 and method != "HEAD":
            sentence = json.loads(answer.read())["error"]
            assert sentence
            assert "\n" not in sentence
            assert "Traceback" not in sentence


def require_alive(server: Running) -> None:
    assert server.client.get("/api/setup").status_code == 200
    assert server.process.poll() is None
    assert server.searchers


@settings(max_examples=100)
@given(requests)
def test_a_hundred_requests(server: Running, request: Any) -> None:
    send(server, *request)


def test_the_server_lives_after_them(server: Running) -> None:
    require_alive(server)
    fields = {"page": "afterwards", "game": "connectx-6x7x4", "moves": ""}
    answer = server.client.post("/api/move", json={**fields, "agent": {"name": "random"}})
    assert answer.json()["action"] in range(7)


@pytest.mark.slow
@settings(max_examples=10_000)
@given(requests)
def test_ten_thousand_requests(server: Running, request: Any) -> None:
    send(server, *request)


@pytest.mark.parametrize(
    "sent",
    [
        b"\r\n\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"POST /api/position HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 2\r\n\r\n{}",
        b"POST /api/position HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        b"POST /api/position HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
        bytes(range(256)) * 20,
    ],
)
def test_what_is_no_http_is_refused(server: Running, sent: bytes) -> None:
    with socket.create_connection((server.address.host, server.address.port), timeout=10) as line:
        line.sendall(sent)
        line.shutdown(socket.SHUT_WR)
        answer = line.makefile("rb").readline()
    assert not answer or int(answer.split()[1]) in range(400, 500)
    require_alive(server)


def test_a_body_that_never_comes_does_not_hold_the_server(server: Running) -> None:
    lines = [
        "POST /api/position HTTP/1.1",
        f"Host: {server.address.host}:{server.address.port}",
        f"X-Connectx-Token: {server.address.token}",
        "Content-Type: application/json",
        "Content-Length: 100",
    ]
    with socket.create_connection((server.address.host, server.address.port)) as line:
        line.sendall(("\r\n".join(lines) + "\r\n\r\n{").encode())
        require_alive(server)
    require_alive(server)


def test_a_hundred_connections_are_answered(server: Running) -> None:
    asked = [HTTPConnection(server.address.host, server.address.port, 60) for _ in range(100)]
    for connection in asked:
        connection.request("GET", "/")
    for connection in asked:
        assert connection.getresponse().status == 403
        connection.close()
    require_alive(server)
