"""The first hours of a new user: labelled figures, every pair in view counted, a theme, a phone."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.people import PHONE, People
from tests.e2e.screen import Screen, eventually, visit, visit_settings, wait_until_still
from tests.e2e.written import call
from tests.serving import Served


@pytest.fixture
def phone(people: People) -> Screen:
    """A phone: a finger, and no pointer that hovers."""
    return Screen(people.open(**PHONE)).go("/")


TOPS = """[...document.querySelectorAll(".scroll, .reply, form.composer")].map(
  (it) => it.getBoundingClientRect().y).join(" ")"""
"""The tops of the transcript, the replies and the composer."""


def overlap(one: Locator, other: Locator) -> bool:
    first, second = one.bounding_box(), other.bounding_box()
    assert first
    assert second
    return first["y"] < second["y"] + second["height"] and second["y"] < first["y"] + first["height"]


def test_start_page_shows_what_one_can_do_first(screen: Screen, phone: Screen) -> None:
    page = screen.page
    examples = page.get_by_role("list", name="Examples")
    with page.expect_file_chooser():
        examples.get_by_role("button", name="Attach a file").click()
    examples.get_by_role("button", name="Show request").click()
    expect(page.get_by_role("complementary", name="Request of the next send")).to_contain_text("Write a message: ")
    page.get_by_role("button", name="Close the inspector").click()
    screen.composer.fill("Not ready")
    examples.get_by_role("button", name="Compare two models").click()
    dialog = page.get_by_role("dialog", name="Compare models")
    dialog.get_by_role("checkbox", name=re.compile("Offline tiny")).check()
    dialog.get_by_role("button", name="Compare", exact=True).click()
    chosen = page.get_by_text("Next message to Offline demo and Offline tiny")
    expect(chosen).to_be_visible()
    expect(screen.composer).to_be_focused()
    expect(screen.composer).to_have_value("Not ready")  # a draft is only sent by its writer
    screen.composer.fill("")
    page.get_by_role("button", name="Do not compare models").click()
    expect(chosen).to_have_count(0)
    expect(page.get_by_role("heading", name="Recent")).to_be_hidden()  # the list of all is there

    screen.send("/echo one").wait_for_reply()
    phone.go("/")
    recent = phone.page.get_by_role("heading", name="Recent").locator("..")
    recent.locator(f"a[href='{screen.path}']").tap()
    expect(phone.pairs).to_have_count(1)
    phone.page.get_by_role("link", name="New conversation").tap()
    phone.page.get_by_role("link", name="Connect a model").tap()
    expect(phone.page.get_by_role("heading", name="Providers")).to_be_visible()


@pytest.mark.exhaustive
def test_costs_of_an_edit_are_one_key_away(screen: Screen) -> None:
    page = screen.page
    screen.start("/echo one").wait_for_reply()
    page.keyboard.press("Escape")
    page.keyboard.press("e")
    page.get_by_role("textbox", name="Request of pair 1").fill("/echo two")
    page.keyboard.press("Enter")
    expect(screen.last_reply).to_have_text("two")
    screen.wait_for_reply()
    screen.send("/echo three").wait_for_reply(2)
    page.keyboard.press("Escape")
    page.keyboard.press("l")

    entry = page.locator(".log li")
    expect(entry.locator(".accounting")).to_contain_text("💰So far")
    for side in ("::before", "::after"):  # the line
        height = entry.locator(".accounting").evaluate("(it, side) => getComputedStyle(it, side).height", side)
        assert height == "1px"
    expect(entry).to_contain_text("Edited and resent: 2 messages replaced.")
    expect(entry).to_contain_text("after pair 1")


@pytest.mark.exhaustive
def test_0_takes_stars_away_and_space_scrolls(screen: Screen) -> None:
    page = screen.page
    screen.start("/long 900 /rate 0").wait_for_reply()
    page.keyboard.press("Escape")
    for key in ("g", "3"):
        page.keyboard.press(key)
    expect(screen.pairs.get_by_role("group", name="Stars: 3")).to_be_visible()
    view = page.locator(".scroll")
    top = view.evaluate("it => it.scrollTop")

    page.keyboard.press("Space")

    eventually(lambda: view.evaluate("it => it.scrollTop") > top + 100)
    expect(screen.pairs.get_by_role("group", name="Stars: 3")).to_have_count(1)
    page.keyboard.press("0")
    expect(screen.pairs.get_by_role("group", name="Stars: 0")).to_have_count(1)


@pytest.mark.exhaustive
def test_toast_moves_nothing_and_the_end_of_a_long_reply_is_free(screen: Screen, phone: Screen) -> None:
    page = screen.page
    screen.start("/long 900 /rate 0").wait_for_reply()
    page.mouse.move(0, 0)
    for part in (".actions", ".mark.tag"):  # seen at the newest pair without the pointer
        expect(screen.pairs.last.locator(part).first).to_have_css("opacity", "1")
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+G")
    wait_until_still(page, TOPS)
    before = page.evaluate(TOPS)
    page.keyboard.press("a")
    toast = page.locator(".toast")
    expect(toast).to_be_visible()

    assert page.evaluate(TOPS) == before
    assert not overlap(toast, screen.pairs.last.locator("footer.meta"))
    assert not overlap(toast, page.locator("form.composer"))
    page.locator(".scroll").evaluate("it => it.scrollTo(0, it.scrollHeight)")
    foot = screen.pairs.last.locator("footer.meta").bounding_box()
    view = page.locator(".scroll").bounding_box()
    assert foot
    assert view
    assert foot["y"] + foot["height"] + 46 <= view["y"] + view["height"]  # the arrow's room
    page.locator(".scroll").evaluate("it => it.scrollTo(0, 0)")
    arrow, newest = page.locator(".to-end").bounding_box(), screen.pairs.last.bounding_box()
    assert arrow
    assert newest
    assert arrow["x"] >= newest["x"] + newest["width"]  # it covers no text

    phone.go(screen.path)
    pair = phone.pairs.last
    pair.get_by_role("button", name="More actions").tap()
    actions = phone.page.get_by_role("dialog", name="More actions")
    actions.get_by_role("button", name="2 stars").tap()
    toast = phone.page.locator(".toast")
    toast.locator("span").first.evaluate("it => { it.textContent = 'This takes three lines on a phone. '.repeat(3) }")
    phone.page.locator(".scroll").evaluate("it => it.scrollTo(0, it.scrollHeight)")
    assert not overlap(toast, pair.locator("footer.meta"))

    for tag in ("none", "include"):
        pair.get_by_role("button", name="More actions").tap()
        actions.get_by_role("button", name=f"Tag: {tag}").tap()  # sets the next one, at last "exclude"
    expect(toast.get_by_role("button", name="Show only pairs not tagged “exclude”")).to_be_visible()
    expect(toast.get_by_role("button", name="Undo")).to_be_visible()
    wait_until_still(phone.page, "document.querySelector('.toast').getBoundingClientRect().y")
    phone.page.locator(".scroll").evaluate("it => it.scrollTo(0, it.scrollHeight)")
    assert not overlap(toast, pair.locator("footer.meta"))


def test_theme_is_kept_for_the_person_and_holds_from_the_first_frame(
    screen: Screen, people: People, server: Served, prefer: Callable[..., Any]
) -> None:
    page = screen.page
    visit_settings(page, "appearance")
    page.get_by_role("radio", name="Dark").click()
    expect(page.locator("html")).to_have_class(re.compile("dark"))
    eventually(lambda: call(server.url, "GET", "/preferences")["theme"] == "dark")

    # Before any script of the page has run, but for the one in its head.
    page.route("**/assets/*.js", lambda route: route.abort())
    page.goto("/")
    expect(page.locator("html")).to_have_class(re.compile("dark"))
    other = people.open("another")
    other.emulate_media(color_scheme="light")
    visit(other, "/")
    expect(other.locator("html")).to_have_class(re.compile("dark"))
    prefer(theme="light")
    other.reload()
    expect(other.locator("html")).to_have_class(re.compile("light"))
