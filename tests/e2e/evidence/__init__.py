"""The state of the page and the server when a browser story failed. It becomes a part of the report of the failure.

    record_sockets(browser)           # before its first context is made
    for title, text in gather(contexts, servers): ...

A server started with `ENVIRONMENT` writes its tasks into a file when it gets `SIGUSR1` (`sitecustomize.py`).
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Error, Page

from tests.serving import Served

HERE = Path(__file__).parent
ENVIRONMENT = {"PYTHONPATH": str(HERE)}
FRAMES = 80
LOG_CHARACTERS = 4_000
PAGE_CHARACTERS = 1_500

RECORD = """(() => {
  const Native = window.WebSocket;
  const seen = (window.seenFrames = []);
  const note = (kind, text) => {
    seen.push(`${new Date().toISOString().slice(14)} ${kind} ${String(text).slice(0, 300)}`);
    if (seen.length > LIMIT) seen.shift();
  };
  window.WebSocket = class extends Native {
    constructor(...given) {
      super(...given);
      note("open", given[0]);
      this.addEventListener("message", (event) => note("<", event.data));
      this.addEventListener("close", (event) => note("closed", event.code));
    }
    send(data) {
      note(">", data);
      super.send(data);
    }
  };
})()""".replace("LIMIT", str(FRAMES))


def record_sockets(browser: Browser) -> None:
    """Record the newest frames of every socket that pages open in contexts that this browser makes from now on."""
    make = browser.new_context

    def new_context(**options: Any) -> BrowserContext:
        context = make(**options)
        context.add_init_script(RECORD)
        return context

    browser.new_context = new_context


def gather(contexts: Iterable[BrowserContext], servers: Iterable[Served]) -> Iterator[tuple[str, str]]:
    """Yield a title and a text for each open page and each server that is running."""
    for context in contexts:
        for page in context.pages:
            try:
                yield f"page {page.url}", _describe(page)
            except Error as gone:  # the story may have closed the browser
                yield "page", str(gone)
    for server in servers:
        if server.process.poll() is None:
            yield f"server {server.url}: tasks", _tasks(server)
            yield f"server {server.url}: output", server.log()[-LOG_CHARACTERS:]


def _describe(page: Page) -> str:
    data, frames, text = page.evaluate(
        "[{...document.documentElement.dataset}, window.seenFrames ?? [], document.body.innerText]"
    )
    return "\n".join([json.dumps(data), *frames, text[:PAGE_CHARACTERS]])


def _tasks(server: Served) -> str:
    """Let the server write its tasks, and return them."""
    path = server.output.with_suffix(".tasks")
    path.unlink(missing_ok=True)
    os.kill(server.process.pid, signal.SIGUSR1)
    for _ in range(100):
        server.get("/api/v1/health")  # the loop turns meanwhile
        if path.exists() and (text := path.read_text()).endswith("end\n"):
            return text
    return "none: the server was not started with `ENVIRONMENT`, or does not answer"
