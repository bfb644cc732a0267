"""Tools on the page: choosing them in the inspector, and the cards of calls in the history."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.late import LINK, LateState
from tests.e2e.screen import Screen, eventually, reload, visit, wait_until_still
from tests.e2e.written import call
from tests.serving import Served
from tests.tools.servers import EVERYTHING, everything

LONG = "\n".join(f"line {number} of a long result" for number in range(1, 200))
OVERLAPS = """() => {
  const all = [...document.querySelectorAll(".composer .tools :is(button, .estimate)")];
  const seen = all.filter((it) => it.checkVisibility());
  const boxes = seen.map((it) => [it.ariaLabel || it.innerText, it.getBoundingClientRect()]);
  const meet = (one, other) => one.left < other.right - 1 && other.left < one.right - 1 &&
    one.top < other.bottom - 1 && other.top < one.bottom - 1;
  return boxes.flatMap(([name, box], at) =>
    boxes.slice(at + 1).filter(([, other]) => meet(box, other)).map(([other]) => `${name} | ${other}`));
}"""
"""Controls below the message that lie over each other."""


def a_call(call_id: str, name: str, arguments: dict[str, Any], *, complete: bool = True) -> dict[str, Any]:
    part = {"type": "tool_call", "tool_call_id": call_id, "name": name, "input_json": json.dumps(arguments)}
    return {**part, "complete": complete}


def a_result(call_id: str, text: str, *, is_error: bool = False) -> dict[str, Any]:
    return {
        "type": "tool_result",
        "tool_call_id": call_id,
        "content": [{"type": "text", "text": text}],
        "is_error": is_error,
    }


def imported(server: Served, *parts: dict[str, Any]) -> str:
    """Import a conversation whose only reply has these parts, and return its id."""
    said = "".join(part["text"] for part in parts if part["type"] == "text")
    pair = {"user_text": "Look at the folder", "reply_text": said, "reply": {"parts": list(parts)}}
    made = call(server.url, "POST", "/import", {"title": "Calls", "model": "offline:demo", "pairs": [pair]})
    return made["conversations"][0]["id"]


def cards(page: Page) -> Locator:
    return page.locator(".tool-card")


def look_at_it(page: Page, name: str) -> None:
    folder = os.environ.get("INVIEW_SHOTS")
    if folder is None:
        return
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for width, height in ((1440, 900), (390, 844)):
            page.set_viewport_size({"width": width, "height": height})
            wait_until_still(page, "document.documentElement.scrollHeight")
            page.screenshot(path=f"{folder}/{name}-{scheme}-{width}.png")
    page.set_viewport_size({"width": 1280, "height": 800})


def test_card_of_a_call_says_how_it_came_out_and_unfolds_to_what_went_in_and_out(
    server: Served, screen: Screen
) -> None:
    page = screen.page
    conversation_id = imported(
        server,
        {"type": "text", "text": "Let me look."},
        a_call("c1", "files__list", {"path": "/home", "deep": True}),
        a_call("c2", "files__read", {"path": "/none"}),
        a_call("c3", "git__log", {}),
        a_result("c1", LONG),
        a_result("c2", "No such file: /none\nTry another.", is_error=True),
        {"type": "text", "text": "There it is."},
    )
    visit(page, f"/c/{conversation_id}")

    expect(cards(page)).to_have_count(3)
    done, failed, lost = (cards(page).nth(place) for place in range(3))
    expect(done.locator("summary")).to_contain_text("files__list")
    expect(done.locator("summary")).to_contain_text('"path": "/home"')
    expect(done.locator(".tool-state")).to_have_text("Done")
    expect(failed.locator("summary")).to_contain_text("No such file: /none")
    expect(failed.locator(".tool-state")).to_have_text("Failed")
    expect(lost.locator(".tool-state")).to_have_text("No result")

    done.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(done.get_by_role("button", name="Copy the arguments")).to_be_visible()
    result = done.get_by_role("region", name="Result of the tool")
    expect(result).to_contain_text("line 1 of a long result")
    expect(result).not_to_contain_text("line 150 of")
    result.get_by_role("button", name="Show all").click()
    expect(result).to_contain_text("line 199 of a long result")
    result.get_by_role("button", name="Copy the result").click()
    expect(result.get_by_role("button", name="Copy the result")).to_contain_text("Copied")
    failed.locator("summary").click()
    expect(failed.get_by_role("region", name="Error of the tool")).to_contain_text("Try another.")
    lost.locator("summary").click()
    expect(lost).to_contain_text("The reply ended before this call returned.")
    result.get_by_role("button", name="Show less").click()
    look_at_it(page, "cards")


def pill(page: Page) -> Locator:
    return page.get_by_role("button", name=re.compile("^Tools "))


def menu(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Tools of the next message")


def test_composer_says_which_tools_are_sent_and_the_choice_in_the_inspector_is_what_is_sent(
    server: Served, screen: Screen, prefer: Callable[..., None]
) -> None:
    composer_says_how_many_tools_are_sent_and_which(screen, prefer)
    choice_in_the_inspector_is_what_is_sent(server, screen)
    pill(screen.page).click()
    expect(menu(screen.page)).to_contain_text("No tools are sent.")
    prefer()


def composer_says_how_many_tools_are_sent_and_which(screen: Screen, prefer: Callable[..., None]) -> None:
    page = screen.page
    expect(page.locator(".estimate")).to_be_visible()
    expect(pill(page)).to_have_count(0)
    prefer(built_in_tools=["current_time", "fetch_page"])
    reload(page)
    pill(page).click()
    expect(menu(page).get_by_role("listitem")).to_have_count(2)
    expect(menu(page).get_by_role("link", name="Set up tools")).to_be_visible()
    page.keyboard.press("Escape")

    screen.start("/rate 0\nHello").wait_for_reply()
    expect(pill(page)).to_have_text("Tools 2")
    screen.composer.fill("More")  # a phone shows the options of a message once it has a text
    for width in (1280, 390, 360, 320):
        page.set_viewport_size({"width": width, "height": 800})
        expect(pill(page)).to_be_in_viewport(ratio=1)
        send = page.get_by_role("button", name="Send", exact=True)
        expect(send).to_be_in_viewport(ratio=1)
        assert page.evaluate(OVERLAPS) == [], width
        assert page.evaluate("document.documentElement.scrollWidth") == width
    page.set_viewport_size({"width": 1280, "height": 800})
    screen.composer.fill("")
    pill(page).click()
    expect(menu(page)).to_contain_text(re.compile(r"2 of 2 tools~[\d,]+ tokens in each send"))
    expect(menu(page).get_by_role("listitem").filter(has_text=re.compile(r"~\d+ tokens$"))).to_have_count(2)
    menu(page).get_by_role("button", name="Choose tools").click()


def choice_in_the_inspector_is_what_is_sent(server: Served, screen: Screen) -> None:
    """The inspector shows the tools already."""
    page = screen.page
    path = f"/conversations/{screen.path.removeprefix('/c/')}"
    panel = page.get_by_role("region", name="Tools", exact=True)
    modes = panel.get_by_role("group", name="Tools to send")

    expect(modes.get_by_role("radio")).to_have_count(5)
    expect(modes.get_by_role("radio", name="All, cached")).to_be_checked()
    expect(panel).to_contain_text("2 of 2 tools")
    modes.get_by_role("radio", name="Manual").click()
    expect(panel).to_contain_text("0 of 2 tools")
    panel.get_by_role("checkbox", name="Current time").focus()
    page.keyboard.press("Space")
    expect(panel).to_contain_text("1 of 2 tools")
    expect(panel).to_contain_text("ticked")
    look_at_it(page, "panel")

    preview = call(server.url, "POST", f"{path}/preview", {"text": "Hi"})
    assert [tool["name"] for tool in preview["tools"]] == ["current_time"]
    assert preview["estimate"]["tools"] > 0
    state = LateState()
    page.route_web_socket(LINK, state.relay)
    reload(page)
    eventually(lambda: call(server.url, "GET", path)["ticked_tools"] == ["current_time"])
    expect(modes.get_by_role("radio", name="Manual")).to_be_checked()  # the open panel is open again
    expect(panel.get_by_role("checkbox", name="Current time")).to_be_checked()

    # A choice before Enter applies to the send, also while the page has no confirmation of it.
    state.held = []
    modes.get_by_role("radio", name="None").click()
    screen.send("/rate 0\n/tool current_time {}")
    eventually(lambda: len(screen.stored_pairs()) == 2)
    state.release()
    screen.wait_for_reply(2)
    expect(screen.last_reply).to_contain_text("This conversation has no tools.")
    expect(pill(page)).to_have_text("Tools 0")


@pytest.mark.exhaustive
def test_live_calls_of_a_server_show_how_far_they_are_and_what_they_gave_and_the_same_when_loaded(
    server: Served, screen: Screen
) -> None:
    if not EVERYTHING.is_file():
        pytest.skip("The npm servers are not installed: `make peers`.")
    page, way = screen.page, everything()
    body = {"name": "every", "kind": "stdio", "command": way.command, "arguments": list(way.arguments)}
    added = call(server.url, "POST", "/mcp-servers", body)
    assert call(server.url, "POST", f"/mcp-servers/{added['id']}/test")["health"] == "ready"
    banner = page.get_by_role("region", name="Tool calls waiting for permission").locator(".permission")

    screen.start(
        '/rate 0\n/tool every__get-tiny-image {}\n/tool every__get-structured-content {"location": "Chicago"}\n'
        "/then\n/echo Seen."
    )
    expect(banner).to_have_count(2)
    expect(cards(page).first).to_have_attribute("data-state", "waiting")
    expect(page.get_by_text("has no result")).to_have_count(0)
    for left in (1, 0):
        banner.first.get_by_role("button", name="Allow once").click()
        expect(banner).to_have_count(left)
    screen.wait_for_reply()
    expect(screen.last_reply).to_contain_text("Seen.")
    expect(cards(page).first).to_have_attribute("data-state", "output-available")
    shown = [card.locator("summary").inner_text() for card in cards(page).all()]
    reload(page)
    expect(cards(page)).to_have_count(2)
    assert [card.locator("summary").inner_text() for card in cards(page).all()] == shown
    for card in cards(page).all():
        card.locator("summary").click()
    picture = cards(page).first.locator("img")
    picture.scroll_into_view_if_needed()  # the browser does not load pictures that were never on screen
    eventually(lambda: picture.evaluate("image => image.naturalWidth") > 0)
    expect(cards(page).nth(1)).to_contain_text("Light rain / drizzle")
    expect(cards(page).nth(1)).to_contain_text("Structured")
    look_at_it(page, "given")

    screen.send('/rate 0\n/tool every__trigger-long-running-operation {"duration": 600, "steps": 6000}')
    banner.first.get_by_role("button", name="Allow once").click()
    long = cards(page).last
    expect(long.locator(".tool-state")).to_contain_text("%")
    long.locator("summary").click()
    expect(long.get_by_role("progressbar")).to_be_visible()
    look_at_it(page, "progress")
    screen.stop.click()
    expect(long).to_have_attribute("data-state", "output-error")
    call(server.url, "DELETE", f"/mcp-servers/{added['id']}")
