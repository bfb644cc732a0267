"""A request scrolls to the top of the window. A reply that is longer than the window is read from its beginning."""

from __future__ import annotations

import re
from collections.abc import Generator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.late import LINK, LateState
from tests.e2e.screen import ANY_CONVERSATION, Screen, eventually, heard, visit_settings, wait_until_painted
from tests.e2e.written import call
from tests.serving import Served

LONG = "/long 500 /rate 250"
WATCH = """(text) => {
  globalThis.places = [];
  const look = () => {
    const request = [...document.querySelectorAll(".request")].at(-1);
    if (request?.innerText === text) {
      places.push(request.getBoundingClientRect().top - request.closest(".scroll").getBoundingClientRect().top);
    }
    requestAnimationFrame(look);
  };
  look();
}"""
"""Record the position of the request with this text in each frame."""


def first_part(page: Page) -> Locator:
    return page.locator(".reply [data-part]").first


def is_at_the_end(page: Page) -> bool:
    return page.locator(".scroll").evaluate("it => it.scrollHeight - it.scrollTop - it.clientHeight < 3")


def is_high(page: Page) -> bool:
    return page.locator(".scroll").evaluate("it => it.scrollHeight > it.clientHeight * 1.3")


def top_of_request(page: Page) -> float:
    return page.locator(".request").last.evaluate(
        "it => it.getBoundingClientRect().top - it.closest('.scroll').getBoundingClientRect().top"
    )


def newest(page: Page) -> str | None:
    """Return the id of the newest conversation."""
    found = page.request.get("/api/v1/conversations?limit=1").json()["items"]
    return found[0]["id"] if found else None


def has_succeeded(page: Page, conversation: str | None) -> bool:
    pairs = page.request.get(f"/api/v1/conversations/{conversation}/pairs").json()["items"]
    return bool(pairs) and pairs[-1]["lifecycle"] == "succeeded"


def wait_for_more(screen: Screen) -> None:
    """Wait until the running reply is some lines longer."""
    length = len(screen.last_reply.inner_text())
    eventually(lambda: len(screen.last_reply.inner_text()) > length + 200)


@pytest.fixture
def setting_off(page: Page) -> Generator[None]:
    visit_settings(page, "keys")
    box = page.get_by_role("checkbox", name=re.compile("taller than the screen"))
    expect(box).to_be_checked()
    box.click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    yield
    assert page.request.put("/api/v1/preferences", data={}).ok


def test_request_is_at_the_top_at_once_and_a_long_reply_below_it_moves_nothing(page: Page, server: Served) -> None:
    state = LateState(last="_redirect")
    page.route_web_socket(LINK, state.relay)
    screen = Screen(page).go("/")
    sending = page.locator("[data-sending]")

    screen.send("/echo one")
    page.wait_for_url(ANY_CONVERSATION)
    expect(sending).to_contain_text("/echo one")
    expect(screen.pairs).to_have_count(0)
    state.release()
    screen.wait_for_reply(1)
    expect(sending).to_have_count(0)

    page.evaluate(WATCH, LONG)
    state.held = []
    screen.send(LONG)
    expect(sending).to_contain_text(LONG)
    wait_until_painted(page)
    state.release()
    expect(screen.last_reply.locator("[data-part]").first).to_be_focused()
    screen.wait_for_reply(2)
    expect(sending).to_have_count(0)
    arrow = page.get_by_role("button", name="Jump to the newest message")
    expect(arrow).to_be_visible()
    expect(arrow).not_to_contain_text("1 new")  # the reply is on screen
    call(server.url, "POST", f"/conversations/{screen.path.removeprefix('/c/')}/send", {"text": "/echo three"})
    expect(arrow).to_contain_text("1 new")
    screen.wait_for_reply(3)
    places = page.evaluate("places")
    assert len(places) > 20
    assert max(places) - min(places) < 0.5, "the browser rounds parts of a pixel"
    assert 0 <= places[0] <= 40

    page.keyboard.type("text, else?")  # "x" and "?" are commands while single keys are on
    expect(screen.composer).to_have_value("text, else?")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.locator(".scroll").evaluate("""it => {
      const reply = it.querySelectorAll(".reply")[2].getBoundingClientRect();
      it.scrollTop += reply.top - it.getBoundingClientRect().bottom + 60;
    }""")
    expect(arrow).to_be_visible()
    expect(arrow).not_to_contain_text("1 new")
    arrow.click()
    eventually(lambda: is_at_the_end(page))


def test_reply_that_is_there_at_once_is_read_from_its_beginning_unless_a_person_has_scrolled_up(page: Page) -> None:
    state = LateState()
    page.route_web_socket(LINK, state.relay)
    screen = first_reply_ends_before_its_page_comes(page, state)
    person_scrolls_up_before_the_server_has_answered(screen, state)
    reply_is_there_at_once(screen)


def person_scrolls_up_before_the_server_has_answered(screen: Screen, state: LateState) -> None:
    page = screen.page
    state.held = []
    screen.send("/echo two")
    expect(page.locator("[data-sending]")).to_contain_text("/echo two")
    page.locator(".scroll").focus()
    page.keyboard.press("Home")
    eventually(lambda: page.locator(".scroll").evaluate("it => it.scrollTop") == 0)
    state.release()
    screen.wait_for_reply(2)
    wait_until_painted(page)
    assert page.locator(".scroll").evaluate("it => it.scrollTop") == 0


def reply_is_there_at_once(screen: Screen) -> None:
    screen.send("/long 500 /rate 0")  # the reply arrives within a second of the last letter of the request

    expect(screen.pairs).to_have_count(3)
    expect(screen.last_reply.locator("[data-part]").first).to_be_focused()
    expect(screen.page.get_by_text("New", exact=True)).to_have_count(0)


def first_reply_ends_before_its_page_comes(page: Page, state: LateState) -> Screen:
    page.set_viewport_size({"width": 1440, "height": 900})
    screen = Screen(page).go("/")
    expect(page.get_by_role("button", name=re.compile("^Model: (?!none)"))).to_be_visible()
    before = newest(page)

    state.held = []
    screen.send("/long 700 /rate 0")
    heard(page, lambda: newest(page) not in {before, None} and has_succeeded(page, newest(page)))
    state.release()

    page.wait_for_url(ANY_CONVERSATION)
    screen.wait_for_reply(1)
    expect(first_part(page)).to_be_focused()
    wait_until_painted(page)  # the scroll position changes in the frame after the focus
    assert 0 <= top_of_request(page) <= 40
    return screen


def test_person_who_types_keeps_focus_and_position_and_the_reply_is_marked_new(page: Page) -> None:
    state = LateState()
    page.route_web_socket(LINK, state.relay)
    screen = Screen(page).go("/").start("/echo one").wait_for_reply()
    state.held = []  # so that the typing starts before the reply does
    screen.send(LONG)
    expect(page.locator("[data-sending]")).to_contain_text(LONG)
    page.keyboard.type("ab")
    state.release()

    mark = page.get_by_text("New", exact=True)

    def type_on() -> bool:
        page.keyboard.type("ab")
        return mark.count() == 1

    eventually(type_on)
    page.keyboard.type("!")

    expect(screen.composer).to_be_focused()
    expect(screen.composer).to_have_value(re.compile("^(ab)+!$"))
    screen.wait_for_reply(2)
    assert 0 <= top_of_request(page) <= 40
    expect(mark).to_have_count(1)
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    expect(mark).to_have_count(0)


@pytest.mark.exhaustive
def test_end_is_followed_again_once_one_goes_there(screen: Screen) -> None:
    screen.start("/long 9000 /rate 150")
    expect(first_part(screen.page)).to_be_focused()
    eventually(lambda: not is_at_the_end(screen.page))

    screen.page.keyboard.press("Escape")  # turns single keys on
    screen.page.keyboard.press("Shift+G")

    for _ in range(5):
        wait_for_more(screen)
        eventually(lambda: is_at_the_end(screen.page), 2)
    screen.stop.click()


@pytest.mark.usefixtures("setting_off")
@pytest.mark.exhaustive
def test_setting_off_the_mode_stays_and_the_end_is_followed(page: Page) -> None:
    screen = Screen(page).go("/").start(LONG)
    eventually(lambda: is_high(page))
    screen.wait_for_reply()

    expect(screen.composer).to_be_focused()
    assert is_at_the_end(page)
