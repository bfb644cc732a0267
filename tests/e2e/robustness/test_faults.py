"""Trouble on a desktop: keys held down, double clicks, the back button, a locked database, a sleep, no network."""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.e2e.late import LINK, LateState
from tests.e2e.screen import Screen, add_to_message, appears, reload, wait_until_alive
from tests.e2e.written import a_pair, call, write
from tests.serving import Served

SHEET = "**/assets/sheet_dialog-*.js*"
NOTE_WHO_WAITS = """() => {
  const listen = globalThis.addEventListener;
  globalThis.isAwaited = new Promise((resolve) => {
    globalThis.addEventListener = (kind, ...rest) => {
      listen.call(globalThis, kind, ...rest);
      if (kind === "online") resolve();
    };
  });
}"""
"""From now on, `isAwaited` resolves as soon as something waits for the network."""


def asked(screen: Screen) -> list[str]:
    return [pair["user_text"] for pair in screen.stored_pairs()]


def test_back_button_brings_back_the_conversation_and_its_draft(screen: Screen, server: Served) -> None:
    page = screen.page
    other = write(server, {"title": "Other one", "pairs": [a_pair("Of the other")]})[0]
    screen.start("/echo of the first").wait_for_reply()
    first = screen.path
    screen.write("Half a thought")
    reload(page)
    expect(screen.composer).to_have_value("Half a thought")
    page.get_by_role("navigation", name="Conversations").get_by_role("link", name="Other one").click()
    expect(screen.pairs.first).to_contain_text("Of the other")
    expect(screen.composer).to_have_value("")

    page.go_back()

    page.wait_for_url(f"**{first}")
    expect(screen.pairs.first).to_contain_text("/echo of the first")
    expect(screen.composer).to_have_value("Half a thought")
    page.go_forward()
    page.wait_for_url(f"**/c/{other}")
    expect(screen.pairs.first).to_contain_text("Of the other")


@pytest.mark.exhaustive
def test_back_button_leaves_no_dialog_of_a_pair_behind(screen: Screen) -> None:
    page = screen.page
    screen.start("/echo kept").wait_for_reply()
    screen.composer.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("x")
    dialog = page.get_by_role("dialog", name="Delete this pair?")
    expect(dialog).to_be_visible()

    page.go_back()
    expect(page.get_by_role("heading", name="New conversation")).to_be_visible()
    expect(dialog).to_have_count(0)
    page.go_forward()
    expect(screen.pairs).to_have_count(1)
    expect(dialog).to_have_count(0)


@pytest.mark.exhaustive
def test_locked_database_is_reported_and_the_text_returns(screen: Screen, server: Served) -> None:
    screen.start("/echo one").wait_for_reply()
    holder = sqlite3.connect(server.output.parent / "data" / "inview.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        screen.send("/echo two")
        notice = screen.page.get_by_role("status").filter(has_text="Another program has locked the database.")
        expect(notice).to_contain_text("Nothing was changed. Close it or wait for it, then try again.", timeout=30_000)
        expect(screen.composer).to_have_value("/echo two")
    finally:
        holder.execute("ROLLBACK")
        holder.close()

    screen.composer.press("Enter")

    screen.wait_for_reply(2)
    assert asked(screen) == ["/echo one", "/echo two"]


def test_laptop_that_slept_for_an_hour_shows_what_happened_meanwhile(page: Page, server: Served) -> None:
    """The connection is dead, but neither side knows it yet; meanwhile older pairs on the page have changed."""
    pairs = [a_pair(f"Question {number}", f"Answer {number}") for number in range(1, 81)]
    conversation = write(server, {"pairs": pairs})[0]
    asleep: list[bool] = []
    connect_through(page.route_web_socket, asleep)
    screen = Screen(page).go(f"/c/{conversation}")
    expect(screen.pairs.last).to_contain_text("Question 80")
    screen.composer.press("Escape")
    page.keyboard.press("g")
    expect(page.get_by_role("group", name="Request of pair 1", exact=True)).to_be_focused()
    asleep.append(True)
    stored = call(server.url, "GET", f"/conversations/{conversation}/pairs?limit=100")["items"]
    call(server.url, "DELETE", f"/pairs/{stored[1]['id']}")
    call(server.url, "PATCH", f"/pairs/{stored[2]['id']}", {"stars": 3})
    call(server.url, "DELETE", f"/pairs/{stored[-2]['id']}")
    expect(screen.pairs.nth(1)).to_contain_text("Question 2")

    asleep.clear()
    page.evaluate("Date.now = ((now) => () => now() + 3_600_000)(Date.now.bind(Date))")
    page.evaluate("dispatchEvent(new Event('focus'))")

    expect(screen.pairs.nth(1)).to_contain_text("Question 3")
    expect(screen.pairs.nth(1).get_by_role("group", name="Stars: 3")).to_be_visible()
    page.keyboard.press("Shift+G")
    expect(screen.pairs.last).to_contain_text("Question 80")
    expect(page.get_by_role("article").filter(has_text="Question 79")).to_have_count(0)
    call(server.url, "PATCH", f"/pairs/{stored[0]['id']}", {"flagged": True})
    page.keyboard.press("g")
    expect(screen.pairs.first.get_by_role("button", name="Flag")).to_have_attribute("aria-pressed", "true")


def connect_through(route: Callable[..., None], asleep: list[bool]) -> None:
    """Relay the page's sockets, but drop all messages while the laptop is asleep."""

    def through(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        dead = False

        def carry(send: Callable[[str | bytes], None]) -> Callable[[str | bytes], None]:
            def pass_on(message: str | bytes) -> None:
                nonlocal dead
                dead = dead or bool(asleep)  # and it never works again
                if not dead:
                    send(message)

            return pass_on

        socket.on_message(carry(server.send))
        server.on_message(carry(socket.send))

    route(re.compile("/_event"), through)


@pytest.mark.exhaustive
def test_part_first_needed_while_the_network_is_away_comes_when_it_is_back(screen: Screen) -> None:
    """The socket may outlive the network for a while. Loading the page again at that moment would lose it."""
    page = screen.page
    screen.start("/echo one").wait_for_reply()
    screen.write("A draft")
    page.evaluate("globalThis.stays = true")
    page.evaluate("Object.defineProperty(navigator, 'onLine', { value: false, configurable: true })")
    page.route(SHEET, lambda route: route.abort())
    page.evaluate(NOTE_WHO_WAITS)
    page.keyboard.press("F1")
    page.evaluate("isAwaited")
    expect(screen.pairs).to_have_count(1)
    page.unroute(SHEET)
    page.evaluate("delete navigator.onLine")
    page.evaluate("dispatchEvent(new Event('online'))")

    expect(page.get_by_role("dialog", name="Keyboard shortcuts and filters")).to_be_visible()
    page.keyboard.press("Escape")
    expect(screen.composer).to_have_value("A draft")
    assert page.evaluate("globalThis.stays")


@pytest.mark.exhaustive
def test_part_that_an_update_of_the_server_removed_reloads_the_page(screen: Screen) -> None:
    page = screen.page
    screen.start("/echo one").wait_for_reply()
    screen.write("A draft")
    updated = threading.Event()
    page.route(SHEET, lambda route: route.continue_() if updated.is_set() else route.fulfill(status=404))
    with page.expect_event("framenavigated"):
        page.keyboard.press("F1")
    updated.set()
    wait_until_alive(page)

    expect(screen.pairs).to_have_count(1)
    expect(screen.composer).to_have_value("A draft")
    # The sheet opens, unless the server has not noticed yet that the old page is gone.
    sheet = page.get_by_role("dialog", name="Keyboard shortcuts and filters")
    if not appears(sheet):
        page.keyboard.press("F1")
    expect(sheet).to_be_visible()


@pytest.mark.exhaustive
def test_dialog_of_servers_is_not_opened_without_network_and_the_reason_is_shown(page: Page) -> None:
    network = LateState()
    page.route_web_socket(LINK, network.relay)
    screen = Screen(page).go("/")
    screen.start("/echo one").wait_for_reply()
    dialog = page.get_by_role("dialog", name="Insert from a server")
    page.get_by_role("button", name="Add to the message").click()
    button = page.get_by_role("button", name="Insert from a server")
    expect(button).to_be_visible()
    network.cut()
    expect(page.get_by_role("status").filter(has_text="Connection lost")).to_be_visible()
    button.click()
    expect(page.get_by_role("alert").filter(has_text="Inview cannot be reached. Nothing was done.")).to_be_visible()
    expect(dialog).to_have_count(0)
    network.mend()
    expect(page.get_by_role("status").filter(has_text="Connection lost")).to_have_count(0)

    add_to_message(page, "Insert from a server")

    expect(dialog.get_by_role("status")).to_contain_text("No MCP server is on for this")
    expect(dialog.get_by_role("combobox")).to_be_focused()


@pytest.mark.parametrize("name", ["Insert from a server", "JSON schema of the reply"])
@pytest.mark.exhaustive
def test_reload_leaves_no_dialog_of_the_composer_behind(screen: Screen, name: str) -> None:
    screen.start("/echo one").wait_for_reply()
    add_to_message(screen.page, name)
    expect(screen.page.get_by_role("dialog", name=name)).to_be_visible()

    reload(screen.page)

    expect(screen.pairs).to_have_count(1)
    expect(screen.page.get_by_role("dialog")).to_have_count(0)
