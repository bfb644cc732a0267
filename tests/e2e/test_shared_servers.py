"""Two people in two browsers: one shares a tool server, the other switches it on and loses it again."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.e2e.axe import axe_findings
from tests.e2e.screen import reload, visit
from tests.e2e.test_accounts import demanding, first_link, take_link
from tests.e2e.test_grants import photograph
from tests.serving import Served

__all__ = ["demanding"]


def test_a_tool_server_is_shared_used_and_taken_back(demanding: Served, browser: Browser, tmp_path: Path) -> None:
    with browser.new_context(base_url=demanding.url) as anns, browser.new_context(base_url=demanding.url) as bens:
        ann, ben = anns.new_page(), bens.new_page()
        take_link(ann, first_link(demanding), "Ann")
        visit(ann, "/settings#people")
        ann.get_by_label("Role of the new person").select_option("Member")
        ann.get_by_role("button", name="Make an invitation").click()
        link = ann.get_by_role("group", name="One-time link").get_by_role("code")
        expect(link).to_contain_text("/welcome?key=")
        take_link(ben, link.inner_text(), "Ben")

        visit(ann, "/settings#tools")
        form = ann.get_by_role("form", name="Add an MCP server")
        form.get_by_label("Name", exact=True).fill("notes")
        form.get_by_label("Address", exact=True).fill("http://203.0.113.1/mcp")
        form.get_by_role("button", name="Add").click()
        row = ann.get_by_role("list", name="MCP servers").get_by_role("listitem").first
        row.locator("summary").first.click()
        row.get_by_role("button", name="Share “notes” with everybody here").click()
        dialog = ann.get_by_role("dialog", name="Share this server?")
        expect(dialog).to_contain_text("Nobody sees these")
        assert axe_findings(ann) == []
        photograph(ann, tmp_path, "dialog")
        dialog.get_by_role("button", name="Share server").click()
        expect(row).to_contain_text("Shared with everybody here")
        row.scroll_into_view_if_needed()
        photograph(ann, tmp_path, "owner")

        visit(ben, "/settings#tools")
        lent = ben.get_by_role("list", name="Shared with you").get_by_role("listitem").first
        expect(lent).to_contain_text("Shared by Ann")
        lent.locator("summary").first.click()
        lent.get_by_label("Offer its tools to models").click()
        expect(lent.get_by_label("Offer its tools to models")).to_be_checked()
        expect(ben.get_by_role("status").filter(has_text="Saved").first).to_be_visible()
        expect(ben.get_by_text("203.0.113.1")).to_have_count(0)
        assert axe_findings(ben) == []
        lent.scroll_into_view_if_needed()
        photograph(ben, tmp_path, "shared")

        row.get_by_role("button", name="Stop sharing “notes”").click()
        expect(row).not_to_contain_text("Shared with everybody here")
        reload(ben)
        expect(ben.get_by_text("No MCP server yet")).to_be_visible()
        expect(ben.get_by_role("list", name="Shared with you")).to_have_count(0)
