"""Texts written to block the page: whatever a model writes, the page stays usable and shows all of it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.attacks import ATTACKS, NO_JSON
from tests.e2e.conversation.test_tools import a_call, a_result, imported
from tests.e2e.screen import Screen, eventually, visit, wait_until_still
from tests.e2e.written import a_pair, write
from tests.serving import Served

MOST = 3_000
"""Maximum number of elements that one task of the page may add. The largest table that is drawn has 1,300 cells."""
LARGEST = """() => {
  globalThis.largest = 0;
  const count = (node) => 1 + (node.querySelectorAll?.("*").length ?? 0);
  new MutationObserver((records) => {
    const nodes = records.flatMap((record) => [...record.addedNodes]).filter((node) => node.isConnected);
    globalThis.largest = Math.max(globalThis.largest, nodes.reduce((total, node) => total + count(node), 0));
  }).observe(document, { childList: true, subtree: true });
}"""
"""Record the largest number of elements that one task of the page adds to its document."""


def draw(screen: Screen, server: Served, reply: str, request: str) -> int:
    """Go from a short conversation to one with this reply. Return the largest number of elements added at once."""
    pairs = (a_pair("Show me.", "Here it is."), a_pair(request, reply))
    short, attack = write(server, *({"pairs": [pair]} for pair in pairs))
    screen.go(f"/c/{short}")
    wait_until_drawn(screen.page)
    screen.page.evaluate(LARGEST)
    screen.page.locator(f'nav a[href="/c/{attack}"]').click()
    screen.page.wait_for_url(f"**/c/{attack}")
    expect(screen.last_reply).not_to_have_text("Here it is.")
    wait_until_drawn(screen.page)
    return screen.page.evaluate("largest")


def wait_until_drawn(page: Page) -> None:
    """Wait until everything is drawn."""
    expect(page.locator("article .reply").first).not_to_be_empty()
    wait_until_still(page, "document.querySelector('article .reply').innerHTML.length")


def require_small_steps(screen: Screen, server: Served, reply: str, request: str) -> None:
    """Require that the page draws a pair in small steps and can be used after it."""
    largest = draw(screen, server, reply, request)

    assert 0 < largest <= MOST
    screen.write("Still here.")
    expect(screen.page.locator(".undrawn")).to_have_count(0)


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.exhaustive
def test_page_stays_usable_whatever_a_reply_says(screen: Screen, server: Served, name: str) -> None:
    require_small_steps(screen, server, ATTACKS[name], "Show me.")


@pytest.mark.parametrize("name", ["a megabyte of lines", "one long word", "lines", "marks on one letter"])
@pytest.mark.exhaustive
def test_page_stays_usable_whatever_was_asked(screen: Screen, server: Served, name: str) -> None:
    require_small_steps(screen, server, "Here is what I think of it.", ATTACKS[name])

    asked = screen.page.locator(".request")
    assert asked.text_content() == f"{ATTACKS[name]}Show more"
    asked.get_by_role("button", name="Show more").click()
    expect(asked.get_by_role("button", name="Show less")).to_be_visible()
    assert asked.text_content() == f"{ATTACKS[name]}Show less"
    screen.write("And here.")


def test_texts_that_are_hard_to_draw_take_nothing_with_them(screen: Screen, server: Served) -> None:
    marks_are_drawn_in_groups_everywhere_and_copied_as_they_are(screen, server)
    reply_that_cannot_be_drawn_is_shown_as_text(screen.page, server)


def marks_are_drawn_in_groups_everywhere_and_copied_as_they_are(screen: Screen, server: Served) -> None:
    heap = "a" + "\u0301" * 500
    pair = a_pair(f"Show me {heap}", f"# {heap}\n\n```\n{heap}\n```")
    screen.go(f"/c/{write(server, {'title': heap[:200], 'pairs': [pair]})[0]}")

    for place in ("nav a[href^='/c/']", ".request", ".md h1", ".md code"):
        expect(screen.page.locator(f"{place} .heap").first).to_be_attached()
    expect(screen.page.locator(".md h1")).to_have_text(heap)
    screen.page.get_by_role("button", name="Copy code").click()
    eventually(lambda: screen.page.evaluate("navigator.clipboard.readText()") == heap)


@pytest.mark.parametrize("name", NO_JSON)
@pytest.mark.exhaustive
def test_arguments_and_results_that_are_no_json_are_shown_as_text(screen: Screen, server: Served, name: str) -> None:
    text = NO_JSON[name]
    called = a_call("c1", "files__list", {}) | {"input_json": text}
    visit(screen.page, f"/c/{imported(server, called, a_result('c1', text), a_result('c1', 'Words'))}")
    card = screen.page.locator(".tool-card")

    card.locator("summary").click()

    shown = card.locator(".tool-text")
    expect(shown).to_have_count(2)
    for each in shown.all():
        expect(each).to_contain_text(text[:100])
    expect(card.locator(".json-lines")).to_have_count(0)
    card.get_by_role("button", name="Copy the arguments").click()
    eventually(lambda: screen.page.evaluate("navigator.clipboard.readText()") == text)
    screen.write("Still here.")


@pytest.mark.exhaustive
def test_formula_with_a_definition_is_shown_as_its_source(screen: Screen) -> None:
    source = r"\def\a{xx}\def\b{\a\a}\b"
    screen.start(f"/echo It is $x^2$ and $${source}$$ and ${'x' * 2000}$.").wait_for_reply()
    expect(screen.page.locator(".math .katex")).to_have_count(1)

    refused = screen.page.locator(".math[title*='Shown as plain text']")

    expect(refused).to_have_count(2)
    expect(refused.first).to_have_text(f"$${source}$$")


BREAKING = """
const own = String.prototype.startsWith;
String.prototype.startsWith = function (...given) {
  if (own.call(this, "Break the page")) throw new TypeError("broken by a test");
  return own.apply(this, given);
};
"""


def reply_that_cannot_be_drawn_is_shown_as_text(page: Page, server: Served) -> None:
    text = "Break the page\n\n**now**"
    (conversation,) = write(server, {"pairs": [a_pair("First?", text), a_pair("Second?", "It **stays**.")]})
    page.add_init_script(BREAKING)

    screen = Screen(page).go(f"/c/{conversation}")

    undrawn = page.locator(".undrawn")
    expect(undrawn).to_have_count(1)
    expect(undrawn.get_by_role("alert")).to_contain_text("This reply could not be shown.")
    assert undrawn.locator("pre").text_content() == text
    expect(screen.last_reply.locator("strong")).to_have_text("stays")
    screen.write("Still here.")
