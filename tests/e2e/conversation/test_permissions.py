"""Calls that wait for a person, on the page: read, edited, answered, also after a reload; rules are revoked."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

from playwright.sync_api import Locator, expect

from tests.e2e.screen import Screen, eventually, reload, visit_settings
from tests.e2e.written import call
from tests.serving import Served

SLOW = "/long 4000 /rate 1"  # longer than any test, and never higher than the window
SCHEMA = '{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}'


def put_requests(server: Served, screen: Screen, *paths: str) -> list[str]:
    """Store pending requests as the running reply would store them."""
    pair = screen.stored_pairs()[-1]
    at = datetime.now(UTC)
    ids = [f"{pair['id']}-{number}" for number, _ in enumerate(paths)]
    row: dict[str, Any] = {
        "owner": "local",
        "conversation_id": pair["conversation_id"],
        "shown_in": pair["conversation_id"],
        "run_id": pair["run_id"],
        "pair_id": pair["id"],
        "server_id": "files",
        "server_name": "Files",
        "tool_name": "write",
        "name": "files__write",
        "title": "Write",
        "description": "Writes a file.",
        "input_schema_json": SCHEMA,
        "fingerprint": "f1",
        "asked_at": at.strftime("%Y-%m-%d %H:%M:%S.%f"),
        "expires_at": (at + timedelta(minutes=5)).strftime("%Y-%m-%d %H:%M:%S.%f"),
        "standing": "pending",
    }
    data_dir = server.output.with_name(server.output.name.removesuffix("-output.txt"))
    with closing(sqlite3.connect(data_dir / "inview.db", timeout=30)) as database, database:
        for id_, path in zip(ids, paths, strict=True):
            values = {**row, "id": id_, "tool_call_id": id_, "input_json": f'{{"path":"{path}"}}'}
            names = ", ".join(values)
            marks = ", ".join("?" for _ in values)
            database.execute(f"INSERT INTO permission_request ({names}) VALUES ({marks})", list(values.values()))
    return ids


def cards(screen: Screen) -> Locator:
    return screen.page.get_by_role("region", name="Tool calls waiting for permission").locator(".permission")


def test_calls_that_wait_outlive_a_reload_are_edited_answered_and_their_rule_is_revoked(
    screen: Screen, server: Served
) -> None:
    screen.start(SLOW)
    expect(screen.stop).to_be_visible()
    first, second = put_requests(server, screen, "/notes/a", "/notes/*")
    reload(screen.page)

    expect(cards(screen)).to_have_count(2)
    expect(cards(screen).first.get_by_role("alert")).to_contain_text(
        "Files: Write (write) needs your permission. 1 of 2"
    )
    expect(screen.composer).to_be_focused()

    screen.page.set_viewport_size({"width": 320, "height": 256})  # 1280 × 1024 at 400 %
    assert screen.page.locator(".scroll").evaluate("it => it.clientHeight") >= 80
    for place in (screen.stop, screen.pairs.last.locator(".request"), cards(screen).first):
        place.scroll_into_view_if_needed()
        expect(place).to_be_in_viewport(ratio=0.2)
    screen.page.set_viewport_size({"width": 1280, "height": 720})

    one = cards(screen).first
    one.get_by_role("button", name="Edit").click()
    arguments = one.get_by_role("textbox", name="Arguments, as JSON")
    arguments.fill('{"path": ')
    one.get_by_role("button", name="Allow once").click()
    expect(one).to_contain_text("This is not valid JSON")
    arguments.fill('{"path": 3}')
    one.get_by_role("button", name="Allow once").click()
    expect(one).to_contain_text("path: 3 is not of type 'string'")
    arguments.fill('{"path": "/notes/b"}')
    one.get_by_role("button", name="Allow once").focus()
    screen.page.keyboard.press("Enter")
    expect(cards(screen)).to_have_count(1)
    expect(cards(screen).first.get_by_role("button", name="Allow once")).to_be_focused()
    settled = call(server.url, "GET", f"/permissions/{first}")
    assert (settled["standing"], settled["run_input"]) == ("allowed", {"path": "/notes/b"})

    two = cards(screen).first
    two.get_by_role("button", name="Limit to these arguments").click()
    expect(two.get_by_role("textbox", name="path")).to_have_value("/notes/[*]")
    two.get_by_role("textbox", name="path").fill("/notes/*")
    two.get_by_role("button", name="Always allow").click()
    expect(cards(screen)).to_have_count(0)
    assert call(server.url, "GET", f"/permissions/{second}")["standing"] == "allowed"
    screen.stop.click()

    visit_settings(screen.page, "permissions")
    rules = screen.page.get_by_role("list", name="Rules").get_by_role("listitem")
    expect(rules).to_contain_text("path: /notes/*")
    screen.page.get_by_text("All decisions").click()
    expect(screen.page.get_by_role("list", name="Audit trail").get_by_role("listitem").first).to_contain_text(
        "Rule created"
    )
    screen.page.get_by_role("button", name="Revoke Files: Write").click()
    expect(screen.page.get_by_role("group", name="Permissions")).to_contain_text("No rules")
    eventually(lambda: call(server.url, "GET", "/permission-rules")["items"] == [])
