"""A file that is on its way when the server ends is named afterwards, and those that had arrived are still attached."""

from __future__ import annotations

import signal
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, expect

from tests.e2e.screen import Screen
from tests.e2e.test_files import a_file, attach, files_of
from tests.serving import serving

SLOW = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 100_000}
"""Bytes in a second: 0.9 MB are on their way for 9 s."""


def test_a_file_on_its_way_when_the_server_is_killed_is_named_and_can_be_attached_again(
    tmp_path: Path, browser: Browser
) -> None:
    with ExitStack() as stack:
        first = stack.enter_context(serving(tmp_path / "data"))
        page = browser.new_page(base_url=first.url)
        stack.callback(page.close)
        screen = Screen(page).go("/")
        screen.write("/echo Look")
        attach(screen, a_file("c.csv", b"a,b\n"))
        expect(files_of(page)).to_contain_text("sent as text")
        wire: Any = page.context.new_cdp_session(page)
        wire.send("Network.enable")
        wire.send("Network.emulateNetworkConditions", SLOW)
        attach(screen, a_file("long.txt", b"word " * 180_000))
        expect(page.get_by_role("progressbar", name="Upload of long.txt")).to_be_visible()
        with page.expect_event("requestfailed", lambda request: "/attachments" in request.url):
            # Chromium tries once more by itself: a server that is back by then is given the whole file.
            first.process.send_signal(signal.SIGKILL)
            first.process.wait(10)
            wire.send("Network.emulateNetworkConditions", {**SLOW, "uploadThroughput": -1})

        stack.enter_context(serving(tmp_path / "data", port=first.port))

        lost = files_of(page).filter(has_text="long.txt")
        expect(lost.get_by_role("alert")).to_have_text(
            "The upload did not arrive. Check the connection, then attach it again.", timeout=60_000
        )
        expect(files_of(page).filter(has_text="c.csv")).to_contain_text("sent as text")
        expect(screen.composer).to_have_value("/echo Look")
        page.get_by_role("button", name="Remove long.txt").click()
        attach(screen, a_file("long.txt", b"word " * 180_000))
        expect(lost).to_contain_text("sent as text")
        screen.start("")
        (pair,) = screen.stored_pairs()
        assert [part["type"] for part in pair["attached"]] == ["text_file", "text_file"]
