"""Enter and Escape that end the conversion of a Japanese word do nothing else, in any field.

Safari reports such a key after the composition has ended: only its code, 229, identifies it.
"""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.e2e.conversation.test_permissions import SLOW, cards, put_requests
from tests.e2e.screen import Screen, add_to_message, reload
from tests.serving import Served

CONVERT = """(field, key) => {
  field.dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true }));
  field.dispatchEvent(new CompositionEvent("compositionend", { bubbles: true, data: "日本" }));
  field.dispatchEvent(new KeyboardEvent("keydown", { key, keyCode: 229, bubbles: true, cancelable: true }));
}"""


def convert(field: Locator) -> None:
    """Accept a suggestion with Enter, and reject one with Escape."""
    for key in ("Enter", "Escape"):
        field.evaluate(CONVERT, key)


def test_keys_of_a_conversion_do_nothing_in_any_field_and_plain_ones_do(screen: Screen, server: Served) -> None:
    expect(screen.composer).to_be_focused()  # otherwise it takes the focus in the middle of the next steps
    in_the_search_a_schema_and_arguments_of_a_call(screen, server)
    screen.go("/")
    in_the_fields_of_a_conversation(screen)


def in_the_fields_of_a_conversation(screen: Screen) -> None:
    page = screen.page
    screen.start("/echo first").wait_for_reply()

    screen.write("/echo 日本")
    convert(screen.composer)
    expect(screen.composer).to_have_value("/echo 日本")
    expect(screen.composer).to_be_focused()
    screen.composer.press("Enter")
    expect(screen.pairs).to_have_count(2)
    screen.wait_for_reply(2)

    title = page.locator(".title-field")
    title.fill("日本")
    convert(title)
    expect(title).to_be_focused()
    title.press("Enter")
    expect(page).to_have_title("日本 · Inview")

    bar = page.get_by_role("combobox", name="Filter")
    bar.fill("c'日本'")
    convert(bar)
    expect(bar).to_be_focused()
    expect(bar).to_have_value("c'日本'")
    expect(page.locator(".filter-sentence")).to_have_count(0)
    bar.press("Enter")
    expect(page.locator(".filter-sentence")).to_be_visible()
    expect(screen.pairs).to_have_count(1)

    row = page.get_by_role("listitem").filter(has_text="日本").first
    row.hover()
    row.get_by_role("button", name=re.compile("^Rename")).click()
    name = page.get_by_role("textbox", name="Title", exact=True)
    name.fill("東京")
    convert(name)
    expect(name).to_be_focused()
    name.press("Enter")
    expect(page).to_have_title("東京 · Inview")

    page.get_by_role("button", name="Edit and resend").first.click()
    box = page.locator(".edit-form textarea")
    box.fill("/echo 京都")
    convert(box)
    expect(box).to_have_value("/echo 京都")
    expect(box).to_be_focused()
    box.press("Escape")
    expect(box).to_have_count(0)

    page.get_by_role("button", name="Add a system prompt").click()
    prompt = page.get_by_role("textbox", name="System prompt")
    prompt.fill("短く")
    convert(prompt)
    expect(prompt).to_have_value("短く")
    prompt.press("Control+Enter")
    expect(prompt).to_have_count(0)


def in_the_search_a_schema_and_arguments_of_a_call(screen: Screen, server: Served) -> None:
    page = screen.page
    search = page.get_by_role("searchbox", name="Search conversations")
    search.fill("京")
    convert(search)
    expect(search).to_have_value("京")
    expect(search).to_be_focused()
    search.fill("")

    add_to_message(page, "JSON schema of the reply")
    schema = page.get_by_role("textbox", name="Schema")
    schema.fill('{"title": "日本"}')
    convert(schema)
    expect(schema).to_have_value('{"title": "日本"}')
    expect(schema).to_be_focused()
    schema.press("Control+Enter")
    expect(schema).to_have_count(0)

    screen.start(SLOW)
    expect(screen.stop).to_be_visible()
    put_requests(server, screen, "/notes/a")
    reload(page)
    cards(screen).get_by_role("button", name="Edit").click()
    arguments = cards(screen).get_by_role("textbox", name="Arguments, as JSON")
    arguments.fill('{"path": "/日本"}')
    convert(arguments)
    expect(arguments).to_have_value('{"path": "/日本"}')
    expect(arguments).to_be_focused()
    arguments.press("Escape")
    expect(arguments).to_have_count(0)
    expect(cards(screen)).to_have_count(1)
    screen.stop.click()
