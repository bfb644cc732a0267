"""The page follows a growing reply at its end. If a person scrolls up a little, the words there stay in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.people import PHONE, People
from tests.e2e.screen import Screen, eventually, step, wait_until_painted, wait_until_still
from tests.e2e.written import a_pair, write
from tests.serving import Served

OLD = [a_pair(f"Question {number}", "A line of words.\n\n" * 20) for number in range(1, 4)]
GROWS = "/long 9000 /rate 200"
TABLE = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 20
FORMULA = "$$\\sum_{i=0}^{n} \\frac{1}{i}$$"
CODE = "```python\n" + "x = 1\n" * 40 + "```"
DISTANCE = "(it) => it.scrollHeight - it.scrollTop - it.clientHeight"
CLICK = "it => it.click()"
CARET = "box => box.selectionStart"
WATCH = f"""() => {{
  const view = document.querySelector(".scroll");
  globalThis.distances = [];
  const grown = new ResizeObserver(() => distances.push(({DISTANCE})(view)));
  grown.observe(view);
  grown.observe(view.querySelector(".pairs"));
}}"""
"""Record the distance from the view to the end whenever something has grown, after the page has reacted."""


FOLDS = """async (summary) => {
  const pairs = document.querySelector(".pairs");
  summary.click();
  await Promise.resolve();
  pairs.parentElement.scrollTop;  // the browser moves the view up
  pairs.lastElementChild.append(Object.assign(document.createElement("div"), {style: "height: 3000px"}));
}"""
"""Collapse a disclosure, and add content before the browser draws."""
GOES_AND_GROWS = """() => {
  const [above, last] = [...document.querySelectorAll(".pairs > [data-pair]")].slice(-2);
  last.dataset.pair = "another";
  above.append(Object.assign(document.createElement("div"), {style: "height: 900px"}));
}"""
"""Take the request at the top of the window away while something grows: then the room below it goes, too."""
GROWS_EACH_FRAME = """() => {
  const end = document.querySelector(".pairs").lastElementChild;
  const grow = () => {
    end.append(Object.assign(document.createElement("div"), {style: "height: 2px"}));
    if (!globalThis.stopped) requestAnimationFrame(grow);
  };
  grow();
}"""
GROWS_BY_LINES = """() => {
  const end = document.querySelector(".pairs").lastElementChild;
  end.append(Object.assign(document.createElement("div"), {style: "height: 190px"}));
}"""
FIRST_WORDS = """() => {
  const top = document.querySelector(".scroll").getBoundingClientRect().top;
  const words = [...document.querySelectorAll(".pairs :is(p, li, h2, pre)")];
  globalThis.words = words.find((each) => each.getBoundingClientRect().bottom > top);
}"""


@pytest.fixture(autouse=True)
def end_is_followed(prefer: Callable[..., None]) -> None:
    """Follow the end of a reply of any height."""
    prefer(auto_enter_view_on_overflow=False)


@pytest.fixture
def read(server: Served) -> str:
    """Return the address of a conversation that is higher than the screen."""
    return f"/c/{write(server, {'pairs': OLD})[0]}"


def follow(screen: Screen, text: str) -> None:
    """Send this, and wait for a part of its reply, with the view at its end."""
    screen.send(text)
    expect(screen.pairs.last).to_contain_text(text[:20])
    eventually(lambda: len(screen.last_reply.inner_text()) > 100)
    eventually(lambda: distance(screen.page) < 2)


def distance(page: Page) -> float:
    return page.locator(".scroll").evaluate(DISTANCE)


def look(page: Page) -> None:
    """Remember the first words in view, once a smooth scroll has ended."""
    wait_until_still(page, 'document.querySelector(".scroll").scrollTop')
    page.evaluate(FIRST_WORDS)


def place(page: Page) -> float:
    """Return the position of the remembered words."""
    wait_until_painted(page)
    return page.evaluate("words.getBoundingClientRect().top")


def stays(screen: Screen) -> None:
    """Require that nothing moves while the reply grows, and that a button returns to the end and follows it again."""
    jump = screen.page.get_by_role("button", name="Jump to the newest message")
    expect(jump).to_be_visible()
    look(screen.page)
    at, below = place(screen.page), distance(screen.page)
    eventually(lambda: distance(screen.page) > below + 100)
    assert place(screen.page) == at
    jump.click()
    eventually(lambda: distance(screen.page) < 2)
    expect(jump).to_have_count(0)


def test_each_way_up_stays_with_the_words_also_when_the_reply_ends_and_its_code_is_coloured(
    screen: Screen, read: str
) -> None:
    page = screen.page
    screen.go(read)
    expect(screen.pairs).to_have_count(3)
    follow(screen, GROWS)
    view = page.locator(".scroll")
    for key in ("PageUp", "Home", "ArrowUp"):  # an arrow moves less than the distance that otherwise counts as the end
        view.focus()
        page.keyboard.press(key)
        stays(screen)
    # Like "find in page": the browser scrolls without a key, a wheel or a selection.
    screen.pairs.first.evaluate("pair => pair.scrollIntoView()")
    stays(screen)
    screen.stop.click()
    expect(screen.pairs.get_by_text("Stopped.")).to_be_visible()

    follow(screen, f"/rate 60 /echo {'Words first. ' * 40}\n\n{CODE}")
    view.focus()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("button", name="Jump to the newest message")).to_be_visible()
    look(page)
    at = place(page)
    expect(screen.pairs.last.locator("footer.meta")).to_be_attached()
    expect(screen.last_reply.locator("pre span").first).to_be_attached()
    assert place(page) == at


def test_only_a_way_up_ends_the_following_while_the_reply_grows_in_each_frame(screen: Screen, read: str) -> None:
    def at_the_end() -> Screen:
        screen.go(read)
        expect(screen.pairs).to_have_count(3)
        eventually(lambda: distance(screen.page) < 2)
        return screen

    for way in ("ArrowUp", "wheel"):
        with step(f"a smooth way up: {way}"):
            smooth_way_up_is_not_undone_by_what_comes_in_its_first_frames(at_the_end(), way)
    key_that_moves_nothing_does_not_end_the_following(at_the_end())
    words_under_a_pressed_pointer_stay_until_they_are_selected(at_the_end())


def smooth_way_up_is_not_undone_by_what_comes_in_its_first_frames(screen: Screen, way: str) -> None:
    page = screen.page
    page.evaluate(GROWS_EACH_FRAME)
    view = page.locator(".scroll")
    if way == "wheel":
        view.hover()
        page.mouse.wheel(0, -40)
    else:
        view.focus()
        page.keyboard.press(way)
    expect(page.get_by_role("button", name="Jump to the newest message")).to_be_visible()
    page.evaluate("globalThis.stopped = true")


def words_under_a_pressed_pointer_stay_until_they_are_selected(screen: Screen) -> None:
    page = screen.page
    words = screen.last_reply.locator("p").nth(-8).bounding_box()
    assert words is not None
    x, y = words["x"] + 20, words["y"] + 8

    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate(GROWS_BY_LINES)
    wait_until_painted(page)
    page.mouse.up()
    eventually(lambda: distance(page) < 2)

    words = screen.last_reply.locator("p").nth(-1).bounding_box()
    assert words is not None
    page.mouse.move(x, words["y"] + 8)
    page.mouse.down()
    page.evaluate(GROWS_BY_LINES)
    wait_until_painted(page)
    page.mouse.move(x + 60, words["y"] + 8, steps=4)
    page.mouse.up()
    assert page.evaluate("getSelection().toString()") in "A line of words."
    assert page.evaluate("getSelection().isCollapsed") is False


def key_that_moves_nothing_does_not_end_the_following(screen: Screen) -> None:
    page = screen.page
    page.locator(".scroll").evaluate("view => view.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowUp'}))")
    page.evaluate(GROWS_EACH_FRAME)
    eventually(lambda: page.locator(".pairs > :last-child > div[style]").count() > 100)
    page.evaluate("globalThis.stopped = true")
    eventually(lambda: distance(page) < 2)


def test_a_finger_that_drags_a_little_stops_the_following(people: People, read: str) -> None:
    page = people.open(**PHONE)
    screen = Screen(page).go(read)
    expect(screen.pairs).to_have_count(3)
    follow(screen, GROWS)
    session: Any = page.context.new_cdp_session(page)

    def touch(kind: str, *places: int) -> None:
        points = [{"x": 200, "y": y} for y in places]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", 400)
    for y in range(405, 441, 5):
        touch("touchMove", y)
    touch("touchEnd")

    stays(screen)
    screen.stop.click()


def test_end_is_followed_over_folding_a_table_a_formula_and_a_lower_window(screen: Screen, read: str) -> None:
    page = screen.page
    screen.go(read)
    expect(screen.pairs).to_have_count(3)
    screen.send("/think 400 /rate 150 /echo " + "\n\n".join([*["Words first."] * 12, TABLE, FORMULA, CODE, "The end."]))
    expect(screen.pairs).to_have_count(4)
    page.evaluate(WATCH)
    # Not with the mouse: Playwright first scrolls to an element that moves or is out of sight.
    summary = page.locator(".thinking summary")
    summary.evaluate(CLICK)
    thought = page.locator(".thinking .md")
    eventually(lambda: len(thought.inner_text()) > 600)
    summary.evaluate(CLICK)
    expect(thought).to_be_hidden()
    expect(screen.last_reply.locator("p").first).to_be_attached()
    page.set_viewport_size({"width": 1280, "height": 500})
    expect(screen.composer).to_be_in_viewport(ratio=1)
    expect(screen.last_reply.locator("table")).to_be_attached()
    screen.wait_for_reply(4)
    expect(screen.last_reply.locator("math").first).to_be_attached()
    wait_until_painted(page)

    far: list[float] = page.evaluate("distances")
    assert len(far) > 20
    assert max(far) < 2
    assert distance(page) < 2

    summary.evaluate(CLICK)
    expect(thought).to_be_visible()
    wait_until_painted(page)
    summary.evaluate(FOLDS)
    wait_until_painted(page)
    wait_until_painted(page)
    assert distance(page) < 2

    screen.send("/echo Short").wait_for_reply(5)
    expect(page.locator(".scroll[data-room]")).to_be_visible()
    page.evaluate("globalThis.loops = []; addEventListener('error', ({ message }) => loops.push(message))")
    page.evaluate(GOES_AND_GROWS)
    expect(page.locator(".scroll[data-room]")).to_have_count(0)
    wait_until_painted(page)
    assert page.evaluate("loops") == []


def test_keys_of_pages_scroll_the_history_from_a_box_whose_caret_has_no_line_to_go_to(
    screen: Screen, read: str
) -> None:
    page, box = screen.page, screen.composer
    screen.go(read)
    expect(screen.pairs).to_have_count(3)
    expect(box).to_be_focused()
    eventually(lambda: distance(page) < 2)

    page.keyboard.press("PageUp")
    eventually(lambda: distance(page) > 100)
    page.keyboard.press("PageDown")
    eventually(lambda: distance(page) < 2)
    page.keyboard.press("Control+Home")
    eventually(lambda: page.locator(".scroll").evaluate("it => it.scrollTop") == 0)
    page.keyboard.press("Control+End")
    eventually(lambda: distance(page) < 2)
    expect(box).to_be_focused()

    page.keyboard.type("one line")
    page.keyboard.press("PageUp")
    eventually(lambda: distance(page) > 100)
    page.keyboard.type(" more")
    expect(box).to_have_value("one line more")
    page.keyboard.press("PageDown")
    eventually(lambda: distance(page) < 2)
    page.keyboard.press("Control+Home")
    assert box.evaluate(CARET) == 0
    page.keyboard.press("Control+End")

    page.keyboard.press("Shift+Enter")
    page.keyboard.type("another")
    page.keyboard.press("PageUp")
    eventually(lambda: box.evaluate(CARET) <= len("one line more"))
    wait_until_painted(page)
    assert distance(page) < 2

    box.fill("words in a line that is wrapped " * 20)
    page.keyboard.press("PageUp")
    eventually(lambda: box.evaluate(CARET) < 100)
    wait_until_painted(page)
    assert distance(page) < 2
