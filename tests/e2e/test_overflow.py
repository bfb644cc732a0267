"""A reply higher than the screen: one reads it from its beginning, unless one is typing."""

from __future__ import annotations

import re
from collections.abc import Generator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.late import LINK, LateState
from tests.e2e.screen import ANY_CONVERSATION, Screen, eventually, heard, visit_settings, wait_until_painted

LONG = "/long 500 /rate 250"


def first_part(page: Page) -> Locator:
    return page.locator(".reply [data-part]").first


def is_at_the_end(page: Page) -> bool:
    return page.locator(".scroll").evaluate("it => it.scrollHeight - it.scrollTop - it.clientHeight < 3")


def is_high(page: Page) -> bool:
    return page.locator(".scroll").evaluate("it => it.scrollHeight > it.clientHeight * 1.3")


def top_of_first_part(page: Page) -> float:
    return page.locator(".reply [data-part]").first.evaluate(
        "it => it.getBoundingClientRect().top - it.closest('.scroll').getBoundingClientRect().top"
    )


def newest(page: Page) -> str | None:
    """The id of the newest conversation."""
    found = page.request.get("/api/v1/conversations?limit=1").json()["items"]
    return found[0]["id"] if found else None


def has_succeeded(page: Page, conversation: str | None) -> bool:
    pairs = page.request.get(f"/api/v1/conversations/{conversation}/pairs").json()["items"]
    return bool(pairs) and pairs[-1]["lifecycle"] == "succeeded"


def wait_for_more(screen: Screen) -> None:
    """Until the reply that runs is some lines longer."""
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


def test_long_reply_is_read_from_its_beginning_and_what_is_typed_then_is_written_whole(screen: Screen) -> None:
    screen.start(LONG)
    eventually(lambda: is_high(screen.page))

    expect(first_part(screen.page)).to_be_focused()
    wait_until_painted(screen.page)  # the view arrives in the frame after the focus
    place = top_of_first_part(screen.page)
    assert 0 <= place <= 40
    screen.wait_for_reply()
    assert top_of_first_part(screen.page) == place

    screen.page.keyboard.type("text, else?")  # "x" and "?" are commands while single keys are on
    expect(screen.composer).to_have_value("text, else?")
    expect(screen.page.get_by_role("dialog")).to_have_count(0)


def test_reply_that_is_there_at_once_is_read_from_its_beginning(screen: Screen) -> None:
    screen.start("/echo one").wait_for_reply()

    screen.send("/long 500 /rate 0")  # the reply is there within a second of the last letter of the request

    expect(screen.last_reply.locator("[data-part]").first).to_be_focused()
    expect(screen.page.get_by_text("New", exact=True)).to_have_count(0)


def test_first_reply_that_ended_before_its_page_came_is_read_from_its_beginning(page: Page) -> None:
    state = LateState()
    page.route_web_socket(LINK, state.relay)
    page.set_viewport_size({"width": 1440, "height": 900})
    screen = Screen(page).go("/")
    before = newest(page)

    state.held = []
    screen.send("/long 700 /rate 0")
    heard(page, lambda: newest(page) not in {before, None} and has_succeeded(page, newest(page)))
    state.release()

    page.wait_for_url(ANY_CONVERSATION)
    screen.wait_for_reply(1)
    expect(first_part(page)).to_be_focused()
    wait_until_painted(page)  # the view arrives in the frame after the focus
    assert 0 <= top_of_first_part(page) <= 40


def test_who_types_keeps_the_focus_and_the_reply_is_marked_new(screen: Screen) -> None:
    screen.start(f"/wait 2 {LONG}")  # so that the typing begins before the reply does

    def type_on() -> bool:
        screen.page.keyboard.type("ab")
        return is_high(screen.page)

    eventually(type_on)
    screen.page.keyboard.type("!")

    expect(screen.composer).to_be_focused()
    expect(screen.composer).to_have_value(re.compile("^(ab)+!$"))
    expect(screen.page.get_by_text("New", exact=True)).to_have_count(1)
    eventually(lambda: is_at_the_end(screen.page))
    screen.wait_for_reply()
    screen.page.keyboard.press("Escape")
    screen.page.keyboard.press("n")
    expect(screen.page.get_by_text("New", exact=True)).to_have_count(0)


@pytest.mark.exhaustive
def test_end_is_followed_again_once_one_goes_there(screen: Screen) -> None:
    screen.start("/long 900 /rate 150")
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
