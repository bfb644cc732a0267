"""The system prompt and the parameters on the page, on a desktop and on a phone, by keyboard alone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.page.test_looks import WIDE, examine
from tests.e2e.people import PHONE
from tests.e2e.screen import Screen, add_to_message, eventually, reload
from tests.e2e.written import call
from tests.serving import Served

SIZES = pytest.mark.parametrize(
    "viewport", [WIDE, pytest.param(PHONE, marks=pytest.mark.exhaustive)], ids=["desk", "phone"]
)
SHOWN = "Parameters of the next send"


def stored(screen: Screen) -> dict[str, Any]:
    origin, conversation = screen.page.url.rsplit("/c/", 1)
    return call(origin, "GET", f"/conversations/{conversation}")


def press_until(page: Page, key: str, name: str) -> None:
    """Press a key until the focus is on the control with that name."""
    for _ in range(60):
        page.keyboard.press(key)
        found = page.evaluate(
            "(document.activeElement.ariaLabel ?? document.activeElement.labels?.[0]?.textContent"
            " ?? document.activeElement.textContent ?? '').trim()"
        )
        if found == name:
            return
    raise AssertionError(f"{key} does not lead to {name!r}")


@SIZES
def test_the_system_prompt_and_the_parameters_are_set(screen: Screen, viewport: Any) -> None:
    screen.page.set_viewport_size(viewport["viewport"])
    screen.start("/echo Hello").wait_for_reply()
    write_the_system_prompt_in_its_card(screen)
    set_parameters_for_a_conversation_and_for_one_send(screen)


def write_the_system_prompt_in_its_card(screen: Screen) -> None:
    page = screen.page
    page.get_by_role("button", name="Add a system prompt").focus()
    page.keyboard.press("Enter")
    area = page.get_by_role("textbox", name="System prompt")
    expect(area).to_be_focused()
    before = page.get_by_role("button", name=re.compile("to be sent now")).inner_text()
    page.keyboard.type("Answer in whole sentences.\nAlways.")
    expect(page.locator(".prompt-size")).to_have_text(re.compile(r"^~\d+ tokens$"))
    examine(page)
    page.keyboard.press("Control+Enter")
    card = page.locator(".prompt-card")
    expect(card).to_contain_text("Answer in whole sentences.")
    expect(page.get_by_role("button", name=re.compile("to be sent now"))).not_to_have_text(before)
    assert stored(screen)["system_prompt"] == "Answer in whole sentences.\nAlways."

    card.get_by_role("button", name="Edit the system prompt").focus()
    page.keyboard.press("Enter")
    expect(area).to_be_focused()
    written = page.locator(".prompt-size").inner_text()
    page.keyboard.type(" Never mind")
    reload(page)  # immediately, before the server has the last letters
    expect(area).to_have_value("Answer in whole sentences.\nAlways. Never mind")
    expect(page.locator(".prompt-size")).to_have_text(re.compile(r"^~\d+ tokens$"))
    expect(page.locator(".prompt-size")).not_to_have_text(written)
    area.focus()
    page.keyboard.press("Escape")
    expect(card).not_to_contain_text("Never mind")
    card.get_by_role("button", name="Remove the system prompt").click()
    expect(page.get_by_role("button", name="Add a system prompt")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(card).to_contain_text("Always.")
    examine(page)


def set_parameters_for_a_conversation_and_for_one_send(screen: Screen) -> None:
    page = screen.page
    add_to_message(page, "Parameters")
    dialog = page.get_by_role("dialog", name="Parameters")
    expect(dialog).to_be_visible()
    examine(page)
    press_until(page, "Tab", "Temperature")
    page.keyboard.type("hot")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_have_text("Not a number. Correct it or leave it empty.")
    expect(dialog.get_by_role("textbox", name="Temperature")).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("0.2")
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    shown = page.get_by_role("list", name=SHOWN).get_by_role("listitem")
    expect(shown).to_have_text(["temperature 0.2 for this conversation"])
    eventually(lambda: stored(screen)["parameters"]["temperature"] == 0.2)

    page.get_by_role("button", name="Parameters: temperature 0.2").click()
    dialog.get_by_role("button", name="Next send").click()
    expect(dialog.get_by_role("button", name="Next send")).to_have_attribute("aria-pressed", "true")
    dialog.get_by_role("textbox", name="Seed").fill("7")
    dialog.get_by_role("combobox", name="Effort").select_option("high")
    dialog.get_by_role("button", name="Save").click()
    expect(shown).to_have_count(3)
    page.get_by_role("button", name="Remove effort high from this send").focus()
    page.keyboard.press("Enter")
    expect(shown).to_have_text(["temperature 0.2 for this conversation", re.compile("^seed 7 for this send")])
    examine(page)

    screen.send("/echo Again").wait_for_reply(2)
    expect(shown).to_have_text(["temperature 0.2 for this conversation"])
    expect(screen.pairs.nth(1).locator(".asked")).to_have_text("temperature 0.2, seed 7")
    assert [pair["parameters"]["seed"] for pair in screen.stored_pairs()] == [None, 7]
    page.keyboard.press("Escape")
    page.keyboard.press("Control+z")  # its button is visible for some seconds
    expect(page.get_by_role("list", name=SHOWN)).to_have_count(0)


@pytest.mark.exhaustive
def test_parameter_that_a_model_rejects_is_shown_before_the_send(screen: Screen, server: Served) -> None:
    page = screen.page
    made = call(server.url, "POST", "/conversations", {"model": "offline:demo", "parameters": {"seed": 4}})
    screen.go(f"/c/{made['id']}")
    shown = page.get_by_role("list", name=SHOWN)
    expect(shown).to_contain_text("seed 4 for this conversation")
    page.get_by_role("button", name="Parameters: seed 4").click()
    dialog = page.get_by_role("dialog", name="Parameters")
    dialog.get_by_role("button", name="Next send").click()
    expect(dialog.get_by_role("textbox", name="Seed")).to_have_attribute("placeholder", "Conversation: 4")
    dialog.get_by_role("textbox", name="Seed").fill("7")
    dialog.get_by_role("button", name="Save").click()
    expect(shown).to_contain_text("seed 7 for this send")
    screen.write("Hello")

    call(server.url, "PATCH", f"/conversations/{made['id']}", {"model": "anthropic:claude-sonnet-4-5"})
    reload(page)
    expect(shown.get_by_role("status")).to_have_text(
        "Anthropic does not support a seed. Remove it, or choose another model."
    )
    examine(page)
    screen.composer.press("Enter")
    said = "Anthropic does not support a seed. Leave it out, or choose another model."
    expect(page.get_by_role("form", name="Message").get_by_role("status").first).to_have_text(said)
    expect(screen.composer).to_have_value("Hello")
    page.get_by_role("button", name="Remove seed 7 from this send").click()
    expect(shown.get_by_role("status")).to_have_text("Anthropic does not support a seed: it is left out.")
    page.get_by_role("button", name="Parameters: seed 4").click()
    expect(dialog.get_by_role("textbox", name="Temperature")).to_be_visible()
    expect(dialog.get_by_role("textbox", name="Seed")).to_have_count(0)
    expect(dialog).to_contain_text("does not support seed.")
