"""Long conversations: they open at their end, scroll up without a jump, and follow a reply only while at the end."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from app.domain.run.reply_size import MAX_REPLY_BYTES
from tests.e2e.screen import Screen, eventually, reload, step, wait_until_painted
from tests.e2e.written import a_pair, write
from tests.serving import ROOT, Served

PAIRS = 10_000
STEP = 900
"""Pixels of one turn of the wheel."""
MAX_TURNS = 1_000
MANY = 40
"""Number of pairs: more than the page holds at first."""
FIRST = 2
"""Number of pairs drawn at first."""


@pytest.fixture(scope="module")
def long_one(server: Served) -> str:
    """Return the address of a conversation of ten thousand pairs. A separate process with an event loop writes it."""
    data_dir = server.output.parent / "data"
    command = [sys.executable, "-m", "tests.e2e.long_history", server.url, str(data_dir), str(PAIRS)]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=100)
    return f"/c/{made.stdout.strip()}"


def pair(page: Page, number: int) -> Locator:
    return page.get_by_role("article").get_by_text(re.compile(rf"^Question {number}:"))


def scroll_top(page: Page) -> float:
    return page.locator(".scroll").evaluate("it => it.scrollTop")


WATCH = """() => {
  globalThis.moves = [];
  globalThis.seen = new Set();
  const view = document.querySelector(".scroll");
  const topOf = (id) => document.querySelector(`[data-pair="${CSS.escape(id)}"]`)?.getBoundingClientRect().top ?? NaN;
  const isSeen = (box) => box.getBoundingClientRect().bottom > view.getBoundingClientRect().top + 1;
  let [id, top] = ["", 0];
  const look = () => {
    if (id) moves.push(topOf(id) - top);
    id = [...document.querySelectorAll("[data-pair]")].find(isSeen).dataset.pair;
    top = topOf(id);
    seen.add(id);
  };
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = look;
  const frame = () => (port2.postMessage(null), requestAnimationFrame(frame));
  frame();
}"""
"""Record in each painted frame the first pair in view, and the distance that the earlier first pair has moved."""


def scroll_height(page: Page) -> float:
    return page.locator(".scroll").evaluate("it => it.scrollHeight")


def is_at_the_end(page: Page) -> bool:
    return page.locator(".scroll").evaluate("it => it.scrollHeight - it.scrollTop - it.clientHeight < 3")


@pytest.mark.exhaustive
def test_first_frame_holds_the_newest_pairs_alone_and_others_come_in_idle_time(page: Page, long_one: str) -> None:
    page.set_viewport_size({"width": 900, "height": 360})  # the first pairs are taller: the page scrolls to their end
    page.add_init_script("globalThis.idle = []; globalThis.requestIdleCallback = (task) => idle.push(task)")
    screen = Screen(page).go(long_one)
    expect(pair(page, PAIRS - 1)).to_be_attached()
    wait_until_painted(page)
    assert scroll_top(page) > 0
    assert screen.pairs.count() == FIRST

    page.evaluate("idle.splice(0).forEach((task) => task())")

    expect(screen.pairs.nth(FIRST)).to_be_attached()


def test_ten_thousand_pairs_open_at_the_newest_and_reading_upwards_never_jumps(page: Page, long_one: str) -> None:
    screen = Screen(page).go(long_one)
    expect(pair(page, PAIRS - 1)).to_be_in_viewport()
    eventually(lambda: is_at_the_end(page))
    assert 0 < screen.pairs.count() <= 120
    page.locator(".scroll").hover()
    page.evaluate(WATCH)

    for _ in range(MAX_TURNS):
        page.mouse.wheel(0, -STEP)
        wait_until_painted(page)  # so that a frame moves by one turn at most
        if page.evaluate("seen.size") > MANY:
            break

    moves = page.evaluate("moves")
    assert page.evaluate("seen.size") > MANY
    assert [moved for moved in moves if not -2 <= moved <= STEP + 2] == []
    assert screen.pairs.count() <= 120


@pytest.mark.exhaustive
def test_reading_down_again_ends_at_the_newest(page: Page, long_one: str) -> None:
    screen = Screen(page).go(long_one)
    expect(pair(page, PAIRS - 1)).to_be_in_viewport()
    page.locator(".scroll").hover()
    for _ in range(300):
        page.mouse.wheel(0, -2500)
        wait_until_painted(page)
        if not pair(page, PAIRS - 1).count():
            break
    expect(pair(page, PAIRS - 1)).to_have_count(0)
    for _ in range(300):
        page.mouse.wheel(0, 2500)
        wait_until_painted(page)
        if pair(page, PAIRS - 1).count() and is_at_the_end(page):
            break

    expect(pair(page, PAIRS - 1)).to_be_in_viewport()
    assert is_at_the_end(page)
    assert screen.pairs.count() <= 120


def turn_the_wheel(page: Page) -> None:
    page.locator(".scroll").hover()
    page.mouse.wheel(0, -250)
    eventually(lambda: not is_at_the_end(page))


def select_words(page: Page) -> None:
    place = page.locator(".scroll").bounding_box()
    assert place is not None
    left, middle = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.move(left, middle)
    page.mouse.down()
    page.mouse.move(left + 60, middle + 40, steps=4)  # the first move may only start a selection
    page.mouse.up()
    eventually(lambda: selected(page) != "")


def place_of_words(page: Page) -> float:
    """Return the position of the selected words on the screen, or the scroll position if no words are selected."""
    if selected(page) == "":
        return scroll_top(page)
    return round(page.evaluate("getSelection().getRangeAt(0).getBoundingClientRect().top"))


def selected(page: Page) -> str:
    return page.evaluate("getSelection().toString()")


def test_who_reads_stops_the_following_and_a_button_returns(screen: Screen) -> None:
    screen.start("/long 9000 /rate 250")
    eventually(lambda: screen.page.locator(".reply [data-part]:focus").count() == 1)
    screen.page.keyboard.press("Escape")  # the page moved without a key: from now on keys are commands
    screen.page.keyboard.press("Shift+G")
    for read in (turn_the_wheel, select_words):
        with step(read.__name__):
            read_while_the_reply_grows(screen, read)
    screen.stop.click()
    expect(screen.stop).to_have_count(0)
    select_words_of_a_growing_paragraph(screen)


def read_while_the_reply_grows(screen: Screen, read: Callable[[Page], None]) -> None:
    eventually(lambda: scroll_top(screen.page) > 300)
    read(screen.page)
    height = scroll_height(screen.page)
    # A click hides the bar of keys. The browser restores the position as soon as there is enough below it.
    eventually(lambda: scroll_height(screen.page) > height + 100)
    wait_until_painted(screen.page)
    place, height, words = place_of_words(screen.page), scroll_height(screen.page), selected(screen.page)
    eventually(lambda: scroll_height(screen.page) > height + 200)
    wait_until_painted(screen.page)

    assert (place_of_words(screen.page), selected(screen.page)) == (place, words)
    screen.page.get_by_role("button", name="Jump to the newest message").click()
    eventually(lambda: is_at_the_end(screen.page))


def select_words_of_a_growing_paragraph(screen: Screen) -> None:
    page = screen.page
    screen.go("/").start("/long 4000 /rate 10")
    growing = page.locator(".reply .md > :last-child")
    eventually(lambda: len(growing.inner_text()) > 30)
    box = growing.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 2, box["y"] + 8)
    page.mouse.down()
    page.mouse.move(box["x"] + 90, box["y"] + 8, steps=4)
    page.mouse.up()
    words = selected(page)
    assert words

    reply = len(screen.last_reply.inner_text())
    eventually(lambda: len(screen.last_reply.inner_text()) > reply + 60)

    assert selected(page) == words
    screen.stop.click()


@pytest.mark.exhaustive
def test_own_send_draws_no_existing_element_again(screen: Screen) -> None:
    screen.start("/echo one").wait_for_reply()
    screen.send("/echo two").wait_for_reply(2)
    screen.send("/echo three").wait_for_reply(3)
    screen.page.evaluate("document.querySelectorAll('[data-pair]').forEach((box) => (box.asItWas = true))")
    screen.send("/echo four").wait_for_reply(4)

    kept = screen.page.evaluate("[...document.querySelectorAll('[data-pair]')].map((box) => box.asItWas === true)")
    assert kept == [True, True, True, False]
    eventually(lambda: is_at_the_end(screen.page))


@pytest.mark.exhaustive
def test_own_send_leads_to_the_end(page: Page, long_one: str) -> None:
    screen = Screen(page).go(long_one)
    expect(pair(page, PAIRS - 1)).to_be_in_viewport()
    page.locator(".scroll").hover()
    page.mouse.wheel(0, -3000)
    expect(pair(page, PAIRS - 1)).not_to_be_in_viewport()

    screen.send("/echo at the end of it all")

    # The pairs are far too many for the model's window: a dialog asks first.
    page.get_by_role("button", name=re.compile("that fit")).click()
    expect(screen.pairs.get_by_text("/echo at the end of it all")).to_be_in_viewport()
    expect(screen.last_reply).to_be_in_viewport()


@pytest.mark.exhaustive
def test_longest_stored_reply_opens_and_the_conversation_continues(screen: Screen, server: Served) -> None:
    longest = "An ordinary line of words, and its number.\n" * (MAX_REPLY_BYTES // 43)
    screen.go(f"/c/{write(server, {'pairs': [a_pair('A short one'), a_pair('Go on', longest)]})[0]}")
    expect(screen.pairs.get_by_text("Go on")).to_be_visible()

    screen.send("/echo after it")
    screen.page.get_by_role("button", name=re.compile("that fit|draft alone")).click()
    expect(screen.last_reply).to_have_text("after it")

    reload(screen.page)
    expect(screen.last_reply).to_have_text("after it")
