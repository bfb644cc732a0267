"""Structured replies on the page: a schema in the composer, the reply as a table, its errors, and a repair."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.screen import Screen, add_to_message, reload

PHONE = {"width": 390, "height": 844}
SCHEMA = "JSON schema of the reply"
SET = f"{SCHEMA}: set"


def use_schema(page: Page) -> None:
    """Require the schema of a list for the next reply."""
    add_to_message(page, SCHEMA)
    dialog = page.get_by_role("dialog", name=SCHEMA)
    dialog.get_by_role("button", name="List").click()
    expect(dialog.get_by_label("Schema")).to_have_value(re.compile("items"))  # the text moves the button below it
    dialog.get_by_role("button", name="Use").click()
    expect(page.get_by_role("button", name=SET)).to_be_visible()


@pytest.mark.parametrize("viewport", [None, pytest.param(PHONE, marks=pytest.mark.exhaustive)], ids=["desk", "phone"])
def test_a_schema_a_table_its_faults_and_a_repair(screen: Screen, viewport: dict[str, int] | None) -> None:
    page = screen.page
    if viewport:
        page.set_viewport_size(viewport)  # pyright: ignore[reportArgumentType] - its own TypedDict by another name
    add_to_message(page, SCHEMA)
    dialog = page.get_by_role("dialog", name=SCHEMA)
    box = dialog.get_by_role("textbox", name="Schema")
    box.fill('{"type": "nothing"}')
    dialog.get_by_role("button", name="Use").click()
    expect(dialog.get_by_role("alert")).to_contain_text("schema.type: 'nothing' is not valid")
    dialog.get_by_role("button", name="Table").click()
    expect(box).to_have_value(re.compile("rows"))
    page.keyboard.press("Control+Enter")
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name=SET)).to_be_visible()

    screen.start("Who works here?").wait_for_reply()
    first = screen.pairs.first.get_by_role("region", name="Structured reply")
    expect(first.get_by_role("status")).to_have_text("Matches the schema")
    expect(first.get_by_role("columnheader")).to_have_text(["name", "role"])
    expect(first.get_by_role("cell").first).to_have_text("name 1")
    first.get_by_role("button", name="Source").click()
    expect(first.locator(".md")).to_contain_text('"rows"')
    expect(page.get_by_role("button", name=SET)).to_have_count(0)

    use_schema(page)
    screen.write('/echo {"items": ["one", 2]}')
    reload(page)
    expect(page.get_by_role("button", name=SET)).to_be_visible()
    expect(screen.composer).to_have_value('/echo {"items": ["one", 2]}')
    screen.composer.press("Enter")
    screen.wait_for_reply(2)
    second = screen.pairs.nth(1).get_by_role("region", name="Structured reply")
    expect(second.get_by_role("status")).to_have_text("Does not match: 1 error")
    expect(second.get_by_role("list", name="Schema errors")).to_have_text("$.items[1] 2 is not of type 'string'")

    second.get_by_role("button", name="Ask for a correction…").click()
    expect(screen.composer).to_have_value(re.compile(r"\$\.items\[1\]: 2 is not of type 'string'"))
    screen.composer.press("Enter")
    screen.wait_for_reply(3)
    third = screen.pairs.nth(2).get_by_role("region", name="Structured reply")
    expect(third.get_by_role("status")).to_have_text("Matches the schema")
    assert [pair["structured"] for pair in screen.stored_pairs()] == [True, True, True]
