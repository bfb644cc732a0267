"""The lineage in the inspector: from a conversation to what was derived from it, and back."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.e2e.screen import Screen
from tests.e2e.written import call
from tests.serving import Served


def test_a_fork_is_found_from_where_it_comes_and_leads_back(screen: Screen, server: Served) -> None:
    page = screen.page
    screen.start("/echo The beginning").wait_for_reply()
    origin = screen.path.rsplit("/", 1)[1]
    fork = call(server.url, "POST", f"/conversations/{origin}/fork", {})["id"]

    page.get_by_role("button", name="Preview of the request").click()
    page.get_by_role("tab", name="Lineage").click()
    derived = page.get_by_role("region", name="Derived from it")
    expect(derived.get_by_role("listitem")).to_have_count(1)
    expect(derived.get_by_role("listitem")).to_contain_text("pair 1")
    derived.get_by_role("link").click()
    page.wait_for_url(f"**/c/{fork}")

    expect(page.get_by_role("region", name="Derived from", exact=True).get_by_role("link")).to_be_visible()
    expect(derived).to_contain_text("Nothing yet")
    page.get_by_role("region", name="Derived from", exact=True).get_by_role("link").click()
    page.wait_for_url(f"**/c/{origin}")
