"""A tool call is running when its reply is stopped, and when the process is killed with -9: with the real server."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from app.domain.run.rounds import UNANSWERED
from tests.serving import Served, serving
from tests.tools.servers import script

PATIENCE = 60.0


def ask(server: Served, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    headers = {"Accept": "application/json"}
    answer = httpx2.request(method, f"{server.url}/api/v1{path}", json=body, headers=headers, timeout=30)
    assert answer.is_success, answer.text
    return answer.json()


def a_program(notes: Path) -> dict[str, Any]:
    """Return a server whose only tool never answers. It notes the calls and cancellations that it receives."""
    way = script(
        f"""
def note(word):
    with open({str(notes)!r}, "a") as file: file.write(word + "\\n")
greet()
while True:
    asked = read()
    if asked.get("method") == "tools/list": write({{"id": asked["id"], "result": {{"tools": [TOOL]}}}})
    elif asked.get("method") == "tools/call": note("called")
    elif asked.get("method") == "notifications/cancelled": note("cancelled")
"""
    )
    return {"name": "lab", "kind": "stdio", "command": way.command, "arguments": list(way.arguments)}


def until(look: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + PATIENCE
    while not (seen := look()):
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.02)
    return seen


def words(notes: Path) -> list[str]:
    return notes.read_text().split() if notes.exists() else []


def start_call(server: Served) -> dict[str, Any]:
    conversation = ask(server, "POST", "/conversations", {"model": "offline:demo"})["id"]
    text = "/rate 0\n/tool lab__act {}\n/then\n/echo Going on."
    return ask(server, "POST", f"/conversations/{conversation}/send", {"text": text}) | {"conversation": conversation}


def look(server: Served, sent: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the pair and the record of its call."""
    (pair,) = ask(server, "GET", f"/conversations/{sent['conversation']}/pairs")["items"]
    (record,) = ask(server, "GET", f"/pairs/{sent['pair_id']}/tool-calls")["items"]
    return pair, record


@pytest.mark.slow
def test_a_call_that_is_stopped_or_dies_with_the_process_is_recorded_and_never_made_again(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    with serving(tmp_path / "data") as server:
        added = ask(server, "POST", "/mcp-servers", a_program(notes))
        assert ask(server, "POST", f"/mcp-servers/{added['id']}/test")["health"] == "ready"

        stopped = start_call(server)
        waiting = f"/conversations/{stopped['conversation']}/permissions"
        (request,) = until(lambda: ask(server, "GET", waiting)["items"])
        ask(server, "POST", f"/permissions/{request['id']}", {"answer": "always_allow"})
        until(lambda: words(notes) == ["called"])
        ask(server, "POST", f"/runs/{stopped['run_id']}/cancel")
        until(lambda: words(notes) == ["called", "cancelled"])
        pair, record = look(server, stopped)
        assert (pair["lifecycle"], record["fault"]) == ("canceled", "stopped")

        killed = start_call(server)
        until(lambda: words(notes) == ["called", "cancelled", "called"])
        server.stop(signal.SIGKILL)

    with serving(tmp_path / "data") as server:
        pair, record = look(server, killed)
        assert pair["lifecycle"] == "error"
        assert pair["error"]["class"] == "interrupted"
        assert (record["fault"], record["is_error"], record["run_json"]) == ("interrupted", True, "{}")
        assert UNANSWERED in str(pair["parts"])
        # The call is allowed, and its server is ready again: yet it is made only when a user asks for it.
        until(lambda: ask(server, "GET", f"/mcp-servers/{added['id']}")["health"] == "ready")
        assert words(notes) == ["called", "cancelled", "called"]
        again = ask(server, "POST", f"/pairs/{killed['pair_id']}/resend", {})
        until(lambda: words(notes) == ["called", "cancelled", "called", "called"])
        ask(server, "POST", f"/runs/{again['run_id']}/cancel")
