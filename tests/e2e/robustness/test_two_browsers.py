"""Two browsers on one conversation show the same during all actions, and lose no text."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.people import People
from tests.e2e.screen import Screen, eventually
from tests.e2e.written import call

# All texts of the pairs on screen, except those that depend on the position of the pointer or the cursor.
SHOWN = """() => [...document.querySelectorAll("[data-pair]")].map((pair) => [
    pair.dataset.pair, pair.dataset.out ?? "", pair.querySelector(".request, .edit-form textarea")?.innerText,
    pair.querySelector(".reply").innerText, pair.querySelector(".failure")?.innerText ?? "",
    [...pair.querySelectorAll("[data-set]")].map((it) => it.innerText || it.ariaLabel || it.ariaPressed).join(),
    pair.querySelector("article").innerText.includes("Stopped."),
])"""


@dataclass
class Two:
    """The browsers of two people on the same conversation."""

    people: People
    one: Screen
    other: Screen

    def in_step(self, pairs: int) -> None:
        """Require that both show the same as a browser that is opened now."""
        for screen in (self.one, self.other):
            expect(screen.pairs).to_have_count(pairs)
        eventually(lambda: shown(self.one) == shown(self.other))
        fresh = Screen(self.people.open("a third")).go(self.one.path)
        expect(fresh.pairs).to_have_count(pairs)
        eventually(lambda: shown(fresh) == shown(self.one))
        self.people.leave(fresh.page.context)


def shown(screen: Screen) -> list[list[str]]:
    return screen.page.evaluate(SHOWN)


@pytest.fixture
def two(people: People) -> Two:
    one = Screen(people.open()).go("/").start("/echo one").wait_for_reply()
    return Two(people, one, Screen(people.open("another")).go(one.path))


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def at_pair(screen: Screen, number: int) -> None:
    """Move the focus to a pair by keys."""
    screen.composer.press("Escape")
    press(screen.page, "g")
    for _ in range(number - 1):
        press(screen.page, "d")
    expect(screen.page.get_by_role("group", name=f"Request of pair {number}")).to_be_focused()


def edit_box(screen: Screen) -> Locator:
    return screen.page.get_by_role("form", name=re.compile("^Edit pair")).get_by_role("textbox")


def test_two_browsers_stay_in_step_during_all_of_it(two: Two) -> None:
    one, other = two.one, two.other
    two.in_step(1)

    other.send("/echo two")  # send, from the other browser
    one.wait_for_reply(2)
    two.in_step(2)

    one.send("/long 3000 /rate 60")  # stop a reply that the other browser started
    expect(other.stop).to_be_visible()
    expect(other.last_reply).to_contain_text(re.compile(r"\w"))
    other.stop.click()
    one.wait_for_reply(3)
    two.in_step(3)

    one.send("/fail auth").wait_for_reply(4)  # fail
    expect(other.pairs.last.locator(".failure")).to_be_visible()
    two.in_step(4)

    at_pair(other, 4)  # delete, undo
    press(other.page, "x")
    expect(one.pairs).to_have_count(3)
    press(other.page, "Control+z")
    two.in_step(4)

    at_pair(one, 2)  # marks
    press(one.page, "3", "a", "i")
    expect(other.pairs.nth(1).get_by_role("button", name="Tag: include")).to_be_visible()
    two.in_step(4)

    press(one.page, "e")  # edit & resend, the later pairs kept
    edit_box(one).fill("/echo zwei")
    edit_box(one).press("Enter")
    one.page.get_by_role("dialog").get_by_role("button", name=re.compile("^Keep")).click()
    expect(other.pairs.nth(1)).to_contain_text("/echo zwei")
    two.in_step(4)

    at_pair(other, 2)  # the other version, restored by the other browser
    press(other.page, "Shift+E")
    expect(one.pairs.nth(1)).to_contain_text("/echo two")
    two.in_step(4)

    at_pair(one, 1)  # edit & resend, the later pairs discarded, everything undone
    press(one.page, "e")
    edit_box(one).fill("/echo uno")
    edit_box(one).press("Enter")
    one.page.get_by_role("dialog").get_by_role("button", name=re.compile("^Discard")).click()
    expect(other.pairs).to_have_count(1)
    expect(other.pairs.first).to_contain_text("/echo uno")
    one.wait_for_reply(1)
    two.in_step(1)


@pytest.mark.exhaustive
def test_text_of_a_pair_that_is_deleted_elsewhere_goes_into_the_message_box(two: Two) -> None:
    one, other = two.one, two.other
    at_pair(one, 1)
    press(one.page, "e")
    edit_box(one).fill("Words that took long")
    at_pair(other, 1)
    press(other.page, "x")
    other.page.get_by_role("dialog").get_by_role("button", name="Delete").click()

    expect(one.page.get_by_text("was deleted. Your text is in the message box.")).to_be_visible()
    expect(one.composer).to_have_value("Words that took long")


@pytest.mark.exhaustive
def test_temporary_conversation_is_the_same_for_both_and_gone_for_both(two: Two, people: People) -> None:
    made = call(
        two.one.page.url.split("/c/")[0], "POST", "/conversations", {"temporary": True, "model": "offline:demo"}
    )
    one, other = (Screen(people.open(person)).go(f"/c/{made['id']}") for person in ("", "another"))
    temporary = Two(people, one, other)

    one.send("/echo passing").wait_for_reply()
    temporary.in_step(1)
    for screen in (one, other):
        expect(screen.page.get_by_role("group", name="Temporary conversation")).to_be_visible()
    one.page.get_by_role("button", name="Discard").click()
    one.page.get_by_role("dialog").get_by_role("button", name="Discard").click()

    expect(other.page.get_by_role("heading", name="Conversation not found")).to_be_visible()
