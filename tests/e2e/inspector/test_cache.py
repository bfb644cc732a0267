"""The provider's cache on the page: its extent, its lifetime, and the part of it that a filter would break."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Generator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.billing.anthropic import AnthropicCache
from tests.billing.peer import play_anthropic
from tests.e2e.screen import Screen, eventually, reload, visit
from tests.e2e.written import call
from tests.serving import Served, serving

MODEL = "anthropic:claude-sonnet-4-5"
IS_ABOVE_THE_COMPOSER = """it =>
  it.getBoundingClientRect().bottom <= document.querySelector("form.composer").getBoundingClientRect().top"""
PLACES = "all => all.map(it => it.getBoundingClientRect())"


@pytest.fixture(scope="module")
def billed(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    """A server whose Anthropic provider bills by the public rules."""
    cache = AnthropicCache()

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer("application/json", b'{"data":[]}')

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            usage = cache.bill(body, datetime.now(UTC))
            self._answer("text/event-stream", play_anthropic("Arches carry. " * 40, usage))

        def _answer(self, content_type: str, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's own name
            """Print nothing: a test reports its own failures."""

    peer = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=peer.serve_forever, daemon=True)
    thread.start()
    environment = {
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{peer.server_address[1]}/v1",
        "ANTHROPIC_API_KEY": "sk-test-1234567890",
    }
    with serving(tmp_path_factory.mktemp("billed") / "data", environment) as served:
        yield served
    peer.shutdown()
    peer.server_close()
    thread.join(10)


@pytest.mark.exhaustive
def test_on_a_phone_the_controls_of_the_message_are_in_one_line_with_the_cost(billed: Served, browser: Browser) -> None:
    prompt = "You help an engineer of bridges. " * 200
    made = call(billed.url, "POST", "/conversations", {"model": MODEL, "system_prompt": prompt})
    context = browser.new_context(
        base_url=billed.url, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = Screen(context.new_page()).go(f"/c/{made['id']}").page
    composer = page.get_by_role("form", name="Message")
    expect(composer.get_by_role("button", name=re.compile("to be sent now"))).to_contain_text("$0.0")
    for width in (440, 412, 390, 375, 360):
        page.set_viewport_size({"width": width, "height": 844})
        places = composer.locator(".tools").get_by_role("button").evaluate_all(PLACES)
        assert all(left["right"] <= right["left"] for left, right in pairwise(places)), (width, places)
    context.close()


@pytest.mark.parametrize("width", [1280, pytest.param(390, marks=pytest.mark.exhaustive)])
def test_page_says_how_far_the_provider_keeps_what_was_sent_and_what_a_filter_breaks(
    billed: Served, browser: Browser, width: int, tmp_path: Path
) -> None:
    prompt = "You help an engineer of bridges. " * 200
    made = call(billed.url, "POST", "/conversations", {"model": MODEL, "system_prompt": prompt})
    context = browser.new_context(base_url=billed.url, viewport={"width": width, "height": 844})
    screen = Screen(context.new_page()).go(f"/c/{made['id']}")
    for number, text in enumerate(("Which load?", "And in winter?"), 1):
        screen.send(text).wait_for_reply(number)

    line = screen.page.get_by_role("note", name=re.compile("Cached to here"))
    expect(line).to_be_visible()
    expect(line).to_contain_text(re.compile(r"[\d,]+ tokens · (5:00|4:\d\d|59:\d\d|1:00:00 h|1:00 h) left"))
    expect(screen.pairs.last.locator(".cached")).to_have_count(1)
    expect(screen.pairs.last.locator(".cache-hit")).to_have_text(re.compile(r"^\d+ % from cache, \$0\.\d+ saved$"))
    state = call(billed.url, "GET", f"/conversations/{made['id']}/cache")
    assert state["next"]["predicted_read_tokens"] > 1_024
    assert [one["outcome"] for one in state["calls"]] == ["as_predicted", "as_predicted"]
    screen.page.screenshot(path=tmp_path / f"cached-{width}.png")
    screen.page.get_by_role("button", name=re.compile("to be sent now")).focus()
    tip = screen.page.get_by_role("group", name="What is sent")
    expect(tip).to_contain_text(re.compile(r"with 2,085 cached\s*~\$0\.00\d+"))
    screen.page.screenshot(path=tmp_path / f"estimate-{width}.png")
    _keep_it_warm_and_stop(screen, billed, made["id"], tmp_path / f"kept-{width}.png")

    visit(screen.page, f"/c/{made['id']}?f=r1")
    broken = screen.page.locator(".cache-broken")
    expect(broken).to_contain_text("more. Pair 2 is the first part that differs from the last send.")
    expect(broken).to_be_in_viewport(ratio=1)
    eventually(lambda: broken.evaluate(IS_ABOVE_THE_COMPOSER))
    screen.page.screenshot(path=tmp_path / f"broken-{width}.png")

    context.close()


@pytest.mark.exhaustive
def test_another_system_prompt_is_shown_as_a_cold_start_before_it_is_saved(billed: Served, browser: Browser) -> None:
    prompt = "You help an engineer of bridges. " * 200
    made = call(billed.url, "POST", "/conversations", {"model": MODEL, "system_prompt": prompt})
    context = browser.new_context(base_url=billed.url, viewport={"width": 1280, "height": 844})
    screen = Screen(context.new_page()).go(f"/c/{made['id']}")
    screen.send("Which load?").wait_for_reply()
    expect(screen.page.get_by_role("note", name=re.compile("Cached to here"))).to_be_visible()

    screen.page.get_by_role("button", name="Edit the system prompt").click()
    expect(screen.page.locator(".prompt-said")).to_contain_text("makes the next send a cold start")
    screen.page.get_by_role("textbox", name="System prompt").press("Control+Home")
    screen.page.keyboard.type("Please. ")
    screen.page.get_by_role("button", name="Save", exact=True).click()
    expect(screen.page.locator(".cache-broken")).to_contain_text("Cold start")
    screen.page.get_by_role("button", name="Undo").click()
    expect(screen.page.locator(".cache-broken")).to_have_count(0)

    context.close()


def _keep_it_warm_and_stop(screen: Screen, billed: Served, conversation_id: str, shot: Path) -> None:
    """By keyboard: the price before the start, the state while it runs, also in a page opened later, and the stop."""
    page = screen.page
    page.get_by_role("button", name="Keep warm…").press("Enter")
    dialog = page.get_by_role("dialog", name="Keep the cache warm")
    expect(dialog).to_contain_text(re.compile(r"reads them again, \$0\.\d+ each time"))
    expect(dialog).to_contain_text(re.compile(r"Without it your next send pays \$0\.\d+ for them instead of \$0\.\d+"))
    page.screenshot(path=shot.with_stem(f"{shot.stem}-asked"))
    dialog.get_by_role("button", name="30 minutes").press("Enter")
    on = page.get_by_role("note", name=re.compile("Cached to here"))
    expect(on).to_contain_text(re.compile(r"Cache kept warm until \d\d:\d\d · no refresh needed yet"))
    reload(page)
    expect(on).to_contain_text("Cache kept warm until")
    page.screenshot(path=shot)
    page.get_by_role("button", name="Stop keeping the cache warm").press("Enter")
    expect(page.get_by_role("button", name="Keep warm…")).to_be_visible()
    assert call(billed.url, "GET", f"/conversations/{conversation_id}/cache")["kept"] is None
