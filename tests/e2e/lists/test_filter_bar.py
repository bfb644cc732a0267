"""The filter bar: a typed filter is checked, completed and described; an applied filter decides the pairs in view."""

from __future__ import annotations

import re
from collections.abc import Generator

import pytest
from playwright.sync_api import Locator, Page, WebSocketRoute, expect

from tests.e2e.late import LINK, LateState
from tests.e2e.people import PHONE, People
from tests.e2e.screen import Screen, heard, reload, step
from tests.e2e.written import a_pair, call, write
from tests.serving import Served

STARS = (0, 3, 1, 3, 0, 2)


@pytest.fixture
def conversation(server: Served) -> str:
    """A conversation of six pairs with 0, 3, 1, 3, 0 and 2 stars."""
    pairs = [a_pair(f"Question {number}", stars=stars) for number, stars in enumerate(STARS, start=1)]
    return write(server, {"pairs": pairs})[0]


@pytest.fixture
def opened(page: Page, conversation: str) -> Screen:
    screen = Screen(page).go(f"/c/{conversation}")
    expect(screen.pairs).to_have_count(len(STARS))
    expect(counter(page)).to_be_visible()
    return screen


@pytest.fixture(autouse=True)
def no_saved_filters(server: Served) -> Generator[None]:
    yield
    for one in call(server.url, "GET", "/filters")["saved"]:
        call(server.url, "DELETE", f"/filters/{one['name']}")


def bar(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Filter")


def says(page: Page) -> Locator:
    return page.locator("#filter-says")


def counter(page: Page) -> Locator:
    return page.get_by_role("button", name=re.compile("pairs in view are sent$"))


def questions(screen: Screen) -> list[str]:
    return screen.page.locator("article .request").all_inner_texts()


def enter(screen: Screen, line: str) -> None:
    """Type a line and apply it."""
    bar(screen.page).fill(line)
    bar(screen.page).press("Enter")


def test_filter_is_put_together_by_chips_and_its_line_is_applied_left_completed_and_refused(opened: Screen) -> None:
    chips_write_the_filter_and_take_it_out_again(opened)
    applied_filter_shows_its_pairs_and_a_wrong_line_after_it_changes_nothing(opened)
    escape_keeps_the_filter(opened)
    enter(opened, "")
    expect(opened.pairs).to_have_count(len(STARS))
    plain_words_filter_by_one_enter_and_tab_shows_their_filter(opened, "Enter")
    completion_is_taken_with_tab_or_the_arrows(opened)
    for text, key in (("", "Tab"), ("sta", "Shift+Tab")):
        with step(f"{key} leaves the line {text!r}"):
            suggestions_close_when_tab_leaves_the_line(opened, text, key)
    with step("a line is typed before the chip has changed the old one"):
        line_typed_after_a_chip_is_kept(opened)


def line_typed_after_a_chip_is_kept(opened: Screen) -> None:
    page, state = opened.page, LateState()
    page.route_web_socket(LINK, state.relay)
    opened.go(opened.path)
    expect(opened.pairs).to_have_count(1)  # the filter of the address is read
    enter(opened, "")
    expect(opened.pairs).to_have_count(len(STARS))
    bar(page).focus()
    starred = page.get_by_role("group", name="Quick filters").get_by_role("button", name="Starred")
    expect(starred).to_be_visible()
    state.held = []
    starred.click()
    bar(page).fill("s>=2")
    state.release()

    expect(page).to_have_url(re.compile(r"\?f=s%3E%3D1$"))
    expect(bar(page)).to_have_value("s>=2")
    bar(page).press("Enter")
    expect(opened.pairs).to_have_count(3)


def applied_filter_shows_its_pairs_and_a_wrong_line_after_it_changes_nothing(opened: Screen) -> None:
    enter(opened, "s>=2")

    expect(opened.pairs).to_have_count(3)
    assert questions(opened) == ["Question 2", "Question 4", "Question 6"]
    expect(says(opened.page)).to_have_text("pairs with 2 or more stars")
    expect(counter(opened.page)).to_have_text("3 / 3 of 6 pairs")
    expect(opened.page).to_have_url(re.compile(r"\?f=s%3E%3D2$"))
    expect(bar(opened.page)).not_to_be_focused()

    enter(opened, "b s7")

    wrong = says(opened.page)
    expect(wrong).to_contain_text("a number of stars from 0 to 3")
    expect(wrong).to_contain_text("Still showing: pairs with 2 or more stars.")
    expect(wrong.locator("mark")).to_have_text("7")
    expect(bar(opened.page)).to_be_focused()
    expect(bar(opened.page)).to_have_attribute("aria-invalid", "true")
    expect(opened.pairs).to_have_count(3)
    expect(opened.page).to_have_url(re.compile(r"\?f=s%3E%3D2$"))


def option(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Suggestions").get_by_role("option")


@pytest.mark.exhaustive
def test_tab_shows_the_filter_of_plain_words(opened: Screen) -> None:
    plain_words_filter_by_one_enter_and_tab_shows_their_filter(opened, "Tab")


def plain_words_filter_by_one_enter_and_tab_shows_their_filter(opened: Screen, key: str) -> None:
    bar(opened.page).fill("question 4")

    expect(option(opened.page)).to_contain_text("c'question 4'")
    expect(option(opened.page)).to_have_attribute("aria-selected", "true")
    expect(bar(opened.page)).to_have_attribute("aria-invalid", "false")
    bar(opened.page).press(key)
    if key == "Tab":
        expect(says(opened.page)).to_contain_text("1 of 6 pairs will be sent")
        bar(opened.page).press("Enter")
    expect(bar(opened.page)).to_have_value("c'question 4'")

    expect(opened.pairs).to_have_count(1)
    assert questions(opened) == ["Question 4"]


@pytest.mark.exhaustive
def test_offer_can_be_left_and_the_mistake_is_not_searched_for(opened: Screen) -> None:
    bar(opened.page).fill("question 4")
    expect(option(opened.page)).to_contain_text("c'question 4'")
    bar(opened.page).press("Escape")
    expect(option(opened.page)).to_have_attribute("aria-selected", "false")
    bar(opened.page).fill("s7")

    expect(says(opened.page)).to_contain_text("a number of stars from 0 to 3")
    expect(option(opened.page)).to_have_count(0)


@pytest.mark.exhaustive
def test_sheet_of_the_filter_shows_its_search_and_how_to_close_it(opened: Screen) -> None:
    opened.page.get_by_role("button", name="Filter help").click()

    sheet = opened.page.get_by_role("dialog", name="Keyboard shortcuts and filters")
    expect(sheet.get_by_role("heading", name="Filters", exact=True)).to_be_in_viewport()
    expect(sheet.get_by_role("textbox", name="Search shortcuts")).to_be_in_viewport(ratio=1)
    expect(sheet.get_by_role("button", name="Close")).to_be_in_viewport(ratio=1)


def escape_keeps_the_filter(opened: Screen) -> None:
    enter(opened, "s3")
    expect(opened.pairs).to_have_count(2)

    bar(opened.page).fill("s1")
    bar(opened.page).press("Escape")

    expect(bar(opened.page)).to_have_value("s3")
    expect(bar(opened.page)).not_to_be_focused()
    expect(opened.pairs).to_have_count(2)


def reload_and_back_restore_what_was_in_view(opened: Screen) -> None:
    enter(opened, "s3")
    expect(opened.pairs).to_have_count(2)
    expect(opened.page).to_have_url(re.compile(r"\?f=s3$"))
    enter(opened, "s2")
    expect(opened.pairs).to_have_count(1)
    expect(opened.page).to_have_url(re.compile(r"\?f=s2$"))

    reload(opened.page)
    expect(opened.pairs).to_have_count(1)
    expect(bar(opened.page)).to_have_value("s2")
    opened.page.go_back()

    expect(opened.pairs).to_have_count(2)
    expect(bar(opened.page)).to_have_value("s3")
    opened.page.go_forward()
    expect(opened.pairs).to_have_count(1)

    bar(opened.page).fill("")
    for key, line in (("ArrowUp", "s2"), ("ArrowUp", "s3"), ("ArrowDown", "s2")):
        bar(opened.page).press(key)
        expect(bar(opened.page)).to_have_value(line)
    bar(opened.page).press("Escape")


@pytest.mark.exhaustive
def test_going_back_before_the_server_was_heard_of_is_not_undone_by_what_it_says(opened: Screen) -> None:
    enter(opened, "s3")
    expect(opened.pairs).to_have_count(2)
    enter(opened, "s2")
    expect(opened.pairs).to_have_count(1)
    held: list[tuple[WebSocketRoute, str | bytes]] = []
    holds = [True]

    def hold(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        server.on_message(lambda said: held.append((socket, said)) if holds and is_update(said) else socket.send(said))

    def is_update(said: str | bytes) -> bool:
        return str(said).startswith("42")

    opened.page.route_web_socket(re.compile("/_event"), hold)
    opened.page.reload()
    heard(opened.page, lambda: any("s2" in str(said) for _, said in held))
    opened.page.go_back()
    holds.clear()
    for socket, said in held:
        socket.send(said)

    expect(opened.pairs).to_have_count(2)
    expect(bar(opened.page)).to_have_value("s3")
    expect(opened.page).to_have_url(re.compile(r"\?f=s3$"))


@pytest.mark.exhaustive
def test_filter_is_kept_with_the_conversation(opened: Screen, conversation: str) -> None:
    enter(opened, "s3")
    expect(opened.pairs).to_have_count(2)
    opened.page.get_by_role("link", name="New conversation").first.click()
    expect(opened.pairs).to_have_count(0)

    opened.go(f"/c/{conversation}")

    expect(opened.pairs).to_have_count(2)
    expect(bar(opened.page)).to_have_value("s3")
    expect(opened.page).to_have_url(re.compile(r"\?f=s3$"))


def completion_is_taken_with_tab_or_the_arrows(opened: Screen) -> None:
    page = opened.page
    bar(page).fill("sta")
    options = page.get_by_role("listbox", name="Suggestions").get_by_role("option")
    expect(options.first).to_contain_text("stars")
    expect(bar(page)).to_have_attribute("aria-expanded", "true")

    bar(page).press("Tab")
    expect(bar(page)).to_have_value("stars")
    expect(bar(page)).to_be_focused()
    page.keyboard.type(">=2 fl")
    expect(options.first).to_contain_text("flagged")
    page.keyboard.press("ArrowDown")
    expect(options.first).to_have_attribute("aria-selected", "true")
    expect(bar(page)).to_have_attribute("aria-activedescendant", options.first.get_attribute("id") or "?")
    page.keyboard.press("Enter")

    expect(bar(page)).to_have_value("stars>=2 flagged")


@pytest.mark.exhaustive
def test_enter_after_more_was_typed_takes_the_line_and_no_suggestion_of_before(opened: Screen) -> None:
    page = opened.page
    bar(page).fill("sta")
    options = page.get_by_role("listbox", name="Suggestions").get_by_role("option")
    expect(options.first).to_contain_text("stars")
    bar(page).press("ArrowDown")
    expect(options.first).to_have_attribute("aria-selected", "true")

    page.keyboard.type("rs>=2")
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile(r"\?f=stars"))


def test_saved_filter_is_used_and_a_reload_and_back_restore_what_was_in_view(opened: Screen) -> None:
    saved_filter_is_used_by_name_renamed_and_deleted(opened)
    opened.page.keyboard.press("Escape")
    reload_and_back_restore_what_was_in_view(opened)


def saved_filter_is_used_by_name_renamed_and_deleted(opened: Screen) -> None:
    page = opened.page
    enter(opened, "s3")
    expect(opened.pairs).to_have_count(2)
    page.get_by_role("button", name="Saved filters").click()
    saved = page.get_by_role("group", name="Saved filters")
    saved.get_by_label("Save s3 as").fill("best")
    saved.get_by_role("button", name="Save", exact=True).click()
    expect(saved.get_by_role("listitem")).to_contain_text("@best")

    saved.get_by_role("button", name="Rename @best").click()
    saved.get_by_label("New name of @best").fill("finest")
    saved.get_by_role("button", name="Rename", exact=True).click()
    expect(saved.get_by_role("listitem")).to_contain_text("@finest")
    page.keyboard.press("Escape")
    enter(opened, "@finest | s2")
    expect(opened.pairs).to_have_count(3)

    enter(opened, "")
    expect(opened.pairs).to_have_count(len(STARS))
    page.get_by_role("button", name="Saved filters").click()
    saved.get_by_role("button", name="@finest s3").click()
    expect(opened.pairs).to_have_count(2)
    expect(bar(page)).to_have_value("@finest")
    enter(opened, "")
    expect(opened.pairs).to_have_count(len(STARS))
    page.get_by_role("button", name="Saved filters").click()
    saved.get_by_role("button", name="Delete @finest").click()
    expect(saved.get_by_role("listitem")).to_have_count(0)


@pytest.mark.exhaustive
def test_deletion_asks_first_and_can_be_taken_back(opened: Screen) -> None:
    enter(opened, "s3 :delete")
    dialog = opened.page.get_by_role("dialog", name="Run this command?")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    opened.page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    expect(opened.pairs).to_have_count(len(STARS))

    bar(opened.page).press("Enter")
    dialog.get_by_role("button", name="Run").click()
    expect(opened.pairs).to_have_count(len(STARS) - 2)
    opened.page.get_by_role("button", name="Undo").click()

    expect(opened.pairs).to_have_count(len(STARS))


def test_bar_folds_on_a_phone_and_its_chips_fit(people: People, conversation: str) -> None:
    screen = Screen(people.open(**PHONE)).go(f"/c/{conversation}")
    expect(screen.pairs).to_have_count(len(STARS))

    screen.page.get_by_role("button", name="Filter", exact=True).tap()
    expect(bar(screen.page)).to_be_focused()
    enter(screen, "s3")

    expect(screen.pairs).to_have_count(2)
    chip = screen.page.get_by_role("button", name="Filter: s3")
    expect(chip).to_have_text("s3")
    assert screen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    chip.tap()
    enter(screen, "")
    expect(screen.pairs).to_have_count(len(STARS))
    chips_fit_on_a_narrow_phone(screen)


def flagged(server: Served, conversation: str) -> list[int]:
    pairs = call(server.url, "GET", f"/conversations/{conversation}/pairs?filter=")["items"]
    return [pair["position"] for pair in pairs if pair["flagged"]]


def suggestions_close_when_tab_leaves_the_line(opened: Screen, text: str, key: str) -> None:
    bar(opened.page).fill("st")
    expect(option(opened.page).first).to_be_visible()
    bar(opened.page).fill(text)
    expect(option(opened.page).first).to_be_visible()

    bar(opened.page).press(key)

    expect(bar(opened.page)).not_to_be_focused()
    expect(opened.page.get_by_role("listbox", name="Suggestions")).to_be_hidden()
    expect(bar(opened.page)).to_have_attribute("aria-expanded", "false")


def chips_write_the_filter_and_take_it_out_again(opened: Screen) -> None:
    page = opened.page
    chips = page.get_by_role("group", name="Quick filters")
    starred = chips.get_by_role("button", name="Starred")
    expect(chips).to_have_count(0)

    bar(page).focus()
    expect(starred).to_have_attribute("aria-pressed", "false")
    expect(chips.get_by_role("combobox", name="Topic")).to_have_count(0)  # no pair has a topic
    starred.click()
    expect(bar(page)).to_have_value("s>=1")
    expect(bar(page)).to_be_focused()
    expect(opened.pairs).to_have_count(4)
    expect(starred).to_have_attribute("aria-pressed", "true")
    chips.get_by_role("combobox", name="Date").select_option("Last 7 days")
    expect(bar(page)).to_have_value("s>=1 d7d")
    expect(says(page)).to_contain_text("4 of 6 pairs will be sent")

    bar(page).press("Escape")
    expect(opened.pairs).to_have_count(4)
    expect(chips).to_have_count(1)  # the filter is applied
    date, row = chips.get_by_role("combobox", name="Date"), page.locator(".filter-chips-row")
    page.evaluate("document.documentElement.dataset.refused = 'away'")
    notice, chip = page.locator(".refusal.away").bounding_box(), date.bounding_box()
    page.evaluate("delete document.documentElement.dataset.refused")
    assert notice
    assert chip
    assert notice["y"] >= chip["y"] + chip["height"], "a notice covers the chips"
    before = date.bounding_box(), row.bounding_box()
    date.select_option("Any date")
    expect(bar(page)).to_have_value("s>=1")
    assert (date.bounding_box(), row.bounding_box()) == before, "a choice moves the chips next to it"
    starred.click()
    expect(opened.pairs).to_have_count(6)
    expect(chips).to_have_count(0)


def chips_fit_on_a_narrow_phone(opened: Screen) -> None:
    page = opened.page
    page.set_viewport_size({"width": 320, "height": 700})
    page.get_by_role("button", name="Filter", exact=True).click()
    starred = page.get_by_role("group", name="Quick filters").get_by_role("button", name="Starred")
    starred.click()
    expect(opened.pairs).to_have_count(4)
    expect(starred).to_be_in_viewport(ratio=1)
    bar(page).press("Escape")
    expect(starred).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") == 320
