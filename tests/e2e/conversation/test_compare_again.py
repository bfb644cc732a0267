"""A pair that several models answer again side by side: by keys alone and by pointer, on a desktop and on a phone."""

from __future__ import annotations

import re
from collections.abc import Generator

import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from tests.e2e.hands import Hands
from tests.e2e.peer import REPLY, Peer
from tests.e2e.screen import Screen, reload
from tests.e2e.written import a_pair, write
from tests.serving import Served

DESK = ViewportSize(width=1440, height=900)
PHONE = ViewportSize(width=390, height=844)
LONG = "/long 4000 /rate 25"  # longer than any test


@pytest.fixture(
    params=[(True, DESK), pytest.param((False, PHONE), marks=pytest.mark.exhaustive)],
    ids=["keys-desk", "pointer-phone"],
)
def hands(request: pytest.FixtureRequest, browser: Browser, server: Served) -> Generator[Hands]:
    """Hands at a conversation of two pairs."""
    keys, viewport = request.param
    context = browser.new_context(base_url=server.url, viewport=viewport, has_touch=not keys, is_mobile=not keys)
    page = context.new_page()
    page.set_default_timeout(30_000)
    told = {"model": "offline:demo", "pairs": [a_pair(LONG, "Before."), a_pair("/echo later", "later")]}
    screen = Screen(page).go(f"/c/{write(server, told)[0]}")
    expect(screen.pairs).to_have_count(2)
    yield Hands(screen, keys, phone=not keys)
    context.close()


def replies(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Compared replies")


def column(page: Page, name: str) -> Locator:
    return replies(page).get_by_role("region", name=name)


def choose_several(hands: Hands, pair: int, *models: str) -> None:
    """Choose "Several" in the menu of models, then tick exactly these in addition to the pair's own model."""
    page = hands.page
    hands.on_pair(pair, "Regenerate", "r")
    expect(page.get_by_role("combobox", name=f"Regenerate pair {pair}")).to_be_focused()
    several = page.get_by_role("listbox").get_by_role("option", name=re.compile("Several models, side by side"))
    if hands.keys:
        page.keyboard.insert_text("several")
        expect(several).to_have_attribute("aria-selected", "true")
        page.keyboard.press("Enter")
    else:
        hands.press(several)
    choice = page.get_by_role("dialog", name=f"Regenerate pair {pair} with several models")
    expect(choice.get_by_role("checkbox", name=re.compile("Offline demo"))).to_be_checked()
    for model in ("small", "large"):
        box = choice.get_by_role("checkbox", name=re.compile(model))
        if box.is_checked() != (model in models):
            hands.press(box, "Space")
    expect(choice.get_by_role("status")).to_have_text(f"{1 + len(models)} chosen.")
    hands.press(choice.get_by_role("button", name="Compare", exact=True))


def test_reply_replaces_an_earlier_one_and_is_undone(hands: Hands, peer: Peer) -> None:
    page, screen = hands.page, hands.screen
    choose_several(hands, 1, "small", "large")
    later = page.get_by_role("dialog", name="What happens to the later pairs?")
    hands.press(later.get_by_role("button", name=re.compile("Discard the 1 later pair")))

    expect(column(page, "Current reply")).to_contain_text("Before.")
    expect(column(page, "large").get_by_role("status")).to_have_text("Complete")
    expect(column(page, "small").get_by_role("status")).to_have_text("Complete")
    demo = column(page, "Offline demo")
    expect(demo.get_by_role("group")).to_have_text(re.compile(r"\w+ \w+ \w+"))
    hands.press(demo.get_by_role("button", name="Stop Offline demo"))
    expect(demo.get_by_role("status")).to_have_text("Stopped")
    assert [body["messages"] for body in peer.bodies[-2:]] == [[{"role": "user", "content": LONG}]] * 2
    reload(page)
    expect(screen.pairs).to_have_count(2)
    stored = [(pair["versions"], pair["reply_text"]) for pair in screen.stored_pairs()]
    assert stored == [(1, "Before."), (1, "later")], "nothing has changed before one is kept"
    hands.press(page.get_by_role("button", name="Comparing 3 replies"))
    hands.press(column(page, "large").get_by_role("button", name="Keep this reply: large"))

    expect(replies(page)).to_have_count(0)
    expect(screen.pairs).to_have_count(1)
    expect(screen.last_reply).to_have_text(REPLY)
    expect(screen.pairs.first.locator(".version-place")).to_have_text("4/4")
    assert screen.composer.input_value() == ""
    expect(page.locator(".toast")).to_contain_text("Pair 1: the reply of large is kept")
    hands.undo()
    expect(screen.pairs).to_have_count(2)
    expect(screen.pairs.first.locator(".version-place")).to_have_text("1/4")
    expect(screen.pairs.first.locator(".reply")).to_contain_text("Before.")
