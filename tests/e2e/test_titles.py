"""Titles and summaries on the page: what comes by itself, what is asked for, and where it stands."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.peer import Peer
from tests.e2e.screen import Screen, eventually, reload, visit
from tests.e2e.written import call
from tests.serving import Served, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, peer: Peer) -> Generator[Served]:
    """A server of its own, on which titles come by themselves, as they do for everybody."""
    environment = {**peer.environment, "INVIEW_TITLES": "on"}
    with serving(tmp_path_factory.mktemp("titles") / "data", environment) as served:
        yield served


def field(page: Page):
    return page.get_by_role("textbox", name="Title of the conversation")


def checkpoint_of(screen: Screen) -> object:
    origin, conversation = screen.page.url.rsplit("/c/", 1)
    return call(origin, "GET", f"/conversations/{conversation}")["checkpoint"]


def test_first_reply_brings_a_title_and_its_request_stands_where_it_was_made(screen: Screen) -> None:
    page = screen.page
    screen.start("/rate 0\nWhy is the evening sky red, and not blue as at noon?").wait_for_reply()

    expect(field(page)).to_have_value("Why is the evening sky red, and")
    expect(screen.conversations.first).to_contain_text("Why is the evening sky red, and")
    node = page.get_by_role("complementary", name="Request for a title, never sent")
    expect(page.locator(".never-sent > summary")).to_have_text("Never sent: title request")
    expect(node).to_have_count(0)  # it is folded away
    screen.show_never_sent()
    expect(node).to_contain_text("Title requested")
    expect(node).to_contain_text("offline:demo")
    expect(node.locator(".node-title")).to_have_text("Why is the evening sky red, and")

    reload(page)
    screen.show_never_sent()
    expect(node.locator(".node-title")).to_have_text("Why is the evening sky red, and")
    node.get_by_role("link", name="Request").click()
    expect(page.locator("article .request")).to_contain_text("Give the conversation above a title")


@pytest.mark.exhaustive
def test_another_title_is_asked_for_until_a_person_gives_one(screen: Screen) -> None:
    page = screen.page
    screen.start("/rate 0\nHow do magnets work?").wait_for_reply()
    expect(field(page)).to_have_value("How do magnets work")
    again = page.get_by_role("button", name="Have a title made")

    again.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".never-sent > summary")).to_have_text("Never sent: title request · title request")
    screen.show_never_sent()
    expect(page.get_by_role("complementary", name="Request for a title, never sent")).to_have_count(2)

    field(page).fill("My magnets")
    field(page).press("Enter")
    expect(screen.conversations.first).to_contain_text("My magnets")
    expect(again).to_have_count(0)
    reload(page)
    expect(field(page)).to_have_value("My magnets")


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


def test_selection_is_summarised_by_key_and_taken_back(screen: Screen) -> None:
    page = screen.page
    screen.start("/echo One").wait_for_reply()
    screen.send("/echo Two").wait_for_reply(2)
    screen.send("/echo Three").wait_for_reply(3)

    page.keyboard.press("Escape")
    page.keyboard.press("u")
    page.keyboard.press("u")
    page.keyboard.press("s")
    dialog = page.get_by_role("dialog", name="What is to be summarised?")
    ways = dialog.locator(".ways button")
    expect(ways).to_have_count(2)
    expect(ways.first).to_be_focused()
    expect(ways.last).to_contain_text("All pairs in view (3)")
    page.keyboard.press("Enter")

    expect(page.locator(".checkpoint")).to_contain_text("One")
    expect(page.get_by_text("is at the top and is sent in their place")).to_be_visible()
    expect(page.locator('.pair-box[data-out="before_checkpoint"]')).not_to_have_count(0)
    screen.show_never_sent()
    expect(page.get_by_role("complementary", name="Request for a summary, never sent")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()

    expect(page.locator(".checkpoint")).to_have_count(0)
    eventually(lambda: checkpoint_of(screen) is None)

    node = page.get_by_role("complementary", name="Request for a summary, never sent")
    node.get_by_text("Conversation Summary (Checkpoint)").click()
    node.get_by_role("button", name="Use this summary").click()
    expect(page.locator(".checkpoint")).to_contain_text("One")


@pytest.mark.exhaustive
def test_titles_are_turned_off_in_settings(screen: Screen) -> None:
    page = screen.page
    visit(page, "/settings")
    box = page.get_by_role("checkbox", name="Have new conversations named by a model")
    expect(box).to_be_checked()
    box.click()
    expect(box).not_to_be_checked()
    origin = page.url.removesuffix("/settings")
    eventually(lambda: call(origin, "GET", "/preferences")["titles"] is False)

    page.get_by_label("Model for titles").select_option("offline:tiny")
    eventually(lambda: call(origin, "GET", "/preferences")["title_model"] == "offline:tiny")
    reload(page)
    expect(box).not_to_be_checked()
    expect(page.get_by_label("Model for titles")).to_have_value("offline:tiny")
    call(origin, "PUT", "/preferences", {})


@pytest.mark.exhaustive
def test_request_that_was_answered_before_is_replayed_once_a_person_wants_that(screen: Screen) -> None:
    page = screen.page
    visit(page, "/settings")
    box = page.get_by_role("checkbox", name="Replay: answer an identical request")
    box.click()
    expect(box).to_be_checked()
    origin = page.url.removesuffix("/settings")
    eventually(lambda: call(origin, "GET", "/preferences")["replay"] is True)

    for words in ("offline:demo", "replayed"):
        visit(page, "/")
        screen.start("/echo Once is enough").wait_for_reply()
        expect(screen.last_reply).to_have_text("Once is enough")
        expect(screen.pairs.last.get_by_text(words, exact=True)).to_be_visible()
    conversation = page.url.rsplit("/c/", 1)[1]
    assert [one["replayed"] for one in screen.stored_pairs()] == [True]
    calls = call(origin, "GET", f"/conversations/{conversation}/calls")["items"]
    assert [one["purpose"] for one in calls if one["purpose"] == "reply"] == []
    call(origin, "PUT", "/preferences", {})
