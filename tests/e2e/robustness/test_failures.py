"""Failed replies: the next steps of each error class, and the stored request that is sent again."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.e2e.peer import REPLY, Peer
from tests.e2e.screen import Screen, eventually
from tests.e2e.written import a_pair, write
from tests.serving import Served


def failed(screen: Screen, text: str, pairs: int = 1) -> Locator:
    """Send a text that fails, and return the failure shown in the pair."""
    (screen.send if pairs > 1 else screen.start)(text)
    screen.wait_for_reply(pairs)
    return screen.pairs.last.locator(".failure")


def ways(box: Locator) -> Locator:
    return box.get_by_role("group", name="Next steps").get_by_role("button")


def kept(screen: Screen) -> Locator:
    return screen.page.get_by_role("dialog", name=re.compile("Sent request of pair"))


def test_every_class_says_what_happened_and_its_next_steps_lead_to_the_card_of_the_provider(
    screen: Screen, server: Served
) -> None:
    every_class_says_what_happened_and_offers_its_next_steps(screen)
    refusal_without_a_key_is_read_out_once_and_leads_to_the_card_of_its_provider(screen, server)


def every_class_says_what_happened_and_offers_its_next_steps(screen: Screen) -> None:
    box = failed(screen, "/fail auth")
    expect(box).to_have_attribute("data-error", "auth")
    expect(box).not_to_contain_text("[error")
    read_out = screen.page.locator("[role=status], [role=alert], [aria-live]").filter(has_text="Add or correct the key")
    expect(read_out).to_have_count(1)
    expect(box).to_contain_text("Add or correct the key in Settings")
    # The keys are drawn on their buttons.
    expect(ways(box)).to_have_text(
        ["Open Settings", "Try again", "Another model…", "Edit & resende", "Deletex", "Show request"]
    )
    for name in ("Edit & resend", "Delete"):
        expect(ways(box).and_(screen.page.get_by_role("button", name=name, exact=True))).to_be_visible()
    for pairs, (name, first) in enumerate(
        {"content_filter": "Edit & resende", "model": "Another model…", "context_length": "Make it fit…"}.items(),
        start=2,
    ):
        box = failed(screen, f"/fail {name}", pairs)
        expect(box).to_have_attribute("data-error", name)
        expect(box).to_have_attribute("aria-label", f"Error: {name.replace('_', ' ')}")
        expect(ways(box).first).to_have_text(first)

    expect(screen.page.locator(".conversation-row:has([aria-current=page])")).to_contain_text("Reply failed")
    ways(box).get_by_text("Edit & resend").click()
    expect(screen.page.get_by_role("textbox", name="Request of pair 4")).to_be_focused()
    screen.page.keyboard.press("Escape")
    ways(box).get_by_text("Delete").click()
    expect(screen.pairs).to_have_count(3)

    ways(screen.pairs.first).get_by_text("Open Settings").click()
    screen.page.wait_for_url("**/settings#provider-offline")
    expect(screen.page.locator("#provider-offline > summary")).to_be_focused()


def refusal_without_a_key_is_read_out_once_and_leads_to_the_card_of_its_provider(
    screen: Screen, server: Served
) -> None:
    made = write(server, {"model": "anthropic:claude-sonnet-4-5", "pairs": [a_pair("Question 1")]})[0]
    screen.go(f"/c/{made}")
    expect(screen.page.get_by_role("button", name=re.compile("^Model: claude", re.IGNORECASE))).to_be_visible()
    screen.send("Hello")
    told = screen.page.locator("[role=status], [role=alert], [aria-live]").filter(
        has_text="There is no key for provider"
    )
    expect(told).to_have_count(1)
    expect(told).to_have_text(
        'There is no key for provider "anthropic". Add or correct the key in Settings → Providers.'
    )

    told.get_by_role("link", name="Settings → Providers").click()

    screen.page.wait_for_url("**/settings#provider-anthropic")
    card = screen.page.locator("#provider-anthropic")
    expect(card).to_have_attribute("open", "")
    expect(card.locator("summary")).to_be_focused()
    expect(card).to_be_in_viewport()
    expect(screen.page.locator("details[id^=provider-][open]")).to_have_count(1)


def test_failed_request_is_shown_compared_and_sent_again_unchanged(screen: Screen, server: Served, peer: Peer) -> None:
    screen.go(f"/c/{write(server, {'model': 'peer:large', 'pairs': [a_pair('Question 1'), a_pair('Question 2')]})[0]}")
    expect(screen.pairs).to_have_count(2)
    expect(screen.page.get_by_role("button", name="Model: large")).to_be_visible()  # otherwise another model is used
    peer.refuses = True
    try:
        box = failed(screen, "Question 3", 3)
        expect(box).to_be_visible()
    finally:
        peer.refuses = False
    left = peer.raw[-1]

    ways(box).get_by_text("Show request").click()
    expect(kept(screen)).to_contain_text("exactly as sent")
    expect(kept(screen).locator(".json")).to_contain_text('"Question 3"')
    screen.page.keyboard.press("ArrowRight")
    expect(kept(screen)).to_contain_text("No differences")
    screen.page.keyboard.press("Escape")
    expect(kept(screen)).to_have_count(0)
    expect(ways(box).get_by_text("Show request")).to_be_focused()

    screen.pairs.first.hover()
    screen.pairs.first.get_by_role("button", name="Delete the pair").click()
    screen.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(screen.pairs).to_have_count(2)
    ways(box).get_by_text("Show request").click()
    kept(screen).get_by_role("tab", name="Compared with now").click()
    expect(kept(screen).locator('.message[data-sign="-"]')).to_have_count(2)
    expect(kept(screen).locator('.message[data-sign="+"]')).to_have_count(0)

    kept(screen).get_by_role("button", name="Resend as it was").click()

    expect(screen.last_reply).to_have_text(REPLY)
    assert peer.raw[-1] == left
    eventually(lambda: screen.stored_pairs()[-1]["lifecycle"] == "succeeded")
