"""Every screen, wide and narrow, light and dark: nothing overflows, every control has a name, texts are readable."""

from __future__ import annotations

import re
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.figures import counter, estimate
from tests.e2e.people import PHONE, People
from tests.e2e.screen import Screen, reload, visit, visit_settings, wait_until_painted
from tests.e2e.written import a_pair, write
from tests.serving import Served

SCHEMES: Final = ("light", "dark")
WIDE = {"viewport": {"width": 1440, "height": 900}}
REPLY = "\n\n".join(
    (
        "/echo # A title",
        "Words, words. " * 60,
        "```py\n" + "x = 1  # long " * 20 + "\n```",
        f"| a | b |\n|---|---|\n| {'wide ' * 40} | {'wider ' * 40}{'unbroken' * 40} |",
        "unbroken" * 40,
    )
)

# Contrast by the formula of WCAG 2, for every element with text, against the first opaque background below it.
CONTRAST = """() => {
  const channel = (it) => (it <= 10 ? it / 255 / 12.92 : ((it / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
  const parse = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const groundOf = (element) => {
    while (element && parse(getComputedStyle(element).backgroundColor)[3] < 255) element = element.parentElement;
    return parse(getComputedStyle(element ?? document.body).backgroundColor);
  };
  const faint = [];
  for (const element of document.querySelectorAll("body *")) {
    const words = [...element.childNodes].some((it) => it.nodeType === 3 && it.data.trim());
    if (!words || !element.checkVisibility({ opacityProperty: true })) continue;
    if (element.closest(".unseen, :disabled, [aria-disabled=true], .katex")) continue;
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(groundOf(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faint.push(`${ratio.toFixed(2)} ${element.tagName}.${element.className}: ${element.textContent}`);
  }
  return faint;
}"""
# The lines of a text as they are drawn on the screen.
LINES = """(element) => {
  const lines = new Map();
  for (const text of element.childNodes) {
    for (let at = 0; at < text.data.length; at += 1) {
      const range = document.createRange();
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      const { top } = range.getBoundingClientRect();
      if (text.data[at].trim()) lines.set(top, (lines.get(top) ?? "") + text.data[at]);
    }
  }
  return [...lines.values()];
}"""
NAMELESS = """() =>
  [...document.querySelectorAll("a, button, input:not([type=hidden]), textarea, select")]
    .filter((it) => it.checkVisibility())
    .filter((it) => !(it.ariaLabel || it.textContent.trim() || it.labels?.length || it.title))
    .map((it) => it.outerHTML)"""
STICKING_OUT = """() => [...document.querySelectorAll("main *")].filter((it) => {
  const box = it.getBoundingClientRect();
  const rolled = it.parentElement.closest(".table, pre, .display");
  return box.width && box.right > innerWidth + 1 && !rolled && it.checkVisibility();
}).map((it) => it.outerHTML.slice(0, 120))"""
CUT_OFF = """() => [...document.querySelectorAll(".about, .about > *")]
  .filter((it) => it.checkVisibility() && it.scrollWidth > it.clientWidth + 1 && it.clientWidth)
  .map((it) => it.outerHTML)"""
CUT_PLACEHOLDERS = """() => [...document.querySelectorAll("input:placeholder-shown")]
  .filter((it) => it.checkVisibility() && it.clientWidth > 1)
  .filter((it) => {
    const { font, wordSpacing } = getComputedStyle(it, "::placeholder");
    const words = parseFloat(wordSpacing) > 0 ? it.placeholder.split(" ")[0] : it.placeholder;
    const canvas = Object.assign(document.createElement("canvas").getContext("2d"), { font });
    return canvas.measureText(words).width > it.clientWidth;
  })
  .map((it) => `${it.clientWidth} px: ${it.placeholder}`)"""
"""Placeholders without enough room. If the words are far apart, only the first one is measured."""
SHARE_OF_THE_MENU = """(option) => {
  let place = option;
  while (getComputedStyle(place).overflowY !== "auto") place = place.parentElement;
  return place.clientHeight / option.closest("dialog").clientHeight;
}"""
"""The part of the menu's height that scrolls its options, as a share."""
FOCUS_IS_SEEN = """() => {
  const it = document.activeElement;
  return it === document.body || getComputedStyle(it).outlineStyle !== "none" || it.matches("form.composer textarea");
}"""


@pytest.fixture(params=[WIDE, pytest.param(PHONE, marks=pytest.mark.exhaustive)], ids=["wide", "phone"])
def painted(request: pytest.FixtureRequest, people: People) -> Page:
    """A page of that size."""
    return people.open(**request.param)


MOTION = """() => Promise.all(document.getAnimations()
  .filter((it) => it.effect.getComputedTiming().endTime !== Infinity).map((it) => it.finished.catch(() => null)))"""
"""Wait until no transition is running."""


def examine_in_both_schemes(page: Page) -> None:
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        expect(page.locator("html")).to_have_class(scheme)
        examine(page)


def examine(page: Page) -> None:
    page.evaluate(MOTION)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(STICKING_OUT) == []
    assert page.evaluate(CUT_OFF) == []
    assert page.evaluate(NAMELESS) == []
    assert page.evaluate(CONTRAST) == []


def test_each_screen(painted: Page) -> None:
    first_page_and_its_model_menu(painted)
    conversation(painted)
    filter_bar_split_and_preview(painted)
    settings(painted)


def conversation(painted: Page) -> None:
    screen = Screen(painted).go("/").start(REPLY).wait_for_reply()
    expect(painted.locator("pre .hljs-number").first).to_be_visible()
    screen.send("/fail auth").wait_for_reply(2)

    examine_in_both_schemes(painted)


def filter_bar_split_and_preview(painted: Page) -> None:
    screen = Screen(painted).go("/").start("/echo one").wait_for_reply()
    counter = painted.get_by_role("button", name=re.compile("in view are sent$"))
    counter.focus()
    expect(painted.get_by_role("group", name="What is sent")).to_be_visible()
    examine_in_both_schemes(painted)

    filter_line = painted.get_by_role("combobox", name="Filter")
    filter_line.focus()
    filter_line.fill("s")
    expect(painted.get_by_role("listbox").get_by_role("option").first).to_be_visible()
    examine_in_both_schemes(painted)
    filter_line.fill("b s7")
    expect(painted.locator(".filter-place mark")).to_be_visible()
    examine_in_both_schemes(painted)
    filter_line.fill("t'nowhere'")
    expect(painted.locator("#filter-says")).to_contain_text("There is no topic")
    filter_line.press("Enter")
    expect(painted.get_by_role("button", name="Show all pairs")).to_be_visible()
    examine_in_both_schemes(painted)
    painted.get_by_role("button", name="Show all pairs").click()

    screen.write("What now?")
    painted.get_by_role("button", name="Show request", exact=True).click()
    inspector = painted.get_by_role("complementary", name="Request of the next send")
    for tab in ("Readable", "JSON", "Changes"):
        inspector.get_by_role("tab", name=tab).click()
        expect(inspector.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
        panel = inspector.get_by_role("tabpanel", name=tab)
        expect(panel).to_contain_text("What now?")
        expect(inspector.locator(".current[data-old], .tabs-stale")).to_have_count(0)
        examine_in_both_schemes(painted)
    assert painted.evaluate(CUT_PLACEHOLDERS) == []
    painted.set_viewport_size({"width": 1280, "height": 900})
    assert painted.evaluate(CUT_PLACEHOLDERS) == []


def settings(painted: Page) -> None:
    visit_settings(painted)
    painted.locator("summary").get_by_text("Add a provider").click()
    painted.get_by_text("Anthropic", exact=True).click()
    examine_in_both_schemes(painted)
    for section in ("Context", "Tools", "Keyboard shortcuts"):
        painted.get_by_role("navigation", name="Sections").get_by_role("link", name=section).click()
        expect(painted.get_by_role("heading", name=section, exact=True)).to_be_visible()
        examine_in_both_schemes(painted)


@pytest.mark.exhaustive
def test_missing_page(painted: Page) -> None:
    visit(painted, "/nothing/here")
    expect(painted.get_by_role("heading", name="Page not found")).to_be_visible()

    examine_in_both_schemes(painted)


def first_page_and_its_model_menu(painted: Page) -> None:
    Screen(painted).go("/")
    examine_in_both_schemes(painted)
    painted.get_by_role("button", name="Model: Offline demo").click()
    option = painted.get_by_role("listbox").get_by_role("option", selected=True)
    expect(option).to_be_visible()

    examine_in_both_schemes(painted)
    assert option.evaluate(SHARE_OF_THE_MENU) >= 0.5, "the footer takes most of the menu"
    painted.emulate_media(forced_colors="active")
    assert option.evaluate("it => getComputedStyle(it).outlineStyle") == "solid", "the chosen option is not marked"
    painted.emulate_media(forced_colors="none")


def list_folds_away_and_opens_over_the_page(page: Page) -> None:
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


@pytest.mark.exhaustive
def test_list_folded_away_on_a_wide_screen_stays_folded(screen: Screen) -> None:
    page = screen.page
    page.get_by_role("button", name="Hide the conversation list").click()
    expect(page.get_by_role("navigation", name="Conversations")).to_be_hidden()

    reload(page)

    expect(page.get_by_role("navigation", name="Conversations")).to_be_hidden()
    page.get_by_role("button", name="Show the conversation list").click()
    expect(page.get_by_role("navigation", name="Conversations")).to_be_visible()


@pytest.mark.exhaustive
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

    assert 62 <= per_line <= 84  # for the font of this machine


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


@pytest.fixture
def phone(people: People, server: Served) -> Screen:
    """A conversation on a phone with a keyboard."""
    pairs = [a_pair("/echo one", "one", stars=1, mark="out"), a_pair("/echo two", "two")]
    made = {"title": "A title that is too long for a phone", "pairs": pairs}
    screen = Screen(people.open(**PHONE)).go(f"/c/{write(server, made)[0]}")
    expect(screen.pairs).to_have_count(2)
    return screen


def test_phone_has_room_for_the_price_the_keys_the_actions_of_a_pair_and_the_list(phone: Screen) -> None:
    phone.write("Hello")
    price_and_send_are_seen(phone.page)
    phone.write("")
    bar_of_keys_breaks_between_keys_only(phone)
    more_of_a_pair_lists_its_actions_and_moves_nothing(phone)
    menu_of_models_is_as_wide_as_its_words(phone)
    counter_shows_that_a_filter_hides_pairs(phone)
    menu_of_the_conversation_is_next_to_the_title_and_opens_at_its_button(phone.page)
    list_folds_away_and_opens_over_the_page(phone.page)


def price_and_send_are_seen(page: Page) -> None:
    send = page.get_by_role("button", name="Send", exact=True)
    expect(estimate(page).get_by_text("free")).to_be_in_viewport(ratio=1)
    expect(send).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 320, "height": 640})
    expect(send).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("textbox", name="Title of the conversation")).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    page.set_viewport_size({"width": 390, "height": 844})


def more_of_a_pair_lists_its_actions_and_moves_nothing(phone: Screen) -> None:
    pair = phone.pairs.first
    dots = pair.get_by_role("button", name="More actions")
    set_marks = pair.locator("[data-set]:visible").filter(has_not=phone.page.locator("[data-set]"))
    expect(set_marks).to_have_count(2)
    before = dots.bounding_box()
    tops = pair.locator(".again, .actions, .more > button").evaluate_all(
        "(all) => all.map((it) => it.getBoundingClientRect().top)"
    )
    assert len(tops) == 3
    assert len(set(tops)) == 1, "the actions are not in one line"

    dots.tap()

    expect(pair.get_by_role("button", name="Delete the pair").locator("visible=true")).to_be_visible()
    assert dots.bounding_box() == before
    examine(phone.page)
    phone.page.keyboard.press("Escape")
    expect(phone.page.locator("dialog")).to_have_count(0)


def menu_of_models_is_as_wide_as_its_words(phone: Screen) -> None:
    page = phone.page
    for width, height in ((1024, 768), (768, 1024), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        phone.pairs.last.get_by_role("button", name="Regenerate").tap()
        menu = page.get_by_role("dialog", name="Regenerate pair 2")
        expect(menu).to_be_in_viewport(ratio=1)
        expect(menu.get_by_role("option", name="Several models, side by side…")).to_be_visible()
        box = menu.bounding_box()
        assert box
        assert box["width"] >= 350, (width, box)
        page.keyboard.press("Escape")
        expect(menu).to_have_count(0)


def counter_shows_that_a_filter_hides_pairs(phone: Screen) -> None:
    expect(counter(phone.page)).to_have_text("2 / 2", use_inner_text=True)
    place = phone.page.url
    phone.go(f"{place}?f=c'two'")
    expect(phone.pairs).to_have_count(1)
    expect(counter(phone.page)).to_have_text("1 of 2", use_inner_text=True)
    phone.page.set_viewport_size({"width": 1024, "height": 768})
    expect(counter(phone.page)).to_have_text("1 / 1 of 2 pairs", use_inner_text=True)
    phone.page.set_viewport_size({"width": 390, "height": 844})
    phone.go(place)


def menu_of_the_conversation_is_next_to_the_title_and_opens_at_its_button(page: Page) -> None:
    button = page.get_by_role("button", name="Conversation menu")
    menu = page.get_by_role("dialog", name="Conversation menu")
    for width in (390, 360, 320):
        page.set_viewport_size({"width": width, "height": 640})
        wait_until_painted(page)
        title, at = page.get_by_role("textbox", name="Title of the conversation").bounding_box(), button.bounding_box()
        assert title
        assert at
        assert title["x"] + title["width"] <= at["x"], (width, title, at)
        button.tap()
        expect(menu).to_be_in_viewport(ratio=1)
        opened = menu.bounding_box()
        assert opened
        assert 0 <= opened["y"] - at["y"] - at["height"] <= 12, (width, opened, at)
        assert opened["x"] <= at["x"] + at["width"] / 2 <= opened["x"] + opened["width"], (width, opened, at)
        page.keyboard.press("Escape")
        expect(menu).to_have_count(0)
    page.set_viewport_size({"width": 390, "height": 844})


def bar_of_keys_breaks_between_keys_only(phone: Screen) -> None:
    phone.composer.press("Escape")
    line = phone.page.locator(".keys-bar p")
    expect(line).to_be_visible()

    lines: list[str] = line.evaluate(LINES)

    assert len(lines) > 1
    assert all(text.endswith(("·", "back")) for text in lines), lines
    phone.page.keyboard.press("Escape")
    expect(line).to_be_hidden()
