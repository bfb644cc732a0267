"""A provider that never stops, in a real server: the reply ends at its limit, memory is bounded, others are served."""

from __future__ import annotations

import json
import sqlite3
import threading
import urllib.request
from collections.abc import Generator
from contextlib import closing, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from app.domain.conversation.lifecycle import RUNNING
from app.domain.run.reply_size import MAX_REPLY_BYTES, PART_BYTES
from tests.outside.memory import Memory
from tests.outside.words import distinct_words
from tests.serving import Served, serving

pytestmark = pytest.mark.slow

MOST_MB = 64
"""Additional memory for receiving and storing one reply."""
WORDS = distinct_words(100_000)
"""As many different words as in a long book."""
TEXTS = [
    json.dumps({"choices": [{"index": 0, "delta": {"content": WORDS[at : at + 10_000]}}]})
    for at in range(0, len(WORDS), 10_000)
]


class _Endless(BaseHTTPRequestHandler):
    """A provider that sends words for as long as the client reads. The model "brief" sends a few."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        with suppress(OSError):
            for text in TEXTS[:1] if asked["model"] == "brief" else cycle(TEXTS):
                self.wfile.write(f"data: {text}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(b'{"data": [{"id": "endless"}, {"id": "brief"}]}')

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base names it
        """Print nothing."""


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


def is_running(server: Served, pair_id: str) -> bool:
    with closing(sqlite3.connect(server.output.with_name("data") / "inview.db")) as database:
        (lifecycle,) = database.execute("SELECT lifecycle FROM pair WHERE id = ?", (pair_id,)).fetchone()
    return lifecycle in RUNNING


def ask(server: Served, model: str) -> tuple[Any, int, Any]:
    """Send a text. Return the started run, the number of answers of `/health` until the reply ended, and the pair.

    The pair is not requested before the end: the memory for its answers would be measured too.
    """
    conversation, answered = call(server, "/conversations", {"model": model})["id"], 0
    started = call(server, f"/conversations/{conversation}/send", {"text": "Go on."})
    while is_running(server, started["pair_id"]):
        call(server, "/health")
        answered += 1
    (pair,) = call(server, f"/conversations/{conversation}/pairs")["items"]
    return started, answered, pair


def test_reply_without_end_ends_at_its_bound_and_others_are_answered_meanwhile(server: Served) -> None:
    ask(server, "peer:brief")  # imports that happen once
    memory = Memory.now(str(server.process.pid))

    started, answered, pair = ask(server, "peer:endless")
    growth = memory.growth()

    assert pair["id"] == started["pair_id"]
    assert pair["error"]["class"] == "too_long", pair["error"]
    assert "INVIEW_MAX_REPLY_BYTES" in pair["error"]["next_step"]
    assert len(pair["reply_text"]) == MAX_REPLY_BYTES - PART_BYTES
    assert growth <= MOST_MB
    assert answered >= 2  # a server that reads without a pause answers no request before the end
