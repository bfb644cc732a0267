"""Typed text is never lost: single keys are commands only after Escape."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.page.test_keys import keys_bar
from tests.e2e.page.test_overflow import LONG, first_part
from tests.e2e.screen import Screen, wait_until_still


@pytest.mark.exhaustive
def test_reply_that_fits_moves_no_focus_although_the_line_below_it_does_not_fit(screen: Screen) -> None:
    page = screen.page
    page.set_viewport_size({"width": 1280, "height": 560})
    screen.start("/long 150 /rate 0")
    reply = page.locator("article .reply")
    view = page.locator(".scroll")
    screen.wait_for_reply()
    height = reply.evaluate("it => it.clientHeight")
    room = view.evaluate("it => it.clientHeight")
    above = reply.evaluate("it => it.getBoundingClientRect().top - it.closest('.pair-box').getBoundingClientRect().top")
    # the line below the reply does not fit
    page.set_viewport_size({"width": 1280, "height": round(560 + above + height + 10 - room)})

    screen.send("/long 150 /rate 0").wait_for_reply(2)
    wait_until_still(page, "document.querySelector('.scroll').scrollTop")
    expect(screen.composer).to_be_focused()


@pytest.mark.exhaustive
def test_escape_turns_keys_into_commands_where_the_page_had_moved(screen: Screen) -> None:
    page = screen.page
    screen.start(LONG).wait_for_reply()
    expect(first_part(page)).to_be_focused()
    expect(keys_bar(page)).to_be_hidden()

    page.keyboard.press("Escape")
    expect(keys_bar(page)).to_be_visible()
    page.keyboard.press("3")

    expect(screen.pairs.get_by_role("group", name="Stars: 3")).to_be_visible()
    expect(screen.composer).to_have_value("")


@pytest.mark.exhaustive
def test_word_typed_after_the_button_that_had_the_focus_went_is_written(screen: Screen) -> None:
    page = screen.page
    screen.start("/slow")
    screen.stop.click()
    screen.wait_for_reply()
    expect(screen.stop).to_have_count(0)

    page.keyboard.type("next")

    expect(screen.composer).to_have_value("next")
