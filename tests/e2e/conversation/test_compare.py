"""Comparisons on the page: one request to several models side by side; one reply is kept, the others are versions."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.screen import Screen, reload
from tests.e2e.written import call
from tests.serving import Served

LONG = "/long 4000 /rate 25"


def replies(screen: Screen) -> Locator:
    return screen.page.get_by_role("dialog", name="Compared replies")


def column(screen: Screen, model: str) -> Locator:
    return replies(screen).get_by_role("region", name=model)


def choose(screen: Screen, *models: str) -> None:
    """Tick exactly these models in the dialog, by keys alone."""
    choice = screen.page.get_by_role("dialog", name="Compare models")
    boxes = choice.get_by_role("checkbox")
    expect(choice.get_by_role("status")).to_contain_text("chosen")
    for name in boxes.evaluate_all("all => all.filter(box => box.checked).map(box => box.parentElement.innerText)"):
        if not any(model in name for model in models):
            choice.get_by_role("checkbox", name=name).uncheck()
    for model in models:
        box = choice.get_by_role("checkbox", name=re.compile(model))
        box.focus()
        if not box.is_checked():
            screen.page.keyboard.press("Space")
    screen.page.keyboard.press("Enter")
    expect(choice).to_have_count(0)


def test_keys_alone_compare_stop_and_keep(screen: Screen) -> None:
    page = screen.page
    screen.start("/echo before").wait_for_reply()
    screen.write(LONG)
    page.keyboard.press("Alt+Enter")
    choose(screen, "Offline demo", "large")

    demo, large = column(screen, "Offline demo"), column(screen, "large")
    expect(large.get_by_role("status")).to_have_text("Complete")
    expect(large.get_by_role("group")).to_have_text("Heard.")
    expect(large.locator("footer")).to_contain_text("1 earlier pair sent")
    expect(demo.get_by_role("group")).to_have_text(re.compile(r"\w+ \w+ \w+"))
    demo.get_by_role("button", name="Stop Offline demo").focus()
    page.keyboard.press("Enter")
    expect(demo.get_by_role("status")).to_have_text("Stopped")
    expect(demo.locator("footer")).to_contain_text("tokens not reported")
    assert len(screen.stored_pairs()) == 1
    page.keyboard.press("Escape")
    expect(replies(screen)).to_have_count(0)
    expect(page.get_by_role("button", name="Show the replies to choose from")).to_be_in_viewport()
    screen.send("/echo too early")
    expect(page.get_by_text(re.compile("A comparison is open in this conversation"))).to_be_visible()
    expect(screen.composer).to_have_value("/echo too early")
    screen.composer.press("Alt+Enter")
    large.get_by_role("button", name="Keep this reply: large").focus()
    page.keyboard.press("Enter")

    expect(replies(screen)).to_have_count(0)
    expect(screen.pairs).to_have_count(2)
    expect(screen.last_reply).to_have_text("Heard.")
    kept = screen.stored_pairs()[1]
    assert (kept["user_text"], kept["model"], kept["versions"]) == (LONG, "peer:large", 2)
    expect(screen.composer).to_have_value("/echo too early")


def model_menu_ends_in_the_comparison_which_needs_a_message(screen: Screen) -> None:
    page = screen.page
    expect(page.locator(".composer").get_by_role("button", name=re.compile("Compare"))).to_have_count(0)
    models = page.get_by_role("button", name=re.compile("^Model: "))
    compare = page.get_by_role("dialog", name="Model").get_by_role("button", name="Compare models")
    models.click()
    compare.click()
    missing = page.get_by_text("Write a request first.")
    expect(missing).to_be_visible()
    expect(screen.composer).to_be_focused()
    screen.write("/echo one")
    expect(missing).to_have_count(0)
    models.click()
    expect(compare).to_be_enabled()
    page.keyboard.press("Escape")


def test_pointer_compares_in_a_new_conversation_and_every_tab_sees_it(
    screen: Screen, server: Served, another_screen: Callable[[str], Screen]
) -> None:
    model_menu_ends_in_the_comparison_which_needs_a_message(screen)
    page = screen.page
    screen.write(LONG)
    page.get_by_role("button", name=re.compile("^Model: ")).click()
    page.get_by_role("dialog", name="Model").get_by_role("button", name="Compare models").click()
    choose(screen, "Offline demo", "small", "large")
    page.wait_for_url("**/c/*")
    expect(column(screen, "small").get_by_role("status")).to_have_text("Complete")

    row = page.get_by_role("link", name=re.compile("Comparing 3 replies"))
    expect(row).to_contain_text(LONG)
    other = another_screen(screen.path)
    shown_in_the_other = other.page.get_by_role("button", name="Show the replies to choose from")
    expect(shown_in_the_other).to_be_visible()
    expect(replies(other)).to_have_count(0)
    shown_in_the_other.click()
    expect(column(other, "large").get_by_role("group")).to_have_text("Heard.")
    expect(column(other, "Offline demo").get_by_role("group")).to_have_text(re.compile(r"\w+ \w+ \w+"))
    page.bring_to_front()  # a page behind another one paints once a second
    reload(page)
    expect(page.get_by_role("button", name="Show the replies to choose from")).to_be_visible()
    expect(replies(screen)).to_have_count(0)
    expect(page.locator(".request")).to_have_text(LONG)
    expect(page.get_by_text("Sending…")).to_have_count(0)
    page.get_by_role("button", name=re.compile("Comparing 3")).click()
    replies(screen).get_by_role("button", name="Delete all replies").click()
    expect(replies(screen)).to_have_count(0)
    expect(replies(other)).to_have_count(0)
    expect(screen.composer).to_have_value(LONG)

    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name=re.compile("Comparing 3")).click()
    column(screen, "small").get_by_role("button", name="Keep this reply: small").click()
    expect(screen.last_reply).to_have_text("Heard.")
    expect(row).to_have_count(0)
    expect(page).to_have_title(f"{LONG} · Inview")
    expect(other.pairs).to_have_count(1)
    versions = call(server.url, "GET", f"/pairs/{screen.stored_pairs()[0]['id']}/versions")["items"]
    assert sorted((one["model"], one["lifecycle"]) for one in versions) == [
        ("offline:demo", "canceled"),
        ("peer:large", "succeeded"),
        ("peer:small", "succeeded"),
    ]


@pytest.mark.exhaustive
def test_call_of_a_compared_reply_is_answered_in_the_dialog_of_the_replies(
    screen: Screen, prefer: Callable[..., None]
) -> None:
    prefer(built_in_tools=["fetch_page"])
    screen.write('/tool fetch_page {"url": "http://127.0.0.1/"}')
    screen.page.keyboard.press("Alt+Enter")
    choose(screen, "Offline demo", "large")
    asked = replies(screen).get_by_role("region", name="Tool calls waiting for permission")
    expect(asked).to_contain_text("needs your permission, requested by Offline demo")
    expect(column(screen, "Offline demo").get_by_role("status")).to_have_text("Waits for your permission")
    asked.get_by_role("button", name="Deny").focus()
    screen.page.keyboard.press("Enter")

    expect(asked).to_have_count(0)
    expect(column(screen, "Offline demo").get_by_role("status")).to_have_text("Complete")
    expect(replies(screen).get_by_role("button", name="Minimise")).to_be_focused()
