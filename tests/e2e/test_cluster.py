"""Several processes behind a proxy, in the browser: one installation, whichever process a page is connected to."""

from __future__ import annotations

import http.client
import json
import threading
import time
import urllib.request
from collections.abc import Callable, Generator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import pytest
from playwright.sync_api import Browser, expect

from tests.cluster import ServedCluster, cluster_serving, find_missing
from tests.e2e.screen import Screen, eventually
from tests.e2e.written import call

pytestmark = pytest.mark.skipif(bool(find_missing()), reason=f"Not installed: {', '.join(find_missing())}.")

Connect = Callable[[int], Screen]


@pytest.fixture
def cluster(tmp_path: Path, request: pytest.FixtureRequest) -> Generator[ServedCluster]:
    with cluster_serving(tmp_path, count=getattr(request, "param", 2)) as serving:
        yield serving


@pytest.fixture
def connect(browser: Browser, cluster: ServedCluster) -> Generator[Connect]:
    """A page of its own browser, which the proxy keeps at this process."""
    with ExitStack() as stack:

        def page_of(number: int) -> Screen:
            context = stack.enter_context(browser.new_context(base_url=cluster.url))
            context.add_cookies([{"name": "INVIEW_PROCESS", "value": f"p{number}", "url": cluster.url}])
            page = context.new_page()
            page.set_default_timeout(30_000)
            return Screen(page)

        yield page_of


def test_a_reply_is_seen_and_stopped_through_another_process(connect: Connect) -> None:
    near = connect(0).go("/").start("/long 4000 /rate 40")
    far = connect(1).go(near.path)
    expect(far.pairs).to_have_count(1)
    before = len(far.pairs.last.inner_text())

    eventually(lambda: len(far.pairs.last.inner_text()) > before + 100)  # it goes on to come
    far.page.get_by_role("button", name="Stop").click()

    for screen in (near, far):
        expect(screen.pairs.last).to_contain_text("Stopped")


def test_when_a_process_dies_its_page_goes_on_with_another_one(cluster: ServedCluster, connect: Connect) -> None:
    screen = connect(0).go("/").start("/echo before").wait_for_reply()
    screen.send("/long 4000 /rate 40")
    expect(screen.pairs.last).to_contain_text(" ")
    screen.page.wait_for_timeout(1500)
    screen.write("not sent yet")

    cluster.kill(0)

    expect(screen.pairs.last).to_contain_text("Inview stopped before the reply was complete.", timeout=60_000)
    expect(screen.composer).to_have_value("not sent yet")
    screen.send("/echo after").wait_for_reply(3)
    conversation = screen.path.rpartition("/")[2]
    stored = call(cluster.url, "GET", f"/conversations/{conversation}/pairs")["items"]
    assert [pair["lifecycle"] for pair in stored] == ["succeeded", "error", "succeeded"]


@dataclass
class Traffic:
    """Programs at work, each in a thread of its own, until the block is left: what went wrong, and what came."""

    port: int
    faults: list[str] = field(default_factory=list[str])
    replies: list[str] = field(default_factory=list[str])
    asked: int = 0
    _over: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list[threading.Thread])

    def __enter__(self) -> Self:
        work = (self._ask_by_new_connections, self._ask_by_one_connection, self._send, self._send)
        self._threads = [threading.Thread(target=self._keep_going, args=(each,)) for each in work]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(60)

    def _keep_going(self, work: Callable[[], None]) -> None:
        while not self._over.is_set():
            try:
                work()
            except Exception as fault:  # noqa: BLE001 - whatever it is, the test fails by it
                self.faults.append(f"{work.__name__} at {time.monotonic():.1f}: {fault!r}")

    def _ask(self, connection: http.client.HTTPConnection) -> None:
        connection.request("GET", "/api/v1/conversations")
        answer = connection.getresponse()
        answer.read()
        self.asked += 1
        if answer.status != 200:
            raise AssertionError(answer.status)
        time.sleep(0.1)

    def _ask_by_new_connections(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            self._ask(connection)
        finally:
            connection.close()

    def _ask_by_one_connection(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            while not self._over.is_set():
                self._ask(connection)
        finally:
            connection.close()

    def _send(self) -> None:
        url = f"http://127.0.0.1:{self.port}"
        conversation = call(url, "POST", "/conversations", {"model": "offline:demo"})["id"]
        request = urllib.request.Request(
            f"{url}/api/v1/conversations/{conversation}/send",
            json.dumps({"text": "/long 160 /rate 20"}).encode(),
            {"Content-Type": "application/json", "Accept": "text/event-stream"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            last = answer.read().decode().strip().rpartition("event: ")[2].split()[0]
        (pair,) = call(url, "GET", f"/conversations/{conversation}/pairs")["items"]
        self.replies.append(f"{last}, {pair['lifecycle']}")


@pytest.mark.parametrize("cluster", [3], indirect=True)
def test_a_restart_one_at_a_time_fails_no_request_and_loses_no_reply(cluster: ServedCluster, connect: Connect) -> None:
    screen = connect(0).go("/").start("/echo before").wait_for_reply()
    screen.write("not sent yet")

    with Traffic(cluster.port) as traffic:
        for number in range(len(cluster.processes)):
            cluster.restart(number)

    assert traffic.faults == []
    assert set(traffic.replies) == {"done, succeeded"}
    assert traffic.asked > 100
    expect(screen.composer).to_have_value("not sent yet")
    screen.send("/echo after").wait_for_reply(2)
