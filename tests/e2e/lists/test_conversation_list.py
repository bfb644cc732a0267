"""The list of conversations: searched and changed by keyboard alone."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.screen import Screen, eventually, reload, visit
from tests.e2e.written import call
from tests.serving import Served

COUNT_SEARCH_FIELDS = """() => {
  window.searchFields = 0;
  const count = (node) => node.querySelectorAll?.("input.list-search").length ?? 0;
  const add = (node) => (window.searchFields += count(node) + (node.matches?.("input.list-search") ? 1 : 0));
  new MutationObserver((changes) => changes.forEach((change) => change.addedNodes.forEach(add)))
    .observe(document.body, { childList: true, subtree: true });
}"""
"""Count from now on how often the search field is drawn."""
MARKED = """() => [...CSS.highlights.get('found') ?? []].map(
  ({ startContainer, startOffset, endOffset }) => startContainer.data.slice(startOffset, endOffset))"""
"""The words that are marked in the transcript."""

FIRST_IS_SEEN = """() => {
  const [place] = CSS.highlights.get('found') ?? [];
  if (!place) return false;
  const word = document.createRange();
  word.setStart(place.startContainer, place.startOffset);
  word.setEnd(place.endContainer, place.endOffset);
  const { top, bottom } = word.getBoundingClientRect();
  return top > 0 && bottom < document.querySelector('.composer').getBoundingClientRect().top;
}"""
"""True if the first marked word is on the screen."""


def row(screen: Screen, name: str) -> Locator:
    return screen.conversations.filter(has_text=name)


def send_until_done(url: str, conversation_id: str, text: str) -> None:
    call(url, "POST", f"/conversations/{conversation_id}/send", {"text": text})
    while call(url, "GET", f"/conversations/{conversation_id}/pairs")["items"][-1]["lifecycle"] != "succeeded":
        time.sleep(0.05)


def titled(screen: Screen, text: str) -> Screen:
    """Start a conversation that is known by its first words."""
    return screen.start(f"/echo {text}").wait_for_reply()


@pytest.mark.exhaustive
def test_escape_keeps_the_name(screen: Screen) -> None:
    titled(screen, "keeps its name")
    here = row(screen, "keeps its name")
    here.hover()
    here.get_by_role("button", name=re.compile("^Rename")).click()
    field = screen.page.get_by_role("textbox", name="Title", exact=True)
    field.fill("no")
    field.press("Escape")

    expect(row(screen, "keeps its name")).to_be_visible()


def test_list_is_changed_by_keyboard_alone_and_its_search_leads_to_the_pair_with_the_words(
    screen: Screen, server: Served
) -> None:
    conversation_is_renamed_and_kept_by_keyboard_alone(screen)
    folder_is_made_by_keyboard_alone(screen)
    screen.go("/")
    search_results_lead_to_the_pair_with_the_words(screen, server)


def folder_is_made_by_keyboard_alone(screen: Screen) -> None:
    page = screen.page
    opener, dialog = page.get_by_role("button", name="New folder"), page.get_by_role("dialog", name="New folder")
    opener.focus()
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("textbox", name="Name")).to_be_focused()
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("Give the folder a name")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(opener).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.type("<b>Work</b>")
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    expect(opener).to_be_focused()
    made = page.get_by_role("list", name="Folders").get_by_role("listitem").filter(has_text="<b>Work</b>")
    expect(made).to_contain_text("This folder is empty. Move a conversation here from its menu.")
    page.get_by_role("button", name="Undo").click()
    expect(made).to_have_count(0)


def conversation_is_renamed_and_kept_by_keyboard_alone(screen: Screen) -> None:
    titled(screen, "by keyboard")
    here = row(screen, "by keyboard")

    here.get_by_role("link").focus()
    screen.page.keyboard.press("ArrowRight")
    expect(here.get_by_role("button", name=re.compile("^Rename"))).to_be_focused()
    expect(here.get_by_role("button", name=re.compile("^Rename"))).to_be_visible()
    screen.page.keyboard.press("Enter")
    expect(screen.page.get_by_role("textbox", name="Title", exact=True)).to_be_focused()
    screen.page.keyboard.press("Control+a")
    screen.page.keyboard.type("  A better   name ")
    screen.page.keyboard.press("Enter")
    here = row(screen, "A better name")
    expect(here).to_be_visible()
    expect(screen.page).to_have_title("A better name · Inview")

    here.get_by_role("button", name=re.compile("^Rename")).focus()
    screen.page.keyboard.press("ArrowRight")
    expect(here.get_by_role("button", name=re.compile("^Move"))).to_be_focused()
    screen.page.keyboard.press("ArrowRight")
    expect(here.get_by_role("button", name=re.compile("^Delete"))).to_be_focused()
    screen.page.keyboard.press("Enter")
    dialog = screen.page.get_by_role("dialog", name="Delete this conversation?")
    expect(dialog).to_contain_text("A better name")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    screen.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    reload(screen.page)
    expect(here).to_be_visible()


@pytest.mark.exhaustive
def test_unknown_address_helps_on(screen: Screen) -> None:
    visit(screen.page, "/no/such/page")
    expect(screen.page.get_by_role("heading", name="Page not found")).to_be_visible()
    screen.page.get_by_role("link", name="Start a new conversation").click()

    expect(screen.composer).to_be_focused()


def search_results_lead_to_the_pair_with_the_words(screen: Screen, server: Served) -> None:
    titled(screen, "lighthouse in the marzipan fog" + "\nA line." * 80 + "\nAnother lighthouse")
    expect(screen.pairs.locator(".folded-rest")).to_be_hidden()
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
    screen.page.evaluate("window.sameDocument = true")
    found.get_by_role("link").click()
    screen.page.wait_for_url(f"**{path}*")
    assert screen.page.evaluate("window.sameDocument") is True  # the page was not loaded again
    request = screen.pairs.first.get_by_role("group", name="Request of pair 1")
    expect(request.get_by_text("lighthouse in the marzipan fog")).to_be_in_viewport()
    arrow = screen.page.locator(".to-end")
    screen.pairs.first.hover()
    screen.page.mouse.wheel(0, 20_000)
    expect(screen.pairs).to_have_count(5)
    expect(arrow).to_be_visible()
    expect(arrow).not_to_contain_text(re.compile(r"\d new"))  # the later pairs were there before
    eventually(lambda: {"lighthouse", "marzipan"} <= {*screen.page.evaluate(MARKED)})
    request.get_by_role("button", name="Show less").press("Enter")  # the word in the folded text has unfolded it
    expect(request.get_by_role("button", name="Show more")).to_be_focused()
    expect(request.locator(".folded-rest")).to_be_hidden()
    field.fill("")
    expect(found.locator("mark")).to_have_count(0)
    eventually(lambda: screen.page.evaluate(MARKED) == [])
    field.fill("zyxwv qponm")
    expect(screen.page.get_by_text("No conversation contains these words.")).to_be_visible()
    expect(screen.page.get_by_text("Latin word")).to_be_hidden()
    field.fill("用 zyxwv")
    expect(screen.page.get_by_text("Latin word")).to_be_visible()
    # The next page draws the field once. If it drew it again later, the field would lose the focus and new text.
    assert screen.page.evaluate("window.searchFields") == 1
    screen.page.get_by_role("link", name="New conversation").click()
    screen.page.wait_for_url("**/")
    field.fill("another")
    found.get_by_role("link").click()
    screen.page.wait_for_url(f"**{path}*")
    eventually(lambda: screen.page.evaluate(FIRST_IS_SEEN))  # it is at the end of a long request
