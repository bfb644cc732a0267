"""The menu next to the title: the conversation is renamed, exported, opened in a new tab, forked and deleted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.e2e.screen import Screen


def lefts(page: Page) -> list[float]:
    """Return where the button of the menu and the filter begin."""
    return page.locator(".title-menu, .filter-bar").evaluate_all(
        "(all) => all.map((it) => it.getBoundingClientRect().x)"
    )


def gap(button: Locator, menu: Locator) -> float:
    """Return the pixels between a button and the menu above or below it. Require that the menu shows all rows."""
    expect(menu).to_be_visible()
    menu.evaluate("(it) => Promise.all(it.getAnimations().map((one) => one.finished))")
    assert menu.evaluate("(it) => it.scrollHeight <= it.clientHeight"), "the menu shows all of its rows"
    at, box = button.bounding_box(), menu.bounding_box()
    assert at is not None
    assert box is not None
    return max(box["y"] - at["y"] - at["height"], at["y"] - box["y"] - box["height"])


def models_are_at_their_button(page: Page) -> None:
    button = page.get_by_role("button", name="Model: ")
    button.click()
    assert gap(button, page.get_by_role("dialog").filter(has=page.get_by_role("combobox"))) < 10
    page.keyboard.press("Escape")


def opens_a_tab(screen: Screen, path: str, act: Callable[[], None]) -> None:
    """Require that an action opens this address in a new tab, and close that tab."""
    with screen.page.context.expect_page() as opened:
        act()
    opened.value.wait_for_url(f"**{path}")
    opened.value.close()


def test_menu_renames_exports_forks_and_deletes(screen: Screen) -> None:
    page = screen.start("/echo one").wait_for_reply().page
    origin = screen.path
    button = page.get_by_role("button", name="Conversation menu")
    menu = page.get_by_role("dialog", name="Conversation menu")

    models_are_at_their_button(page)
    button.click()
    assert gap(button, menu) < 10
    menu.get_by_role("button", name="Generate title").click()
    expect(screen.open_log()).to_contain_text("Title requested")

    button.click()
    opens_a_tab(screen, origin, lambda: menu.get_by_role("link", name="Open in new tab").click())
    expect(menu).to_have_count(0)
    row = screen.conversations.first.get_by_role("link")
    opens_a_tab(screen, origin, lambda: row.click(button="middle"))

    places = lefts(page)
    button.click()
    menu.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("textbox", name="Title of the conversation")).to_be_focused()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("Mine")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Mine")).to_be_attached()
    assert lefts(page) == places, "the title moves what is next to it"

    button.click()
    for format_ in ("JSON", "HTML", "Markdown"):
        expect(menu.get_by_role("group", name="Export").get_by_role("link", name=format_)).to_be_visible()
    with page.expect_download() as download:
        menu.get_by_role("link", name="Markdown").click()
    assert download.value.suggested_filename == "Mine.md"
    assert "/echo one" in Path(download.value.path()).read_text()
    expect(menu).to_have_count(0)

    screen.send("/echo two").wait_for_reply(2)
    screen.go(f"{origin}?f=r1")
    expect(screen.pairs).to_have_count(1)
    for group, has_first in (("Export all pairs", True), ("Export only the pairs in view", False)):
        button.click()
        with page.expect_download() as download:
            menu.get_by_role("group", name=group).get_by_role("link", name="Markdown").click()
        written = Path(download.value.path()).read_text()
        assert ("/echo one" in written, "/echo two" in written) == (has_first, True)
    screen.go(origin)

    button.click()
    menu.get_by_role("button", name="Fork").click()
    page.wait_for_url(lambda address: not address.endswith(origin))
    expect(screen.pairs).to_have_count(2)

    button.click()
    menu.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog", name="Delete this conversation?").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="New conversation")).to_be_visible()
    screen.go(origin)
    expect(screen.pairs).to_have_count(2)
