"""The export menu, in the browser: a file comes down, and a page prints itself."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Locator, expect

from tests.e2e.screen import Screen


def menu(screen: Screen) -> Locator:
    return screen.page.get_by_role("dialog", name="Export")


def test_conversation_goes_out_as_a_file_and_on_paper_by_keyboard(screen: Screen) -> None:
    page = screen.page
    screen.start("/echo one").wait_for_reply()
    button = page.get_by_role("button", name="Export", exact=True)
    button.focus()
    page.keyboard.press("Enter")
    expect(menu(screen)).to_be_visible()

    with page.expect_download() as coming:
        menu(screen).get_by_role("link", name="JSON").press("Enter")
    file = json.loads(Path(coming.value.path()).read_text(encoding="utf-8"))
    expect(menu(screen)).to_have_count(0)
    button.click()
    with page.context.expect_page() as opening:
        menu(screen).get_by_role("link", name="Print…").click()
    printed = opening.value

    assert file["conversations"][0]["pairs"][0]["user_text"] == "/echo one"
    expect(printed.locator("article")).to_have_count(1)
    expect(printed.locator("script")).to_have_count(1)
    printed.close()
