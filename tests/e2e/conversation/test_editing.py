"""Edits of a pair: written and sent by keys alone, or cancelled and resumed."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.screen import Screen, eventually, reload, step
from tests.e2e.written import a_pair, call, write
from tests.serving import Served

NUMBERS = ("one", "two", "three")


@pytest.fixture
def two(screen: Screen) -> Screen:
    """Start a conversation of two pairs, in VIEW at the last one."""
    screen.start("/echo one").wait_for_reply()
    screen.send("/echo two").wait_for_reply(2)
    press(screen, "Escape", "Shift+G")
    return screen


def press(screen: Screen, *keys: str) -> None:
    for key in keys:
        screen.page.keyboard.press(key)


def box(screen: Screen, position: int) -> Locator:
    return screen.page.get_by_role("textbox", name=f"Request of pair {position}")


def top(place: Locator) -> float:
    return place.evaluate("it => it.getBoundingClientRect().top")


def texts(screen: Screen) -> list[str]:
    return [pair["user_text"] for pair in screen.stored_pairs()]


def answered(screen: Screen, *wanted: str) -> None:
    """Wait until these requests are stored and no reply is running."""
    eventually(lambda: texts(screen) == list(wanted))
    eventually(lambda: all(pair["lifecycle"] == "succeeded" for pair in screen.stored_pairs()))


def test_pair_is_edited_by_keys_alone_and_its_text_outlives_the_pair(two: Screen, server: Served) -> None:
    press(two, "e")
    expect(box(two, 2)).to_be_focused()
    expect(box(two, 2)).to_have_value("/echo two")
    expect(two.pairs.last.locator(".reply")).to_be_hidden()
    expect(two.page.get_by_text("Keys: j k move")).to_be_hidden()

    two.page.keyboard.type(" and more")
    for line in ("- x", "y"):  # the list continues
        press(two, "Shift+Enter")
        two.page.keyboard.type(line)
    press(two, "Enter")

    answered(two, "/echo one", "/echo two and more\n- x\n- y")
    expect(two.last_reply).to_contain_text("two and more")
    expect(box(two, 2)).to_have_count(0)
    expect(two.page.get_by_role("group", name="Request of pair 2")).to_be_focused()
    press(two, "3")  # single keys are still on
    eventually(lambda: two.stored_pairs()[1]["stars"] == 3)

    press(two, "e")
    expect(box(two, 2)).to_be_focused()
    box(two, 2).fill("/echo word")
    press(two, *["Shift+ArrowLeft"] * 4, "Control+b", "Control+i", "Control+e")
    expect(box(two, 2)).to_have_value("/echo ***`word`***")
    press(two, "Control+Enter")
    answered(two, "/echo one", "/echo ***`word`***")
    expect(two.page.get_by_role("group", name="Request of pair 2")).to_be_focused()

    press(two, "e")
    expect(box(two, 2)).to_be_focused()
    two.page.keyboard.type(" and again")
    call(server.url, "DELETE", f"/pairs/{two.stored_pairs()[1]['id']}")
    expect(two.composer).to_have_value("/echo ***`word`*** and again")
    expect(two.composer).to_be_focused()
    expect(two.page.get_by_text("Your text is in the message box.")).to_be_visible()
    expect(box(two, 2)).to_have_count(0)


def test_edited_pair_goes_to_the_top_when_it_is_sent(page: Page, server: Served) -> None:
    for position in (2, 3):
        with step(f"pair {position} of 3"):
            edit_and_send(page, server, position)


def edit_and_send(page: Page, server: Served, position: int) -> None:
    last = "A line.\n\n" * 40 if position == 2 else "three"
    told = [a_pair("/echo one", "A line.\n\n" * 40), a_pair("/echo two", "two"), a_pair("/echo three", last)]
    screen = Screen(page).go(f"/c/{write(server, {'model': 'offline:demo', 'pairs': told})[0]}")
    expect(screen.pairs).to_have_count(3)
    press(screen, "Escape", "Shift+G", *"uu"[: 4 - position], "e")
    expect(box(screen, position)).to_be_focused()
    box(screen, position).evaluate("it => it.scrollIntoView({ block: 'end' })")
    assert top(box(screen, position)) > 300, "it is low on the screen"

    screen.page.keyboard.type(" again")
    press(screen, "Enter")
    if position == 2:
        keep_later_pairs(screen)

    request = page.get_by_role("group", name=f"Request of pair {position}")
    expect(request).to_have_text(re.compile("again$"))
    eventually(lambda: top(request) < 120)
    answered(screen, *(f"/echo {each}" + " again" * (at == position) for at, each in enumerate(NUMBERS, 1)))
    assert top(request) < 120


def keep_later_pairs(screen: Screen) -> None:
    """Answer the question about later pairs by keys, after a look at the edit and at the other choices."""
    keep, discard = (
        screen.page.get_by_role("dialog").get_by_role("button", name=re.compile(name)) for name in ("^Keep", "^Discard")
    )
    expect(keep).to_be_focused()
    press(screen, "Escape")
    expect(box(screen, 2)).to_be_focused()
    expect(box(screen, 2)).to_have_value("/echo two again")
    press(screen, "Enter")
    expect(keep).to_be_focused()
    press(screen, "ArrowDown")
    expect(discard).to_be_focused()
    press(screen, "ArrowUp", "Enter")


@pytest.mark.exhaustive
def test_escape_changes_nothing_and_the_edited_text_can_be_restored(two: Screen) -> None:
    press(two, "e")
    two.page.keyboard.type(" changed")
    press(two, "Escape")

    expect(box(two, 2)).to_have_count(0)
    expect(two.last_reply).to_have_text("two")
    expect(two.page.get_by_role("group", name="Request of pair 2")).to_be_focused()
    assert texts(two) == ["/echo one", "/echo two"]
    press(two, "Control+z")
    expect(box(two, 2)).to_have_value("/echo two changed")
    reload(two.page)
    expect(box(two, 2)).to_have_value("/echo two changed")
