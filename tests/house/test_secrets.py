"""Secrets stay where they are: in no log line (of any level), no answer, no export and no file as they are written.

A real server that logs all it can, with keys from the environment, a token of an MCP server and a person's session. The
provider is the worst there can be: it answers with what it was sent, credentials included.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from app.api.http.sign_in_gate import COOKIE
from tests.serving import Served, serving

pytestmark = pytest.mark.slow

OPENAI: Final = "sk-proj-hidden0openai0Zk81mQ"
ANTHROPIC: Final = "sk-ant-hidden0anthropic0Zk81"
COMPATIBLE: Final = "hidden0compatible0Zk81mQ"
TOKEN: Final = "hidden0token0of0a0server"
WELCOME: Final = "/welcome?key="
"""The beginning of the link that the start prints, a moment after it serves."""
PASSWORD: Final = "hidden correct horse battery"


class Parrot(BaseHTTPRequestHandler):
    """Refuses every request, and says what came with it."""

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        sent = ", ".join(f"{name}: {value}" for name, value in self.headers.items())
        key = self.headers.get("x-api-key") or self.headers.get("authorization", "").rpartition(" ")[2]
        words = f"Incorrect API key provided: {key}. You sent {sent}"
        error = {"message": words, "type": "invalid_request_error", "code": "invalid_api_key"}
        body = json.dumps({"type": "error", "error": error}).encode()
        self.send_response(401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer  # noqa: N815 - the base class looks for these names

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's own name
        """Say nothing."""


@contextmanager
def parrot() -> Generator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Parrot) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def address() -> Generator[str]:
    with parrot() as url:
        yield url


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("secrets") / "data"


@pytest.fixture
def someone(server: Served) -> Generator[Person]:
    with httpx2.Client(base_url=server.url, timeout=60) as http:
        yield Person(http)


@pytest.fixture(scope="module")
def server(data: Path, address: str) -> Generator[Served]:
    environment = {
        "INVIEW_LOG_LEVEL": "debug",
        "INVIEW_ACCOUNTS": "on",
        "OPENAI_API_KEY": OPENAI,
        "OPENAI_BASE_URL": f"{address}/v1",
        "ANTHROPIC_API_KEY": ANTHROPIC,
        "ANTHROPIC_BASE_URL": address,
        "INVIEW_COMPATIBLE": f"box={address}/v1,{COMPATIBLE}",
    }
    with serving(data, environment, until=lambda served: served.is_ready and WELCOME in served.log()) as served:
        yield served


class Person:
    """Somebody who uses it, and keeps every word that comes back."""

    def __init__(self, http: httpx2.Client) -> None:
        self.http = http
        self.said: list[str] = []

    def ask(self, method: str, path: str, **body: Any) -> httpx2.Response:
        answer = self.http.request(method, path, **body)
        self.said.append(f"{method} {path}\n{answer.text}")
        return answer


def test_no_secret_is_in_a_log_an_answer_an_export_or_a_file(
    someone: Person, server: Served, data: Path, address: str
) -> None:
    key = WELCOME + server.log().partition(WELCOME)[2].split()[0]
    typed = {"name": "Ann", "email": "ann@example.org", "password": PASSWORD}
    someone.ask("POST", key, data=typed)
    session = someone.http.cookies[COOKIE]
    secrets = (OPENAI, ANTHROPIC, COMPATIBLE, TOKEN, PASSWORD, session)
    someone.http.post("/sign-in", data={"email": "ann@example.org", "password": f"{PASSWORD}x"})

    failures = use_every_provider(someone)
    use_a_tool_server(someone, address)
    provoke_faults(someone, server, session)

    assert failures == dict.fromkeys(MODELS, "auth")
    assert sum("Incorrect API key provided: ••••" in said for said in someone.said) >= len(MODELS)  # it did say them
    log = server.log()
    assert log.count("\n") > 3  # it does say something
    assert [secret for secret in secrets if secret in log] == []
    assert [(secret, said[:300]) for secret in secrets for said in someone.said if secret in said] == []
    for file in [path for path in data.rglob("*") if path.is_file()]:
        content = file.read_bytes()
        assert [secret for secret in secrets if secret.encode() in content] == [], file.name


MODELS: Final = ("openai:gpt-4o", "anthropic:claude-sonnet-4-5", "box:m")


def use_every_provider(someone: Person) -> dict[str, str | None]:
    """Send to each, export what came of it, and say how each failed."""
    someone.ask("GET", "/api/v1/models")
    someone.ask("GET", "/v1/models")
    failures: dict[str, str | None] = {}
    for model in MODELS:
        made = someone.ask("POST", "/api/v1/conversations", json={"model": model}).json()["id"]
        someone.ask("POST", f"/api/v1/conversations/{made}/send", json={"text": "Hello"})
        (pair,) = someone.ask("GET", f"/api/v1/conversations/{made}/pairs").json()["items"]
        failures[model] = pair["error"] and pair["error"]["class"]
        someone.ask("POST", f"/api/v1/conversations/{made}/preview", json={"text": "Hello"})
        someone.ask("GET", f"/api/v1/pairs/{pair['id']}/raw")
        for form in ("json", "md", "html"):
            someone.ask("GET", f"/api/v1/conversations/{made}/export?format={form}")
        share = someone.ask("POST", f"/api/v1/conversations/{made}/shares", json={}).json()["path"]
        someone.ask("GET", share)
        chat = {"model": model, "messages": [{"role": "user", "content": "Hello"}], "max_tokens": 9}
        someone.ask("POST", "/v1/chat/completions", json=chat)
        someone.ask("POST", "/v1/messages", json=chat)
    return failures


def use_a_tool_server(someone: Person, address: str) -> None:
    """Set up an MCP server with a token, which it refuses."""
    body = {"name": "files", "kind": "http", "url": f"{address}/mcp", "allow_private": True}
    made = someone.ask("POST", "/api/v1/mcp-servers", json=body | {"secrets": {"Authorization": f"Bearer {TOKEN}"}})
    at = f"/api/v1/mcp-servers/{made.json()['id']}"
    for method, path in (("POST", f"{at}/test"), ("GET", f"{at}/log"), ("GET", at), ("GET", "/api/v1/mcp-servers")):
        someone.ask(method, path)


def provoke_faults(someone: Person, server: Served, session: str) -> None:
    """Ask for what is not there, in ways that are not understood, with a cookie and a token."""
    bearer = {"Authorization": f"Bearer {TOKEN}", "x-api-key": TOKEN}
    for path in ("/api/v1/nothing", "/api/v1/conversations/none", "/nowhere", "/s/none"):
        someone.ask("GET", path, headers=bearer)
    someone.ask("POST", "/api/v1/conversations", content=b"{", headers={**bearer, "Content-Type": "application/json"})
    url = server.url.replace("http", "ws") + "/_event/?EIO=4&transport=websocket&token=t"
    cookie = {"Cookie": f"{COOKIE}={session}", **bearer}
    with connect(url, origin=Origin(server.url), additional_headers=cookie) as page:
        page.recv(5)
        page.send("40/_event,")
        page.recv(5)
        page.send('42/_event,["event",{"name":"no.such.handler","payload":{},"router_data":{"pathname":"/"}}]')
        before = len(server.log())
        page.send('42/_event,["event","no event"]')
        deadline = time.monotonic() + 30
        while len(server.log()) == before:
            assert time.monotonic() < deadline, "the log says nothing of what is no event"
            time.sleep(0.02)
    with pytest.raises(InvalidStatus), connect(url, origin=Origin("http://evil.example"), additional_headers=cookie):
        pass
