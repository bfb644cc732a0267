"""Prompts on screen: made, inserted by a slash with their variables, sent only by a person; and a link."""

from __future__ import annotations

from collections.abc import Generator
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.e2e.screen import Screen, eventually, visit
from tests.e2e.written import call
from tests.serving import Served


@pytest.fixture(autouse=True)
def no_prompts_left(server: Served) -> Generator[None]:
    yield
    for prompt in call(server.url, "GET", "/prompts")["items"]:
        call(server.url, "DELETE", f"/prompts/{prompt['id']}")


def test_a_prompt_is_made_by_keys_and_inserted_by_a_slash_with_its_variables(screen: Screen, server: Served) -> None:
    page, box = screen.page, screen.composer
    page.get_by_role("link", name="Prompts").press("Enter")
    expect(page.get_by_text("No prompts yet.")).to_be_visible()
    page.get_by_role("button", name="New prompt").press("Enter")
    form = page.get_by_role("form", name="New prompt")
    expect(form.get_by_label("Name", exact=True)).to_be_focused()
    page.keyboard.type("two words")
    form.get_by_label("Folder").fill("work")
    form.get_by_label("Text").fill("/echo {{greeting=Hello}}, {{name}}!")
    form.get_by_label("Name", exact=True).press("Enter")
    expect(form.get_by_label("Name", exact=True)).to_have_attribute("aria-invalid", "true")
    expect(form.get_by_label("Name", exact=True)).to_be_focused()
    form.get_by_label("Name", exact=True).fill("greet")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="work")).to_be_visible()
    expect(page.get_by_role("listitem").filter(has_text="Asks for: greeting, name")).to_have_count(1)
    expect(page.get_by_role("button", name="New prompt")).to_be_focused()

    screen.go("/")
    box.focus()
    page.keyboard.type("/gre")
    expect(page.get_by_role("listbox", name="Prompts").get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Insert a prompt or a resource")
    expect(dialog.get_by_role("textbox", name="greeting")).to_have_value("Hello")
    dialog.get_by_role("textbox", name="name").fill("Ada {{greeting}}")
    page.keyboard.press("Enter")
    expect(box).to_have_value("/echo Hello, Ada {{greeting}}!")
    expect(box).to_be_focused()
    expect(screen.pairs).to_have_count(0)
    page.keyboard.press("Enter")
    screen.wait_for_reply()
    assert [pair["user_text"] for pair in screen.stored_pairs()] == ["/echo Hello, Ada {{greeting}}!"]

    box.focus()
    page.keyboard.type("/echo as it is")
    page.keyboard.press("Enter")
    screen.wait_for_reply(2)
    expect(screen.last_reply).to_have_text("as it is")

    visit(page, "/prompts")
    page.get_by_role("button", name="Delete greet").press("Enter")
    expect(page.get_by_text("No prompts yet.")).to_be_visible()
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Edit greet")).to_be_visible()
    eventually(lambda: len(call(server.url, "GET", "/prompts")["items"]) == 1)


def test_a_link_fills_in_a_new_conversation_and_sends_nothing(screen: Screen) -> None:
    page, text = screen.page, "/echo one & two\n+ three"

    visit(page, f"/c/new?{urlencode({'prompt': text, 'model': 'offline:demo', 'agent': 'Nobody'})}")
    page.wait_for_url("**/")
    expect(screen.composer).to_have_value(text)
    expect(page.get_by_role("alert").filter(has_text="There is no agent “Nobody” here.")).to_be_visible()
    expect(screen.pairs).to_have_count(0)

    page.reload()
    expect(screen.composer).to_have_value(text)
    screen.composer.press("Enter")
    screen.wait_for_reply()
    assert [pair["user_text"] for pair in screen.stored_pairs()] == [text]
