"""Modes and keys: where they lead, what they do not change, and how they are changed."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.e2e.late import LINK, LateState
from tests.e2e.pace import type_in_a_burst
from tests.e2e.robustness.test_faults import SHEET
from tests.e2e.screen import Screen, eventually, heard, step, visit_settings, wait_until_painted
from tests.e2e.written import a_pair, write
from tests.serving import ROOT, Served

PAIRS = 300
WHEN_CLOSED = """(then) => new MutationObserver((changes) => {
  for (const { target, oldValue } of changes) if (oldValue !== null && target.matches("dialog")) then();
}).observe(document, { attributeFilter: ["open"], attributeOldValue: true, subtree: true })"""
"""Call a function whenever a dialog is closed. The event `close` comes later: not for a dialog that is gone by then."""
COUNT_CLOSED = f"""() => {{
  const isFirst = globalThis.ended === undefined;
  globalThis.ended = [];
  if (!isFirst) return;
  ({WHEN_CLOSED})(() => ended.push("dialog"));
  addEventListener("keydown", ({{ key, target }}) => {{
    if (key === "Escape" && target.closest(".edit-form")) ended.push("form");
  }}, true);
}}"""
"""Record the forms and dialogs that are closed from now on."""
CARET_AT_CLOSE = f"""() => ({WHEN_CLOSED})(() => {{
    window.caretAtClose = `${{getSelection().anchorNode?.className}} ${{document.activeElement.selectionStart}}`;
}})"""
MARK_CLOSED = f"() => ({WHEN_CLOSED})(() => {{ document.body.dataset.closed = '' }})"


@pytest.fixture
def three(screen: Screen) -> Screen:
    """Start a conversation of three pairs, in VIEW at the request of the last one."""
    screen.start("/echo one").wait_for_reply()
    screen.send("/echo two").wait_for_reply(2)
    screen.send("/think 20\n/echo three").wait_for_reply(3)
    screen.page.keyboard.press("Escape")
    screen.page.keyboard.press("Shift+G")
    screen.page.keyboard.press("u")
    expect(part(screen.page, "Request of pair 3")).to_be_focused()
    return screen


@pytest.fixture(scope="module")
def long_one(server: Served) -> str:
    data_dir = server.output.parent / "data"
    command = [sys.executable, "-m", "tests.e2e.long_history", server.url, str(data_dir), str(PAIRS)]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=100)
    return f"/c/{made.stdout.strip()}"


def part(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name=name, exact=True)


def counter(page: Page) -> Locator:
    return page.get_by_role("button", name=re.compile("pairs in view are sent$"))


def keys_bar(page: Page) -> Locator:
    return page.get_by_text("Keys: j k move · e edit · b fork · Esc back")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_escape_turns_single_keys_on_and_off_which_walk_through_parts_and_copy_them(three: Screen) -> None:
    j_and_k_walk_parts_across_pairs_and_y_copies_them(three)
    press(three.page, "Shift+G", "u")
    expect(part(three.page, "Request of pair 3")).to_be_focused()
    escape_turns_single_keys_on_and_off_and_keeps_the_draft(three)


def escape_turns_single_keys_on_and_off_and_keeps_the_draft(three: Screen) -> None:
    page, filter_line = three.page, three.page.get_by_role("combobox", name="Filter")
    expect(keys_bar(page)).to_be_visible()

    press(page, "Enter")
    expect(three.composer).to_be_focused()
    expect(keys_bar(page)).to_be_hidden()
    press(page, "Escape")
    expect(part(page, "Request of pair 3")).to_be_focused()
    expect(keys_bar(page)).to_be_visible()
    press(page, "/")
    expect(filter_line).to_be_focused()
    expect(keys_bar(page)).to_be_hidden()
    press(page, "Escape")
    expect(keys_bar(page)).to_be_visible()
    press(page, "Escape")
    expect(three.composer).to_be_focused()
    expect(keys_bar(page)).to_be_hidden()

    page.keyboard.type("half a thought")
    press(page, "Escape")
    expect(part(page, "Request of pair 3")).to_be_focused()
    expect(keys_bar(page)).to_be_hidden()
    page.keyboard.type("x and more")
    expect(three.composer).to_have_value("half a thoughtx and more")
    press(page, "Escape", "Escape")
    expect(keys_bar(page)).to_be_visible()
    press(page, "Enter")
    expect(three.composer).to_have_value("half a thoughtx and more")


def test_shift_j_and_shift_k_walk_through_conversations_and_a_menu_is_in_sight(page: Page, server: Served) -> None:
    shift_j_and_shift_k_walk_through_conversations(page, server)
    menu_of_a_key_is_in_sight_also_when_its_button_is_not(page, server)


def shift_j_and_shift_k_walk_through_conversations(page: Page, server: Served) -> None:
    third, second, first = (f"/c/{write(server, {'pairs': [a_pair('/echo one', 'one')]})[0]}" for _ in range(3))
    screen = Screen(page).go(first)
    expect(screen.pairs).to_have_count(1)
    expect(page.locator(f"nav a[href='{third}']")).to_be_visible()
    expect(screen.composer).to_be_focused()
    press(page, "Escape")

    for key, path in (("Shift+J", second), ("Shift+J", third), ("Shift+K", second)):
        press(page, key)
        page.wait_for_url(f"**{path}")
        expect(screen.pairs).to_have_count(1)
        expect(keys_bar(page)).to_be_visible()
    expect(screen.composer).to_have_value("")


def test_keys_pressed_before_what_the_last_one_opens_belong_to_it_however_late_it_comes(
    page: Page, server: Served
) -> None:
    state = LateState()
    page.route_web_socket(LINK, state.relay)
    screen = Screen(page).go(f"/c/{write(server, {'pairs': [a_pair('/echo one', 'one')]})[0]}")
    expect(counter(page)).to_be_visible()
    sheet = page.get_by_role("dialog", name="Keyboard shortcuts and filters")
    expect(screen.composer).to_be_focused()
    state.held = []
    press(page, "Escape", "?")
    page.keyboard.type("flag")
    heard(page, lambda: "sheet" in str(state.held))

    state.release()

    expect(sheet.get_by_role("textbox")).to_have_value("flag")
    state.held = []
    press(page, "Escape", "?", "n")  # the sheet is opened again before the page learns that it was closed
    heard(page, lambda: str(state.held).count("sheet") > 1)
    state.release()
    expect(sheet.get_by_role("textbox")).to_be_focused()
    press(page, "Escape")
    expect(page.locator("dialog")).to_have_count(0)
    state.held = []
    press(page, "?", "a", "Escape")
    heard(page, lambda: "sheet" in str(state.held))
    page.evaluate("addEventListener('cancel', () => { document.body.dataset.left = '' }, true)")
    state.release()
    expect(page.locator("body[data-left]")).to_be_attached()
    press(page, "e")
    expect(page.locator(".edit-form textarea")).to_be_focused()
    expect(sheet).to_have_count(0)
    assert not screen.stored_pairs()[0]["flagged"]


def j_and_k_walk_parts_across_pairs_and_y_copies_them(three: Screen) -> None:
    page = three.page

    for name in ("Thinking of pair 3", "Reply of pair 3"):
        press(page, "j")
        expect(part(page, name)).to_be_focused()
    press(page, "j")
    expect(part(page, "Reply of pair 3")).to_be_focused()
    for name in ("Thinking of pair 3", "Request of pair 3", "Reply of pair 2", "Request of pair 2"):
        press(page, "k")
        expect(part(page, name)).to_be_focused()

    press(page, "y")
    expect(page.get_by_role("status").get_by_text("Copied the request of pair 2")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "/echo two"
    press(page, "j", "y")
    expect(page.get_by_role("status").get_by_text("Copied the part of pair 2")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "two"


@pytest.mark.exhaustive
def test_g_n_and_shift_g_lead_to_the_ends(three: Screen) -> None:
    page = three.page
    press(page, "g")
    expect(part(page, "Request of pair 1")).to_be_focused()
    press(page, "n")
    expect(part(page, "Thinking of pair 3")).to_be_focused()
    press(page, "g", "Shift+G")
    expect(part(page, "Reply of pair 3")).to_be_focused()


@pytest.mark.exhaustive
def test_click_moves_the_cursor_and_leaves_the_composer(three: Screen) -> None:
    page = three.page
    press(page, "Enter")

    three.pairs.nth(1).get_by_text("two", exact=True).click()

    expect(keys_bar(page)).to_be_hidden()
    press(page, "Escape", "u")
    expect(part(page, "Request of pair 2")).to_be_focused()


@pytest.mark.exhaustive
def test_cursor_is_marked_by_more_than_a_colour(three: Screen) -> None:
    bar = "it => [getComputedStyle(it, '::before').content, getComputedStyle(it, '::before').width]"

    assert part(three.page, "Request of pair 3").evaluate(bar) == ['""', "4px"]
    assert part(three.page, "Request of pair 2").evaluate(bar)[0] == "none"
    press(three.page, "Escape")
    expect(keys_bar(three.page)).to_be_hidden()
    part(three.page, "Request of pair 3").evaluate("it => it.focus({ focusVisible: true })")
    assert part(three.page, "Request of pair 3").evaluate(bar) == ['""', "2px"], "no key acts on it"


def test_sentence_typed_while_single_keys_are_on_is_in_the_composer_and_changes_nothing(
    page: Page, server: Served
) -> None:
    state = LateState()
    page.route_web_socket(LINK, state.relay)
    screen = Screen(page).go(f"/c/{write(server, {'pairs': [a_pair('/echo one', 'one')]})[0]}")
    expect(counter(page)).to_be_visible()
    opened = page.locator("dialog, .edit-form, .inspector:not([hidden])")
    before = screen.stored_pairs()
    for sentence, opens in (
        ("here is my question", []),
        ("explain this", ["form"]),
        ("please explain why", []),
        ("two of them", ["dialog"]),
        ("loud and clear", []),
        ("no thanks", []),
        ("keep it", ["form"]),
        ("deep dive", ["form"]),
    ):
        page.evaluate(COUNT_CLOSED)
        press(page, "Escape")
        expect(keys_bar(page)).to_be_visible()

        type_in_a_burst(page, sentence)

        expect(screen.composer).to_have_value(sentence)
        eventually(lambda opens=opens: page.evaluate("ended") == opens)
        expect(screen.composer).to_be_focused()
        expect(keys_bar(page)).to_be_hidden()
        expect(opened).to_have_count(0)
        screen.composer.fill("")
    press(page, "Escape", "m")
    expect(screen.composer).to_have_value("m")
    screen.composer.fill("")

    for sentence, opens in (("explain", ["form"]), ("two", ["dialog"])):
        with step(f"what the first letter of {sentence!r} opened comes late"):
            screen.go(screen.path)
            expect(counter(page)).to_be_visible()  # before that, the server does not know which pairs the page shows
            page.evaluate(COUNT_CLOSED)
            press(page, "Escape")
            expect(keys_bar(page)).to_be_visible()
            state.held = []
            type_in_a_burst(page, sentence)
            expect(screen.composer).to_have_value(sentence)
            state.release()
            eventually(lambda opens=opens: page.evaluate("ended") == opens)
            expect(page.locator("dialog, .edit-form")).to_have_count(0)
            page.keyboard.type(" this")
            expect(screen.composer).to_have_value(f"{sentence} this")
            expect(page.locator("dialog, .edit-form")).to_have_count(0)
            screen.composer.fill("")
    with step("what the first letters of two sentences opened comes late"):
        two_sentences_are_typed_before_what_they_opened_comes(page, screen, state)
    assert screen.stored_pairs() == before


def two_sentences_are_typed_before_what_they_opened_comes(page: Page, screen: Screen, state: LateState) -> None:
    screen.go(screen.path)
    expect(counter(page)).to_be_visible()
    state.held = []
    for sentence in ("explain", "two"):
        screen.composer.fill("")
        press(page, "Escape")
        expect(keys_bar(page)).to_be_visible()
        type_in_a_burst(page, sentence)
        expect(screen.composer).to_have_value(sentence)
    page.evaluate(COUNT_CLOSED)
    page.evaluate(CARET_AT_CLOSE)
    state.release()
    eventually(lambda: page.evaluate("ended") == ["form", "dialog"])
    expect(screen.composer).to_be_focused()
    assert page.evaluate("caretAtClose") == "composer 3"
    expect(page.locator(".edit-form, dialog:modal")).to_have_count(0)
    page.keyboard.type(" this")
    expect(screen.composer).to_have_value("two this")


def menu_of_a_key_is_in_sight_also_when_its_button_is_not(page: Page, server: Served) -> None:
    reply = "\n\n".join(f"Paragraph {number}." for number in range(120))
    screen = Screen(page).go(f"/c/{write(server, {'pairs': [a_pair('/echo one', reply)]})[0]}")
    expect(screen.pairs).to_have_count(1)
    expect(screen.composer).to_be_focused()
    press(page, "Escape", "n")
    expect(part(page, "Reply of pair 1")).to_be_focused()

    press(page, "r")

    menu = page.get_by_role("dialog", name="Regenerate pair 1")
    expect(menu).to_be_in_viewport(ratio=1)
    page.locator(".scroll").evaluate("it => it.scrollTo(0, 0)")
    expect(page.get_by_role("button", name="Answer again", include_hidden=True).first).not_to_be_in_viewport()
    wait_until_painted(page)
    expect(menu).to_be_in_viewport(ratio=1)


def number_in(label: str | None) -> int:
    return int(re.findall(r"\d+", label or "0")[0])


@pytest.mark.exhaustive
def test_walking_up_brings_in_pairs_that_were_not_there(page: Page, long_one: str) -> None:
    screen = Screen(page).go(long_one)
    expect(part(page, f"Request of pair {PAIRS}")).to_be_in_viewport()
    expect(screen.composer).to_be_focused()
    press(page, "Escape", "Shift+G")

    for _ in range(40):
        press(page, "u")

    focused = page.locator("[data-part]:focus")
    eventually(lambda: focused.count() == 1)
    expect(focused).to_be_in_viewport()
    # The last steps may wait for pairs that are still loading.
    eventually(lambda: PAIRS - 41 <= number_in(focused.get_attribute("aria-label")) <= PAIRS - 39)


@pytest.mark.exhaustive
def test_ends_of_a_long_history_are_shown_from_the_empty_box(page: Page, long_one: str) -> None:
    screen = Screen(page).go(long_one)
    expect(part(page, f"Request of pair {PAIRS}")).to_be_in_viewport()
    expect(screen.composer).to_be_focused()

    press(page, "Control+Home")
    expect(part(page, "Request of pair 1")).to_be_in_viewport()
    press(page, "Control+End")
    expect(part(page, f"Request of pair {PAIRS}")).to_be_in_viewport()
    expect(screen.composer).to_be_focused()


@pytest.mark.exhaustive
def test_long_part_is_read_a_screen_at_a_time(screen: Screen) -> None:
    screen.start("/echo " + "\n\n".join(f"Paragraph {number}." for number in range(120))).wait_for_reply()
    page = screen.page
    # start from the composer: the focus may have moved to a reply higher than the screen
    screen.composer.press("Escape")
    press(page, "g")
    expect(part(page, "Request of pair 1")).to_be_focused()
    press(page, "j")
    expect(part(page, "Reply of pair 1")).to_be_focused()  # the request is folded
    before = page.locator(".scroll").evaluate("it => it.scrollTop")
    press(page, "j")

    moved = page.locator(".scroll").evaluate("it => it.scrollTop") - before
    height = page.locator(".scroll").evaluate("it => it.clientHeight")
    assert 0.5 * height < moved < height


@pytest.mark.exhaustive
def test_step_down_is_not_taken_back_by_the_walk_before_it(screen: Screen) -> None:
    screen.start("/echo " + "\n\n".join(f"Paragraph {number}." for number in range(120))).wait_for_reply()
    page = screen.page
    page.evaluate("() => { globalThis.tasks = []; globalThis.requestAnimationFrame = (task) => tasks.push(task) }")
    screen.composer.press("Escape")
    press(page, "g")
    expect(part(page, "Request of pair 1")).to_be_focused()
    press(page, "j", "j")
    view, is_below = page.locator(".scroll"), "it => it.scrollTop > it.clientHeight / 2"
    eventually(lambda: view.evaluate(is_below))

    page.evaluate("tasks.splice(0).forEach((task) => task())")  # the walk ends only now

    assert view.evaluate(is_below)


@pytest.mark.exhaustive
def test_tab_goes_through_the_pair_one_is_at_and_out_of_the_history(three: Screen) -> None:
    page = three.page
    press(page, "u")
    where = """() => {
      const at = document.activeElement;
      return at.closest("article")?.ariaLabel ?? at.ariaLabel ?? at.innerText;
    }"""
    stops: list[str] = []
    while len(stops) < 30 and (not stops or stops[-1] != "Message"):
        press(page, "Tab")
        stops.append(page.evaluate(where))

    assert set(stops) <= {"Pair 2", "↓\nJump to the newest message", "All shortcuts", "Message"}
    assert len(stops) > 5
    press(page, "Escape", "u", "Shift+Tab")
    expect(page.get_by_role("button", name="Add a system prompt")).to_be_focused()
    press(page, "Shift+Tab")
    assert page.evaluate("document.activeElement.ariaLabel") == "Conversation"


def test_key_is_changed_refused_and_reset_in_settings(three: Screen) -> None:
    page, path = three.page, three.path
    visit_settings(page, "keys")
    keys = page.get_by_role("listitem").filter(has_text="Flags the pair")
    keys.get_by_role("button", name="Key of Flag: a").click()
    press(page, "j")
    expect(keys.get_by_role("status")).to_contain_text("j is already the key of “Next part”")
    press(page, "ArrowDown")
    expect(keys.get_by_role("status")).to_contain_text("is reserved")
    press(page, "f")
    expect(keys.get_by_role("status")).to_contain_text("Key set to f.")
    expect(keys.get_by_role("button", name="Key of Flag: f")).to_be_visible()

    three.go(path)
    expect(three.pairs).to_have_count(3)
    expect(three.composer).to_be_focused()
    press(page, "Escape", "?")
    sheet = page.get_by_role("dialog", name="Keyboard shortcuts and filters")
    page.keyboard.type("flag")
    expect(sheet.get_by_role("row", name=re.compile("^f Flag"))).to_be_visible()
    expect(sheet.get_by_role("row", name=re.compile("^0 No stars"))).to_have_count(0)
    press(page, "Escape")
    expect(sheet).to_have_count(0)
    press(page, "Shift+G", "f")
    expect(three.pairs.nth(2).get_by_role("button", name="Flag")).to_have_attribute("aria-pressed", "true")
    eventually(lambda: three.stored_pairs()[2]["flagged"])
    press(page, "a")
    expect(three.composer).to_have_value("a")

    visit_settings(page, "keys")
    page.get_by_role("button", name="Reset all shortcuts").click()
    expect(page.get_by_text("All keys are reset.")).to_be_visible()
    expect(page.get_by_role("button", name="Key of Flag: a")).to_be_visible()


def test_escape_closes_the_sheet_that_is_still_loading_or_was_opened_before_the_page_is_connected(
    page: Page, server: Served
) -> None:
    path = f"/c/{write(server, {'pairs': [a_pair('/echo one', 'one')]})[0]}"
    for keys in (("F1", "Escape"), ("F1", "Escape", "Escape"), ("Escape", "?", "Escape", "Escape", "Escape")):
        with step(f"{keys} while the sheet is loading"):
            press_while_the_sheet_is_loading(page, path, keys)
    press_before_the_page_is_connected(page, path)


def press_while_the_sheet_is_loading(page: Page, path: str, keys: tuple[str, ...]) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(SHEET, hold)
    screen = Screen(page).go(path)
    expect(counter(page)).to_be_visible()  # until then, the load of the page closes a sheet that was just opened
    expect(screen.composer).to_be_focused()
    page.evaluate(MARK_CLOSED)
    press(page, *keys)
    heard(page, lambda: len(held) == 1)

    held[0].continue_()

    expect(page.locator("body[data-closed]")).to_be_attached()
    expect(page.locator("dialog")).to_have_count(0)
    page.unroute(SHEET)


def press_before_the_page_is_connected(page: Page, path: str) -> None:
    late = LateState(held=[])
    page.route_web_socket(LINK, late.relay)
    page.goto(path)
    expect(page.locator("html[data-mode=INPUT]")).to_be_attached()  # the page takes keys now
    page.evaluate(MARK_CLOSED)
    press(page, "F1", "Escape")

    late.release()

    expect(page.locator("body[data-closed]")).to_be_attached()
    expect(page.locator("dialog")).to_have_count(0)
