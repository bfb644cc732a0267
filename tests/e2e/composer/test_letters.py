"""Every control of a conversation's page: after a click on it, a typed sentence is in the composer."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from app.state.sidebar.sidebar import PAGE
from tests.e2e.figures import estimate, tokens
from tests.e2e.late import LINK, LateState
from tests.e2e.pace import type_in_a_burst
from tests.e2e.screen import Screen, eventually, step, wait_until_alive, wait_until_painted, wait_until_still
from tests.e2e.written import a_pair, call, write
from tests.effort import EFFORT
from tests.serving import Served

SENTENCE = "btw thanks, extra text: jkudgGn?"
STORY = {"model": "offline:demo", "pairs": [a_pair("/echo one", "one", stars=1), a_pair("/echo two", "two")]}
# Number the controls of the page, mark them with their names and return the names. The list of conversations is left
# out.
CONTROLS = """() => [...document.querySelectorAll("button, summary, input[type=checkbox], input[type=radio]")]
  .filter((it) => it.checkVisibility({ visibilityProperty: true }) && !it.closest("[inert]") && !it.disabled)
  .filter((it) => !it.closest("nav li"))
  .reduce((names, it) => {
    const name = (it.ariaLabel || it.innerText || it.outerHTML.slice(0, 80)).replace(/[^A-Za-z]+/g, " ");
    const named = `${name} (${names.filter((other) => other.startsWith(`${name} (`)).length})`;
    it.setAttribute("data-control", named);
    return [...names, named];
  }, [])"""
OPENS = re.compile(  # controls that open a dialog, a menu or a form
    "Filter help|Add a system|Topic|Delete|Edit and|Regenerate|Model|Insert|JSON schema|Parameters"
)
LEADS = re.compile("Fork")  # controls that lead to another page
IS_ELSEWHERE = """() => document.querySelector("dialog:modal") !== null ||
  document.activeElement.matches("input:not([type=checkbox], [type=radio]), select, textarea:not(#prompt)")"""
# Change the text as typing does, but without the focus: then the server has handled all earlier events.
PUT = """(text) => {
  const box = document.querySelector("#prompt");
  box.value = text;
  box.dispatchEvent(new Event("input", { bubbles: true }));
}"""


def await_the_server(page: Page) -> None:
    page.evaluate(PUT, "word " * 5_000)
    eventually(lambda: tokens(page) > 4_000)
    page.evaluate(PUT, "")
    eventually(lambda: tokens(page) < 4_000)


def open_story(screen: Screen, server: Served) -> Screen:
    """Open a new conversation."""
    screen.go(f"/c/{write(server, STORY)[0]}")
    expect(screen.pairs).to_have_count(2)
    expect(estimate(screen.page)).to_be_visible()
    wait_until_still(screen.page, "document.querySelector('main').innerText")
    return screen


@pytest.fixture
def late(page: Page, server: Served) -> tuple[Screen, LateState]:
    """Open a new conversation. Return it with the connection of its page."""
    state = LateState()
    page.route_web_socket(LINK, state.relay)
    screen = open_story(Screen(page), server)
    expect(screen.composer).to_be_focused()
    return screen, state


def test_text_typed_before_the_page_answers_is_in_the_field_that_had_the_focus(page: Page, server: Served) -> None:
    type_into_the_search_before_the_scripts_ran(page)
    page.unroute("**/assets/*.js")
    type_into_the_composer_before_it_answers(page, server)


def type_into_the_search_before_the_scripts_ran(page: Page) -> None:
    held: list[Route] = []
    is_late = True
    page.route("**/assets/*.js", lambda route: held.append(route) if is_late else route.continue_())
    page.goto("/", wait_until="commit")
    search = page.get_by_role("searchbox", name="Search conversations")
    search.press_sequentially("wo")
    is_late = False
    for route in held:
        route.continue_()
    wait_until_alive(page)
    expect(page.get_by_role("textbox", name="Message", exact=True)).to_be_visible()
    wait_until_painted(page)

    page.keyboard.type("rds")

    expect(search).to_have_value("words")


def type_into_the_composer_before_it_answers(page: Page, server: Served) -> None:
    held: list[Route] = []
    is_late = False
    page.route("**/assets/*.js", lambda route: held.append(route) if is_late else route.continue_())
    state = LateState()
    page.route_web_socket(LINK, state.relay)
    screen = open_story(Screen(page), server)
    screen.write("a draft")
    is_late = True
    page.reload(wait_until="commit")
    expect(screen.composer).to_be_focused()
    page.keyboard.type("typed before, ")
    page.keyboard.press("Enter")  # sends nothing: the draft was not seen yet
    is_late, state.held = False, []
    for route in held:
        route.continue_()
    wait_until_alive(page)
    page.keyboard.type("and after")

    # what was typed is kept below the draft
    expect(screen.composer).to_have_value("a draft\ntyped before, and after")
    state.release()
    expect(screen.pairs).to_have_count(2)
    page.keyboard.type(" all")
    expect(screen.composer).to_have_value("a draft\ntyped before, and after all")


def test_enter_pressed_before_the_composer_answers_sends_what_was_seen(page: Page, server: Served) -> None:
    held: list[Route] = []
    is_late = True
    page.route("**/assets/*.js", lambda route: held.append(route) if is_late else route.continue_())
    screen = Screen(page)
    for keys, text, pairs in (
        (["/echo Hello", "Enter", "and more"], "/echo Hello\nand more", 2),
        (["/echo Hello", "Shift+Enter"], "/echo Hello\n", 2),
        (["Enter"], "", 2),
        (["/echo Hello", "Enter"], "", 3),
    ):
        is_late = True
        page.goto(f"/c/{write(server, STORY)[0]}", wait_until="commit")
        expect(screen.composer).to_be_focused()
        for key in keys:
            page.keyboard.press(key) if key.endswith("Enter") else page.keyboard.type(key)
        is_late = False
        for route in held:
            route.continue_()
        held.clear()
        wait_until_alive(page)

        expect(screen.pairs).to_have_count(pairs)
        expect(estimate(page)).to_be_visible()
        expect(screen.composer).to_have_value(text)
        assert len(screen.stored_pairs()) == pairs


def test_letters_typed_before_a_control_has_opened_its_field_are_in_it(late: tuple[Screen, LateState]) -> None:
    screen, state = late
    page, pair, row = screen.page, screen.pairs.last, screen.conversations.first
    bar, form = page.get_by_role("search", name="Filter"), page.get_by_role("form", name="Message")
    menu = page.get_by_role("dialog", name="Add to the message")
    stories = [
        (pair, "Topic: none", page.get_by_role("combobox", name="Topic of pair 2")),
        (pair, "Edit and resend", page.get_by_role("textbox", name="Request of pair 2")),
        (pair, "Regenerate", page.get_by_role("dialog").get_by_role("combobox")),
        (row, "Rename", row.get_by_role("textbox", name="Title")),
        (page.locator("main"), "Add a system prompt", page.get_by_role("textbox", name="System prompt")),
        (form, "Topic: none", page.get_by_role("combobox", name="Topic of the next messages")),
        (form, "Model: ", page.get_by_role("combobox", name="Search models")),
        (menu, "Parameters", page.get_by_role("textbox", name="Temperature")),
        (menu, "JSON schema of the reply", page.get_by_role("textbox", name="Schema")),
        (menu, "Insert from a server", page.get_by_role("dialog").get_by_role("combobox")),
        (bar, "Filter help", page.get_by_role("textbox", name="Search shortcuts")),
    ]
    for place, control, field in stories:
        if place is menu:
            page.get_by_role("button", name="Add to the message").click()
        place.hover()
        state.held = []
        place.get_by_role("button", name=control).locator("visible=true").click()
        page.keyboard.type("btww")
        page.keyboard.press("Backspace")
        state.release()

        expect(field).to_have_value(re.compile("btw$"))
        expect(screen.composer).to_have_value("")
        page.keyboard.press("Escape")
        expect(field).to_have_count(0)


def test_text_typed_while_a_question_comes_does_not_answer_it(late: tuple[Screen, LateState]) -> None:
    screen, state = late
    for typed_before in ("btw", ""):
        with step(f"{typed_before!r} is typed before the question is there"):
            type_while_a_question_comes(screen, state, typed_before)
        screen.write("")


def type_while_a_question_comes(screen: Screen, state: LateState, typed_before: str) -> None:
    page, pair = screen.page, screen.pairs.last
    pair.hover()
    state.held = []
    pair.get_by_role("button", name="Delete the pair").locator("visible=true").click()
    page.keyboard.type(typed_before)
    state.release()
    question = page.get_by_role("dialog", name="Delete this pair?")
    expect(question).to_be_visible()
    page.keyboard.type(" thankss" if typed_before else "thanks a lott")
    page.keyboard.press("Backspace")
    page.keyboard.press("Enter")

    expect(question).to_be_visible()
    expect(screen.composer).to_have_value("btw thanks" if typed_before else "thanks a lot")
    page.keyboard.press("Tab")
    expect(question.locator(":focus")).to_have_role("button")
    page.keyboard.press("Escape")
    expect(question).to_have_count(0)
    assert len(screen.stored_pairs()) == 2


def test_letters_typed_after_a_control_that_opens_no_field_are_in_the_composer(
    late: tuple[Screen, LateState], server: Served
) -> None:
    screen, state = late
    for ends in ("it is done", "something else is pressed", "the connection is lost"):
        with step(ends):
            type_after_a_control_without_a_field(screen, state, ends)
        state.mend()
        open_story(screen, server)


def type_after_a_control_without_a_field(screen: Screen, state: LateState, ends: str) -> None:
    page = screen.page
    state.held = []
    page.get_by_role("button", name="Saved filters").click()  # without a filter, this button opens no text field
    page.keyboard.type("btw")
    page.keyboard.press("Enter")
    expect(screen.composer).to_have_value("")
    if ends == "it is done":
        state.release()
    elif ends == "the connection is lost":
        state.cut()
    else:
        screen.pairs.last.get_by_text("two", exact=True).last.click()

    expect(screen.composer).to_have_value("btw")
    assert len(screen.stored_pairs()) == 2, "Enter was not meant for the composer"


@pytest.mark.timeout(600)
def test_sentence_typed_after_a_click_on_any_control_is_in_the_composer(screen: Screen, server: Served) -> None:
    page = screen.page
    write(server, *[STORY] * PAGE)
    open_story(screen, server)
    expect(page.get_by_role("button", name="Show older")).to_be_visible()
    names: list[str] = page.evaluate(CONTROLS)
    assert len(names) > 30
    for name in names[:: max(1, len(names) // EFFORT.controls)]:
        # otherwise the list stays collapsed after a click, with its controls hidden
        page.evaluate("localStorage.clear()")
        open_story(screen, server)
        eventually(lambda name=name: name in page.evaluate(CONTROLS))
        control = page.locator(f"[data-control={json.dumps(name)}]")
        before = page.url
        control.click()
        if OPENS.match(name):
            eventually(lambda: page.evaluate(IS_ELSEWHERE))
        if LEADS.match(name):
            page.wait_for_url(lambda url, before=before: url != before)
            # The address changes first. Until the page changes, typed text belongs to the earlier conversation.
            expect(screen.conversations.locator("[aria-current=page]")).to_have_attribute("href", screen.path)
            expect(estimate(page)).to_be_visible()
        await_the_server(page)
        for _ in range(3):
            if page.evaluate(IS_ELSEWHERE):
                page.keyboard.press("Escape")

        page.keyboard.type(SENTENCE)

        expect(screen.composer, name).to_have_value(SENTENCE)


def test_sentence_typed_after_escape_among_the_pairs_or_in_the_preview_over_them_is_in_the_composer(
    screen: Screen, server: Served
) -> None:
    open_story(screen, server)
    type_after_a_click_among_the_pairs(screen)
    type_while_the_preview_covers_the_composer(screen)


def type_after_a_click_among_the_pairs(screen: Screen) -> None:
    pair = screen.pairs.first
    for place in (pair.get_by_role("button", name="Flag"), pair.get_by_text("one", exact=True)):
        screen.page.keyboard.press("Escape")
        expect(screen.page.get_by_text("Keys: j k move")).to_be_visible()
        pair.hover()
        place.click()
        screen.page.keyboard.type(SENTENCE)
        expect(screen.composer, str(place)).to_have_value(SENTENCE)
        screen.write("")


def test_letters_typed_after_a_control_that_leads_elsewhere_are_in_the_box_that_is_there_in_the_end(
    late: tuple[Screen, LateState], server: Served
) -> None:
    screen, state = late
    for ends in ("it is made", "it is refused", "the connection is lost"):
        with step(f"fork of a pair: {ends}"):
            type_after_a_click_on_fork(screen, state, server, ends)
        state.mend()
        open_story(screen, server)
    with step("fork by key"):
        type_after_the_key_of_fork(screen, state)
    open_story(screen, server)
    for control in ("fork in the inspector", "fork in a dialog", "delete and undo"):
        with step(control):
            type_after_a_control_that_leads_elsewhere(screen, state, control)
        open_story(screen, server)


def type_after_a_click_on_fork(screen: Screen, state: LateState, server: Served, ends: str) -> None:
    page, pair, origin = screen.page, screen.pairs.last, screen.path
    pair.hover()
    fork = pair.get_by_role("button", name="Fork").locator("visible=true")
    state.held = []
    if ends == "it is refused":
        call(server.url, "DELETE", f"/pairs/{screen.stored_pairs()[-1]['id']}")
    fork.click()
    page.keyboard.type("btww")
    page.keyboard.press("Backspace")
    expect(screen.composer).to_have_value("")
    if ends == "the connection is lost":
        state.cut()
    else:
        state.release()

    expect(screen.composer).to_have_value("btw")
    expect(screen.composer).to_be_focused()
    if ends == "it is made":
        assert screen.path != origin
        screen.go(origin)
        expect(screen.composer).to_have_value("")
    else:
        assert screen.path == origin


def type_after_the_key_of_fork(screen: Screen, state: LateState) -> None:
    page, origin = screen.page, screen.path
    page.keyboard.press("Escape")
    expect(page.locator(".keys-bar")).to_be_visible()
    state.held = []
    type_in_a_burst(page, "been there")
    expect(screen.composer).to_have_value("")
    state.release()

    expect(screen.composer).to_have_value("een there")
    assert screen.path != origin
    screen.go(origin)
    expect(screen.composer).to_have_value("")


def type_after_a_control_that_leads_elsewhere(screen: Screen, state: LateState, control: str) -> None:
    page, origin = screen.page, screen.path

    def press_and_type(control: Locator) -> None:
        expect(control).to_be_visible()
        state.held = []
        control.click()
        page.keyboard.type("btw")
        state.release()
        expect(screen.composer).to_have_value("btw")

    if control == "fork in the inspector":
        page.keyboard.press("Escape")
        page.keyboard.press("Shift+B")
        press_and_type(page.get_by_role("button", name="Fork all pairs"))
    elif control == "fork in a dialog":
        screen.go(f"{origin}?f=s1")
        expect(screen.pairs).to_have_count(1)
        screen.pairs.last.hover()
        screen.pairs.last.get_by_role("button", name="Fork").locator("visible=true").click()
        press_and_type(page.get_by_role("dialog").get_by_role("button", name="All pairs"))
    else:
        row = screen.conversations.filter(has=page.locator("[aria-current=page]"))
        row.hover()
        row.get_by_role("button", name="Delete").click()
        press_and_type(page.get_by_role("dialog").get_by_role("button", name="Delete"))
        assert screen.path == "/"
        screen.composer.fill("")
        press_and_type(page.get_by_role("button", name="Undo"))
        assert screen.path == origin
        return
    assert screen.path != origin
    screen.go(origin)
    expect(screen.composer).to_have_value("")


def type_while_the_preview_covers_the_composer(screen: Screen) -> None:
    page, preview = screen.page, screen.page.get_by_role("complementary", name="Request of the next send")
    page.set_viewport_size({"width": 390, "height": 844})
    page.keyboard.press("Control+Shift+Enter")
    expect(preview).to_be_focused()
    preview.get_by_role("tab", name="Readable").focus()

    page.keyboard.type(f"{SENTENCE}?")
    page.keyboard.press("Backspace")

    expect(preview).to_be_focused()
    expect(preview).to_contain_text(SENTENCE)
    page.keyboard.press("Escape")
    expect(screen.composer).to_have_value(SENTENCE)
