"""The status page in a browser: figures, the check of the database, and model servers that are asked on a button."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.e2e.screen import Screen, visit


def test_status_is_shown_checked_and_asked(screen: Screen) -> None:
    screen.start("/echo one").wait_for_reply()
    visit(screen.page, "/status")
    page = screen.page

    expect(page.get_by_role("heading", name="Status", level=1)).to_be_visible()
    expect(page.get_by_text("Replies that run")).to_be_visible()
    expect(page.get_by_text("Not checked")).to_be_visible()

    page.get_by_role("button", name="Check the database").click()
    expect(page.get_by_text("Whole", exact=True)).to_be_visible()

    page.get_by_role("button", name="Ask whether they answer").click()
    expect(page.get_by_text("Asking…")).to_have_count(0)
    expect(page.get_by_text("No model server is set up").or_(page.locator("main li").first)).to_be_visible()


def test_palette_leads_to_the_status(screen: Screen) -> None:
    screen.page.keyboard.press("Control+k")
    screen.page.keyboard.type("status")
    screen.page.get_by_role("dialog").get_by_role("option", name="Status").first.click()

    expect(screen.page.get_by_role("heading", name="Status", level=1)).to_be_visible()
