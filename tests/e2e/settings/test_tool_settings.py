"""Settings → Tools: a real server is added, shown with its tools, opened, switched off and deleted."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.screen import visit_settings
from tests.e2e.written import call
from tests.serving import ROOT, Served


@pytest.fixture
def protected() -> Generator[str]:
    """Serve an MCP server that requires a sign-in, and yield its address."""
    command = [sys.executable, "-m", "tests.tools.protected", "{}"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


def test_server_is_added_tried_and_deleted_and_another_is_signed_in_to_and_out_again(
    page: Page, server: Served, protected: str
) -> None:
    server_is_added_tried_switched_off_and_deleted(page, server)
    server_is_signed_in_to_in_another_tab_and_out_again(page, server, protected)


def server_is_added_tried_switched_off_and_deleted(page: Page, server: Served) -> None:
    visit_settings(page, "tools")
    expect(page.get_by_role("heading", name="Tools", exact=True)).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollHeight - innerHeight") == 0, "the frame can be shifted"
    expect(page.get_by_text("No MCP servers yet")).to_be_visible()
    form = page.get_by_role("form", name="Add an MCP server")

    form.get_by_label("Program on this machine").click()
    expect(form.get_by_label("Command")).to_be_visible()
    form.get_by_label("Name", exact=True).fill("time")
    form.get_by_label("Command").fill(f'"{sys.executable}" -m mcp_server_time')
    form.get_by_label("Environment variables").fill("TOKEN=sk-secret-here")
    form.get_by_label("Environment variables").press("Tab")
    page.keyboard.press("Enter")
    expect(form.get_by_role("status")).to_have_text("Added time.")

    card = page.get_by_role("list", name="MCP servers").get_by_role("listitem").first
    card.locator("summary").first.click()
    expect(card).to_contain_text("Connected · 2 tools")
    card.get_by_role("button", name="Test").click()
    expect(card.get_by_role("status")).to_have_text("Connected: 2 tools.")
    card.get_by_text("Tools (2)").click()
    expect(card).to_contain_text("get_current_time(timezone)")
    expect(card).to_contain_text("Environment: TOKEN (values are stored encrypted)")
    expect(page.get_by_text("sk-secret-here")).to_have_count(0)
    card.get_by_role("button", name="Log").click()
    expect(card.get_by_role("list", name="Log")).to_contain_text("Connected: 2 tools.")

    card.get_by_label("Enabled").click()
    expect(card.locator("summary").first).to_contain_text("Off")
    assert [one["health"] for one in call(server.url, "GET", "/mcp-servers")["items"]] == ["off"]
    card.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog", name="Delete this server?").get_by_role("button", name="Delete server").click()
    expect(page.get_by_text("No MCP servers yet")).to_be_visible()
    assert call(server.url, "GET", "/mcp-servers")["items"] == []


def server_is_signed_in_to_in_another_tab_and_out_again(page: Page, server: Served, protected: str) -> None:
    body = {"name": "calendar", "kind": "http", "url": protected, "allow_private": True}
    made = call(server.url, "POST", "/mcp-servers", body)
    card = page.get_by_role("list", name="MCP servers").get_by_role("listitem").first
    expect(card.locator("summary").first).to_contain_text("Sign-in needed")
    card.locator("summary").first.click()

    with page.expect_popup() as opened:
        card.get_by_role("button", name="Sign in", exact=True).click()
    expect(opened.value.get_by_role("heading", name="Signed in to “calendar”")).to_be_visible()
    expect(card.locator("summary").first).to_contain_text("Connected · 1 tool")
    expect(card).to_contain_text("Signed in (its tokens are stored encrypted)")

    card.get_by_role("button", name="Sign out").click()
    expect(card.locator("summary").first).to_contain_text("Sign-in needed")
    expect(card.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    call(server.url, "DELETE", f"/mcp-servers/{made['id']}")
