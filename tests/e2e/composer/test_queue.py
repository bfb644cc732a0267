"""The queue on the page: text typed while a reply runs is queued, can be changed, and is sent at the right time."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Locator, expect

from tests.e2e.screen import Screen, press_escape_twice, reload

SLOW = "/long 4000 /rate 1"  # longer than any test, and never higher than the window


def queue(screen: Screen) -> Locator:
    return screen.page.get_by_role("region", name="Queue")


def waiting(screen: Screen) -> Locator:
    return queue(screen).get_by_role("listitem")


def running(screen: Screen) -> Screen:
    screen.start(SLOW)
    expect(screen.stop).to_be_visible()
    return screen


def queue_up(screen: Screen, *texts: str) -> None:
    for count, text in enumerate(texts, start=1):
        screen.send(text)
        expect(waiting(screen)).to_have_count(count)


def asked(screen: Screen) -> list[str]:
    return [pair["user_text"] for pair in screen.stored_pairs()]


def test_what_is_sent_while_a_reply_runs_waits_in_every_tab_and_is_edited_and_let_go_by_keys(
    screen: Screen, another_screen: Callable[[str], Screen]
) -> None:
    page = screen.page
    queue_up(running(screen), "/echo one")
    screen.write("/echo two")
    screen.page.get_by_role("button", name="Queue", exact=True).click()
    expect(screen.composer).to_have_value("")
    expect(queue(screen).get_by_role("status")).to_contain_text("2 messages wait for this reply")
    other = another_screen(screen.path)
    expect(waiting(other)).to_have_count(2)
    reload(screen.page)
    expect(waiting(screen)).to_have_count(2)
    expect(screen.composer).to_be_focused()

    page.keyboard.press("ArrowUp")
    box = page.get_by_role("textbox", name="Queued message")
    expect(box).to_be_focused()
    expect(queue(screen).get_by_role("status")).to_have_text("Paused while you edit.")
    page.keyboard.press("Escape")
    expect(screen.composer).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(box).to_be_focused()
    box.fill("/echo 2")
    reload(page)
    expect(box).to_have_value("/echo 2")
    box.press("Enter")
    expect(waiting(screen).last).to_contain_text("/echo 2")
    expect(waiting(other).last).to_contain_text("/echo 2")
    expect(screen.composer).to_be_focused()

    press_escape_twice(page)
    expect(queue(screen).get_by_role("status")).to_contain_text("You stopped the reply")
    expect(screen.stop).to_have_count(0)
    assert screen.stored_pairs()[0]["lifecycle"] == "canceled"
    go_on = queue(screen).get_by_role("button", name="Send next")
    go_on.focus()
    page.keyboard.press("Enter")
    screen.wait_for_reply(3)  # the second is sent automatically once the first is answered
    expect(queue(screen)).to_have_count(0)
    expect(queue(other)).to_have_count(0)
    assert asked(screen) == [SLOW, "/echo one", "/echo 2"]
