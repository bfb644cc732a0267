"""Settings → Privacy: text about the user is sent in view; secrets are replaced by marks, and the page says so."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.e2e.peer import Peer
from tests.e2e.screen import Screen, eventually, visit_settings
from tests.e2e.written import a_pair, call, write
from tests.serving import Served

KEY = "AKIAIOSFODNN7EXAMPLE"
MARK = "[redacted: AWS access key]"


def test_text_about_the_user_is_in_view_and_a_secret_is_replaced(
    page: Page, server: Served, peer: Peer, prefer: Callable[..., None]
) -> None:
    prefer()
    (conversation,) = write(server, {"model": "peer:small", "pairs": [a_pair("Hello", f"Use {KEY}.")]})
    visit_settings(page, "privacy")
    privacy = page.get_by_role("group", name="Text about you, and redaction")
    privacy.get_by_label("About you: your name").fill("I am Ada.")
    privacy.get_by_role("button", name="Save").click()
    expect(privacy.get_by_role("status")).to_have_text("Saved. It applies from the next send.")
    privacy.get_by_label("Redact keys, tokens and passwords").click()
    expect(privacy.get_by_label("Redact keys, tokens and passwords")).to_be_checked()
    eventually(lambda: call(server.url, "GET", "/preferences")["redact"])

    screen = Screen(page).go(f"/c/{conversation}")
    card = page.locator(".card.prelude")
    expect(card).to_contain_text("About the person you talk to:\nI am Ada.", use_inner_text=True)
    mark = page.get_by_role("note", name="1 secret redacted")
    expect(mark).to_have_attribute("title", "Redacted whenever this pair is sent: AWS access key in a reply (pair 1).")
    screen.write(f"And {KEY}?")
    expect(page.get_by_text("Redacted before sending: AWS access key.")).to_be_visible()
    arrived = len(peer.bodies)
    screen.composer.press("Enter")
    eventually(lambda: len(peer.bodies) > arrived)

    said = [(message["role"], message["content"]) for message in peer.bodies[-1]["messages"]]
    system, *rest = said
    assert system == ("system", card.locator("p").first.inner_text())
    assert rest == [("user", "Hello"), ("assistant", f"Use {MARK}."), ("user", f"And {MARK}?")]
    expect(page.get_by_role("note", name="2 secrets redacted")).to_be_visible()
    assert call(server.url, "GET", f"/conversations/{conversation}/pairs")["items"][1]["user_text"] == f"And {KEY}?"

    prefer()
    expect(card).to_have_count(0)
    expect(page.get_by_role("note", name="2 secrets redacted")).to_be_visible()
