"""Prompts and resources of a real MCP server put into a message by keyboard: as text, visible before it is sent."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.figures import tokens
from tests.e2e.screen import Screen, add_to_message, eventually
from tests.e2e.written import call
from tests.serving import Served
from tests.tools.servers import everything, needs_npm

pytestmark = [needs_npm, pytest.mark.usefixtures("lab")]
ARCHITECTURE = "demo://resource/static/document/architecture.md"


@contextmanager
def a_lab(server: Served) -> Generator[None]:
    """Add a server with prompts and resources, called lab. Remove it after the test."""
    way = everything()
    body = {"name": "lab", "kind": "stdio", "command": way.command, "arguments": list(way.arguments)}
    made = call(server.url, "POST", "/mcp-servers", body)
    assert call(server.url, "POST", f"/mcp-servers/{made['id']}/test")["health"] == "ready"
    yield
    call(server.url, "DELETE", f"/mcp-servers/{made['id']}")


@pytest.fixture(scope="module")
def lab(server: Served) -> Generator[None]:
    with a_lab(server):
        yield


def dialog_of(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Insert from a server")


def test_prompt_is_chosen_after_a_slash_filled_in_and_comes_into_the_box(screen: Screen) -> None:
    page, box = screen.page, screen.composer
    prompts = page.get_by_role("listbox", name="Server prompts")

    box.focus()
    page.keyboard.type("/")
    expect(prompts.get_by_role("option")).to_have_count(4)
    page.keyboard.press("Escape")
    expect(prompts).to_be_hidden()
    expect(box).to_be_focused()
    page.keyboard.press("Backspace")
    page.keyboard.type("/")
    expect(prompts).to_be_visible()
    page.keyboard.type("arg")
    expect(prompts.get_by_role("option")).to_have_text([re.compile("^/args-prompt")])
    page.keyboard.press("Enter")

    city = dialog_of(page).get_by_role("textbox", name="city")
    expect(city).to_be_focused()
    page.keyboard.press("Enter")
    expect(city).to_have_accessible_description("Fill in this field.")
    page.keyboard.type("Ulm")
    page.keyboard.press("Enter")
    expect(box).to_have_value("What's weather in Ulm?")
    expect(box).to_be_focused()
    page.keyboard.press("Control+Z")
    expect(box).to_have_value("/arg")

    page.keyboard.press("Control+A")
    page.keyboard.press("Backspace")
    page.keyboard.type("/")
    expect(prompts).to_be_visible()
    page.keyboard.type("echo Hello")
    expect(prompts).to_be_hidden()
    page.keyboard.press("Enter")
    screen.wait_for_reply()
    expect(screen.last_reply).to_have_text("Hello")


@pytest.mark.exhaustive
def test_resources_are_inserted_with_their_source_and_sent_unchanged(screen: Screen) -> None:
    page, box = screen.page, screen.composer
    dialog = dialog_of(page)

    screen.start("/echo Hello").wait_for_reply()
    box.fill("Read this:")
    before = tokens(page)
    add_to_message(page, "Insert from a server")
    expect(dialog.get_by_role("option").first).to_be_visible()
    page.keyboard.type("lab dynamic text")
    page.keyboard.press("Enter")
    number = dialog.get_by_role("textbox", name="resourceId")
    expect(number).to_be_focused()
    page.keyboard.type("tea")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text('demo://resource/dynamic/text/tea of "lab" was refused')
    expect(box).to_have_value("Read this:")
    number.fill("7")
    number.press("Enter")
    first = 'Read this:\n\nFrom the server "lab", demo://resource/dynamic/text/7:\n\n```\nResource 7: '
    expect(box).to_have_value(re.compile(f"^{re.escape(first)}.*\n```$"))

    add_to_message(page, "Insert from a server")
    expect(dialog.get_by_role("option").first).to_be_visible()
    page.keyboard.type("architecture")
    page.keyboard.press("Enter")
    second = f'```\n\nFrom the server "lab", {ARCHITECTURE}:\n\n```markdown\n# '
    expect(box).to_have_value(re.compile(re.escape(second)))
    expect(box).to_be_focused()
    eventually(lambda: tokens(page) >= before + 200)
    written = box.input_value()

    page.keyboard.press("Enter")
    screen.wait_for_reply(2)
    assert [pair["user_text"] for pair in screen.stored_pairs()] == ["/echo Hello", written]


@pytest.mark.exhaustive
def test_focus_goes_where_the_next_key_belongs_and_back_to_where_it_was(screen: Screen) -> None:
    page = screen.page
    dialog = dialog_of(page)
    search = dialog.get_by_role("combobox", name="Search prompts and resources")

    add_to_message(page, "Insert from a server")
    expect(search).to_be_focused()
    expect(dialog.get_by_role("option").first).to_be_visible()
    page.keyboard.type("args")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("textbox", name="city")).to_be_focused()
    dialog.get_by_role("button", name="Back").press("Enter")
    expect(search).to_be_focused()
    expect(search).to_have_value("")
    page.keyboard.type("dynamic text")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("textbox", name="resourceId")).to_be_focused()
    page.keyboard.type("tea")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("button", name="Try again")).to_be_focused()
    expect(dialog.get_by_role("textbox", name="resourceId")).to_have_value("tea")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name="Add to the message")).to_be_focused()

    screen.composer.focus()
    page.keyboard.type("/")
    prompts = page.get_by_role("listbox", name="Server prompts")
    prompts.get_by_role("option").nth(1).click()
    expect(dialog.get_by_role("textbox", name="city")).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(screen.composer).to_be_focused()
    expect(screen.composer).to_have_value("/")
