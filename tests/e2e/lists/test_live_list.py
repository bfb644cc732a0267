"""The list of an open page is live on every page, and again after the connection was lost."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.late import LINK, LateState
from tests.e2e.screen import Screen, visit
from tests.e2e.written import call

PATIENCE_MS = 15_000


def make(screen: Screen, title: str) -> None:
    """Create a conversation by the API, as another program does."""
    origin = "/".join(screen.page.url.split("/", 3)[:3])
    call(origin, "POST", "/conversations", {"title": title})


def is_listed(screen: Screen, title: str) -> None:
    expect(screen.conversations.filter(has_text=title)).to_have_count(1, timeout=PATIENCE_MS)


@pytest.mark.exhaustive
def test_list_stays_live_after_walking_from_page_to_page(screen: Screen) -> None:
    screen.start("/echo a place to be").wait_for_reply()
    for link in ("Settings", "Trash", "Usage", "New conversation"):
        screen.page.get_by_role("link", name=link, exact=True).click()
    expect(screen.composer).to_be_visible()
    make(screen, "After a walk")

    is_listed(screen, "After a walk")


@pytest.mark.exhaustive
def test_list_is_live_on_every_page(screen: Screen) -> None:
    for path in ("/settings", "/trash", "/usage", "/agents"):
        make(screen, f"Before {path}")
        visit(screen.page, path)
        is_listed(screen, f"Before {path}")  # from the read when the page was opened
        for title in ("First on", "Second on"):  # a late first read could list the first of these
            make(screen, f"{title} {path}")
            is_listed(screen, f"{title} {path}")


@pytest.mark.exhaustive
def test_list_that_is_folded_away_is_not_kept_current_and_is_current_when_it_is_shown_again(screen: Screen) -> None:
    page, beside = screen.page, screen.page.context.new_page()
    screen.start("/echo folded away").wait_for_reply()
    visit(beside, "/settings")
    page.get_by_role("button", name="Hide the conversation list").click()
    expect(page.get_by_role("navigation", name="Conversations")).to_be_hidden()
    for title in ("First meanwhile", "Second meanwhile"):
        make(screen, title)
        is_listed(Screen(beside), title)
    expect(page.locator("nav.drawer li").filter(has_text="First meanwhile")).to_have_count(0)

    page.get_by_role("button", name="Show the conversation list").click()
    is_listed(screen, "Second meanwhile")
    make(screen, "After that")
    is_listed(screen, "After that")


def test_list_that_is_shown_while_the_connection_is_lost_is_current_after_it(page: Page) -> None:
    network = LateState()
    page.route_web_socket(LINK, network.relay)
    screen = Screen(page).go("/")
    column = page.get_by_role("navigation", name="Conversations")
    screen.start("/echo folded away").wait_for_reply()
    page.get_by_role("button", name="Hide the conversation list").click()
    expect(column).to_be_hidden()
    network.cut()
    expect(page.get_by_text("Connection lost. Reconnecting…")).to_be_visible()

    page.get_by_role("button", name="Show the conversation list").click()
    expect(column).to_be_visible()
    make(screen, "Made offline")
    expect(page.get_by_text("Nothing was done.")).to_be_hidden()  # the list is shown without the server
    network.mend()

    is_listed(screen, "Made offline")
    make(screen, "Online again")
    is_listed(screen, "Online again")


def test_undo_is_refused_while_the_connection_is_lost_and_the_list_is_live_again_after_it(page: Page) -> None:
    network = LateState()
    page.route_web_socket(LINK, network.relay)
    screen = Screen(page).go("/")
    screen.start("/echo away").wait_for_reply()
    assert page.request.delete(f"/api/v1/pairs/{screen.stored_pairs()[0]['id']}").ok
    expect(screen.pairs).to_have_count(0)
    screen.composer.press("Escape")
    network.cut()
    expect(page.get_by_text("Connection lost. Reconnecting…")).to_be_visible()
    page.keyboard.press("Control+z")
    expect(page.get_by_role("alert").filter(has_text="Inview cannot be reached. Nothing was done.")).to_be_visible()
    make(screen, "While away")

    network.mend()
    expect(page.get_by_role("status").filter(has_text="Connection lost")).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(screen.pairs).to_have_count(1)
    is_listed(screen, "While away")
    make(screen, "After that")
    is_listed(screen, "After that")
