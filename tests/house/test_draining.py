"""A process that is to end while others serve: it says so, goes on with its replies, and ends once they are over."""

from __future__ import annotations

import asyncio
import json
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import uvicorn
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Origin

from app.cli import draining
from app.cli.draining import drain
from tests.serving import Served, serving


@dataclass
class House:
    """What is drained: `replies` run."""

    replies: int = 0
    is_ready: bool = True

    def start_draining(self) -> None:
        self.is_ready = False

    def is_idle(self) -> bool:
        return self.replies == 0


async def nothing(*_: object) -> None: ...


def a_server() -> uvicorn.Server:
    return uvicorn.Server(uvicorn.Config(nothing))


async def pass_time() -> None:
    await asyncio.sleep(3 * draining.LOOK_SECONDS)


@pytest.fixture(autouse=True)
def leaving(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draining, "LEAVE_SECONDS", 0.2)


async def test_it_says_that_it_is_not_ready_before_the_port_closes() -> None:
    server, house = a_server(), House(replies=1)

    work = asyncio.create_task(drain(server, house, 30, asyncio.Event()))
    await asyncio.sleep(0.1)
    assert (house.is_ready, server.should_exit) == (False, False)

    await pass_time()
    assert (server.should_exit, work.done()) == (True, False)
    house.replies = 0
    await asyncio.wait_for(work, 5)


async def test_it_ends_once_requests_and_replies_are_over() -> None:
    server, house = a_server(), House()
    answering = asyncio.create_task(asyncio.sleep(60))
    server.server_state.tasks.add(answering)

    work = asyncio.create_task(drain(server, house, 30, asyncio.Event()))
    await asyncio.sleep(0.6)
    assert not work.done()
    server.server_state.tasks.discard(answering)

    await asyncio.wait_for(work, 5)
    answering.cancel()


async def test_it_waits_no_longer_than_it_may() -> None:
    server = a_server()

    began = time.monotonic()
    await drain(server, House(replies=1), 0.5, asyncio.Event())

    assert 0.4 < time.monotonic() - began < 2
    assert server.should_exit


@pytest.mark.parametrize("after", [0.05, 0.5], ids=["while it serves", "while it waits"])
async def test_a_second_signal_ends_it_at_once(after: float) -> None:
    server, hurried = a_server(), asyncio.Event()

    work = asyncio.create_task(drain(server, House(replies=1), 30, hurried))
    await asyncio.sleep(after)
    hurried.set()

    await asyncio.wait_for(work, 1)
    assert server.should_exit


# --- the real server


def post(server: Served, path: str, body: object) -> bytes:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(f"{server.url}/api/v1{path}", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read()


@contextmanager
def replying(server: Served, text: str) -> Generator[tuple[str, Future[bytes]]]:
    """A conversation whose reply has begun, and what its sender reads in the end."""
    conversation = json.loads(post(server, "/conversations", {"model": "offline:demo"}))["id"]
    with ThreadPoolExecutor(1) as thread:
        reading = thread.submit(post, server, f"/conversations/{conversation}/send", {"text": text})
        until(lambda: bool(pairs_of(server, conversation)))
        yield conversation, reading


def pairs_of(server: Served, conversation: str) -> list[dict[str, object]]:
    return json.loads(server.get(f"/api/v1/conversations/{conversation}/pairs").body)["items"]


def until(true: Callable[[], bool], seconds: float = 20) -> None:
    due = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < due, f"not true within {seconds} s"
        time.sleep(0.02)


def is_closed(server: Served) -> bool:
    try:
        server.get("/api/v1/health")
    except urllib.error.URLError:
        return True
    return False


@pytest.mark.slow
def test_a_reply_is_received_to_its_end_and_pages_are_sent_elsewhere(tmp_path: Path) -> None:
    with serving(tmp_path / "data", {"INVIEW_DRAIN_SECONDS": "60"}) as server:
        socket = server.url.replace("http", "ws") + "/_event/?EIO=4&transport=websocket"
        with replying(server, "/long 200 /rate 20") as (conversation, reading):
            with connect(socket, origin=Origin(server.url)) as page:
                server.process.send_signal(signal.SIGTERM)
                until(lambda: server.get("/api/v1/ready").status == 503)
                assert server.get("/api/v1/health").status == 200
                with pytest.raises(ConnectionClosed):
                    list(page)  # what it says until then
            until(lambda: is_closed(server))
            assert server.process.poll() is None
            said = reading.result(60).decode()
        server.process.wait(20)
        assert server.process.returncode == 0, server.log()

    assert "event: done" in said
    with serving(tmp_path / "data") as again:
        (pair,) = pairs_of(again, conversation)
    assert pair["lifecycle"] == "succeeded"


@pytest.mark.slow
def test_what_is_not_over_in_time_is_stored_as_far_as_it_came(tmp_path: Path) -> None:
    with serving(tmp_path / "data", {"INVIEW_DRAIN_SECONDS": "1"}) as server:
        with replying(server, "/long 4000 /rate 20") as (conversation, reading):
            took = server.stop()
            reading.result(20)
        assert server.process.returncode == 0, server.log()

    assert took < 6
    with serving(tmp_path / "data") as again:
        (pair,) = pairs_of(again, conversation)
    assert pair["lifecycle"] == "error"
