"""Every screen, wide and narrow, light and dark: nothing sticks out, and axe finds nothing wrong."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.axe import axe_findings
from tests.e2e.screen import Screen, reload, visit
from tests.serving import Served

WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
REPLY = "\n\n".join(
    (
        "/echo # A title",
        "Words, words. " * 60,
        "```py\n" + "x = 1  # long " * 20 + "\n```",
        f"| a | b |\n|---|---|\n| {'wide ' * 40} | {'wider ' * 40}{'unbroken' * 40} |",
        "unbroken" * 40,
    )
)

STICKING_OUT = """() => [...document.querySelectorAll("main *")].filter((it) => {
  const box = it.getBoundingClientRect();
  const rolled = it.parentElement.closest(".table, .usage-table, pre, .display, .diagram");
  return box.width && box.right > innerWidth + 1 && !rolled && it.checkVisibility();
}).map((it) => it.outerHTML.slice(0, 120))"""
CUT_OFF = """() => [...document.querySelectorAll(".about, .about > *")]
  .filter((it) => it.checkVisibility() && it.scrollWidth > it.clientWidth + 1 && it.clientWidth)
  .map((it) => it.outerHTML)"""
FOCUS_IS_SEEN = """() => {
  const it = document.activeElement;
  return it === document.body || getComputedStyle(it).outlineStyle !== "none" || it.matches("form.composer textarea");
}"""


@pytest.fixture(params=["light", "dark"])
def scheme(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=[WIDE, PHONE], ids=["wide", "phone"])
def painted(request: pytest.FixtureRequest, browser: Browser, server: Served, scheme: Any) -> Generator[Page]:
    """A page of that size and scheme."""
    phone = request.param is PHONE
    context = browser.new_context(
        base_url=server.url, viewport=request.param, color_scheme=scheme, has_touch=phone, is_mobile=phone
    )
    yield context.new_page()
    context.close()


OVERLAPPING = """() => {
  const controls = [...document.querySelectorAll(".top-bar :is(a, button, input)")];
  const visible = controls.filter((it) => it.checkVisibility({ opacityProperty: true }));
  const boxes = visible.map((it) => [it, it.getBoundingClientRect()]).filter(([, box]) => box.width > 1);
  return boxes.flatMap(([one, a], at) => boxes.slice(at + 1)
    .filter(([other]) => !one.contains(other) && !other.contains(one))
    .filter(([, b]) => a.right > b.left + 1 && b.right > a.left + 1 && a.bottom > b.top + 1 && b.bottom > a.top + 1)
    .map(([other]) => `${one.outerHTML.slice(0, 90)} / ${other.outerHTML.slice(0, 90)}`));
}"""


def examine(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(STICKING_OUT) == []
    assert page.evaluate(CUT_OFF) == []
    assert axe_findings(page) == []


def test_first_page(painted: Page, scheme: str) -> None:
    Screen(painted).go("/")

    expect(painted.locator("html")).to_have_class(scheme)
    examine(painted)


def test_conversation(painted: Page) -> None:
    screen = Screen(painted).go("/").start(REPLY).wait_for_reply()
    expect(painted.locator("pre .hljs-number").first).to_be_visible()
    screen.send("/fail auth").wait_for_reply(2)

    expect(painted.get_by_role("textbox", name="Title of the conversation")).not_to_have_value("")
    examine(painted)
    assert painted.evaluate(OVERLAPPING) == []


DIAGRAMS = (
    "/echo ```mermaid\ngraph LR\nA[A start] --> B{A choice?}\nB -->|Yes| C[Done]\nB -->|No| A\n```\n\n"
    "```mermaid\nsequenceDiagram\nAnn->>Bob: Hello\nBob-->>Ann: Hi\n```\n\n```mermaid\ngraph TD\nA --> --> B\n```"
)


def test_diagrams(painted: Page) -> None:
    Screen(painted).go("/").start(DIAGRAMS).wait_for_reply()
    expect(painted.locator("button.diagram img")).to_have_count(2)
    expect(painted.locator(".diagram-fault")).to_be_visible()
    examine(painted)

    painted.get_by_role("button", name="Code", exact=True).first.click()
    painted.locator("button.diagram").click()
    expect(painted.locator("button.diagram")).to_have_attribute("aria-pressed", "true")
    examine(painted)


PAGES = {
    "/agents?agent=new": "Agents",
    "/audit": "Audit trail",
    "/import": "Import",
    "/pairs": "All pairs",
    "/prompts?prompt=new": "Prompts",
    "/shared": "Shared with me",
    "/shares": "Shares",
    "/status": "Status",
    "/trash": "Trash",
    "/usage": "Usage",
}


def test_pages_of_their_own(painted: Page) -> None:
    for path, heading in PAGES.items():
        visit(painted, path)
        expect(painted.get_by_role("heading", name=heading, level=1)).to_be_visible()
        examine(painted)


def test_filter_bar_split_and_preview(painted: Page) -> None:
    screen = Screen(painted).go("/").start("/echo one").wait_for_reply()
    counter = painted.get_by_role("button", name=re.compile("in view are sent$"))
    counter.focus()
    expect(painted.get_by_role("group", name="What is sent")).to_be_visible()
    examine(painted)

    filter_line = painted.get_by_role("combobox", name="Filter")
    filter_line.focus()
    filter_line.fill("s")
    expect(painted.get_by_role("listbox").get_by_role("option").first).to_be_visible()
    examine(painted)
    filter_line.fill("b s7")
    expect(painted.locator(".filter-place mark")).to_be_visible()
    examine(painted)
    filter_line.fill("t'nowhere'")
    expect(painted.locator("#filter-says")).to_contain_text("There is no topic")
    filter_line.press("Enter")
    expect(painted.get_by_role("button", name="Show all pairs")).to_be_visible()
    examine(painted)
    painted.get_by_role("button", name="Show all pairs").click()

    screen.write("What now?")
    painted.get_by_role("button", name="Preview of the request").click()
    inspector = painted.get_by_role("complementary", name="Preview of the request")
    for tab in ("Readable", "JSON", "Changes"):
        inspector.get_by_role("tab", name=tab).click()
        expect(inspector.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
        painted.wait_for_timeout(300)
        examine(painted)


def test_settings(painted: Page) -> None:
    visit(painted, "/settings")
    painted.get_by_text("Anthropic", exact=True).click()

    examine(painted)


def test_missing_page(painted: Page) -> None:
    visit(painted, "/nothing/here")
    expect(painted.get_by_role("heading", name="There is no page at this address")).to_be_visible()

    examine(painted)


def test_model_menu(painted: Page) -> None:
    Screen(painted).go("/")
    painted.get_by_role("button", name="Model: Offline demo").click()
    option = painted.get_by_role("listbox").get_by_role("option", selected=True)
    expect(option).to_be_visible()

    examine(painted)
    painted.emulate_media(forced_colors="active")
    assert option.evaluate("it => getComputedStyle(it).outlineStyle") == "solid", "nobody sees which is chosen"


def test_palette(painted: Page) -> None:
    Screen(painted).go("/").start("/echo a rare quokka").wait_for_reply()
    painted.keyboard.press("Control+k")
    field = painted.get_by_role("combobox", name="Search and commands")
    expect(field).to_be_focused()
    examine(painted)

    field.fill("quokka")
    expect(painted.get_by_role("option").locator("mark").first).to_be_visible()
    examine(painted)


def test_list_folds_away_on_a_phone_and_opens_over_the_page(browser: Browser, server: Served) -> None:
    context = browser.new_context(base_url=server.url, viewport=PHONE, has_touch=True, is_mobile=True)  # pyright: ignore[reportArgumentType] - a dict is what it takes
    page = context.new_page()
    Screen(page).go("/")
    column = page.get_by_role("navigation", name="Conversations")
    expect(column).to_be_hidden()

    page.get_by_role("button", name="Show the conversation list").click()
    expect(column).to_be_in_viewport()
    examine(page)
    page.keyboard.press("Escape")
    expect(column).to_be_hidden()

    page.get_by_role("button", name="Show the conversation list").click()
    column.get_by_role("link", name="Settings", exact=True).click()
    page.wait_for_url("**/settings")
    expect(column).to_be_hidden()
    context.close()


def test_list_folded_away_on_a_wide_screen_stays_folded(screen: Screen) -> None:
    page = screen.page
    page.get_by_role("button", name="Fold the conversation list away").click()
    expect(page.get_by_role("navigation", name="Conversations")).to_be_hidden()

    reload(page)

    expect(page.get_by_role("navigation", name="Conversations")).to_be_hidden()
    page.get_by_role("button", name="Show the conversation list").click()
    expect(page.get_by_role("navigation", name="Conversations")).to_be_visible()


def test_lines_are_sixty_five_to_eighty_characters_long(screen: Screen) -> None:
    screen.start("/echo " + "The quick brown fox jumps over the lazy dog and runs away. " * 20).wait_for_reply()

    per_line = screen.page.evaluate(
        """() => {
            const words = document.querySelector(".md p").firstChild;
            const range = document.createRange();
            range.setStart(words, 0);
            let length = 0;
            const top = () => range.getClientRects().length;
            while (length < words.length && (range.setEnd(words, length + 1), top() === 1)) length++;
            return length;
        }"""
    )

    assert 62 <= per_line <= 84  # of this machine's font


def test_focus_is_seen_wherever_the_keyboard_goes(screen: Screen) -> None:
    screen.start("/echo [a link](https://example.org)").wait_for_reply()
    page = screen.page
    place = page.url
    page.get_by_role("link", name="Skip to the content").press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    assert page.url == place
    page.locator("body").click(position={"x": 700, "y": 20})

    for _ in range(14):
        page.keyboard.press("Tab")
        assert page.evaluate(FOCUS_IS_SEEN)
