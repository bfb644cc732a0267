"""Marks set by key and by pointer are shown and stored; a pair is deleted only after a question."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.screen import Screen, eventually, reload


@pytest.fixture
def two(screen: Screen) -> Screen:
    """Start a conversation of two pairs, in VIEW at the last one."""
    screen.start("/echo one").wait_for_reply()
    screen.send("/echo two").wait_for_reply(2)
    press(screen.page, "Escape", "Shift+G")
    return screen


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def stored(screen: Screen, place: int, field: str) -> Any:
    return screen.stored_pairs()[place][field]


def toast(page: Page, words: str | re.Pattern[str]) -> Locator:
    return page.locator(".toast").filter(has_text=words)


def stars(screen: Screen, place: int) -> Locator:
    return screen.pairs.nth(place).get_by_role("group", name=re.compile("^Stars: "))


def test_stars_by_key_are_kept_and_deleting_asks_and_leaves_the_cursor_at_the_next_pair(two: Screen) -> None:
    press(two.page, "2")
    expect(stars(two, 1)).to_have_accessible_name("Stars: 2")
    eventually(lambda: stored(two, 1, "stars") == 2)
    press(two.page, "u", "u", "3")
    expect(stars(two, 0)).to_have_accessible_name("Stars: 3")
    eventually(lambda: stored(two, 0, "stars") == 3)

    reload(two.page)
    expect(stars(two, 1)).to_have_accessible_name("Stars: 2")
    expect(two.composer).to_be_focused()
    press(two.page, "Escape", "Shift+G", "0")
    expect(stars(two, 1)).to_have_accessible_name("Stars: 0")
    eventually(lambda: stored(two, 1, "stars") == 0)

    press(two.page, "u", "u", "x")
    dialog = two.page.get_by_role("dialog", name="Delete this pair?")
    expect(dialog).to_contain_text("/echo one")
    dialog.get_by_role("button", name="Delete").press("Enter")
    expect(two.pairs).to_have_count(1)
    expect(two.page.get_by_role("group", name=re.compile("^Request of pair"))).to_be_focused()
    eventually(lambda: [pair["user_text"] for pair in two.stored_pairs()] == ["/echo two"])


@pytest.mark.exhaustive
def test_stars_by_pointer_and_a_second_click_takes_them_away(two: Screen) -> None:
    three_stars = two.pairs.first.get_by_role("button", name="3 stars")
    three_stars.click()
    expect(three_stars).to_have_attribute("aria-pressed", "true")
    eventually(lambda: stored(two, 0, "stars") == 3)

    three_stars.click()
    eventually(lambda: stored(two, 0, "stars") == 0)


@pytest.mark.exhaustive
def test_control_z_in_the_composer_is_the_composers(two: Screen) -> None:
    press(two.page, "2")
    expect(toast(two.page, "2 stars")).to_be_visible()
    press(two.page, "Enter")
    two.page.keyboard.type("words")
    press(two.page, "Control+z")

    expect(two.composer).to_have_value("")
    expect(stars(two, 1)).to_have_accessible_name("Stars: 2")


@pytest.mark.exhaustive
def test_deletion_is_called_off(two: Screen) -> None:
    press(two.page, "x")
    expect(two.page.get_by_role("button", name="Delete", exact=True)).to_be_focused()
    press(two.page, "Escape")
    expect(two.page.get_by_role("dialog")).to_have_count(0)
    expect(two.page.get_by_role("group", name="Reply of pair 2")).to_be_focused()
    press(two.page, "x")
    two.page.get_by_role("button", name="Cancel").click()

    expect(two.pairs).to_have_count(2)
    assert len(two.stored_pairs()) == 2
