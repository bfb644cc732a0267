"""The page of all pairs in a browser: a filter, a selection by keys, and the conversation that begins with it."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from tests.e2e.screen import ANY_CONVERSATION, Screen, visit
from tests.e2e.written import call
from tests.serving import Served


@pytest.fixture
def place(server: Served) -> str:
    """Two conversations of five pairs in all, in which this word occurs and nowhere else."""
    place = f"place{uuid4().hex[:12]}"
    for title, words in (("Birds", ("ibis", "heron", "egret")), ("Trees", ("alder", "ibis nests"))):
        pairs = [
            {"user_text": f"Of the {word} at {place}?", "reply_text": f"The {word}.", "model": "offline:demo"}
            for word in words
        ]
        call(server.url, "POST", "/import", {"title": title, "model": "offline:demo", "pairs": pairs})
    return place


def test_a_filter_and_a_selection_become_the_context_of_a_new_conversation(screen: Screen, place: str) -> None:
    page = screen.go("/").page
    page.get_by_role("link", name="All pairs").click()
    boxes = page.get_by_role("list", name="All pairs").get_by_role("checkbox")
    expect(boxes.first).to_be_visible()
    bar = page.get_by_role("combobox", name="Filter")
    bar.fill(f"c'ibis' & c'{place}'")
    bar.press("Enter")
    expect(boxes).to_have_count(2)
    expect(page).to_have_url(re.compile(r"/pairs\?f="))

    for at in (0, 1):
        boxes.nth(at).focus()
        page.keyboard.press("Space")
    expect(page.get_by_role("status").filter(has_text="2 pairs selected")).to_be_visible()
    page.get_by_role("button", name="New conversation", exact=True).press("Enter")

    page.wait_for_url(ANY_CONVERSATION)
    expect(screen.pairs).to_have_count(2)
    source = screen.pairs.first.get_by_role("link", name="Copied from another conversation")
    expect(screen.pairs.first).to_contain_text("The ibis.")
    source.click()
    expect(page.get_by_role("textbox", name="Title of the conversation")).to_have_value("Birds")


def test_a_mistake_is_shown_at_its_place_and_back_leads_to_the_filter_before(screen: Screen, place: str) -> None:
    page = screen.page
    visit(page, f"/pairs?f=c'heron' c'{place}'")
    listed = page.get_by_role("list", name="All pairs").get_by_role("listitem")
    expect(listed).to_have_count(1)
    bar = page.get_by_role("combobox", name="Filter")
    bar.fill("r3")
    bar.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="within one conversation")).to_be_visible()
    expect(listed).to_have_count(1)

    bar.fill(f"c'{place}'")
    bar.press("Enter")
    expect(listed).to_have_count(5)
    page.go_back()
    expect(listed).to_have_count(1)
