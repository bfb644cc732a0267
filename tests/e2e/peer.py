"""A provider for browser tests: it implements Chat Completions over the network and stores the requests.

It has its own threads, because browser tests have no event loop.

    with serve_peer() as peer:
        …a server with peer.environment…
        peer.bodies[-1]["messages"]
"""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.databases import lay_database
from tests.e2e.written import call
from tests.serving import Served, serving

MODELS = {"small": 8_192, "large": 131_072}
"""The models that it offers, with the windows that it reports."""
REPLY = "Heard."


@dataclass
class Peer:
    """A scripted provider.

    `bodies` are the parsed requests for a reply, `raw` the same as bytes. `refuses`: it answers with the status
    `refusal`. Requests for a reply wait while `free` is not set. `usage` is the usage that it reports. None: it reports
    no usage.
    """

    port: int = 0
    refuses: bool = False
    refusal: int = 400
    free: threading.Event = field(default_factory=threading.Event)
    usage: object = None
    bodies: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    raw: list[bytes] = field(default_factory=list[bytes])

    @property
    def environment(self) -> dict[str, str]:
        return {"INVIEW_COMPATIBLE": f"peer=http://127.0.0.1:{self.port}/v1"}


@contextmanager
def serve_peer() -> Generator[Peer]:
    """Serve a peer on a free port until the block ends."""
    peer = Peer()
    peer.free.set()

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            models = [{"id": name, "object": "model", "max_model_len": window} for name, window in MODELS.items()]
            self._answer("application/json", json.dumps({"object": "list", "data": models}).encode())

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            peer.raw.append(raw)
            peer.bodies.append(json.loads(raw))
            peer.free.wait(60)
            if peer.refuses:
                self._answer("application/json", b'{"error":{"message":"Not today."}}', peer.refusal)
                return
            chunks: list[dict[str, Any]] = [
                {"choices": [{"index": 0, "delta": {"content": REPLY}, "finish_reason": None}]},
                {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
            ]
            if peer.usage is not None:
                chunks.append({"choices": [], "usage": peer.usage})
            events = [f"data: {json.dumps({'id': 'c', **chunk})}\n\n" for chunk in chunks]
            self._answer("text/event-stream", "".join([*events, "data: [DONE]\n\n"]).encode())

        def _answer(self, content_type: str, body: bytes, status: int = 200) -> None:
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's own name
            """Print nothing: a test reports its own failures."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    peer.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield peer
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


@contextmanager
def serving_beside(peer: Peer, data: Path) -> Generator[Served]:
    """Serve Inview with its data in this folder and the windows of the peer's models, until the block ends."""
    lay_database(data)
    with serving(data, peer.environment) as served:
        call(served.url, "GET", "/models")
        yield served
