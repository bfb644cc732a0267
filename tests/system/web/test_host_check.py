"""The host check: allowed values of Host and Origin, over HTTP and for sockets, and the headers of every answer."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message, Receive, Scope, Send

from app.config.settings import load_settings
from app.web.host_check import COMMON_HEADERS, GateRules, guarded


def rules(**settings: str) -> GateRules:
    return GateRules.of(load_settings({f"INVIEW_{name.upper()}": value for name, value in settings.items()}))


@pytest.mark.parametrize("host", ["localhost:3000", "127.0.0.1:3000", "[::1]:3000", "LOCALHOST", "localhost"])
def test_local_names_are_ours(host: str) -> None:
    assert rules().admits(host, None)


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:3000", "localhost.evil.example", "192.168.0.7:3000", "", "[", None, "a@localhost:x"],
)
def test_other_names_are_not(host: str | None) -> None:
    assert not rules().admits(host, None)


def test_the_configured_host_and_the_public_url_are_ours() -> None:
    gate = rules(host="workbench.local", public_url="https://chat.example.org")

    assert gate.admits("workbench.local:3000", None)
    assert gate.admits("chat.example.org", "https://chat.example.org")
    assert not gate.admits("other.example.org", None)


def test_listening_everywhere_admits_addresses_but_no_foreign_names() -> None:
    gate = rules(host="0.0.0.0")

    assert gate.admits("192.168.0.7:3000", "http://192.168.0.7:3000")
    assert gate.admits("[fd00::7]:3000", None)
    assert not gate.admits("rebound.example:3000", None)
    assert not gate.admits("0.0.0.0.evil.example", None)


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "http://localhost:3001",  # another program on this machine is another origin
        "http://127.0.0.1:3000",  # and so is the same one by another name
        "null",
        "",
        "file://",
        "http://localhost:99999",
        "http://localhost:0",
        "http://evil.example@localhost:3000",
        "http://localhost:x@localhost:3000",
        "http://localhost:3000/",
        "http://localhost:3000/path",
        "http://localhost:3000?a=b",
        "http://localhost:3000#a",
        "http://localhost.:3000",  # another name for the browser, and another site
        "http://LOCALHOST:3000",  # browsers write names in lower case
        "HTTP://localhost:3000",
        "ws://localhost:3000",
        " http://localhost:3000",
        "http://localhost:3000\n",
        "http://localhost:3000, http://localhost:3000",
        "http://localhost:03000",
        "http://local\thost:3000",
        "http://[::1]:3000",
        "http://[localhost]:3000",
        "http://localhost:\u0663\u0660\u0660\u0660",
    ],
)
def test_a_foreign_origin_is_refused(origin: str) -> None:
    assert not rules().admits("localhost:3000", origin)


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("localhost:3000", "http://localhost:3000"),
        ("localhost", "http://localhost"),
        ("localhost:80", "http://localhost"),
        ("chat.example.org", "https://chat.example.org"),  # a proxy that keeps the Host and ends TLS
        ("127.0.0.1:3000", "https://chat.example.org"),  # a proxy that does not keep the Host
    ],
)
def test_the_pages_own_origin_passes(host: str, origin: str) -> None:
    assert rules(public_url="https://chat.example.org").admits(host, origin)


PUBLIC = "https://chat.example.org"
SCHEMES = st.sampled_from(["http", "https", "HTTP", "ws", "file", "javascript", "chrome-extension", ""])
NAMES = st.one_of(
    st.sampled_from([
        "localhost", "LocalHost", "localhost.", "127.0.0.1", "127.1", "2130706433", "[::1]", "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]", "[::1%25lo]", "chat.example.org", "chat.example.org.", "evil.example",
        "localhost.evil.example", "xn--lclhost-9wa", "",
    ]),
    st.text(st.characters(codec="ascii"), max_size=12),
)  # fmt: skip
PORTS = st.sampled_from(["", ":", ":0", ":80", ":443", ":3000", ":03000", ":+3000", ":65536", ":99999", ":x"])
USERS = st.sampled_from(["", "@", "evil.example@", "a:b@", "localhost:3000@", "evil.example%40@"])
ENDS = st.sampled_from(["", "", "/", "/x", "?", "#", "\\", " ", "\t", "\r\n", ".", "@evil.example"])
HOSTS = ("localhost", "localhost:3000", "127.0.0.1:3000", "[::1]:3000", "chat.example.org")
ORIGINS = st.one_of(
    st.just("null"),
    st.text(max_size=30),
    st.builds("{}://{}{}{}{}".format, SCHEMES, USERS, NAMES, PORTS, ENDS),
    st.builds("{}://{}{}{}".format, st.sampled_from(["http", "https"]), USERS, st.sampled_from(HOSTS), ENDS),
)


@given(st.sampled_from(HOSTS), ORIGINS)
def test_of_all_origins_only_that_of_the_host_and_the_public_one_pass(host: str, origin: str) -> None:
    ours = {PUBLIC, f"{PUBLIC}:443", f"http://{host}", f"https://{host}"}
    if ":" not in host:
        ours |= {f"http://{host}:80", f"https://{host}:443"}

    assert rules(public_url=PUBLIC).admits(host, origin) == (origin in ours)


@pytest.mark.parametrize("kind", ["http", "websocket"])
async def test_an_origin_with_a_user_before_our_host_is_refused_over_http_and_for_sockets(kind: str) -> None:
    (answer, *_) = await ask(kind, {"host": "127.0.0.1", "origin": "http://evil.example@127.0.0.1"})

    assert answer.get("status", answer.get("code")) in {403, 1008}


async def ask(scope_type: str, headers: Mapping[str, str] | list[tuple[bytes, bytes]]) -> list[Message]:
    """Return the messages of the host check for one request to an application that sets a header itself."""
    sent: list[Message] = []

    async def application(scope: Scope, _receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            return
        await send({"type": "http.response.start", "status": 200, "headers": [(b"Referrer-Policy", b"no-referrer")]})
        await send({"type": "http.response.body", "body": b"inside"})

    async def receive() -> Message:
        return {"type": f"{scope_type}.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    raw = headers if isinstance(headers, list) else [(name.encode(), value.encode()) for name, value in headers.items()]
    await guarded(application, rules())({"type": scope_type, "path": "/", "headers": raw}, receive, send)
    return sent


async def test_a_refused_request_never_reaches_the_application() -> None:
    start, body = await ask("http", {"host": "evil.example"})

    assert start["status"] == 403
    assert b"inside" not in body["body"]
    assert b"INVIEW_PUBLIC_URL" in body["body"]


async def test_a_refused_socket_is_closed_unopened() -> None:
    (closed,) = await ask("websocket", {"host": "localhost:3000", "origin": "http://evil.example"})

    assert closed["type"] == "websocket.close"


async def test_two_hosts_or_origins_are_no_host_or_origin() -> None:
    twice = [(b"host", b"localhost"), (b"host", b"evil.example")]

    start, _ = await ask("http", twice)

    assert start["status"] == 403


async def test_answers_carry_the_common_headers_unless_they_have_their_own() -> None:
    start, _ = await ask("http", {"host": "localhost:3000"})

    headers = dict(start["headers"])
    assert headers.pop(b"Referrer-Policy") == b"no-referrer"
    assert headers == {name: value for name, value in COMMON_HEADERS if name != b"referrer-policy"}
