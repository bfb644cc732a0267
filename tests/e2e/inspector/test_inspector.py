"""The inspector: the preview follows the draft and equals the request that arrives, byte for byte."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.figures import counter
from tests.e2e.peer import Peer
from tests.e2e.screen import Screen, eventually, reload, wait_until_painted
from tests.e2e.written import a_pair, write
from tests.serving import Served

pytestmark = pytest.mark.usefixtures("prefer")

CHARACTERS_SEEN = """(field) => {
  const { font, paddingLeft, paddingRight } = getComputedStyle(field);
  const canvas = Object.assign(document.createElement("canvas").getContext("2d"), { font });
  const room = field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  return [...field.value].findIndex((_, at) => canvas.measureText(field.value.slice(0, at + 1)).width > room);
}"""
"""The number of characters of a field's text that it has room for, -1 for all."""


@pytest.fixture
def opened(page: Page, server: Served) -> Screen:
    pairs = [a_pair(f"Question {number}", f"Answer {number}", stars=number % 4) for number in range(1, 6)]
    pairs.append(a_pair("Question 6", None, lifecycle="error"))
    spec = {"model": "peer:large", "system_prompt": "Be brief.", "pairs": pairs}
    screen = Screen(page).go(f"/c/{write(server, spec)[0]}")
    expect(counter(page)).to_have_text("5 / 6 pairs")
    return screen


def inspector(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Request of the next send")


def open_preview(screen: Screen) -> Locator:
    screen.page.get_by_role("button", name="Show request", exact=True).click()
    expect(inspector(screen.page).get_by_role("tab", name="Readable")).to_be_visible()
    return inspector(screen.page)


def body(page: Page) -> str:
    """Return the JSON text that the copy button copies."""
    copy = inspector(page).get_by_role("button", name="Copy the body", exact=True)
    inspector(page).get_by_role("tab", name="JSON").click()
    copy.click()
    expect(copy).to_contain_text("Copied")
    return page.evaluate("navigator.clipboard.readText()")


def test_it_opens_by_key_beside_the_page_outlives_a_reload_and_names_what_it_leaves_out(
    opened: Screen, another_screen: Callable[[str], Screen]
) -> None:
    p_opens_it_and_gives_the_focus_back(opened)
    button_opens_the_log_and_has_the_focus_again_when_it_closes(opened.page)
    preview_names_what_it_leaves_out(opened, another_screen)
    filter_bar_keeps_its_word_next_to_it(opened)
    it_is_open_after_a_reload_next_to_the_page_and_not_over_it(opened)


def button_opens_the_log_and_has_the_focus_again_when_it_closes(page: Page) -> None:
    button = page.get_by_role("button", name="Log of the conversation")
    button.click()
    expect(page.get_by_role("complementary", name="Log of the conversation")).to_be_focused()
    expect(button).to_be_hidden()

    page.get_by_role("button", name="Show request", exact=True).click()
    expect(inspector(page)).to_be_focused()

    page.keyboard.press("Escape")
    expect(inspector(page)).to_be_hidden()
    expect(button).to_be_focused()


def p_opens_it_and_gives_the_focus_back(opened: Screen) -> None:
    page = opened.page
    opened.composer.press("Escape")
    page.keyboard.press("p")
    expect(inspector(page)).to_be_focused()

    page.keyboard.press("p")

    expect(inspector(page)).to_be_hidden()
    eventually(lambda: page.evaluate("document.activeElement.closest('main') !== null"))
    page.keyboard.press("p")
    expect(inspector(page)).to_be_focused()
    page.keyboard.press("Escape")
    expect(inspector(page)).to_be_hidden()


def filter_bar_keeps_its_word_next_to_it(opened: Screen) -> None:
    page = opened.page
    page.set_viewport_size({"width": 1440, "height": 900})
    page.request.patch(f"/api/v1/conversations/{opened.path.removeprefix('/c/')}", data={"title": "A long title " * 9})
    opened.go(opened.path)  # with the inspector open
    expect(inspector(page)).to_be_visible()

    words = page.locator(".filter-words input").bounding_box()

    assert words
    assert words["width"] > 50, "the placeholder begins with the word Filter"
    assert page.locator(".top-bar").evaluate("it => it.scrollWidth <= it.clientWidth")
    title_keeps_twelve_characters_next_to_it(page)


def title_keeps_twelve_characters_next_to_it(page: Page) -> None:
    title = page.get_by_role("textbox", name="Title of the conversation")
    for width in (1440, 1280, 1100):
        page.set_viewport_size({"width": width, "height": 800})
        wait_until_painted(page)
        assert page.locator(".top-bar").evaluate("it => it.scrollWidth <= it.clientWidth"), width
        assert title.evaluate(CHARACTERS_SEEN) >= 12, width
    page.set_viewport_size({"width": 1440, "height": 900})


@pytest.mark.exhaustive
def test_panel_over_the_page_has_the_focus_and_keys_do_not_act_below_it(opened: Screen) -> None:
    page, log = opened.page, opened.page.get_by_role("complementary", name="Log of the conversation")
    opened.composer.press("Escape")
    page.keyboard.press("l")
    expect(log).to_be_focused()
    page.get_by_role("group", name="Request of pair 6").evaluate("it => it.focus()")

    page.set_viewport_size({"width": 390, "height": 844})
    expect(log).to_be_focused()
    log.evaluate("it => it.blur()")
    page.keyboard.press("3")
    log.evaluate("it => it.focus()")
    page.keyboard.press("Escape")

    expect(log).to_be_hidden()
    assert opened.stored_pairs()[-1]["stars"] == 0


def it_is_open_after_a_reload_next_to_the_page_and_not_over_it(opened: Screen) -> None:
    page = opened.page
    reload(page)
    expect(inspector(page)).to_be_visible()

    page.set_viewport_size({"width": 390, "height": 844})
    reload(page)

    expect(inspector(page)).to_be_hidden()
    opened.write("It can be written in.")


@pytest.mark.exhaustive
def test_preview_is_a_key_of_the_composer_and_a_button_of_the_estimate(opened: Screen, peer: Peer) -> None:
    page = opened.page
    before = len(peer.bodies)
    opened.write("What would this send?")
    opened.composer.press("Control+Shift+Enter")
    expect(inspector(page)).to_contain_text("What would this send?")
    page.keyboard.press("Escape")
    expect(inspector(page)).to_be_hidden()

    page.get_by_role("button", name=re.compile("to be sent now")).click()
    page.locator(".tip-exact").get_by_role("button", name="Show request", exact=True).click()

    expect(inspector(page)).to_contain_text("What would this send?")
    expect(opened.composer).to_have_value("What would this send?")
    assert len(peer.bodies) == before


def preview_names_what_it_leaves_out(opened: Screen, another_screen: Callable[[str], Screen]) -> None:
    page = opened.page
    shown = open_preview(opened)
    expect(shown).not_to_contain_text("The open edit is not part of it.")

    page.get_by_role("button", name="Edit and resend").first.click()
    expect(shown).to_contain_text("The open edit is not part of it.")
    page.keyboard.press("Escape")
    expect(shown).not_to_contain_text("The open edit is not part of it.")

    streaming = another_screen("/").start("/long 4000 /rate 1")
    expect(open_preview(streaming)).to_contain_text("A message that you send now waits until it ends")
    streaming.page.close()


@pytest.mark.exhaustive
def test_its_scripts_are_fetched_when_it_opens(opened: Screen) -> None:
    asked: list[str] = []
    opened.page.on("request", lambda request: asked.append(request.url))

    open_preview(opened)

    assert any("/assets/preview" in url for url in asked)
    assert not any(url.endswith("/preview") for url in asked)


def test_json_is_byte_for_byte_what_then_arrives(opened: Screen, context_page: Page, peer: Peer) -> None:
    json_of_a_conversation(opened, peer)
    json_of_a_first_message(context_page, peer)


def json_of_a_conversation(opened: Screen, peer: Peer) -> None:
    messages = open_preview(opened).locator(".message")
    expect(messages).to_have_count(10)
    opened.write('What "now"?\n\tAnd é 👩‍👩‍👧')
    expect(messages).to_have_count(11)
    expect(messages.last).to_contain_text("And é 👩‍👩‍👧")
    shown = body(opened.page)
    expect(inspector(opened.page)).to_contain_text("Hash recomputed here: it matches.")

    opened.composer.press("Enter")
    opened.wait_for_reply(7)

    assert peer.raw[-1].decode() == shown
    title = inspector(opened.page).locator("code[title]").nth(1).get_attribute("title")
    assert title  # the title of the next request by now
    assert len(title) == 64


def json_of_a_first_message(page: Page, peer: Peer) -> None:
    page.add_init_script("localStorage.setItem('inview.model', 'peer:large')")
    page.bring_to_front()
    screen = Screen(page).go("/")
    expect(page.get_by_role("button", name="Model: large")).to_be_visible()
    screen.write("What would this send?")
    screen.composer.press("Control+Shift+Enter")
    expect(inspector(page)).to_be_focused()
    expect(inspector(page).get_by_role("tab")).to_have_text(["Request", "Readable", "JSON", "Changes"])
    screen.write('What "now"?\n\tAnd é 👩‍👩‍👧')
    expect(inspector(page).locator(".message")).to_contain_text("And é 👩‍👩‍👧")
    shown = body(page)
    expect(inspector(page)).to_contain_text("Hash recomputed here: it matches.")

    screen.composer.press("Enter")
    screen.wait_for_reply(1)

    assert peer.raw[-1].decode() == shown
    page.wait_for_url(re.compile("/c/"))
    expect(screen.composer).to_be_focused()
    # it stays open and now shows the conversation
    expect(inspector(page).get_by_role("tab", name="Usage")).to_be_visible()
    screen.write("And then?")
    expect(inspector(page).get_by_role("figure")).to_contain_text("And then?")
