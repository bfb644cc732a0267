"""The trash on a phone: its term changes, an entry stays when its question is cancelled, and everything is deleted."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.screen import Screen, eventually, visit
from tests.e2e.written import call
from tests.serving import Served


def delete_conversation(screen: Screen, name: str) -> None:
    row = screen.conversations.filter(has_text=name)
    row.hover()
    row.get_by_role("button", name=re.compile("^Delete")).click()
    screen.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(row).to_have_count(0)


def test_deleted_conversation_is_restored_by_key_and_deleted_forever_on_a_phone_by_keyboard(screen: Screen) -> None:
    key_right_after_the_conversation_on_screen_was_deleted_restores_it(screen)
    trash_is_gone_through_on_a_phone_by_keyboard(screen)


@pytest.mark.exhaustive
def test_last_older_entries_get_the_focus_when_their_button_goes(page: Page, server: Served) -> None:
    call(server.url, "DELETE", "/trash")
    for number in range(51):
        made = call(server.url, "POST", "/conversations", {"title": f"Old {number}"})["id"]
        call(server.url, "DELETE", f"/conversations/{made}")
    visit(page, "/trash")
    entries = page.locator(".trash-list li")
    expect(entries).to_have_count(50)

    page.get_by_role("button", name="Show older").press("Enter")

    expect(entries).to_have_count(51)
    expect(entries.nth(50)).to_be_focused()


def key_right_after_the_conversation_on_screen_was_deleted_restores_it(screen: Screen) -> None:
    screen.start("/echo wanted").wait_for_reply()
    path = screen.path
    screen.composer.fill("a draft")
    screen.composer.fill("")
    delete_conversation(screen, "wanted")
    expect(screen.page.get_by_text("Deleted the conversation")).to_be_visible()
    screen.page.wait_for_url(lambda url: not url.endswith(path))
    expect(screen.composer).to_be_focused()

    screen.page.keyboard.press("ControlOrMeta+z")

    screen.page.wait_for_url(lambda url: url.endswith(path))
    expect(screen.pairs).to_have_count(1)


def trash_is_gone_through_on_a_phone_by_keyboard(screen: Screen) -> None:
    page = screen.page
    screen.send("/echo not any more").wait_for_reply(2)
    delete_conversation(screen, "wanted")
    screen.start("/echo second").wait_for_reply()
    delete_conversation(screen, "second")
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, "/trash")
    entry = page.locator(".trash-list li").filter(has_text="wanted")

    page.get_by_role("main").get_by_role("combobox").select_option("7")
    expect(entry).to_contain_text("removed for good in 7 days")
    page.get_by_role("main").get_by_role("combobox").select_option("30")
    expect(entry).to_contain_text("removed for good in 30 days")
    entry.get_by_role("button", name=re.compile("^Delete forever")).press("Enter")
    dialog = page.get_by_role("dialog", name="Delete forever?")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    expect(entry).to_be_visible()
    page.get_by_role("button", name=re.compile("^Restore .*second")).press("Enter")
    expect(page.locator(".trash-list li").filter(has_text="second")).to_have_count(0)
    expect(entry).to_be_focused()
    page.get_by_role("button", name="Empty the trash").press("Enter")
    dialog.get_by_role("button", name="Delete forever").press("Enter")

    expect(page.get_by_text("The trash is empty. Deleted conversations and pairs")).to_be_visible()
    expect(page.get_by_role("heading", name="Trash")).to_be_focused()
    eventually(lambda: page.evaluate("fetch('/api/v1/trash').then((answer) => answer.json())")["items"] == [])
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
