"""Versions of a pair on screen: arrows, Shift+E, restored versions, and the differences of two, word by word."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.screen import Screen, eventually, reload


@pytest.fixture
def edited(screen: Screen) -> Screen:
    """Send a pair three times, in VIEW at it; the third version is the current one."""
    screen.start("/echo The red fox, 1 day").wait_for_reply()
    screen.page.keyboard.press("Escape")
    for number, text in ((2, "/echo The grey fox, 1 day"), (3, "/echo The grey fox runs, 1 day")):
        screen.page.keyboard.press("e")
        screen.page.get_by_role("textbox", name="Request of pair 1").fill(text)
        screen.page.keyboard.press("Enter")
        stands(screen, number, text)
    return screen


def stands(screen: Screen, version: int, text: str) -> None:
    """Wait until that version is stored as the current one, and shown."""
    eventually(lambda: (screen.stored_pairs()[0]["version"], screen.stored_pairs()[0]["user_text"]) == (version, text))
    eventually(lambda: screen.stored_pairs()[0]["lifecycle"] == "succeeded")
    expect(screen.last_reply).to_have_text(text.removeprefix("/echo "))
    expect(screen.pairs.first.get_by_role("group", name="Request of pair 1")).to_have_text(text)
    if screen.stored_pairs()[0]["versions"] > 1:
        versions = screen.stored_pairs()[0]["versions"]
        expect(place(screen)).to_have_text(f"{version}/{versions}")
        note = screen.pairs.first.get_by_text(re.compile("^Showing version"))
        expect(note).to_have_text([f"Showing version {version} of {versions}"] if version < versions else [])


def place(screen: Screen) -> Locator:
    return screen.pairs.first.locator(".version-place")


@pytest.mark.exhaustive
def test_arrows_go_through_the_versions_and_no_further(edited: Screen) -> None:
    back = edited.pairs.first.get_by_role("button", name="Previous version")
    forth = edited.pairs.first.get_by_role("button", name="Next version")
    expect(forth).to_have_attribute("aria-disabled", "true")

    back.click()
    stands(edited, 2, "/echo The grey fox, 1 day")
    expect(back).to_be_focused()
    edited.page.keyboard.press("Enter")
    stands(edited, 1, "/echo The red fox, 1 day")
    expect(back).to_have_attribute("aria-disabled", "true")
    forth.click()
    stands(edited, 2, "/echo The grey fox, 1 day")

    reload(edited.page)
    stands(edited, 2, "/echo The grey fox, 1 day")


def test_versions_are_compared_word_by_word_and_one_is_restored(edited: Screen) -> None:
    place(edited).click()
    dialog = edited.page.get_by_role("dialog", name="Versions of pair 1")
    request = dialog.get_by_role("region", name="Request")
    expect(request.locator("ins")).to_have_text([" runs"])
    expect(request.locator("del")).to_have_count(0)

    dialog.get_by_role("combobox", name="From").select_option("1")
    expect(request.locator("del")).to_have_text([" red"])
    expect(request.locator("ins")).to_have_text([" grey", " runs"])
    expect(dialog.get_by_role("region", name="Reply").locator("p")).to_have_text("The red grey fox runs, 1 day")
    dialog.get_by_role("combobox", name="To").select_option("1")
    expect(dialog.get_by_text("Reply: the same")).to_be_visible()

    dialog.get_by_role("button", name="Restore version 1").first.click()
    stands(edited, 1, "/echo The red fox, 1 day")
    expect(dialog).to_have_count(0)
