"""Requests that another page, another name or a stranger could send are refused."""

import asyncio
import json
import mimetypes
import re
from base64 import b64encode
from hashlib import sha256
from typing import Any

import httpx
import pytest

from submission.web.guard import is_loopback
from tests.helpers.web_server import HOST, TOKEN, Running, Visitor

POSITION = {"game": "connectx-6x7x4", "moves": "4453"}


def require_refusal(answer: httpx.Response, status: int) -> None:
    assert answer.status_code == status
    assert "\n" not in answer.json()["error"]


FOREIGN_HOSTS = ["evil.example:8642", "evil.example", "127.0.0.1", "127.0.0.1:80", "[::1"]
FOREIGN_ORIGINS = ["http://evil.example", "null", "https://127.0.0.1:8642", "http://127.0.0.1:9999"]
STRANGERS = [
    *((421, {"Host": host}) for host in (*FOREIGN_HOSTS, "10.0.0.7:8642", "")),
    *((403, {"Origin": origin}) for origin in FOREIGN_ORIGINS),
    *((403, {"Sec-Fetch-Site": site}) for site in ("cross-site", "same-site")),
    *((403, {"X-Connectx-Token": token}) for token in ("", "wrong", TOKEN[:-1], f"{TOKEN}x")),
]


@pytest.mark.parametrize(("status", "headers"), STRANGERS)
def test_a_foreign_host_another_page_and_a_wrong_token_are_refused_on_every_route(
    status: int, headers: dict[str, str]
) -> None:
    visitor, paths = Visitor(headers), ["/style.css", "/saved.html", "/api/setup", "/nowhere"]
    if "Host" in headers:
        paths += ["/", "/index.html", f"/?token={TOKEN}"]
    for path in paths:
        require_refusal(visitor.get(path), status)
    require_refusal(visitor.post("/api/position", json=POSITION), status)


def test_a_server_is_asked_by_its_names_and_not_by_a_strangers() -> None:
    for host in ("127.0.0.1:8642", "localhost:8642", "LOCALHOST:8642", "[::1]:8642"):
        assert Visitor({"Host": host}).get("/api/setup").status_code == 200
    for host, name in {"0.0.0.0": "10.0.0.7:8642", "box.example": "box.example:8642"}.items():
        assert Visitor({"Host": name}, host=host).get("/api/setup").status_code == 200
    stranger = Visitor({"Host": "evil.example:8642"}, host="0.0.0.0")
    require_refusal(stranger.get("/api/setup"), 421)


@pytest.mark.parametrize("path", ["/", "/index.html", "/?token=wrong", "/?token="])
@pytest.mark.parametrize("site", ["none", "same-origin", "cross-site"])
def test_without_the_token_a_page_says_in_words_what_to_do(path: str, site: str) -> None:
    answer = Visitor({"X-Connectx-Token": "", "Sec-Fetch-Site": site}).get(path)
    assert answer.status_code == 403
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "Open the address" in answer.text
    assert TOKEN not in answer.text
    assert "set-cookie" not in answer.headers
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    (script,) = re.findall(r"<script>(.*?)</script>", answer.text, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode("ascii")
    assert f"script-src 'sha256-{digest}';" in policy


def test_the_printed_address_gives_a_cookie_that_other_pages_requests_do_not_carry() -> None:
    visitor = Visitor({"X-Connectx-Token": ""})
    answer = visitor.get(f"/?token={TOKEN}")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= {*cookie.split("; ")}
    assert cookie.startswith("connectx-token-8642=")
    assert visitor.get("/api/setup").status_code == 200
    own = {"Origin": f"http://{HOST}"}
    assert visitor.post("/api/position", json=POSITION, headers=own).status_code == 200


def test_forms_other_methods_and_paths_that_leave_the_folder_are_refused() -> None:
    visitor, path = Visitor(), "/api/position"
    for kind in ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain", ""):
        content, headers = json.dumps(POSITION), {"Content-Type": kind}
        require_refusal(visitor.post(path, content=content, headers=headers), 415)
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        assert visitor.request(method, path).status_code in {404, 405}
    for path in ("/../guard.py", "/%2e%2e/guard.py", "/..%2fguard.py", "//etc/passwd", "/%00"):
        assert visitor.get(path).status_code in {400, 404}
    for name in ("nobody", "../../guard", "a" * 300):
        assert visitor.get(f"/modules/{name}.js").status_code == 404
    assert visitor.get("/modules/board.js").status_code == 200


def test_everything_is_sent_with_headers_that_keep_other_sites_out() -> None:
    for answer in (Visitor().get("/api/setup"), Visitor({"Host": "evil.example"}).get("/")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_scripts_run_where_the_system_calls_them_plain_texts() -> None:
    mimetypes.add_type("text/plain", ".js")  # as Windows' registry may
    answer = Visitor().get("/theme.js")
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"


def test_a_websocket_is_closed() -> None:
    sent = list[Any]()

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    asyncio.run(Visitor().guard({"type": "websocket", "path": "/", "headers": []}, receive, send))
    assert [message["type"] for message in sent] == ["websocket.close"]


@pytest.mark.parametrize(
    ("path", "length"),
    [("position", 70_000), ("position", 10_000_000), ("files", 10_000_000)],
)
def test_a_large_body_is_refused_and_the_server_lives(
    server: Running, path: str, length: int
) -> None:
    body = b'{"game": "' + b"x" * length + b'"}'
    kind = {"Content-Type": "application/json"}
    require_refusal(server.client.post(f"/api/{path}", content=body, headers=kind), 413)
    chunks = (body[start : start + 4096] for start in range(0, len(body), 4096))
    require_refusal(server.client.post(f"/api/{path}", content=chunks, headers=kind), 413)
    assert server.client.post("/api/position", json=POSITION).status_code == 200


def test_loopback() -> None:
    assert all(map(is_loopback, ["127.0.0.1", "127.9.9.9", "::1", "localhost"]))
    assert not any(map(is_loopback, ["0.0.0.0", "::", "10.0.0.7", "localhost.evil.example", ""]))
