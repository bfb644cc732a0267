"""The page in other languages: by the browser, by choice, and without any text of another one."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from tests.serving import Served


def test_a_german_browser_gets_a_german_page_until_another_language_is_chosen(browser: Browser, server: Served) -> None:
    context = browser.new_context(base_url=server.url, locale="de-DE")
    faults: list[str] = []
    context.on("weberror", lambda fault: faults.append(str(fault.error)))
    try:
        page = context.new_page()
        page.goto("/trash")
        expect(page.locator("html")).to_have_attribute("lang", "de")
        expect(page).to_have_title("Papierkorb · Inview")
        expect(page.get_by_text("Der Papierkorb ist leer.").or_(page.locator(".trash-list"))).to_be_visible()

        page.goto("/settings")
        page.get_by_role("radio", name="Español").click()
        expect(page.locator("html")).to_have_attribute("lang", "es")
        expect(page.get_by_role("radio", name="Español")).to_be_checked()
        expect(page.get_by_role("heading", name="Apariencia")).to_be_visible()

        page.get_by_role("radio", name="Sistema").last.click()
        expect(page.locator("html")).to_have_attribute("lang", "de")
        assert faults == []
    finally:
        context.close()
