"""The page of the audit trail in a browser: what was just done is there, filters, the check, the export."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.e2e.axe import axe_findings
from tests.e2e.screen import Screen, visit


def test_what_was_done_is_found_checked_and_exported(page: Page) -> None:
    Screen(page).go("/").start("/echo audited").wait_for_reply()
    path = page.url.partition("/c/")[2].partition("?")[0]
    visit(page, "/audit")
    entries = page.get_by_role("list", name="Audit trail").get_by_role("listitem")

    page.get_by_label("Action").select_option("Message sent")

    expect(entries.first).to_contain_text("Message sent")
    expect(entries.filter(has_not_text="Message sent")).to_have_count(0)
    page.get_by_role("button", name="Check the chain").click()
    expect(page.get_by_text("the chain is whole")).to_be_visible()
    assert axe_findings(page) == []
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Export as JSON lines").click()
    lines = [json.loads(line) for line in Path(downloading.value.path()).read_text().splitlines()]
    assert {line["action"] for line in lines} == {"message.sent"}
    assert path in {line["conversation_id"] or line["subject"] for line in lines}
    entries.first.get_by_role("link").click()
    expect(page.get_by_text("audited").first).to_be_visible()
