"""Settings → API tokens in a browser: one is made, its text is shown once and works, and it is revoked."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.e2e.screen import reload, visit
from tests.serving import Served


def test_token_is_made_used_and_revoked(page: Page, server: Served) -> None:
    visit(page, "/settings")
    form = page.get_by_role("form", name="Make a token")
    form.get_by_label("Name").fill("nightly")
    form.get_by_role("checkbox", name=re.compile("^read")).check()
    form.get_by_label("Valid for").select_option("No end")

    form.get_by_role("button", name="Make a token").click()

    made = page.get_by_role("group", name="The new token").locator("code")
    expect(made).to_have_text(re.compile("^inv_"))
    header = {"Authorization": f"Bearer {made.inner_text()}"}
    assert server.get("/api/v1/conversations", **header).status == 200
    assert server.get("/v1/models", **header).status == 403
    reload(page)
    row = page.get_by_role("listitem").filter(has_text="nightly")
    expect(row).to_contain_text("Does not expire")
    expect(made).to_have_count(0)

    row.get_by_role("button", name="Revoke nightly").click()
    row.get_by_role("button", name="Cancel").click()
    row.get_by_role("button", name="Revoke nightly").click()
    row.get_by_role("button", name="Revoke", exact=True).click()

    expect(page.get_by_text("Revoked “nightly”")).to_be_visible()
    expect(row).to_have_count(0)
    assert server.get("/api/v1/conversations", **header).status == 401
