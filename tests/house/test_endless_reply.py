"""A provider that never stops, in a real server: the reply ends at its bound, and memory and other requests hold."""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Generator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.serving import Served, serving

pytestmark = pytest.mark.slow

MEGABYTE = 1_000_000
TEXT = json.dumps({"choices": [{"index": 0, "delta": {"content": "word " * 2_000}}]})


class _Endless(BaseHTTPRequestHandler):
    """Says words for as long as somebody listens."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        with suppress(OSError):
            while True:
                self.wfile.write(f"data: {TEXT}\n\n".encode())

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(b'{"data": [{"id": "endless"}]}')

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base names it
        """Say nothing."""


@pytest.fixture
def server(tmp_path: Path) -> Generator[Served]:
    provider = ThreadingHTTPServer(("127.0.0.1", 0), _Endless)
    provider.daemon_threads = True
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    settings = {"INVIEW_COMPATIBLE": f"peer=http://127.0.0.1:{provider.server_address[1]}/v1"}
    try:
        with serving(tmp_path / "data", settings) as served:
            yield served
    finally:
        provider.shutdown()
        provider.server_close()


def call(server: Served, path: str, body: object = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    with urllib.request.urlopen(
        urllib.request.Request(f"{server.url}/api/v1{path}", data, headers), timeout=60
    ) as answer:
        return json.loads(answer.read())


def test_reply_without_end_ends_at_its_bound_and_others_are_answered_meanwhile(server: Served) -> None:
    conversation = call(server, "/conversations", {"model": "peer:endless"})["id"]
    call(server, "/health")
    memory = psutil.Process(server.process.pid).memory_info().rss
    answered, most = 0, memory

    started = call(server, f"/conversations/{conversation}/send", {"text": "Go on."})
    while call(server, f"/conversations/{conversation}/pairs?limit=1")["items"][0]["lifecycle"] in {
        "sending",
        "awaiting",
    }:
        call(server, "/health")
        answered += 1
        most = max(most, psutil.Process(server.process.pid).memory_info().rss)
    (pair,) = call(server, f"/conversations/{conversation}/pairs")["items"]

    assert pair["id"] == started["pair_id"]
    assert pair["error"]["class"] == "too_long", pair["error"]
    assert "INVIEW_MAX_REPLY_BYTES" in pair["error"]["next_step"]
    assert len(pair["reply_text"]) == 10 * MEGABYTE - 1_000
    assert most - memory < 40 * 10 * MEGABYTE
    assert answered >= 2  # a server that reads without a pause answers none of them before the end
