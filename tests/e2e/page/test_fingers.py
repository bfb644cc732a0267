"""A finger needs room: on a phone, each control of each page, menu and dialog is at least 44 px wide and high."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.composer.test_inserting import a_lab
from tests.e2e.composer.test_queue import queue_up
from tests.e2e.conversation.test_permissions import SLOW, cards, put_requests
from tests.e2e.conversation.test_tools import a_call, a_result, imported
from tests.e2e.page.test_axe import SECTIONS, an_agent, findings
from tests.e2e.page.test_looks import MOTION
from tests.e2e.people import PHONE, People
from tests.e2e.screen import Screen, add_to_message, reload, visit, visit_settings, wait_until_painted
from tests.e2e.written import call
from tests.serving import Served
from tests.tools.servers import needs_npm

SMALL = """() => {
  const all = "button, summary, select, textarea, input, a[href], label:has(input), [role=option], [role=treeitem]";
  const isSeen = (it) =>
    it.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !it.closest("[inert]");
  const isCovered = (it) => document.querySelector("dialog:modal") && !it.closest("dialog");
  const hasWords = (it) => [...it.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const isPlain = ({ display, borderTopWidth }) => display.startsWith("inline") && borderTopWidth === "0px";
  const isInSentence = (it) => isPlain(getComputedStyle(it)) && !it.closest(".home-connect, .picker-keys") &&
    (hasWords(it.parentElement) || (it.matches("p > span > a") && hasWords(it.closest("p"))));
  const areaOf = (it) => (it.matches("[type=checkbox], [type=radio]") && it.labels[0] || it).getBoundingClientRect();
  return [...document.querySelectorAll(all)]
    .filter((it) => isSeen(it) && !isCovered(it) && !isInSentence(it) && !it.closest(".unseen, .skip"))
    .map((it) => [it, areaOf(it)])
    .filter(([it, { width, height }]) => width > 1 && (Math.round(width) < 44 || Math.round(height) < 44))
    .map(([it, { width, height }]) => `${Math.round(width)} × ${Math.round(height)} ${it.tagName}.${it.className}: ${
      it.ariaLabel || it.textContent.slice(0, 40) || it.name}`);
}"""
"""Visible controls that are too small. A box to be ticked is as large as its label."""


@dataclass
class Finger:
    """One person's, on a phone. `small`: what was too small for it, and where."""

    screen: Screen
    small: list[str] = field(default_factory=list[str])

    @property
    def page(self) -> Page:
        return self.screen.page

    def look(self, where: str) -> None:
        """Note what is too small of what is seen now."""
        self.page.evaluate(MOTION)
        wait_until_painted(self.page)
        assert self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{where} is too wide"
        self.small += [f"{where}: {each}" for each in self.page.evaluate(SMALL)]

    def tap(self, name: str | re.Pattern[str], within: Locator | None = None) -> None:
        """Tap the first button that has this name and is seen."""
        (within or self.page.locator("body")).get_by_role("button", name=name).filter(visible=True).first.tap()

    def open(self, name: str, tap: Callable[[], None]) -> None:
        """Open a dialog or a menu, look at it, and leave it."""
        tap()
        expect(self.page.get_by_role("dialog", name=name)).to_be_visible()
        self.look(name)
        self.page.keyboard.press("Escape")
        expect(self.page.locator("dialog")).to_have_count(0)


@pytest.fixture
def finger(people: People) -> Finger:
    """A finger on a phone."""
    return Finger(Screen(people.open(**PHONE)))


def test_all_of_each_page_is_large_enough_for_a_finger(
    finger: Finger, server: Served, prefer: Callable[..., None]
) -> None:
    path = f"/c/{imported(server, {'type': 'text', 'text': 'See.'}, a_call('1', 'now', {}), a_result('1', 'Noon'))}"
    on_start_page(finger)
    in_conversation(finger, path)
    in_inspector(finger)
    in_low_windows(finger, path)
    elsewhere(finger, server)
    prefer(built_in_tools=["current_time"], about_me="I am Ada.")
    finger.screen.go(path)
    expect(finger.page.get_by_role("link", name="Change or switch off in Settings")).to_be_visible()
    finger.look("text about the person")
    with an_agent(server):
        composer_has_two_lines_of_controls(finger, path)
    assert not finger.small, "\n".join(finger.small)


@needs_npm
def test_what_waits_and_what_opens_seldom_is_large_enough_for_a_finger_and_axe_finds_nothing(
    finger: Finger, server: Served
) -> None:
    found: list[str] = []
    page, screen = finger.page, finger.screen
    screen.go("/").start("/echo one").wait_for_reply()
    pair = screen.pairs.first
    finger.tap("Edit and resend", pair)
    page.get_by_role("textbox", name="Request of pair 1").fill("/echo two")
    finger.tap("Resend")
    expect(pair.locator(".version-place")).to_have_text("2/2")
    with a_lab(server):
        for name, tap in (
            ("Versions of pair 1", lambda: finger.tap("2/2: compare the versions", pair)),
            ("Keyboard shortcuts and filters", lambda: open_sheet(finger)),
            ("Insert from a server", lambda: add_to_message(page, "Insert from a server")),
        ):
            tap()
            expect(page.get_by_role("dialog", name=name)).to_be_visible()
            finger.look(name)
            found += findings(page, name)
            page.keyboard.press("Escape")
            expect(page.get_by_role("dialog", name=name)).to_have_count(0)

    screen.send(SLOW)
    expect(screen.stop).to_be_visible()
    expect(screen.last_reply.locator("p").first).not_to_be_empty()
    queue_up(screen, "/echo one", "/echo two")
    put_requests(server, screen, "/notes/a")
    reload(page)
    card = cards(screen).first
    expect(card).to_be_visible()
    finger.look("permission card and queue")
    found += findings(page, "permission card and queue")
    for button in ("Edit", "Limit to these arguments"):
        finger.tap(button, card)
        expect(card.get_by_role("button", name=button, exact=True)).to_have_count(0)
    finger.look("permission card with its forms")
    found += findings(page, "permission card with its forms")
    finger.tap("Edit queued message 1")
    expect(page.get_by_role("textbox", name="Queued message")).to_be_visible()
    finger.look("queue, edit")
    found += findings(page, "queue, edit")
    assert not [*finger.small, *found], "\n".join([*finger.small, *found])


def open_sheet(finger: Finger) -> None:
    finger.tap("Filter")
    finger.tap("Filter help")


def on_start_page(finger: Finger) -> None:
    finger.screen.go("/")
    expect(finger.page.get_by_role("list", name="Examples")).to_be_visible()
    finger.look("start page")
    finger.tap("Show the conversation list")
    expect(finger.page.get_by_role("navigation", name="Conversations")).to_be_in_viewport()
    finger.look("list")
    finger.open("New folder", lambda: finger.tap("New folder"))
    # Escape closed the dialog, and not the list behind it as well.
    expect(finger.page.locator("html")).to_have_attribute("data-drawer", "open")
    expect(finger.page.get_by_role("button", name="New folder")).to_be_focused()
    finger.page.keyboard.press("Escape")
    expect(finger.page.get_by_role("navigation", name="Conversations")).not_to_be_in_viewport()
    finger.open("Model", lambda: add_to_message(finger.page, "Model"))
    finger.open("Add to the message", lambda: finger.tap("Add to the message"))
    finger.open("Parameters", lambda: add_to_message(finger.page, "Parameters"))
    finger.open("JSON schema of the reply", lambda: add_to_message(finger.page, "JSON schema"))
    finger.open("Compare models", lambda: finger.tap("Compare two models"))


def in_conversation(finger: Finger, path: str) -> None:
    page, pair = finger.page, finger.screen.pairs.first
    finger.screen.go(path)
    expect(finger.screen.pairs).to_have_count(1)
    expect(pair.get_by_role("button", name="Delete the pair")).to_be_hidden()
    page.locator(".tool-card > summary").tap()
    finger.look("conversation")
    tops = "[...document.querySelectorAll('.scroll, .pair')].map((it) => it.scrollTop + it.getBoundingClientRect().top)"
    before = page.evaluate(tops)
    finger.tap("More actions", pair)
    expect(page.get_by_role("dialog", name="More actions")).to_be_visible()
    finger.look("more of a pair")
    assert page.evaluate(tops) == before, "the transcript moved under the menu"
    finger.tap("2 stars", pair)
    expect(pair.get_by_role("group", name="Stars: 2").first).to_be_visible()
    finger.look("stars")
    finger.tap("More actions", pair)
    finger.open("Delete this pair?", lambda: finger.tap("Delete the pair", pair))
    finger.open("Regenerate pair 1", lambda: finger.tap("Regenerate", pair))
    finger.tap("Edit and resend", pair)
    expect(page.get_by_role("form", name="Edit pair")).to_be_visible()
    finger.look("edit")
    finger.tap("Cancel")
    finger.open("Conversation menu", lambda: finger.tap("Conversation menu"))
    finger.open("Topic of the next messages", lambda: add_to_message(page, "Topic of the next messages"))
    finger.tap("Add a system prompt")
    expect(page.get_by_role("textbox", name="System prompt")).to_be_visible()
    finger.look("system prompt")
    finger.tap("Cancel")
    finger.tap("Filter")
    expect(page.get_by_role("combobox", name="Filter")).to_be_focused()
    finger.look("filter")
    page.keyboard.press("Escape")


def in_inspector(finger: Finger) -> None:
    finger.tap(re.compile("^Show request$"))
    inspector = finger.page.get_by_role("complementary")
    sections = inspector.get_by_role("tablist", name="Inspector").get_by_role("tab")
    for width in (320, 390):
        finger.page.set_viewport_size({"width": width, "height": 844})
        assert len({*sections.evaluate_all("(all) => all.map((it) => it.offsetTop)")}) == 1, "the tabs are in one line"
    for tab in sections.all():
        tab.tap()
        expect(tab).to_have_attribute("aria-selected", "true")
        expect(tab).to_be_in_viewport(ratio=1)
        finger.look(f"inspector, {tab.inner_text()}")
    finger.page.keyboard.press("Escape")


def in_low_windows(finger: Finger, path: str) -> None:
    """Read, open the menus and send in a window of 1280 × 1024 pixels at 400 %, and above the keyboard of a phone."""
    page = finger.page
    composer = page.get_by_role("form", name="Message")
    send = composer.get_by_role("button", name="Send", exact=True)
    for width, height in ((320, 256), (390, 400)):
        page.set_viewport_size({"width": width, "height": height})
        finger.screen.go(path)
        assert height_of(composer) < 64, "the empty composer has one row"
        assert height_of(page.locator(".scroll")) > 0.55 * height
        for menu in ("Conversation menu", "Add to the message"):
            finger.tap(menu)
            is_within(page.get_by_role("dialog", name=menu), height)
            page.keyboard.press("Escape")
            expect(page.locator("dialog")).to_have_count(0)
        finger.screen.write("Hello")
        expect(send).to_be_in_viewport(ratio=1)
        expect(composer.get_by_role("button", name=re.compile("^Model: "))).to_be_visible()
        finger.screen.write("")
    page.set_viewport_size({"width": 390, "height": 844})
    finger.screen.go("/").write("Hello")
    page.locator(".estimate").tap()
    is_within(page.get_by_role("group", name="What is sent"), 844)
    finger.screen.write("")


def height_of(place: Locator) -> float:
    return place.evaluate("(it) => it.getBoundingClientRect().height")


def is_within(place: Locator, height: int) -> None:
    """Check that the whole of an opened menu or panel is inside a window of this height."""
    expect(place).to_be_visible()
    top, bottom = place.evaluate("(it) => [it.getBoundingClientRect().top, it.getBoundingClientRect().bottom]")
    assert 0 < top < bottom < height, (top, bottom)


def composer_has_two_lines_of_controls(finger: Finger, path: str) -> None:
    page = finger.screen.go(path).page
    composer = page.get_by_role("form", name="Message")
    finger.screen.write("Hello")
    expect(composer.get_by_role("button", name=re.compile("^Tools "))).to_be_visible()
    expect(composer.get_by_role("button", name=re.compile("^Agent: "))).to_be_visible()
    for width in (390, 360, 320):
        page.set_viewport_size({"width": width, "height": 844})
        finger.look(f"composer with all menus, {width}")
        places = composer.get_by_role("button").evaluate_all(
            "(all) => all.map((it) => Math.round(it.getBoundingClientRect().top))"
        )
        assert len({*places}) <= 3, (width, places)


def elsewhere(finger: Finger, server: Served) -> None:
    page = finger.page
    for section in ("providers", *SECTIONS):
        visit_settings(page, section)
        finger.look(f"settings, {section}")
    visit_settings(page, "access")
    page.get_by_text("All entries").tap()
    expect(page.get_by_role("list", name="Entries")).to_be_visible()
    finger.look("access log")
    with an_agent(server):
        visit(page, "/agents")
        expect(page.get_by_role("listitem").filter(has_text="Find the fault.")).to_be_visible()
        finger.tap("New agent")
        expect(page.get_by_role("form", name="New agent")).to_be_visible()
        finger.look("agents")
    visit(page, "/usage")
    expect(page.get_by_role("region", name="Spending")).to_be_visible()
    finger.look("usage")
    call(server.url, "DELETE", f"/conversations/{imported(server)}")
    visit(page, "/trash")
    expect(page.get_by_role("button", name=re.compile("^Restore")).first).to_be_visible()
    finger.look("trash")
