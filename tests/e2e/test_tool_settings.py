"""Settings → Tools: a real server is added, seen with its tools, read, switched off and deleted."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Generator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.screen import eventually, reload, visit
from tests.e2e.written import call
from tests.serving import ROOT, Served


@pytest.fixture
def protected(request: pytest.FixtureRequest) -> Generator[str]:
    """The address of a server that wants somebody to sign in. A test may say how it is: see `Protected`."""
    command = [sys.executable, "-m", "tests.tools.protected", json.dumps(getattr(request, "param", {}))]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


def test_server_is_added_tried_switched_off_and_deleted(page: Page, server: Served) -> None:
    visit(page, "/settings#tools")
    expect(page.get_by_role("heading", name="Tools", exact=True)).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollHeight - innerHeight") == 0, "the frame can be shifted"
    expect(page.get_by_text("No MCP server yet")).to_be_visible()
    form = page.get_by_role("form", name="Add an MCP server")

    form.get_by_label("Program on this machine").click()
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
    expect(card.get_by_role("status")).to_have_text("It works: 2 tools.")
    card.get_by_text("Tools (2)").click()
    expect(card).to_contain_text("get_current_time(timezone)")
    expect(card).to_contain_text("Environment: TOKEN (values are stored encrypted)")
    expect(page.get_by_text("sk-secret-here")).to_have_count(0)
    card.get_by_role("button", name="Log").click()
    expect(card.get_by_role("list", name="Log")).to_contain_text("Connected: 2 tools.")

    card.get_by_label("Switched on").click()
    expect(card.locator("summary").first).to_contain_text("Off")
    assert [one["health"] for one in call(server.url, "GET", "/mcp-servers")["items"]] == ["off"]
    card.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog", name="Delete this server?").get_by_role("button", name="Delete server").click()
    expect(page.get_by_text("No MCP server yet")).to_be_visible()
    assert call(server.url, "GET", "/mcp-servers")["items"] == []


def test_server_is_signed_in_to_in_another_tab_and_out_again(page: Page, server: Served, protected: str) -> None:
    body = {"name": "calendar", "kind": "http", "url": protected, "allow_private": True}
    made = call(server.url, "POST", "/mcp-servers", body)
    visit(page, "/settings#tools")
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


@pytest.mark.exhaustive
def test_client_registered_by_hand_is_entered_with_its_secret_and_shown_without(
    page: Page, server: Served, protected: str
) -> None:
    visit(page, "/settings#tools")
    form = page.get_by_role("form", name="Add an MCP server")
    form.get_by_label("Name", exact=True).fill("by-hand")
    form.get_by_label("Address", exact=True).fill(protected)
    form.get_by_label("It is on this machine").check()
    form.get_by_text("Signing in with a client you registered yourself").click()
    expect(form.locator(".mcp-client")).to_contain_text(f"{server.url}/api/v1/mcp-servers/oauth/callback")
    form.get_by_label("Client ID").fill("inview")
    form.get_by_label("Client secret").fill("a-secret-of-ours")
    form.get_by_role("button", name="Add").click()

    card = page.get_by_role("list", name="MCP servers").get_by_role("listitem").filter(has_text="by-hand")
    card.locator("summary").first.click()
    expect(card).to_contain_text("Client inview (its secret is stored encrypted)")
    expect(card.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    (made,) = [one for one in call(server.url, "GET", "/mcp-servers")["items"] if one["name"] == "by-hand"]
    assert (made["client_id"], made["has_client_secret"]) == ("inview", True)
    assert "a-secret-of-ours" not in page.content()
    call(server.url, "DELETE", f"/mcp-servers/{made['id']}")


@pytest.mark.parametrize("protected", [{"denies": True}], indirect=True)
@pytest.mark.exhaustive
def test_denied_sign_in_leaves_nothing_to_be_waited_for(page: Page, server: Served, protected: str) -> None:
    body = {"name": "calendar", "kind": "http", "url": protected, "allow_private": True}
    made = call(server.url, "POST", "/mcp-servers", body)
    visit(page, "/settings#tools")
    card = page.get_by_role("list", name="MCP servers").get_by_role("listitem").first
    expect(card.locator("summary").first).to_contain_text("Sign-in needed")
    card.locator("summary").first.click()

    with page.expect_popup() as opened:
        card.get_by_role("button", name="Sign in", exact=True).click()
    expect(opened.value.get_by_role("heading", name="Not signed in to “calendar”")).to_be_visible()

    expect(card.get_by_role("alert")).to_have_text("Nobody is signed in. Access was denied.")
    expect(card.get_by_role("status")).to_have_text("")
    expect(card.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    call(server.url, "DELETE", f"/mcp-servers/{made['id']}")


@pytest.mark.parametrize("protected", [{"recognises": False, "renews": False}], indirect=True)
@pytest.mark.exhaustive
def test_what_is_wrong_with_a_server_is_said_once(page: Page, server: Served, protected: str) -> None:
    body = {"name": "weather", "kind": "http", "url": protected, "allow_private": True}
    made = call(server.url, "POST", "/mcp-servers", body)
    page.goto(call(server.url, "POST", f"/mcp-servers/{made['id']}/sign-in")["url"])
    expect(page.get_by_role("heading", name="Signed in to “weather”")).to_be_visible()
    visit(page, "/settings#tools")
    card = page.get_by_role("list", name="MCP servers").get_by_role("listitem").first
    card.locator("summary").first.click()
    card.get_by_role("button", name="Test").click()

    expect(card.get_by_role("status")).to_have_text("Sign-in needed.")
    expect(card.get_by_role("alert")).to_have_text("It wants somebody to sign in.")
    call(server.url, "DELETE", f"/mcp-servers/{made['id']}")


@pytest.mark.parametrize("protected", [{"seconds": 8, "renews": False}], indirect=True)
@pytest.mark.exhaustive
def test_sign_in_that_holds_no_more_is_not_said_to_hold(page: Page, server: Served, protected: str) -> None:
    body = {"name": "tides", "kind": "http", "url": protected, "allow_private": True}
    made = call(server.url, "POST", "/mcp-servers", body)
    page.goto(call(server.url, "POST", f"/mcp-servers/{made['id']}/sign-in")["url"])
    expect(page.get_by_role("heading", name="Signed in to “tides”")).to_be_visible()
    visit(page, "/settings#tools")
    card = page.get_by_role("list", name="MCP servers").get_by_role("listitem").first
    card.locator("summary").first.click()
    eventually(lambda: call(server.url, "POST", f"/mcp-servers/{made['id']}/test")["health"] == "sign_in")
    card.get_by_role("button", name="Test").click()

    expect(card).to_contain_text("Session expired")
    expect(card).not_to_contain_text("Signed in (")
    call(server.url, "DELETE", f"/mcp-servers/{made['id']}")


@pytest.mark.exhaustive
def test_built_in_tool_is_told_of_once_it_is_switched_on(
    page: Page, server: Served, prefer: Callable[..., None]
) -> None:
    prefer()
    visit(page, "/settings")
    built_in = page.get_by_role("group", name="Built in")
    expect(built_in.get_by_role("checkbox")).to_have_count(4)

    built_in.get_by_label("Current time").click()

    expect(built_in.get_by_role("status")).to_have_text("Saved.")
    assert call(server.url, "GET", "/preferences")["built_in_tools"] == ["current_time"]
    reload(page)
    expect(built_in.get_by_label("Current time")).to_be_checked()
    built_in.get_by_label("Current time").click()
    eventually(lambda: call(server.url, "GET", "/preferences")["built_in_tools"] == [])


@pytest.mark.exhaustive
def test_what_is_refused_is_said(page: Page) -> None:
    visit(page, "/settings")
    form = page.get_by_role("form", name="Add an MCP server")

    form.get_by_label("Name", exact=True).fill("two__words")
    form.get_by_label("Address", exact=True).fill("https://example.invalid/mcp")
    form.get_by_role("button", name="Add").click()

    expect(form.get_by_role("status")).to_contain_text("name")
