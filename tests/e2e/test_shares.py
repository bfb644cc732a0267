"""Sharing on screen: what is in view, previewed, by a link that a stranger's browser opens, until it is revoked."""

from __future__ import annotations

from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from tests.e2e.screen import Screen, visit
from tests.e2e.test_tools import a_call, a_result, imported
from tests.e2e.written import a_pair, call, write
from tests.serving import Served
from tests.views.test_transcripts import ATTACKS

EVIL = "\n\n".join(ATTACKS) + '\n\n<img src="http://evil.example/x.png" onerror="document.title=1">'


@pytest.fixture
def stranger(browser: Browser) -> Generator[Page]:
    """Another browser: no cookies, nothing kept, and scripts allowed, if the page lets any run."""
    with browser.new_context() as context:
        yield context.new_page()


def open_link(page: Page, link: str) -> list[str]:
    """Open a link. Whatever was asked of anyone beside the page itself."""
    asked: list[str] = []

    def note(request: Request) -> None:
        if request.url != link and not request.url.startswith("data:"):
            asked.append(request.url)

    page.on("request", note)
    page.goto(link)
    page.wait_for_load_state("networkidle")
    page.remove_listener("request", note)
    return asked


def test_what_is_in_view_is_previewed_shared_opened_by_a_stranger_and_revoked(
    screen: Screen, stranger: Page, server: Served
) -> None:
    page = screen.page
    (conversation,) = write(
        server,
        {
            "title": "Plans",
            "system_prompt": "Be a spy.",
            "pairs": [a_pair("Hidden", "Not shown"), a_pair("Seen", "**Shown**", stars=3)],
        },
    )
    screen.go(f"/c/{conversation}?f=s3")
    page.get_by_role("button", name="Share").press("Enter")
    dialog = page.get_by_role("dialog", name="Share")
    preview = page.frame_locator("iframe")
    expect(dialog.get_by_text("1 pair is shared. Only what the filter shows.")).to_be_visible()
    expect(preview.get_by_text("Shown", exact=True)).to_be_visible()
    expect(preview.get_by_text("Hidden")).to_have_count(0)
    dialog.get_by_label("System prompt").check()
    expect(preview.get_by_text("Be a spy.")).to_be_visible()
    dialog.get_by_label("System prompt").uncheck()
    expect(preview.get_by_text("Be a spy.")).to_have_count(0)
    dialog.get_by_label("Shared by").fill("Ada")
    dialog.get_by_label("Shared by").press("Enter")
    link = dialog.get_by_role("textbox", name="Link").input_value()

    assert open_link(stranger, link) == []
    expect(stranger.get_by_role("heading", name="Plans")).to_be_visible()
    expect(stranger.get_by_text("Shared by Ada")).to_be_visible()
    expect(stranger.get_by_text("Shown", exact=True)).to_be_visible()
    assert "Hidden" not in stranger.content()
    assert stranger.context.cookies() == []
    assert server.get(link.removeprefix(server.url)).headers["x-content-type-options"] == "nosniff"

    dialog.get_by_role("link", name="All shares…").press("Enter")
    row = page.get_by_role("listitem").filter(has_text="1 pair is shared.")
    expect(row).to_contain_text("Opened 2 times")
    page.get_by_role("button", name="Revoke the link to Plans").press("Enter")
    expect(page.get_by_text("Nothing is shared.")).to_be_visible()
    open_link(stranger, link)
    expect(stranger.get_by_role("heading", name="Nothing here")).to_be_visible()
    revoked, never = server.get(link.removeprefix(server.url)), server.get(f"/s/{'x' * 43}")
    assert (revoked.status, revoked.body) == (never.status, never.body) == (404, never.body)


def test_nothing_of_a_shared_page_runs_and_nothing_is_fetched(screen: Screen, stranger: Page, server: Served) -> None:
    text = {"type": "text", "text": EVIL}
    conversation = imported(server, text, a_call("c1", "lookup", {"q": EVIL}), a_result("c1", EVIL))
    call(server.url, "PATCH", f"/conversations/{conversation}", {"title": EVIL[:200].replace("\n", " ")})
    ran: list[str] = []
    stranger.on("dialog", lambda opened: ran.append(opened.message))
    stranger.context.on("weberror", lambda fault: ran.append(str(fault.error)))

    body: dict[str, Any] = {"tools": True, "thinking": True, "system_prompt": True}
    made = call(server.url, "POST", f"/conversations/{conversation}/shares", body)
    asked = open_link(stranger, f"{server.url}{made['path']}")

    assert (asked, ran) == ([], [])
    expect(stranger.get_by_text("alert(1)").first).to_be_visible()
    assert stranger.locator("script, iframe, object, svg, [onerror]").count() == 0
    assert stranger.title() != "1"

    visit(screen.page, f"/c/{conversation}")
    screen.page.get_by_role("button", name="Share").press("Enter")
    screen.page.get_by_label("Tool calls and their results").check()
    expect(screen.page.frame_locator("iframe").get_by_text("alert(1)").first).to_be_visible()
    # A script or a fetch within the preview would breach the page's policy, which the fixture counts as a fault.


def test_an_expired_link_and_one_of_a_deleted_conversation_look_like_none(server: Served, stranger: Page) -> None:
    (conversation,) = write(server, {"title": "Plans", "pairs": [a_pair("Seen", "Shown")]})
    made = call(server.url, "POST", f"/conversations/{conversation}/shares", {"hours": 1})
    expires = datetime.fromisoformat(made["share"]["expires_at"])
    assert timedelta(0) < expires - datetime.now(UTC) <= timedelta(hours=1)

    call(server.url, "DELETE", f"/conversations/{conversation}")
    open_link(stranger, f"{server.url}{made['path']}")

    assert stranger.content() == _missing(stranger, server)


def _missing(page: Page, server: Served) -> str:
    open_link(page, f"{server.url}/s/never")
    return page.content()


def test_the_link_can_be_made_without_scrolling_on_a_phone(screen: Screen, server: Served) -> None:
    page = screen.page
    (conversation,) = write(server, {"title": "Plans", "pairs": [a_pair("Seen", "**Shown**")]})
    page.set_viewport_size({"width": 390, "height": 844})
    screen.go(f"/c/{conversation}")

    page.get_by_role("button", name="Share").press("Enter")

    expect(page.frame_locator("iframe").get_by_text("Shown", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Make the link")).to_be_in_viewport(ratio=1)
