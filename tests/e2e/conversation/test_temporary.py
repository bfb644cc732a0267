"""Temporary conversations on screen: chosen, labelled, kept or discarded; neither side writes them to disk."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.screen import Screen, eventually, reload, visit, wait_until_alive
from tests.e2e.written import call
from tests.serving import Served

SECRET = "Xylophonquartett"


def files_with(server: Served, words: str) -> list[str]:
    data = server.output.with_name(server.output.name.removesuffix("-output.txt"))
    return [path.name for path in data.rglob("*") if path.is_file() and words.encode() in _read(path)]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:  # a temporary file of the database, deleted since it was listed
        return b""


def is_reply_stored(database: Path, conversation: str) -> bool:
    """Return whether the database has more than the first words of a reply, which are stored immediately."""
    with closing(sqlite3.connect(database)) as store:
        asked = "SELECT max(length(parts)) FROM message WHERE conversation_id = ? AND role = 'assistant'"
        return (store.execute(asked, [conversation]).fetchone()[0] or 0) > 70


def write_another_reply(server: Served) -> None:
    """Start another reply and wait until a part of it is stored. Parts of earlier replies would be stored by then."""
    conversation = call(server.url, "POST", "/conversations", {})["id"]
    call(server.url, "POST", f"/conversations/{conversation}/send", {"text": "/long 4000 /rate 40"})
    data = server.output.with_name(server.output.name.removesuffix("-output.txt"))
    eventually(lambda: is_reply_stored(data / "inview.db", conversation))
    call(server.url, "DELETE", f"/conversations/{conversation}")


def stored_in_browser(page: Page) -> str:
    return page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, location.href, document.title])")


def test_temporary_conversation_leaves_nothing_anywhere_until_it_is_kept(screen: Screen, server: Served) -> None:
    page = screen.page
    page.get_by_role("switch", name="Temporary").check()
    expect(page.get_by_text("This conversation is never written to disk.")).to_be_visible()
    screen.start(f"/rate 40\n/echo {SECRET} {'word ' * 120}")
    expect(screen.last_reply).to_contain_text(SECRET)
    note = page.get_by_role("group", name="Temporary conversation")
    expect(note).to_contain_text("It is never written to disk")
    expect(page).to_have_title("Temporary conversation · Inview")
    expect(screen.conversations.first.get_by_role("img", name="Temporary")).to_be_visible()
    screen.write(f"{SECRET} draft")
    write_another_reply(server)

    assert files_with(server, SECRET) == []
    screen.wait_for_reply()
    reload(page)  # a page that is left saves its drafts immediately, if it saves them
    assert files_with(server, SECRET) == []
    assert SECRET not in stored_in_browser(page)

    screen.write("")
    expect(screen.last_reply).to_contain_text(SECRET)
    note.get_by_role("button", name="Keep", exact=True).click()

    expect(note).to_have_count(0)
    expect(screen.last_reply).to_contain_text(SECRET)
    expect(screen.conversations.first.get_by_role("img", name="Temporary")).to_have_count(0)
    assert files_with(server, SECRET) != []
    screen.write("a draft that stays")
    eventually(lambda: "a draft that stays" in stored_in_browser(page))
    screen.send("/echo still here").wait_for_reply(2)


@pytest.mark.exhaustive
def test_temporary_conversation_is_started_and_discarded_by_keyboard(screen: Screen) -> None:
    page = screen.page
    page.set_viewport_size({"width": 390, "height": 844})
    switch = page.get_by_role("switch", name="Temporary")
    expect(screen.composer).to_be_focused()
    switch.focus()
    page.keyboard.press("Space")
    expect(switch).to_be_checked()
    screen.start("/echo gone soon").wait_for_reply()
    path = screen.path

    page.get_by_role("button", name="Discard").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Discard this conversation?")
    expect(dialog).to_contain_text("Its text is lost")
    dialog.get_by_role("button", name="Discard").press("Enter")

    page.wait_for_url("**/")
    expect(switch).not_to_be_checked()
    visit(page, path)
    expect(page.get_by_role("heading", name="Conversation not found")).to_be_visible()


@pytest.mark.exhaustive
def test_conversation_kept_in_one_tab_continues_in_the_other(screen: Screen, context_page: Page) -> None:
    screen.page.get_by_role("switch", name="Temporary").check()
    screen.start("/echo both").wait_for_reply()
    other = Screen(context_page).go(screen.path)
    expect(other.last_reply).to_have_text("both")

    screen.page.get_by_role("button", name="Keep", exact=True).click()

    expect(context_page.get_by_role("group", name="Temporary conversation")).to_have_count(0)
    other.send("/echo on").wait_for_reply(2)
    expect(screen.last_reply).to_have_text("on")


@pytest.mark.exhaustive
def test_switch_turned_before_the_scripts_ran_counts(page: Page, server: Served) -> None:
    held: list[Route] = []
    is_late = True
    page.route("**/assets/*.js", lambda route: held.append(route) if is_late else route.continue_())
    page.goto("/", wait_until="commit")
    switch = page.get_by_role("switch", name="Temporary")
    switch.check()
    is_late = False
    for route in held:
        route.continue_()
    wait_until_alive(page)
    expect(page.get_by_text("This conversation is never written to disk.")).to_be_visible()

    screen = Screen(page).start(f"/echo {SECRET} early")

    expect(page.get_by_role("group", name="Temporary conversation")).to_be_visible()
    assert files_with(server, f"{SECRET} early") == []
    screen.wait_for_reply()
