"""While the server is unreachable: actions are refused and not done later; dialogs and edits can be closed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Locator, Page, Route, WebSocketRoute, expect

from tests.e2e.screen import Screen, heard
from tests.e2e.written import a_pair, write
from tests.serving import Served

REFUSED = "Inview cannot be reached. Nothing was done. Try again in a moment."
BACK = "Inview is connected again. Your last action was not done. Repeat it."
UNSENT = "Inview cannot be reached. Your text is saved; send it again in a moment."
LOST = "Connection lost. Reconnecting…"
DIALOG = "Delete this conversation?"
PART = "**/assets/delete_dialog-*.js*"


@dataclass
class Cable:
    """The connection of the page's states. `refused`: the page's attempts to connect while it is cut."""

    page: Page
    is_cut: bool = False
    refused: int = 0
    sockets: list[WebSocketRoute] = field(default_factory=list[WebSocketRoute])

    def relay(self, socket: WebSocketRoute) -> None:
        if self.is_cut:
            self.refused += 1
            socket.close(code=1011)
            return
        socket.connect_to_server()
        self.sockets.append(socket)

    def cut(self) -> None:
        self.is_cut = True
        for socket in self.sockets:
            socket.close(code=1011)

    def mend(self) -> None:
        """Restore the connection, notify the browser so that it does not wait, and wait until the page is connected."""
        self.is_cut = False
        self.page.evaluate("dispatchEvent(new Event('online'))")
        expect(self.page.get_by_text(LOST)).to_be_hidden()


@pytest.fixture
def cable(page: Page) -> Cable:
    cable = Cable(page)
    page.route_web_socket(re.compile("/_event"), cable.relay)
    return cable


@pytest.fixture
def screen(cable: Cable, server: Served) -> Screen:
    write(server, {"title": "Wanted still", "pairs": [a_pair("Hello")]})
    screen = Screen(cable.page).go("/")
    expect(row(screen)).to_be_visible()
    return screen


def row(screen: Screen) -> Locator:
    return screen.conversations.filter(has_text="Wanted still").first


def ask_delete(screen: Screen) -> None:
    row(screen).hover()
    row(screen).get_by_role("button", name=re.compile("^Delete")).click()


def ask_last(screen: Screen) -> None:
    """Wait for the answer to a new event of the page. The server handles it after all earlier events."""
    screen.page.get_by_role("switch", name="Temporary").check()
    expect(screen.page.get_by_text("This conversation is never written to disk.")).to_be_visible()


def dialog(screen: Screen) -> Locator:
    return screen.page.get_by_role("dialog", name=DIALOG)


@pytest.mark.exhaustive
def test_what_is_deleted_while_away_is_refused_and_not_deleted_later(screen: Screen, cable: Cable) -> None:
    ask_delete(screen)
    expect(dialog(screen)).to_be_visible()
    rows = screen.conversations.count()
    cable.cut()

    dialog(screen).get_by_role("button", name="Delete").click()

    expect(screen.page.get_by_text(REFUSED)).to_be_visible()
    cable.mend()
    screen.page.keyboard.press("Escape")
    expect(dialog(screen)).to_be_hidden()
    ask_last(screen)
    expect(row(screen)).to_be_visible()
    assert screen.conversations.count() == rows
    expect(screen.page.get_by_text(REFUSED)).to_be_hidden()


@pytest.mark.exhaustive
def test_dialog_can_be_left_while_away_and_opened_again_later(screen: Screen, cable: Cable) -> None:
    ask_delete(screen)
    expect(dialog(screen)).to_be_visible()
    cable.cut()

    screen.page.keyboard.press("Escape")

    expect(dialog(screen)).to_be_hidden()
    expect(screen.page.get_by_text(REFUSED)).to_be_hidden()
    cable.mend()
    ask_last(screen)
    expect(screen.page.locator("dialog")).to_have_count(0)
    ask_delete(screen)
    expect(dialog(screen)).to_be_visible()


def test_a_click_without_server_is_refused_and_works_once_the_server_is_back(screen: Screen, cable: Cable) -> None:
    cable.cut()
    expect(screen.page.get_by_text(LOST)).to_be_visible()
    ask_delete(screen)
    expect(screen.page.get_by_text(REFUSED)).to_be_visible()
    screen.send("keep me")
    expect(screen.page.get_by_text(UNSENT)).to_be_visible()
    cable.mend()

    expect(screen.page.get_by_text(BACK)).to_be_visible()
    expect(screen.page.get_by_text(REFUSED)).to_be_hidden()
    expect(screen.page.get_by_text(UNSENT)).to_be_hidden()
    expect(screen.composer).to_have_value("keep me")
    ask_last(screen)
    expect(dialog(screen)).to_have_count(0)
    ask_delete(screen)

    expect(dialog(screen)).to_be_visible(timeout=5_000)


@pytest.mark.exhaustive
def test_part_first_needed_while_away_comes_when_the_server_is_back(screen: Screen, cable: Cable) -> None:
    page = screen.page
    page.evaluate("globalThis.stays = true")

    def lose(route: Route) -> None:
        if not cable.is_cut:
            cable.cut()
        route.abort()

    page.route(PART, lose)
    ask_delete(screen)
    heard(page, lambda: cable.refused > 0)
    expect(row(screen)).to_be_visible()
    page.unroute(PART)
    cable.mend()

    expect(dialog(screen)).to_be_visible()
    assert page.evaluate("globalThis.stays")
