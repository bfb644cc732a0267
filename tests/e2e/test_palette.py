"""The palette in a browser: opened by key, walked by arrows, its rows are links and commands."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.e2e.screen import ANY_CONVERSATION, Screen
from tests.e2e.written import call
from tests.serving import Served


def field(screen: Screen) -> Locator:
    return screen.page.get_by_role("combobox", name="Search and commands")


def options(screen: Screen) -> Locator:
    return screen.page.get_by_role("listbox", name="Found").get_by_role("option")


def test_words_lead_to_their_pair_far_up_in_a_long_conversation(screen: Screen, server: Served) -> None:
    texts = [f"Answer {at}" if at != 20 else "Where the quetzal sleeps" for at in range(300)]
    pairs = [{"user_text": "Go on", "reply_text": text, "model": "offline:demo"} for text in texts]
    call(server.url, "POST", "/import", {"title": "Long", "model": "offline:demo", "pairs": pairs})
    screen.go("/").composer.press("Control+k")
    expect(field(screen)).to_be_focused()

    field(screen).press_sequentially("the quetz")
    field(screen).press("Enter")  # at once: it waits for the rows of what was typed

    screen.page.wait_for_url("**/c/*?at=21")
    expect(screen.page.get_by_role("dialog")).to_have_count(0)
    found = screen.page.get_by_text("Where the quetzal sleeps")
    expect(found).to_be_in_viewport()
    screen.page.keyboard.press("Escape")  # to VIEW
    expect(screen.page.locator("article:focus-within, article:focus").filter(has=found)).to_have_count(1)


def test_arrows_choose_escape_leaves_and_a_command_is_done(screen: Screen) -> None:
    screen.start("/echo pelican").wait_for_reply()
    screen.page.keyboard.press("Escape")
    screen.page.keyboard.press("Control+k")
    expect(options(screen).first).to_have_attribute("aria-selected", "true")
    field(screen).press("ArrowDown")
    expect(options(screen).nth(1)).to_have_attribute("aria-selected", "true")
    field(screen).press("Escape")
    expect(field(screen)).to_have_count(0)

    screen.page.keyboard.press("Control+k")
    field(screen).fill("preview")
    expect(options(screen).first).to_contain_text("Preview the request")
    field(screen).press("Enter")

    expect(screen.page.get_by_role("tab", name="Preview")).to_have_attribute("aria-selected", "true")
    assert re.match(r"/c/", screen.path)


def test_rows_are_links_that_open_in_a_new_tab(screen: Screen) -> None:
    screen.start("/echo the secret ibis").wait_for_reply()
    screen.go("/").page.get_by_role("button", name="Search and commands").click()
    field(screen).fill("secret ibis")
    found = options(screen).filter(has_text="the secret ibis")
    expect(found.locator("mark").first).to_have_text("secret")

    with screen.page.context.expect_page() as opened:
        field(screen).press("Control+Enter")

    opened.value.wait_for_url(ANY_CONVERSATION)
    opened.value.close()
