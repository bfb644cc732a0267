"""The counter X / Y and the estimate next to Send: they follow the draft, and the parts add up to the sum."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.e2e.figures import counter, estimate, tokens
from tests.e2e.late import LINK, LateState
from tests.e2e.page.test_axe import findings_at_once
from tests.e2e.people import PHONE, People
from tests.e2e.screen import Screen, eventually
from tests.e2e.written import a_pair, write
from tests.serving import Served

pytestmark = pytest.mark.usefixtures("prefer")
PLACES = "all => all.map(it => `${it.ariaLabel}: ${Math.round(it.getBoundingClientRect().left)}`)"
LONG = "A sentence of eight words stands here again. " * 100


@pytest.fixture
def conversation(server: Served) -> str:
    """A conversation of four pairs with about a thousand tokens each."""
    pairs = [a_pair(f"Question {number}", LONG) for number in range(1, 5)]
    return write(server, {"model": "peer:small", "system_prompt": "Be brief.", "pairs": pairs})[0]


@pytest.fixture
def opened(page: Page, conversation: str) -> Screen:
    screen = Screen(page).go(f"/c/{conversation}")
    expect(counter(page)).to_have_text("4 / 4 pairs")
    return screen


def panel(page: Page) -> Locator:
    return page.get_by_role("group", name="What is sent")


def row(page: Page, name: str) -> int:
    """Return a figure of the breakdown."""
    value = panel(page).locator("dl > div").filter(has=page.get_by_text(name, exact=True)).locator("dd")
    found = re.search(r"[\d,]+", value.inner_text())
    assert found
    return int(found[0].replace(",", ""))


def test_estimate_of_a_first_message_moves_no_button_and_has_its_details(page: Page) -> None:
    late = LateState(held=[])
    page.route_web_socket(LINK, late.relay)
    screen = Screen(page).go("/")
    buttons = page.locator(".sending button")
    expect(buttons.first).to_be_visible()
    places = buttons.evaluate_all(PLACES)
    assert places

    late.release()
    expect(estimate(page)).to_have_text("0 tokens · free")

    assert {*places} <= {*buttons.evaluate_all(PLACES)}

    before = tokens(page)
    notes = FilePayload(name="notes.txt", mimeType="text/plain", buffer=b"word " * 400)
    page.locator("input[type=file][multiple]").set_input_files([notes])
    eventually(lambda: tokens(page) >= before + 380)  # without a text

    before = tokens(page)
    screen.write("word " * 400)
    eventually(lambda: tokens(page) >= before + 380)
    estimate(page).hover()
    expect(panel(page)).to_contain_text("Draft")
    expect(panel(page).get_by_role("button", name="Show request", exact=True)).to_be_visible()


def test_estimate_of_another_text_says_that_it_is_being_counted_then_its_split_adds_up(
    page: Page, conversation: str
) -> None:
    late = LateState()
    page.route_web_socket(LINK, late.relay)
    screen = Screen(page).go(f"/c/{conversation}")
    expect(counter(page)).to_have_text("4 / 4 pairs")
    before = tokens(page)
    late.held = []

    screen.write("word " * 400)
    expect(page.get_by_role("button", name="Counting tokens")).to_contain_text("counting…")
    expect(estimate(page)).to_have_count(0)
    for moment in ("pause", "finish"):  # transparent at first
        page.evaluate(f"document.getAnimations().forEach((it) => {{ it.currentTime = 0; it.{moment}() }})")
        assert findings_at_once(page, moment) == []
    late.release()

    assert tokens(page) >= before + 380

    counter(page).hover()
    expect(panel(page)).to_be_visible()
    eventually(lambda: row(page, "Draft") > 0)
    names = ("System", "Tools", "4 pairs sent", "Draft")
    eventually(lambda: row(page, "Sent now") == sum(row(page, name) for name in names) == tokens(page))
    assert row(page, "Reserved for the reply") == 800
    assert row(page, "Limit: up to 94 % of the model's window") == int(8_192 * 0.94)


@pytest.mark.parametrize("of", [counter, estimate])
@pytest.mark.exhaustive
def test_split_opens_on_hover_and_on_focus(opened: Screen, of: Callable[[Page], Locator]) -> None:
    of(opened.page).hover()
    expect(panel(opened.page)).to_be_visible()
    opened.page.mouse.move(5, 400)
    expect(panel(opened.page)).to_have_count(0)

    of(opened.page).focus()
    expect(panel(opened.page)).to_be_visible()
    opened.page.keyboard.press("Escape")
    expect(panel(opened.page)).to_have_count(0)


@pytest.fixture
def phone(people: People, conversation: str) -> Page:
    return Screen(people.open(**PHONE)).go(f"/c/{conversation}").page


@pytest.mark.exhaustive
def test_split_opens_and_closes_with_a_tap(phone: Page) -> None:
    page = phone

    counter(page).tap()
    expect(panel(page)).to_be_visible()
    expect(panel(page)).to_be_in_viewport(ratio=1)
    counter(page).tap()

    expect(panel(page)).to_have_count(0)
