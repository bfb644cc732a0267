"""The largest message is sent to a real server, and answered with other words: storing both takes little memory."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
import urllib.request
from collections.abc import Generator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from app.domain.attachments.uploads import MAX_TEXTS_BYTES
from app.domain.conversation.lifecycle import RUNNING
from app.domain.conversation.text_size import MAX_TEXT_BYTES
from app.domain.run.reply_size import MAX_REPLY_BYTES, PART_BYTES
from tests.outside.memory import Memory
from tests.outside.words import distinct_words
from tests.serving import Served, serving

pytestmark = pytest.mark.slow

MOST_MB = 72
"""Additional memory for sending a message and for storing its reply."""
ASKED = distinct_words(MAX_TEXT_BYTES)
FILE = distinct_words(MAX_TEXT_BYTES)
REPLY = distinct_words(MAX_REPLY_BYTES - 2 * PART_BYTES, after=MAX_TEXT_BYTES)


def add_emoji(text: str) -> str:
    """Return a text of the same number of bytes with one emoji, so that Python needs four bytes for each character."""
    return f"{text[:5]}\N{GRINNING FACE}{text[9:]}"


REPLIES = {"brief": "Hello", "long": REPLY, "emoji": add_emoji(REPLY)}
"""The replies of the provider by the name of the model."""


class _Replying(BaseHTTPRequestHandler):
    """A provider whose models send the texts of `REPLIES`."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = REPLIES[asked["model"]]
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for at in range(0, len(reply), 10_000):
            event = {"choices": [{"index": 0, "delta": {"content": reply[at : at + 10_000]}}]}
            self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
        end = {"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "stop"}]}
        self.wfile.write(f"data: {json.dumps(end)}\n\ndata: [DONE]\n\n".encode())

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps({"data": [{"id": name} for name in REPLIES]}).encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base names it
        """Print nothing."""


@pytest.fixture
def server(tmp_path: Path) -> Generator[Served]:
    provider = ThreadingHTTPServer(("127.0.0.1", 0), _Replying)
    provider.daemon_threads = True
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    settings = {"INVIEW_COMPATIBLE": f"peer=http://127.0.0.1:{provider.server_address[1]}/v1", "INVIEW_TITLES": "off"}
    try:
        with serving(tmp_path / "data", settings) as served:
            yield served
    finally:
        provider.shutdown()
        provider.server_close()


def call(server: Served, path: str, body: bytes, kind: str = "application/json") -> Any:
    headers = {"Content-Type": kind, "Accept": "application/json"}
    request = urllib.request.Request(f"{server.url}/api/v1{path}", body, headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


def look(server: Served, query: str, *values: str) -> Any:
    with closing(sqlite3.connect(server.output.with_name("data") / "inview.db")) as database:
        return database.execute(query, values).fetchone()


def send(server: Served, model: str, text: str, files: list[str]) -> str:
    """Send a message, wait until its reply has ended and was indexed, and return the id of the pair."""
    uploads = [
        call(server, f"/attachments?name={number}.txt", file.encode(), "application/octet-stream")["upload_id"]
        for number, file in enumerate(files)
    ]
    conversation = call(server, "/conversations", json.dumps({"model": f"peer:{model}"}).encode())["id"]
    body = {"text": text, "attachments": uploads, "over_budget": "force"}
    pair_id = call(server, f"/conversations/{conversation}/send", json.dumps(body).encode())["pair_id"]
    while look(server, "SELECT lifecycle FROM pair WHERE id = ?", pair_id)[0] in RUNNING:
        time.sleep(0.05)
    while not look(server, "SELECT count(*) FROM pair_size WHERE pair_id = ?", pair_id)[0]:
        time.sleep(0.05)
    return pair_id


@pytest.mark.parametrize(
    ("model", "text", "files"),
    [
        pytest.param("long", ASKED, [], id="a text", marks=pytest.mark.exhaustive),
        pytest.param("long", ASKED, [FILE] * 4, id="a text and files", marks=pytest.mark.exhaustive),
        pytest.param("emoji", add_emoji(ASKED), [add_emoji(FILE)] * 4, id="with emoji"),
    ],
)
def test_the_largest_message_and_the_largest_reply_take_little_memory(
    server: Served, model: str, text: str, files: list[str]
) -> None:
    assert sum(len(file.encode()) for file in files) <= MAX_TEXTS_BYTES
    send(server, "brief", "Hello", ["A file."])  # imports that happen once
    memory = Memory.now(str(server.process.pid))

    pair_id = send(server, model, text, files)
    growth = memory.growth()

    assert look(server, "SELECT lifecycle FROM pair WHERE id = ?", pair_id) == ("succeeded",)
    in_index = "SELECT count(*) FROM search_index JOIN search_text ON docid = search_index.rowid WHERE pair_id = ? "
    for word in (text[:4], text.split()[-2], REPLY[:4], REPLY.split()[-2]):
        assert look(server, f"{in_index} AND search_index MATCH '{word}'", pair_id)[0] >= 1
    assert growth <= MOST_MB
