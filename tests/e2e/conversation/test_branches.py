"""Forks, their tree and their origin: made by key, seen in every tab, navigated with the arrows."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.screen import Screen
from tests.e2e.written import a_pair, call, write
from tests.serving import Served


@pytest.fixture
def opened(page: Page, server: Served) -> Screen:
    """Open a conversation of three pairs; the second has three stars."""
    pairs = [a_pair(f"Question {number}", f"Answer {number}", stars=3 * (number == 2)) for number in (1, 2, 3)]
    screen = Screen(page).go(f"/c/{write(server, {'title': 'Plans', 'model': 'offline:demo', 'pairs': pairs})[0]}")
    expect(screen.pairs).to_have_count(3)
    return screen


def asked(screen: Screen) -> list[str]:
    return [pair["user_text"] for pair in screen.stored_pairs()]


def tree(page: Page) -> Locator:
    return page.get_by_role("tree", name="Branches")


def test_tree_is_walked_with_the_arrows_and_a_fork_by_key_leads_back(
    opened: Screen, server: Served, another_screen: Callable[[str], Screen]
) -> None:
    walk_through_the_tree_and_back_by_the_lineage(opened, server)
    fork_by_key_and_go_back(opened, another_screen)


def fork_by_key_and_go_back(opened: Screen, another_screen: Callable[[str], Screen]) -> None:
    page, origin = opened.page, opened.path
    other = another_screen(origin)
    opened.composer.press("Escape")
    page.keyboard.press("Shift+G")
    page.keyboard.press("u")
    page.keyboard.press("u")
    expect(page.get_by_role("group", name="Request of pair 2")).to_be_focused()
    page.keyboard.press("b")

    expect(page).not_to_have_url(re.compile(origin))
    expect(page.get_by_role("heading", level=1)).to_have_text("Fork 4 of Plans")
    expect(opened.pairs).to_have_count(2)
    assert asked(opened) == ["Question 1", "Question 2"]
    expect(page.locator(".forked-from")).to_contain_text("Forked from Plans, after pair 2")
    expect(opened.composer).to_be_focused()
    expect(other.pairs.nth(1).get_by_role("button", name="1 fork from here")).to_be_visible()
    opened.send("/echo elsewhere").wait_for_reply(3)
    assert len(asked(other)) == 3

    page.locator(".forked-from").get_by_role("link", name="Plans").click()
    expect(opened.pairs.last).to_contain_text("Question 3")
    page.go_back()
    expect(opened.pairs.last).to_contain_text("/echo elsewhere")


def walk_through_the_tree_and_back_by_the_lineage(opened: Screen, server: Served) -> None:
    page, origin = opened.page, opened.path
    conversation = origin.removeprefix("/c/")
    first = opened.stored_pairs()[0]["id"]
    early = call(server.url, "POST", f"/conversations/{conversation}/fork", {"pair_id": first})["id"]
    late = call(server.url, "POST", f"/conversations/{conversation}/fork", {})["id"]
    call(server.url, "POST", f"/conversations/{early}/fork", {})

    opened.composer.press("Escape")
    page.keyboard.press("Shift+B")
    items = tree(page).get_by_role("treeitem")
    expect(items).to_have_count(4)
    assert [int(item.get_attribute("aria-level") or 0) for item in items.all()] == [1, 2, 3, 2]
    expect(items.first).to_be_focused()
    expect(items.nth(1)).to_contain_text("after pair 1")
    for key, place in (("ArrowRight", 1), ("ArrowDown", 2), ("ArrowDown", 3), ("ArrowLeft", 0), ("End", 3)):
        page.keyboard.press(key)
        expect(items.nth(place)).to_be_focused()
    page.keyboard.press("Enter")

    page.wait_for_url(f"**/c/{late}")
    expect(items.nth(3)).to_have_attribute("aria-current", "page")
    expect(items.nth(3)).to_be_focused()
    expect(page.locator(".forked-from")).to_contain_text("after pair 3")
    page.get_by_role("tab", name="Lineage").click()
    expect(page.get_by_role("region", name="Created from this conversation")).to_contain_text("Nothing yet")
    page.get_by_role("region", name="Origin", exact=True).get_by_role("link").click()
    page.wait_for_url(f"**{origin}")
    derived = page.get_by_role("region", name="Created from this conversation").get_by_role("listitem")
    expect(derived).to_have_count(2)
    expect(derived.filter(has_text="pair 1")).to_have_count(1)
