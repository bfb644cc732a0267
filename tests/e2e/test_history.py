"""Long conversations: they open at their end, read upwards without a jump, and follow a reply only while at the end."""

from __future__ import annotations

import math
import re
import subprocess
import sys

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.screen import Screen, eventually
from tests.serving import ROOT, Served

PAIRS = 10_000
STEP = 900
"""Pixels of one turn of the wheel."""
STILL = 3
FIRST = 2
"""Pairs drawn at first."""


@pytest.fixture(scope="module")
def long_one(server: Served) -> str:
    """The address of a conversation of ten thousand pairs, written by a process of its own: it needs an event loop."""
    data_dir = server.output.parent / "data"
    command = [sys.executable, "-m", "tests.e2e.long_history", server.url, str(data_dir), str(PAIRS)]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=100)
    return f"/c/{made.stdout.strip()}"


def pair(page: Page, number: int) -> Locator:
    return page.get_by_role("article").get_by_text(re.compile(rf"^Question {number}:"))


def scroll_top(page: Page) -> float:
    return page.locator(".scroll").evaluate("it => it.scrollTop")


def top_pair(page: Page) -> dict[str, float]:
    """Which pair is first in view, and where on the screen it stands."""
    return page.evaluate(
        """() => {
            const top = document.querySelector(".scroll").getBoundingClientRect().top;
            const boxes = [...document.querySelectorAll("[data-pair]")];
            const box = boxes.find((it) => it.getBoundingClientRect().bottom > top + 1);
            return { id: box.dataset.pair, top: box.getBoundingClientRect().top };
        }"""
    )


def settled(page: Page, pair_id: str) -> float:
    """Where that pair stands on the screen once it has moved no more for a tenth of a second."""
    box = page.locator(f'[data-pair="{pair_id}"]')
    tops = [math.nan]
    while tops[-1] != tops[0] or len(tops) < STILL:
        page.wait_for_timeout(50)
        tops = [*tops, box.evaluate("it => it.getBoundingClientRect().top")][-STILL:]
    return tops[-1]


def is_at_the_end(page: Page) -> bool:
    return page.locator(".scroll").evaluate("it => it.scrollHeight - it.scrollTop - it.clientHeight < 3")


def test_ten_thousand_pairs_open_at_the_newest_one(page: Page, long_one: str) -> None:
    screen = Screen(page).go(long_one)
    expect(pair(page, PAIRS - 1)).to_be_in_viewport()

    assert is_at_the_end(page)
    assert 0 < screen.pairs.count() <= 120


@pytest.mark.exhaustive
def test_first_frame_holds_the_newest_pairs_alone_and_others_come_in_idle_time(page: Page, long_one: str) -> None:
    page.set_viewport_size({"width": 900, "height": 360})  # the first pairs are taller: it scrolls to their end
    page.add_init_script("globalThis.idle = []; globalThis.requestIdleCallback = (task) => idle.push(task)")
    screen = Screen(page).go(long_one)
    expect(pair(page, PAIRS - 1)).to_be_attached()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert scroll_top(page) > 0
    assert screen.pairs.count() == FIRST

    page.evaluate("idle.splice(0).forEach((task) => task())")

    expect(screen.pairs.nth(FIRST)).to_be_attached()


def test_reading_upwards_brings_older_pairs_and_never_jumps(page: Page, long_one: str) -> None:
    screen = Screen(page).go(long_one)
    expect(pair(page, PAIRS - 1)).to_be_in_viewport()
    page.locator(".scroll").hover()

    seen: set[str] = set()
    for _ in range(60):
        before = top_pair(page)
        page.mouse.wheel(0, -STEP)
        moved = settled(page, str(before["id"])) - before["top"]  # older pairs may be put above meanwhile
        assert -2 <= moved <= STEP + 2
        seen.add(str(before["id"]))

    assert len(seen) > 40
    assert screen.pairs.count() <= 120


@pytest.mark.exhaustive
def test_reading_down_again_ends_at_the_newest(page: Page, long_one: str) -> None:
    screen = Screen(page).go(long_one)
    expect(pair(page, PAIRS - 1)).to_be_in_viewport()
    page.locator(".scroll").hover()
    for _ in range(300):
        page.mouse.wheel(0, -2500)
        page.wait_for_timeout(40)
        if not pair(page, PAIRS - 1).count():
            break
    expect(pair(page, PAIRS - 1)).to_have_count(0)
    for _ in range(300):
        page.mouse.wheel(0, 2500)
        page.wait_for_timeout(40)
        if pair(page, PAIRS - 1).count() and is_at_the_end(page):
            break

    expect(pair(page, PAIRS - 1)).to_be_in_viewport()
    assert is_at_the_end(page)
    assert screen.pairs.count() <= 120


def test_scrolling_up_stops_the_following_and_a_button_returns(screen: Screen) -> None:
    screen.start("/long 900 /rate 120")
    eventually(lambda: screen.page.locator(".reply [data-part]:focus").count() == 1)
    screen.page.keyboard.press("Escape")  # the page moved by itself: from now on keys are commands
    screen.page.keyboard.press("Shift+G")
    eventually(lambda: scroll_top(screen.page) > 300)
    screen.page.locator(".scroll").hover()
    screen.page.mouse.wheel(0, -250)
    screen.page.wait_for_timeout(150)
    place = scroll_top(screen.page)
    screen.page.wait_for_timeout(1000)

    assert scroll_top(screen.page) == place
    screen.page.get_by_role("button", name="Jump to the newest message").click()
    eventually(lambda: is_at_the_end(screen.page))
    screen.stop.click()


@pytest.mark.exhaustive
def test_own_send_draws_nothing_again_that_stands_there(screen: Screen) -> None:
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
    page.wait_for_timeout(200)

    screen.send("/echo at the end of it all")

    # It is far too much for the model's window, which is asked about first.
    page.get_by_role("button", name=re.compile("that fit")).click()
    expect(screen.pairs.get_by_text("/echo at the end of it all")).to_be_in_viewport()
    expect(screen.last_reply).to_be_in_viewport()


def test_system_prompt_stands_as_a_card_at_the_top(page: Page, server: Served) -> None:
    conversation = (
        Screen(page)
        .go("/")
        .page.evaluate(
            """async () => (await (await fetch("/api/v1/conversations", {
            method: "POST", headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ system_prompt: "Answer in rhymes." }),
        })).json()).id"""
        )
    )

    Screen(page).go(f"/c/{conversation}")

    expect(page.get_by_text("System prompt")).to_be_visible()
    expect(page.get_by_text("Answer in rhymes.")).to_be_visible()
    expect(page.get_by_text("No messages yet. Write below to start.")).to_be_visible()
