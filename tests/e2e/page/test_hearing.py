"""Announcements to a screen reader, by keys alone and at twice the size: a few words, and the focus is never lost."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conversation.test_permissions import SLOW, cards, put_requests
from tests.e2e.hands import Hands
from tests.e2e.screen import Screen, eventually, reload, wait_until_painted
from tests.serving import Served

STARTED = "The reply has started.$"
LISTEN = """
globalThis.told = [];
globalThis.lost = 0;
const REGIONS = "[aria-live]:not([aria-live=off]), [role=status], [role=log], [role=alert]";
new MutationObserver((changes) => {
  for (const { target, addedNodes } of changes) {
    const at = target.nodeType === Node.ELEMENT_NODE ? target : target.parentElement;
    const added = [...addedNodes].filter((node) => node.nodeType === Node.ELEMENT_NODE);
    // An alert is read out as it comes; another region only when its text changes.
    const all = added.flatMap((node) => [node, ...node.querySelectorAll("*")]);
    const alerts = all.filter((node) => node.matches("[role=alert]"));
    for (const region of new Set([at?.closest(REGIONS), ...alerts])) {
      const said = region?.innerText.trim(); // without what is hidden
      if (said) told.push(said);
    }
  }
}).observe(document, { subtree: true, childList: true, characterData: true });
addEventListener("focusin", () => {
  const look = () => {
    if (document.activeElement === document.body) lost += 1;
    requestAnimationFrame(look);
  };
  look();
}, { once: true });
"""
"""Record each text that is read out, and the number of frames without a focused element after the first focus."""


@pytest.fixture
def large(browser: Browser, server: Served) -> Generator[Page]:
    """A page at 200 %: a window of 1280 × 800 has room for half as much in each direction."""
    context = browser.new_context(base_url=server.url, viewport={"width": 640, "height": 400}, device_scale_factor=2)
    page = context.new_page()
    page.set_default_timeout(30_000)
    page.add_init_script(LISTEN)
    yield page
    context.close()


def hears(page: Page, *wanted: str) -> None:
    """Wait until as many texts were read out as there are patterns, and require that they match in order."""
    eventually(lambda: page.evaluate("told.length") >= len(wanted))
    wait_until_painted(page)
    said: list[str] = page.evaluate("told.splice(0)")
    assert len(said) == len(wanted), said
    assert all(re.match(pattern, text) for pattern, text in zip(wanted, said, strict=True)), said


def test_each_outcome_is_announced_in_a_few_words_and_the_focus_is_never_lost(
    large: Page, server: Served, prefer: Callable[..., None]
) -> None:
    prefer(auto_enter_view_on_overflow=False)  # otherwise the focus moves to a reply that is higher than the window
    page = large
    screen = Screen(page).go("/")
    hands = Hands(screen, keys=True, phone=False)
    expect(screen.composer).to_be_focused()
    page.evaluate("told.splice(0)")

    hands.send("/think 50 /long 200 /rate 100")
    hears(page, STARTED, "The reply is complete.$")
    # The region that is read out is always drawn. Here the list of conversations is collapsed.
    expect(page.get_by_role("navigation", name="Conversations")).to_be_hidden()
    said = page.get_by_role("main").get_by_role("status")  # without elements that are hidden from a screen reader
    expect(said.filter(has_text="The reply is complete.")).to_have_count(1)
    # The end of the newest reply is just before the landmark of the message box.
    marks = page.get_by_role("main").locator(":is(section, form)[aria-label]")
    assert [mark.get_attribute("aria-label") for mark in marks.all()] == ["Conversation", "Message"]
    assert marks.first.evaluate("it => it.contains([...document.querySelectorAll('article footer')].at(-1))")

    page.set_viewport_size({"width": 390, "height": 844})
    hands.send("/fail overloaded after 20")
    hears(page, STARTED, "The reply failed. .*overloaded")
    expect(said.filter(has_text=re.compile("The reply failed"))).to_have_count(1)
    page.set_viewport_size({"width": 640, "height": 400})

    hands.send(SLOW)
    hears(page, STARTED)
    hands.press(screen.stop)
    hears(page, "The reply was stopped.$")
    expect(screen.composer).to_be_focused()
    assert page.evaluate("lost") == 0

    hands.send(SLOW)
    expect(screen.stop).to_be_visible()
    put_requests(server, screen, "/notes/a")
    reload(page)
    expect(cards(screen)).to_have_count(1)
    expect(screen.composer).to_be_focused()
    wait_until_painted(page)
    told: list[str] = page.evaluate("told.splice(0)")
    assert len([text for text in told if "needs your permission" in text]) == 1
    hands.press(cards(screen).get_by_role("button", name="Deny"))
    expect(cards(screen)).to_have_count(0)
    expect(screen.composer).to_be_focused()
    hands.stop()
    hears(page, "The reply was stopped.$")
    expect(screen.composer).to_be_focused()
    assert page.evaluate("lost") == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
