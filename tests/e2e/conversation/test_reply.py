"""A reply as a user sees it: it streams, is stored, can be stopped, fails with a description, needs no browser."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, WebSocketRoute, expect

from tests.e2e.late import LINK, LateState
from tests.e2e.screen import Screen, eventually, reload
from tests.e2e.written import call
from tests.serving import Served

OpenTab = Callable[[str], Screen]
WORD = re.compile("[A-Za-z]+")


def shown_words(screen: Screen) -> list[str]:
    """Return the words of the last reply on screen, without the texts that the page adds."""
    blocks = screen.last_reply.locator("p, li, td, th, pre, h1, h2, h3, h4")
    return WORD.findall(" ".join(blocks.all_text_contents()))


def stored_words(screen: Screen) -> list[str]:
    return WORD.findall(re.sub(r"```\w*", "", screen.stored_pairs()[-1]["reply_text"]))


def has_begun(screen: Screen) -> None:
    expect(screen.last_reply).to_have_text(re.compile(r"\w+ \w+ \w+"))


def test_first_send_makes_a_conversation_and_its_reply_is_stored(screen: Screen) -> None:
    screen.start("/echo The sky is **blue**.").wait_for_reply()

    expect(screen.last_reply.locator("strong")).to_have_text("blue")
    expect(screen.page).to_have_title(re.compile(r"The sky.* · Inview"))
    expect(screen.composer).to_have_value("")
    stored = screen.stored_pairs()
    assert [(pair["user_text"], pair["reply_text"]) for pair in stored] == [
        ("/echo The sky is **blue**.", "The sky is **blue**.")
    ]


@pytest.mark.exhaustive
def test_request_carries_a_badge_and_no_empty_reply_until_the_first_piece(screen: Screen) -> None:
    screen.start("/wait 2 /long 5")

    expect(screen.pairs.get_by_text("thinking…")).to_be_visible()
    expect(screen.page.locator(".md")).to_have_count(0)
    screen.wait_for_reply()
    expect(screen.pairs.get_by_text("thinking…")).to_have_count(0)


def test_reloads_in_the_middle_and_a_network_away_lose_and_repeat_nothing_and_another_tab_stops_the_reply(
    context: BrowserContext, server: Served
) -> None:
    network = LateState()

    def open_tab() -> Screen:
        tab = context.new_page()
        tab.route_web_socket(LINK, network.relay)
        return Screen(tab).go(path)

    wish = {"model": "offline:demo", "system_prompt": "Be brief.", "parameters": {"temperature": 0.3}}
    path = f"/c/{call(server.url, 'POST', '/conversations', wish)['id']}"
    screen, early = open_tab(), open_tab()
    page = screen.page
    screen.send("/think 100 /long 2000 /rate 60")
    expect(page.get_by_text("Thinking…", exact=True)).to_be_visible()

    for _ in range(3):
        # Before the document of the last reload is there, the browser may refuse: "Not attached to an active page".
        page.reload(wait_until="domcontentloaded")
    has_begun(screen)
    late = open_tab()
    has_begun(late)
    reload(page)
    has_begun(screen)
    tabs = (screen, early, late)
    network.cut()
    for tab in tabs:
        expect(tab.page.get_by_text("Connection lost. Reconnecting…")).to_be_visible()
    network.mend()
    for tab in tabs:
        expect(tab.page.get_by_text("Connection lost. Reconnecting…")).to_be_hidden()
    late.stop.click()
    for tab in tabs:
        tab.wait_for_reply()

    assert shown_words(early) == shown_words(late) == shown_words(screen) == stored_words(screen) != []
    assert len(screen.stored_pairs()) == 1
    expect(page.get_by_role("button", name="Parameters: temperature 0.3")).to_be_visible()
    expect(page.locator(".prompt-card")).to_contain_text("Be brief.")


def test_dropped_connection_is_shown_calmly_and_restored(page: Page) -> None:
    sockets: list[WebSocketRoute] = []
    down = False

    def relay(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        if down:
            socket.close(code=1011)
        else:
            socket.connect_to_server()

    page.route_web_socket(re.compile("/_event"), relay)
    screen = Screen(page).go("/").start("/long 4000 /rate 40")
    has_begun(screen)
    down = True
    sockets[-1].close(code=1011)

    expect(page.get_by_text("Connection lost. Reconnecting…")).to_be_visible()
    missed = len(stored_words(screen)) + 30
    eventually(lambda: len(stored_words(screen)) > missed)
    down = False
    expect(page.get_by_text("Connection lost. Reconnecting…")).to_be_hidden()
    screen.stop.click()
    screen.wait_for_reply()

    eventually(lambda: shown_words(screen) == stored_words(screen))
    assert len(stored_words(screen)) > missed


def test_stop_keeps_what_was_received_and_frees_the_composer(screen: Screen) -> None:
    """Screen readers announce that it started, and that the next one is complete."""
    announced = screen.page.get_by_role("status")
    screen.start("/long 400 /rate 20")
    has_begun(screen)
    expect(announced.filter(has_text="The reply has started.")).to_have_count(1)

    screen.stop.click()
    screen.wait_for_reply()

    expect(screen.pairs.get_by_text("Stopped.")).to_be_visible()
    expect(screen.composer).to_be_focused()
    stored = screen.stored_pairs()[0]
    assert stored["lifecycle"] == "canceled"
    eventually(lambda: shown_words(screen) == stored_words(screen) != [])
    go_on = screen.pairs.get_by_role("button", name="Continue")
    go_on.click()
    screen.wait_for_reply(2)
    assert screen.stored_pairs()[1]["user_text"] == "Continue exactly where you stopped."
    expect(go_on).to_have_count(0)  # the last reply is a different one
    screen.send("/think 20\n/echo again")
    expect(screen.page.get_by_role("group", name="Reply of pair 3")).to_have_text("again")
    expect(announced.filter(has_text="The reply is complete.")).to_have_count(1)
    thought = screen.page.locator(".thinking .md")
    expect(thought).to_have_count(0)
    screen.page.get_by_text("Thought", exact=True).click()
    expect(thought).to_have_text(re.compile(r"\w+ \w+"))


@pytest.mark.exhaustive
def test_reply_and_request_can_be_copied(screen: Screen) -> None:
    screen.start("/echo Hello **there**").wait_for_reply()
    clipboard = "navigator.clipboard.readText()"

    screen.page.get_by_role("button", name="Copy the reply").click()
    expect(screen.page.get_by_text("Copied")).to_be_visible()
    assert screen.page.evaluate(clipboard) == "Hello **there**"

    screen.page.get_by_role("button", name="Copy the request").click()
    eventually(lambda: screen.page.evaluate(clipboard).startswith("/echo"))
