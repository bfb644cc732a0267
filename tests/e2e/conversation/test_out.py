"""Pairs that are not sent are visible: dimmed, with their reason, above the line where sending starts."""

from __future__ import annotations

import re
from collections.abc import Generator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.screen import Screen, eventually, reload, wait_until_still

WORDS = "/echo " + "some words of a length that counts " * 20
CEILING = 700  # maximum tokens of a send: the newest of those pairs fit, the older ones do not


TOPS = "[...document.querySelectorAll('article')].map((it) => it.getBoundingClientRect().top)"


@pytest.fixture
def four(screen: Screen) -> Generator[Screen]:
    """Start a conversation of four pairs with a token limit that only some of them fit.

    The limit is set after the sends. With it, a dialog would ask before each send that the page has not counted yet.
    """
    screen.start(WORDS).wait_for_reply()
    for count in range(2, 5):
        screen.send(WORDS).wait_for_reply(count)
    wanted = {"send_tokens": CEILING, "reserve": 0, "auto_enter_view_on_overflow": False, "over_budget": "fit"}
    assert screen.page.request.put("/api/v1/preferences", data=wanted).ok
    reload(screen.page)
    expect(screen.pairs).to_have_count(4)
    yield screen
    assert screen.page.request.put("/api/v1/preferences", data={}).ok


def badges(page: Page) -> Locator:
    return page.locator(".pair-notes .out")


def outs(screen: Screen) -> list[str | None]:
    return [pair["out"] for pair in screen.stored_pairs()]


@pytest.mark.exhaustive
def test_boundary_follows_typing_and_moves_nothing(four: Screen) -> None:
    eventually(lambda: "over_budget" in outs(four))
    before = badges(four.page).count()
    four.page.locator(".scroll").evaluate("it => (it.scrollTop = 0)")
    wait_until_still(four.page, TOPS)  # pairs get their real height when they scroll into view
    places = four.page.evaluate(TOPS)

    four.write("many more words of a draft " * 60)

    eventually(lambda: badges(four.page).count() > before)
    height = four.page.locator(".scroll").evaluate("it => it.clientHeight")
    assert height > 0
    assert four.page.evaluate(TOPS) == places


@pytest.mark.exhaustive
def test_failed_pair_is_out_and_dimmed_but_can_be_read(screen: Screen) -> None:
    screen.start("/echo fine").wait_for_reply()
    screen.send("/fail auth").wait_for_reply(2)

    expect(badges(screen.page)).to_have_text(["Failed, not sent"])
    colour = "it => getComputedStyle(it).color"
    faded = screen.pairs.last.evaluate(colour)
    assert faded != screen.pairs.first.evaluate(colour)
    expect(screen.pairs.last).to_have_accessible_description(re.compile("Failed, not sent"))
