"""The dialog before a send that does not fit: used by keys alone, and the draft is never lost."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.figures import counter
from tests.e2e.peer import REPLY, Peer
from tests.e2e.screen import Screen
from tests.e2e.written import a_pair, write
from tests.serving import Served

pytestmark = pytest.mark.usefixtures("prefer")
LONG = "A sentence of eight words stands here again. " * 200
PAIRS = 6


@pytest.fixture
def opened(page: Page, server: Served) -> Screen:
    """Six pairs of about two thousand tokens, at a model that holds three of them."""
    pairs = [a_pair(f"Question {number}", LONG) for number in range(1, PAIRS + 1)]
    screen = Screen(page).go(f"/c/{write(server, {'model': 'peer:small', 'pairs': pairs})[0]}")
    expect(counter(page)).to_have_text("3 / 6 pairs")
    return screen


def dialog(screen: Screen) -> Locator:
    return screen.page.get_by_role("dialog", name="This does not fit")


def asked(body: dict[str, object]) -> list[str]:
    """The questions that a request holds."""
    return re.findall(r"Question \d+|What now\?", str(body["messages"]))


def answered(screen: Screen) -> None:
    """Wait until the page shows the peer's reply."""
    expect(screen.last_reply).to_have_text(REPLY)
    expect(screen.stop).to_have_count(0)


def refused(screen: Screen) -> Locator:
    screen.send("What now?")
    expect(dialog(screen)).to_be_visible()
    return dialog(screen)


def lead_to_the_first_pair_that_is_sent(opened: Screen) -> None:
    """The pairs that are not sent have a badge; a line shows where sending starts, and a key leads there."""
    page = opened.page
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    expect(page.locator(".pair-notes .out")).to_have_text(["OUT · over budget"] * 3)
    line = page.get_by_text("Sent from here on")
    expect(line).to_have_count(1)
    begins = page.locator("[data-pair]").filter(has=line).get_by_role("article")
    expect(begins).to_have_accessible_name("Pair 4")
    expect(opened.pairs.first).to_have_accessible_description(re.compile("OUT · over budget. Not sent: it does"))
    page.keyboard.press("Shift+O")
    expect(page.get_by_role("group", name="Request of pair 4")).to_be_focused()
    page.keyboard.press("Enter")
    expect(opened.composer).to_be_focused()


def test_pairs_over_the_budget_are_badged_and_nothing_is_sent_before_a_choice_made_by_keys_alone(
    opened: Screen, peer: Peer
) -> None:
    lead_to_the_first_pair_that_is_sent(opened)
    before = len(peer.bodies)

    shown = refused(opened)

    expect(shown).to_contain_text("3 of the 6 pairs in view fit")
    for way in ("Send the 3 pairs that fit", "Send all 6 anyway", "Summarise the older ones", "Switch to large"):
        expect(shown.get_by_role("button", name=re.compile(way))).to_contain_text(re.compile(r"~[\d,]+ tokens · \S"))
    expect(shown.get_by_role("button", name="Cancel")).to_be_focused()
    expect(opened.page.locator("[data-sending] .badge")).to_have_text("Not sent yet")
    opened.page.keyboard.press("Escape")
    expect(shown).to_have_count(0)
    expect(opened.composer).to_have_value("What now?")
    expect(opened.composer).to_be_focused()
    assert len(peer.bodies) == before

    keyboard = opened.page.keyboard
    keyboard.press("Enter")
    expect(shown.get_by_role("button", name="Cancel")).to_be_focused()
    keyboard.press("ArrowDown")
    keyboard.press("ArrowDown")
    expect(shown.get_by_role("button", name="Send all 6 anyway")).to_be_focused()
    keyboard.press("ArrowUp")
    keyboard.press("Enter")
    answered(opened)
    assert asked(peer.bodies[-1])[0] == "Question 4"
