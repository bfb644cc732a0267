"""The left column: find, open, name and delete conversations, by hand or by keyboard alone."""

from __future__ import annotations

import re
import time
from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.screen import Screen, reload, visit
from tests.e2e.written import call
from tests.serving import Served, serving

COUNT_SEARCH_FIELDS = """() => {
  window.searchFields = 0;
  const count = (node) => node.querySelectorAll?.("input.list-search").length ?? 0;
  const add = (node) => (window.searchFields += count(node) + (node.matches?.("input.list-search") ? 1 : 0));
  new MutationObserver((changes) => changes.forEach((change) => change.addedNodes.forEach(add)))
    .observe(document.body, { childList: true, subtree: true });
}"""
"""From now on, count how often the search field is drawn."""


@pytest.fixture
def empty_house(tmp_path: Path) -> Generator[Served]:
    with serving(tmp_path / "data") as served:
        yield served


def row(screen: Screen, name: str) -> Locator:
    return screen.conversations.filter(has_text=name)


def send_until_done(url: str, conversation_id: str, text: str) -> None:
    call(url, "POST", f"/conversations/{conversation_id}/send", {"text": text})
    while call(url, "GET", f"/conversations/{conversation_id}/pairs")["items"][-1]["lifecycle"] != "succeeded":
        time.sleep(0.05)


def titled(screen: Screen, text: str) -> Screen:
    """A conversation known by its first words."""
    return screen.start(f"/echo {text}").wait_for_reply()


@pytest.mark.exhaustive
def test_empty_list_says_what_comes_here(browser: Browser, empty_house: Served) -> None:
    page = browser.new_page(base_url=empty_house.url)
    screen = Screen(page).go("/")

    expect(page.get_by_text("Your conversations appear here.")).to_be_visible()
    expect(screen.conversations).to_have_count(0)
    page.close()


@pytest.mark.exhaustive
def test_untitled_conversation_shows_its_first_words_and_the_newest_stands_first(screen: Screen) -> None:
    titled(screen, "older words")
    screen.go("/")
    titled(screen, "newer words")

    expect(screen.conversations.nth(0)).to_contain_text("/echo newer words")
    expect(screen.conversations.nth(1)).to_contain_text("/echo older words")
    expect(screen.conversations.nth(0).locator("time")).to_have_text("now")


@pytest.mark.exhaustive
def test_conversation_on_screen_is_marked_and_others_open_on_a_click(screen: Screen) -> None:
    titled(screen, "first place")
    first = screen.path
    screen.go("/")
    titled(screen, "second place")

    row(screen, "first place").get_by_role("link").click()

    expect(screen.last_reply).to_have_text("first place")
    assert screen.path == first
    expect(row(screen, "first place").get_by_role("link")).to_have_attribute("aria-current", "page")


@pytest.mark.exhaustive
def test_reply_in_an_older_conversation_brings_it_to_the_top_and_it_stays_there(screen: Screen) -> None:
    titled(screen, "long ago")
    older = screen.path
    screen.go("/")
    titled(screen, "just now")
    newer = screen.path
    screen.go(older).send("/echo once more").wait_for_reply(2)

    expect(screen.conversations.nth(0)).to_contain_text("/echo long ago")
    expect(screen.conversations.nth(0)).to_contain_text("/echo once more")
    expect(screen.conversations.nth(1)).to_contain_text("/echo just now")
    screen.conversations.nth(1).get_by_role("link").click()
    expect(screen.last_reply).to_have_text("just now")
    assert screen.path == newer
    screen.send("/echo again").wait_for_reply(2)
    expect(screen.conversations.nth(0)).to_contain_text("/echo just now")
    expect(screen.conversations.nth(1)).to_contain_text("/echo long ago")


@pytest.mark.exhaustive
def test_running_reply_shows_in_the_list_until_it_ends(screen: Screen) -> None:
    screen.start("/long 100 /rate 40")
    running = screen.conversations.first.get_by_role("img", name="A reply is running")

    expect(running).to_be_visible()
    screen.wait_for_reply()
    expect(running).to_have_count(0)


def test_rename_in_place(screen: Screen) -> None:
    titled(screen, "to be renamed")
    here = row(screen, "to be renamed")
    here.hover()
    here.get_by_role("button", name=re.compile("^Rename")).click()

    field = screen.page.get_by_role("textbox", name="Title", exact=True)
    expect(field).to_be_focused()
    field.fill("  A better   name ")
    field.press("Enter")

    expect(row(screen, "A better name")).to_be_visible()
    expect(screen.page).to_have_title("A better name · Inview")
    reload(screen.page)
    expect(row(screen, "A better name")).to_be_visible()


@pytest.mark.exhaustive
def test_escape_leaves_the_name_as_it_was(screen: Screen) -> None:
    titled(screen, "keeps its name")
    here = row(screen, "keeps its name")
    here.hover()
    here.get_by_role("button", name=re.compile("^Rename")).click()
    field = screen.page.get_by_role("textbox", name="Title", exact=True)
    field.fill("no")
    field.press("Escape")

    expect(row(screen, "keeps its name")).to_be_visible()


@pytest.mark.exhaustive
def test_title_above_the_history_can_be_changed(screen: Screen) -> None:
    titled(screen, "from the top")
    field = screen.page.get_by_role("textbox", name="Title of the conversation")
    field.fill("Named at the top")
    field.press("Enter")

    expect(row(screen, "Named at the top")).to_be_visible()
    expect(screen.page).to_have_title("Named at the top · Inview")


@pytest.mark.exhaustive
def test_rename_in_one_tab_shows_in_the_other(screen: Screen, context_page: Page) -> None:
    titled(screen, "two tabs")
    Screen(context_page).go(screen.path)
    field = screen.page.get_by_role("textbox", name="Title of the conversation")
    field.fill("Seen twice")
    field.press("Enter")

    expect(context_page).to_have_title("Seen twice · Inview")


def test_delete_asks_first_and_can_be_left(screen: Screen) -> None:
    titled(screen, "stays here")
    here = row(screen, "stays here")
    here.hover()
    here.get_by_role("button", name=re.compile("^Delete")).click()

    dialog = screen.page.get_by_role("dialog", name="Delete this conversation?")
    expect(dialog).to_contain_text("stays here")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    screen.page.keyboard.press("Escape")

    expect(dialog).to_be_hidden()
    expect(row(screen, "stays here")).to_be_visible()


@pytest.mark.exhaustive
def test_deleted_conversation_is_gone_here_and_in_the_other_tab(screen: Screen, context_page: Page) -> None:
    titled(screen, "goes away")
    path = screen.path
    Screen(context_page).go(path)
    here = row(screen, "goes away")
    here.hover()
    here.get_by_role("button", name=re.compile("^Delete")).click()
    screen.page.get_by_role("dialog").get_by_role("button", name="Delete").click()

    expect(row(screen, "goes away")).to_have_count(0)
    screen.page.wait_for_url("**/")
    expect(context_page.get_by_role("heading", name="There is no such conversation")).to_be_visible()


def test_what_is_made_and_renamed_elsewhere_is_listed_at_once(screen: Screen, server: Served) -> None:
    made = call(server.url, "POST", "/conversations", {"title": "Made elsewhere"})["id"]
    expect(row(screen, "Made elsewhere")).to_be_visible(timeout=5000)

    call(server.url, "PATCH", f"/conversations/{made}", {"title": "Renamed elsewhere"})

    expect(row(screen, "Renamed elsewhere")).to_be_visible(timeout=5000)
    expect(row(screen, "Made elsewhere")).to_have_count(0)


def test_everything_in_the_list_is_reachable_by_keyboard(screen: Screen) -> None:
    titled(screen, "by keyboard")
    here = row(screen, "by keyboard")

    here.get_by_role("link").focus()
    screen.page.keyboard.press("Tab")
    expect(here.get_by_role("button", name=re.compile("^Rename"))).to_be_focused()
    expect(here.get_by_role("button", name=re.compile("^Rename"))).to_be_visible()
    screen.page.keyboard.press("Enter")
    expect(screen.page.get_by_role("textbox", name="Title", exact=True)).to_be_focused()
    screen.page.keyboard.type("typed")
    screen.page.keyboard.press("Enter")

    expect(row(screen, "typed")).to_be_visible()


@pytest.mark.exhaustive
def test_unknown_address_helps_on(screen: Screen) -> None:
    visit(screen.page, "/no/such/page")
    expect(screen.page.get_by_role("heading", name="There is no page at this address")).to_be_visible()
    screen.page.get_by_role("link", name="Start a new conversation").click()

    expect(screen.composer).to_be_focused()


def test_words_are_searched_for_and_lead_to_the_pair_in_which_they_stand(screen: Screen, server: Served) -> None:
    titled(screen, "lighthouse in the marzipan fog")
    path = screen.path
    screen.go("/")
    for number in range(4):
        words = " ".join([f"Answer {number}."] * 200)
        send_until_done(server.url, path.removeprefix("/c/"), f"/rate 0 /echo {words}")
    field = screen.page.get_by_role("searchbox", name="Search conversations")

    field.press_sequentially("marzipan lightho")

    expect(screen.conversations).to_have_count(1)
    found = screen.conversations.first
    expect(found.locator("mark").first).to_have_text("lighthouse")
    screen.page.evaluate(COUNT_SEARCH_FIELDS)
    found.get_by_role("link").click()
    screen.page.wait_for_url(f"**{path}*")
    expect(screen.pairs.get_by_text("lighthouse in the marzipan fog").last).to_be_in_viewport()
    field.fill("")
    expect(found.locator("mark")).to_have_count(0)
    field.fill("no such words")
    expect(screen.page.get_by_text("No conversation contains these words.")).to_be_visible()
    # The next page draws the field once. Drawn again later, it would lose the focus and what is typed meanwhile.
    assert screen.page.evaluate("window.searchFields") == 1
