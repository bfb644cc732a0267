"""Accounting nodes on screen: what was spent when messages left the history, and why; where they stood."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.e2e.screen import Screen, eventually, reload


def nodes(screen: Screen) -> Locator:
    return screen.page.get_by_role("complementary", name="What was spent, never sent")


def test_edit_and_restore_leave_a_rule_with_what_was_spent(screen: Screen) -> None:
    screen.start("/echo one").wait_for_reply()
    expect(nodes(screen)).to_have_count(0)

    screen.page.keyboard.press("Escape")
    screen.page.keyboard.press("e")
    screen.page.get_by_role("textbox", name="Request of pair 1").fill("/echo two")
    screen.page.keyboard.press("Enter")
    expect(screen.last_reply).to_have_text("two")
    screen.show_never_sent()
    expect(nodes(screen)).to_contain_text("Edited and sent again: 2 messages replaced.")
    expect(nodes(screen)).to_contain_text(re.compile(r"So far \d+ in · \d+ out"))

    eventually(lambda: screen.stored_pairs()[0]["lifecycle"] == "succeeded")
    screen.page.keyboard.press("Shift+E")
    expect(nodes(screen)).to_contain_text("Another version restored: 2 messages replaced.")
    expect(nodes(screen)).not_to_contain_text("Edited and sent again")
    nodes(screen).get_by_role("button", name="and 1 earlier").click()
    expect(nodes(screen)).to_contain_text("Edited and sent again")

    reload(screen.page)
    expect(screen.page.locator(".never-sent")).to_contain_text("Never sent: 2 accounting entries")
    expect(nodes(screen)).to_have_count(0)  # it is folded away
    screen.show_never_sent()
    expect(nodes(screen)).to_contain_text("Another version restored")
