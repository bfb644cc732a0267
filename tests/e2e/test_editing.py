"""Editing a pair in its place and having it answered again: by keys, by pointer, and what becomes of later pairs."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.peer import REPLY, Peer
from tests.e2e.screen import Screen, eventually, reload
from tests.e2e.written import a_pair, write
from tests.serving import Served


@pytest.fixture
def two(screen: Screen) -> Screen:
    """A conversation of two pairs, in VIEW at the last one."""
    screen.start("/echo one").wait_for_reply()
    screen.send("/echo two").wait_for_reply(2)
    press(screen, "Escape", "Shift+G")
    return screen


def press(screen: Screen, *keys: str) -> None:
    for key in keys:
        screen.page.keyboard.press(key)


def box(screen: Screen, position: int) -> Locator:
    return screen.page.get_by_role("textbox", name=f"Request of pair {position}")


def later(screen: Screen) -> Locator:
    return screen.page.get_by_role("dialog", name="What about the later pairs?")


def texts(screen: Screen) -> list[str]:
    return [pair["user_text"] for pair in screen.stored_pairs()]


def asked(body: dict[str, Any]) -> list[str]:
    return [message["content"] for message in body["messages"] if message["role"] == "user"]


def answered(screen: Screen, *wanted: str) -> None:
    """Wait until these requests are stored, and nothing runs."""
    eventually(lambda: texts(screen) == list(wanted))
    eventually(lambda: all(pair["lifecycle"] == "succeeded" for pair in screen.stored_pairs()))


def test_pair_is_edited_by_keys_alone(two: Screen) -> None:
    press(two, "e")
    expect(box(two, 2)).to_be_focused()
    expect(box(two, 2)).to_have_value("/echo two")
    expect(two.pairs.last.locator(".reply")).to_be_hidden()
    expect(two.page.get_by_role("button", name="Mode: INPUT")).to_be_visible()

    two.page.keyboard.type(" and more")
    press(two, "Shift+Enter")
    two.page.keyboard.type("x")
    press(two, "Enter")

    answered(two, "/echo one", "/echo two and more\nx")
    expect(two.last_reply).to_contain_text("two and more")
    expect(box(two, 2)).to_have_count(0)
    expect(two.page.get_by_role("group", name="Request of pair 2")).to_be_focused()
    press(two, "3")  # in VIEW again
    eventually(lambda: two.stored_pairs()[1]["stars"] == 3)


@pytest.mark.exhaustive
def test_escape_leaves_everything_as_it_was_and_the_words_can_be_had_again(two: Screen) -> None:
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


def test_later_pairs_are_kept_discarded_or_brought_back(two: Screen) -> None:
    press(two, "u", "u", "e")
    expect(box(two, 1)).to_be_focused()
    box(two, 1).fill("/echo first")
    press(two, "Enter")
    expect(later(two).get_by_role("button", name="Keep the 1 later pair")).to_be_focused()
    press(two, "Escape")
    expect(box(two, 1)).to_be_focused()
    assert texts(two) == ["/echo one", "/echo two"]

    press(two, "Enter")
    expect(later(two)).to_be_visible()
    press(two, "Enter")
    answered(two, "/echo first", "/echo two")
    expect(two.page.get_by_role("group", name="Request of pair 1")).to_be_focused()  # the page has heard of it

    press(two, "e")
    box(two, 1).fill("/echo again")
    press(two, "Enter")
    expect(later(two)).to_be_visible()
    press(two, "ArrowDown", "Enter")
    answered(two, "/echo again")
    expect(two.pairs).to_have_count(1)
    expect(two.page.locator(".toast")).to_contain_text(
        "1 later pair discarded"
    )  # else the keys take the edit before back
    press(two, "Control+z")
    answered(two, "/echo first", "/echo two")
    expect(two.pairs).to_have_count(2)


def test_pair_is_answered_again_by_its_own_and_by_another_model(two: Screen, peer: Peer) -> None:
    two.page.keyboard.press("r")
    menu = two.page.get_by_role("combobox", name="Answer pair 2 again")
    expect(menu).to_be_focused()
    press(two, "Enter")
    eventually(lambda: two.stored_pairs()[1]["versions"] == 2)
    answered(two, "/echo one", "/echo two")
    assert two.stored_pairs()[1]["model"] == "offline:demo"

    two.pairs.last.hover()
    two.pairs.last.get_by_role("button", name="Answer again").click()
    menu.fill("peer small")
    expect(two.page.get_by_role("listbox").get_by_role("option")).to_have_count(1)
    press(two, "Enter")
    expect(two.last_reply).to_have_text(REPLY)
    answered(two, "/echo one", "/echo two")
    assert two.stored_pairs()[1]["model"] == "peer:small"
    assert asked(peer.bodies[-1]) == ["/echo one", "/echo two"]


def test_edit_that_does_not_fit_asks_and_nothing_is_lost(screen: Screen, server: Served, peer: Peer) -> None:
    pairs = [a_pair(f"Question {number}", "A sentence of eight words stands here again. " * 200) for number in range(6)]
    screen.go(f"/c/{write(server, {'model': 'peer:small', 'pairs': pairs})[0]}")
    expect(screen.pairs.last).to_contain_text("Question 5")
    press(screen, "Escape", "Shift+G", "e")
    box(screen, 6).fill("Shorter?")
    press(screen, "Enter")
    dialog = screen.page.get_by_role("dialog", name="This does not fit")
    expect(dialog).to_be_visible()
    press(screen, "Escape")
    expect(box(screen, 6)).to_have_value("Shorter?")

    press(screen, "Enter")
    dialog.get_by_role("button", name=re.compile("that fit")).click()

    expect(screen.last_reply).to_have_text(REPLY)
    assert asked(peer.bodies[-1]) == ["Question 2", "Question 3", "Question 4", "Shorter?"]
