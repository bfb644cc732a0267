"""Titles and summaries on the page: automatic and requested ones, and their entries in the log."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.peer import Peer
from tests.e2e.screen import Screen, eventually, reload
from tests.e2e.written import call
from tests.serving import Served, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, peer: Peer) -> Generator[Served]:
    """A separate server that asks for titles automatically, as it does by default."""
    environment = {**peer.environment, "INVIEW_TITLES": "on"}
    with serving(tmp_path_factory.mktemp("titles") / "data", environment) as served:
        yield served


def field(page: Page):
    return page.get_by_role("textbox", name="Title of the conversation")


def checkpoint_of(screen: Screen) -> object:
    origin, conversation = screen.page.url.rsplit("/c/", 1)
    return call(origin, "GET", f"/conversations/{conversation}")["checkpoint"]


def test_first_reply_brings_a_title_and_a_selection_is_summarised_by_key(screen: Screen) -> None:
    first_reply_brings_a_title_and_its_request_is_in_the_log(screen)
    screen.go("/")
    selection_is_summarised_by_key_and_taken_back(screen)


def first_reply_brings_a_title_and_its_request_is_in_the_log(screen: Screen) -> None:
    page = screen.page
    screen.start("/rate 0\nWhy is the evening sky red, and not blue as at noon?").wait_for_reply()

    expect(field(page)).to_have_value("Why is the evening sky red, and…")
    expect(screen.conversations.first).to_contain_text("Why is the evening sky red, and…")
    entry = screen.open_log()
    expect(entry).to_contain_text("Title requested")
    expect(entry).to_contain_text("Offline demo")
    title = entry.locator(".node-title")
    expect(title).to_have_text("Why is the evening sky red, and…")
    expect(title).to_have_css("font-style", "italic")
    expect(title).to_have_css("border-inline-start-width", "3px")
    expect(title).to_have_css("border-inline-start-color", "rgb(47, 111, 179)")  # blue
    expect(entry.locator(".node-asked")).to_have_css("border-top-width", "1px")
    expect(entry.locator(".node-asked svg")).to_be_visible()
    expect(entry.get_by_role("link", name="after pair 1")).to_be_visible()

    reload(page)  # the log opens again
    expect(title).to_have_text("Why is the evening sky red, and…")
    entry.get_by_role("link", name="Open the request").click()
    expect(page.locator("article .request")).to_contain_text("Give the conversation above a title")


@pytest.mark.exhaustive
def test_title_that_comes_while_one_is_typed_does_not_take_the_words_away(screen: Screen) -> None:
    page = screen.page
    screen.start("/rate 0\nWhat is rain?").wait_for_reply()

    field(page).fill("Water from above")
    origin, conversation = page.url.rsplit("/c/", 1)
    eventually(lambda: call(origin, "GET", f"/conversations/{conversation}")["title"] == "What is rain")
    expect(screen.conversations.first).to_contain_text("What is rain")
    expect(field(page)).to_have_value("Water from above")
    field(page).press("Enter")

    expect(screen.conversations.first).to_contain_text("Water from above")


def selection_is_summarised_by_key_and_taken_back(screen: Screen) -> None:
    page = screen.page
    screen.start("/echo One").wait_for_reply()
    screen.send("/echo Two").wait_for_reply(2)
    screen.send("/echo Three").wait_for_reply(3)

    page.keyboard.press("Escape")
    page.keyboard.press("u")
    page.keyboard.press("u")
    page.keyboard.press("s")
    dialog = page.get_by_role("dialog", name="Choose pairs to summarise")
    ways = dialog.locator(".ways button")
    expect(ways).to_have_count(2)
    expect(ways.first).to_be_focused()
    expect(ways.last).to_contain_text("All pairs in view (3)")
    page.keyboard.press("Enter")

    expect(page.locator(".checkpoint")).to_contain_text("One")
    expect(page.get_by_text("is at the top and is sent in their place")).to_be_visible()
    expect(page.locator('.pair-box[data-out="before_checkpoint"]')).not_to_have_count(0)
    page.get_by_role("button", name="Undo").click()  # it is offered for some seconds

    expect(page.locator(".checkpoint")).to_have_count(0)
    eventually(lambda: checkpoint_of(screen) is None)

    entry = screen.open_log().filter(has_text="Summary requested")
    entry.get_by_text("📌 Conversation Summary (Checkpoint)").click()
    expect(entry.locator(".node-summary")).to_have_css("border-inline-start-width", "3px")
    expect(entry.locator(".node-summary")).to_have_css("border-inline-start-color", "rgb(201, 154, 0)")  # yellow
    entry.get_by_role("button", name="Use this summary").click()
    expect(page.locator(".checkpoint")).to_contain_text("One")
    expect(page.locator(".checkpoint > summary")).to_have_text("📌 Conversation Summary (Checkpoint)")
    expect(page.locator(".checkpoint")).to_have_css("border-inline-start-color", "rgb(201, 154, 0)")
