"""Failing, stopping, answering again and forking with a finger on a phone: every control is reachable and fits.

The details of each have their own tests.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.hands import Hands, lifecycles, texts
from tests.e2e.peer import REPLY
from tests.e2e.people import PHONE, People
from tests.e2e.screen import Screen, eventually
from tests.e2e.written import a_pair, write
from tests.serving import Served

SLOW = "/long 4000 /rate 1"  # longer than any test, and never higher than the window
WORDS = ("one", "two", "three")
STORY = {
    "title": "Plans",
    "model": "offline:demo",
    "pairs": [a_pair(f"/echo {word}", word, stars=3 * (word != "two")) for word in WORDS],
}


@pytest.fixture
def hands(people: People) -> Hands:
    """A finger on a phone."""
    return Hands(Screen(people.open(**PHONE)), keys=False, phone=True)


@pytest.fixture
def new(hands: Hands) -> Hands:
    """Open a new conversation."""
    hands.screen.go("/")
    return hands


@pytest.fixture
def story(hands: Hands, server: Served) -> Hands:
    """Open a conversation of three pairs, the second without stars."""
    hands.screen.go(f"/c/{write(server, STORY)[0]}")
    expect(hands.screen.pairs).to_have_count(3)
    return hands


@pytest.mark.exhaustive
def test_reply_that_fails(new: Hands) -> None:
    hands, screen, page = new, new.screen, new.page
    retry = page.locator(".retry")
    hands.send("/fail rate retry-after 55 times 1")
    expect(retry).to_contain_text(re.compile(r"Retrying in \d+ s"))
    hands.press(retry.get_by_role("button", name="Retry now"))
    screen.wait_for_reply(1)

    hands.send("/fail rate retry-after 54")
    hands.press(retry.get_by_role("button", name="Stop retrying"))
    expect(screen.pairs.last).to_contain_text("Stopped.")
    lifecycles(screen, "succeeded", "canceled")
    assert page.evaluate("document.activeElement.closest('[data-pair]') !== null"), "the focus went with the button"

    hands.send("/fail auth times 1")
    screen.wait_for_reply(3)
    hands.press(screen.pairs.last.locator(".failure").get_by_role("button", name="Show request"))
    kept = page.get_by_role("dialog", name="Sent request of pair 3")
    expect(kept).to_contain_text("exactly as sent")
    hands.press(kept.get_by_role("tab", name="Compared with now"))
    expect(kept).to_contain_text("No differences")
    hands.press(kept.get_by_role("button", name="Resend as it was"))
    lifecycles(screen, "succeeded", "canceled", "succeeded")


@pytest.mark.exhaustive
def test_stop_and_what_waits_meanwhile(new: Hands) -> None:
    hands, screen, page = new, new.screen, new.page
    hands.send(SLOW)
    expect(screen.stop).to_be_visible()
    waiting = page.get_by_role("region", name="Queue").get_by_role("listitem")
    for count, text in enumerate(("/echo one", "/echo two", "/echo three"), start=1):
        hands.send(text, "Queue")
        expect(waiting).to_have_count(count)

    hands.press(page.get_by_role("button", name="Move up queued message 2"))
    expect(waiting.first).to_contain_text("two")
    hands.press(page.get_by_role("button", name="Remove queued message 3"))
    expect(waiting).to_have_count(2)
    hands.press(page.get_by_role("button", name="Edit queued message 2"))
    hands.write(page.get_by_role("textbox", name="Queued message"), "/echo 1")
    hands.press(page.get_by_role("button", name="Save", exact=True))
    expect(waiting.last).to_contain_text("/echo 1")

    hands.stop()
    expect(page.get_by_role("region", name="Queue")).to_contain_text("You stopped the reply")
    hands.press(page.get_by_role("button", name="Send next"))
    screen.wait_for_reply(3)
    texts(screen, SLOW, "/echo two", "/echo 1")
    lifecycles(screen, "canceled", "succeeded", "succeeded")


@pytest.mark.exhaustive
def test_other_replies_and_their_versions(story: Hands) -> None:
    hands, screen, page = story, story.screen, story.page
    pair = screen.pairs.last
    menu = page.get_by_role("combobox", name="Regenerate pair 3")

    def stands(version: int, of: int) -> None:
        eventually(lambda: [screen.stored_pairs()[2][name] for name in ("version", "versions")] == [version, of])
        lifecycles(screen, *["succeeded"] * 3)
        expect(pair.locator(".version-place")).to_have_text(f"{version}/{of}")

    hands.on_pair(3, "Regenerate", "r")
    expect(menu).to_be_focused()
    hands.press(page.get_by_role("listbox").get_by_role("option").first)
    stands(2, 2)
    hands.on_pair(3, "Regenerate", "r")
    expect(menu).to_be_focused()
    hands.press(page.get_by_role("listbox").get_by_role("option", name=re.compile("small")))
    expect(screen.last_reply).to_have_text(REPLY)
    stands(3, 3)

    hands.press(pair.get_by_role("button", name="Previous version"))
    stands(2, 3)
    hands.press(pair.get_by_role("button", name="Next version"))
    stands(3, 3)
    hands.press(pair.locator(".version-place"))
    versions = page.get_by_role("dialog", name="Versions of pair 3")
    expect(versions.locator("ins").first).to_be_visible()
    hands.press(versions.get_by_role("button", name="Restore version 2"))
    stands(2, 3)
    hands.on_pair(3, "Next version", "Shift+E")
    stands(3, 3)
    expect(screen.last_reply).to_have_text(REPLY)


@pytest.mark.exhaustive
def test_fork_of_what_is_in_view_and_the_tree(story: Hands) -> None:
    hands, screen, page = story, story.screen, story.page
    origin = screen.path
    hands.on_pair(2, "Fork from here", "b")
    expect(page).not_to_have_url(re.compile(origin))
    texts(screen, "/echo one", "/echo two")
    hands.press(page.locator(".forked-from").get_by_role("link", name="Plans"))
    expect(screen.pairs).to_have_count(3)

    hands.choose_filter("s3")
    expect(screen.pairs).to_have_count(2)
    hands.on_pair(2, "Fork from here", "b")
    choice = page.get_by_role("dialog", name="Choose pairs to fork")
    hands.press(choice.get_by_role("button", name="Pairs in view up to pair 3"))
    expect(page).not_to_have_url(re.compile(origin))
    texts(screen, "/echo one", "/echo three")

    hands.show_branches()
    items = page.get_by_role("tree", name="Branches").get_by_role("treeitem")
    expect(items).to_have_count(3)
    hands.press(items.first)
    page.wait_for_url(f"**{origin}*")
    expect(page.locator(".forked-from")).to_have_count(0)
    expect(screen.pairs).to_have_count(2)  # the filter shows two of its pairs
