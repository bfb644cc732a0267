"""Settings → People in a browser: budgets and models of roles are set with the keyboard, and nothing fails axe."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.e2e.axe import axe_findings
from tests.e2e.test_accounts import demanding, first_link, take_link
from tests.serving import Served

__all__ = ["demanding"]


def test_an_owner_sets_a_budget_and_models(demanding: Served, browser: Browser, tmp_path: Path) -> None:
    with browser.new_context(base_url=demanding.url) as context:
        page = context.new_page()
        take_link(page, first_link(demanding), "Ann")
        page.goto("/settings#people")
        part = page.get_by_role("region", name="What people may use")
        part.get_by_role("combobox", name="For", exact=True).select_option(label="Each member")
        part.get_by_label("Amount in US dollars").fill("10")
        part.get_by_label("Amount in US dollars").press("Enter")
        expect(part.get_by_role("listitem")).to_contain_text("Each member")
        models = part.get_by_role("textbox", name="Each member")
        models.fill("anthropic:*")
        part.get_by_role("button", name="Save the models: Each member").press("Enter")
        expect(part.get_by_role("status")).to_have_text("Saved. It applies from the next send on.")
        page.reload()
        expect(models).to_have_value("anthropic:*")
        assert axe_findings(page) == []
        for scheme in ("light", "dark"):
            for width, height in ((1440, 900), (390, 844)):
                page.emulate_media(color_scheme=scheme)
                page.set_viewport_size({"width": width, "height": height})
                part.scroll_into_view_if_needed()
                page.screenshot(path=tmp_path / f"{scheme}-{width}.png")
        with page.expect_download() as download:
            page.get_by_role("button", name="Export everything").click()
        assert download.value.suggested_filename.endswith(".zip")
        page.goto("/agents")
        expect(page.get_by_role("button", name="New agent")).to_be_visible()
