"""A reply whose call waits for its turn, on the page: what it says, and that it goes on by itself."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from playwright.sync_api import expect

from tests.e2e.screen import Screen
from tests.e2e.written import call
from tests.serving import Served, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    environment = {"INVIEW_CALLS_AT_ONCE": "server=1; person=off", "INVIEW_TITLES": "off"}
    with serving(tmp_path_factory.mktemp("turns") / "data", environment) as served:
        yield served


def test_a_reply_says_that_it_waits_and_goes_on_when_the_other_one_ends(screen: Screen, server: Served) -> None:
    other = call(server.url, "POST", "/conversations", {"model": "offline:demo"})["id"]
    sent = call(server.url, "POST", f"/conversations/{other}/send", {"text": "/long 5000 /rate 20"})

    screen.start("/echo at last")
    waiting = screen.pairs.last.get_by_role("status").filter(has_text="this call is next")
    expect(waiting).to_have_text("Waiting for a turn: this call is next.")
    expect(screen.pairs.last).not_to_contain_text("Thinking")

    call(server.url, "POST", f"/runs/{sent['run_id']}/cancel")
    screen.wait_for_reply()
    expect(screen.pairs.last).to_contain_text("at last")
    expect(screen.pairs.last).not_to_contain_text("Waiting for a turn")
