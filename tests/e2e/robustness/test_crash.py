"""After a crash the page says which text may be missing, what is unknown, and what happens to the next message."""

from __future__ import annotations

import json
import re
import signal
import sqlite3
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conversation.test_compare import choose, column
from tests.e2e.conversation.test_structured import SET, use_schema
from tests.e2e.conversation.test_temporary import files_with, is_reply_stored
from tests.e2e.late import LINK, LateState
from tests.e2e.screen import ANY_CONVERSATION, Screen, eventually, reload
from tests.e2e.written import call
from tests.serving import Served, serving

LOST = "Connection lost. Reconnecting…"


@pytest.fixture
def crash(tmp_path: Path, browser: Browser) -> Generator[Callable[[], Screen]]:
    """Return a function that kills the server during a reply with a queue, and opens the tab on the next server."""
    with serving(tmp_path / "data") as first:
        page: Page = browser.new_page(base_url=first.url)
        page.set_default_timeout(30_000)
        screen = Screen(page).go("/")

        def kill() -> Served:
            screen.start("/long 4000 /rate 60")
            expect(screen.last_reply).to_contain_text(re.compile(r"\w{3}"))
            eventually(lambda: is_reply_stored(tmp_path / "data/inview.db", page.url.rpartition("/")[2]))
            screen.send("/echo what waits")
            expect(page.get_by_role("region", name="Queue")).to_be_visible()
            first.process.send_signal(signal.SIGKILL)
            first.process.wait(10)
            return first

        started: list[object] = []

        def restart() -> Screen:
            port = kill().port
            server = serving(tmp_path / "data", port=port)
            server.__enter__()
            started.append(server)
            connect_now(screen.page)
            expect(screen.pairs.last.locator(".failure")).to_be_visible(timeout=60_000)
            return screen

        yield restart
        page.close()
        for server in started:
            server.__exit__(None, None, None)  # type: ignore[attr-defined]


@pytest.mark.exhaustive
def test_crash_is_reported_without_promising_more_than_is_known(crash: Callable[[], Screen]) -> None:
    screen = crash()
    page = screen.page
    failure = screen.pairs.last.locator(".failure")

    expect(failure).to_contain_text(re.compile("(the end|what came after) may be missing"))
    expect(failure).not_to_contain_text("[error")
    expect(failure).to_contain_text("The next message is sent without this pair.")
    expect(page.locator(".spent")).to_have_text("tokens not reported · free")
    expect(screen.pairs.last.locator(".meta")).to_contain_text("tokens not reported")
    queue = page.get_by_role("region", name="Queue")
    expect(queue.get_by_role("status")).to_contain_text("The reply failed, so the queue is paused.")
    expect(queue.get_by_role("status")).to_contain_text("Inview stopped before the reply was complete.")
    queue.get_by_role("button", name="Remove").click()

    received = words(screen.last_reply.inner_text())[-12:]
    screen.write("And then?")
    failure.get_by_role("button", name="Include in the next message").click()
    expect(screen.composer).to_have_value(
        re.compile(r"^/long 4000[\s\S]*It began:[\s\S]*Continue from there\.\s+And then\?$")
    )
    assert received in words(screen.composer.input_value())


def test_text_of_an_open_page_is_recovered_after_kill_9(tmp_path: Path, browser: Browser) -> None:
    """A reply, and the schema of an unsent message.

    Another program locks the database before the kill, so that much of what the page shows is certainly not stored.
    """
    with ExitStack() as stack:
        first = stack.enter_context(serving(tmp_path / "data"))
        tabs = [Screen(browser.new_page(base_url=first.url)) for _ in range(2)]
        for tab in tabs:
            stack.callback(tab.page.close)
        tabs[0].go("/").start("/long 4000 /rate 100")
        expect(tabs[0].last_reply).to_contain_text(re.compile(r"\w{3}"))
        use_schema(tabs[0].page)
        tabs[1].go(tabs[0].page.url.removeprefix(first.url))
        expect(tabs[1].last_reply).to_contain_text(re.compile(r"\w{3}"))
        with closing(sqlite3.connect(tmp_path / "data/inview.db", isolation_level=None)) as holder:
            eventually(lambda: begins(holder))
            held_at = len(tabs[0].last_reply.inner_text())
            eventually(lambda: len(tabs[0].last_reply.inner_text()) > held_at + 300)
            first.process.send_signal(signal.SIGKILL)
            first.process.wait(10)
        for tab in tabs:
            expect(tab.page.get_by_text(LOST)).to_be_visible()
        drawn = max((words(tab.last_reply.inner_text()) for tab in tabs), key=len)  # a slow page has received more

        second = stack.enter_context(serving(tmp_path / "data", port=first.port))

        for tab in tabs:
            connect_now(tab.page)
        for tab in tabs:
            failure = tab.pairs.last.locator(".failure")
            expect(failure.get_by_text("recovered", exact=True)).to_be_visible(timeout=60_000)
            expect(failure).to_contain_text("recovered from an open page; what came after may be missing")
        eventually(lambda: stored_reply(second, tabs[0]).startswith(drawn))
        for tab in tabs:
            eventually(lambda tab=tab: words(tab.last_reply.inner_text()) == stored_reply(second, tab))
        expect(tabs[0].page.get_by_role("button", name=SET)).to_be_visible()
        reload(tabs[0].page)
        expect(tabs[0].pairs.last.locator(".recovered-mark")).to_be_visible()
        eventually(lambda: words(tabs[0].last_reply.inner_text()) == stored_reply(second, tabs[0]))


@pytest.mark.exhaustive
def test_text_of_compared_replies_is_recovered_after_kill_9(tmp_path: Path, browser: Browser) -> None:
    """The dialog is open when the server dies. The page sends the text back before a person opens it again."""
    with ExitStack() as stack:
        first = stack.enter_context(serving(tmp_path / "data"))
        page = browser.new_page(base_url=first.url)
        stack.callback(page.close)
        screen = Screen(page).go("/")
        screen.write("/long 4000 /rate 60")
        page.keyboard.press("Alt+Enter")
        models = ("Offline demo", "Offline tiny")
        choose(screen, *models)
        page.wait_for_url(ANY_CONVERSATION)
        shown = [column(screen, model).get_by_role("group") for model in models]
        for reply in shown:
            expect(reply).to_have_text(re.compile(r"\w{3}"))
        with closing(sqlite3.connect(tmp_path / "data/inview.db", isolation_level=None)) as holder:
            eventually(lambda: begins(holder))
            held_at = [len(reply.inner_text()) for reply in shown]
            eventually(lambda: all(len(r.inner_text()) > at + 200 for r, at in zip(shown, held_at, strict=True)))
            first.process.send_signal(signal.SIGKILL)
            first.process.wait(10)
        expect(page.get_by_text(LOST)).to_be_visible()
        drawn = [words(reply.inner_text()) for reply in shown]  # a slow page has received more

        second = stack.enter_context(serving(tmp_path / "data", port=first.port))
        connect_now(page)

        conversation = page.url.rpartition("/")[2]
        path = f"/api/v1/conversations/{conversation}/comparison"

        def stored() -> list[str]:
            pairs = json.loads(second.get(path).body)["pairs"]
            return [words(pair["reply_text"]) for pair in pairs]

        eventually(lambda: all(text.startswith(start) for text, start in zip(stored(), drawn, strict=True)))
        page.get_by_role("button", name="Show the replies to choose from").click()
        for model, text in zip(models, stored(), strict=True):
            reply = column(screen, model).get_by_role("group")
            expect(reply.locator(".recovered-mark")).to_be_visible()
            expect(reply).to_contain_text("recovered from an open page; what came after may be missing")
            assert words(reply.locator(".md").inner_text()) == text
        column(screen, models[0]).get_by_role("button", name=f"Keep this reply: {models[0]}").click()
        expect(screen.pairs.last.locator(".recovered-mark")).to_be_visible()


@pytest.mark.exhaustive
def test_a_temporary_conversation_is_gone_after_kill_9_as_it_says(tmp_path: Path, browser: Browser) -> None:
    """An open page still shows it, and sends none of it back. A page with another conversation does send text back."""
    with ExitStack() as stack:
        first = stack.enter_context(serving(tmp_path / "data"))
        page, beside = (browser.new_page(base_url=first.url) for _ in range(2))
        stack.callback(page.close)
        stack.callback(beside.close)
        screen, lasting = Screen(page).go("/"), Screen(beside).go("/").start("/long 4000 /rate 60")
        page.get_by_role("switch", name="Temporary").check()
        screen.start("/rate 60\n/echo Xylophonquartett " + "word " * 2_000)
        expect(screen.last_reply).to_contain_text("Xylophonquartett word")
        expect(lasting.last_reply).to_contain_text(re.compile(r"\w{3}"))
        with closing(sqlite3.connect(tmp_path / "data/inview.db", isolation_level=None)) as holder:
            eventually(lambda: begins(holder))
            held_at = len(lasting.last_reply.inner_text())
            eventually(lambda: len(lasting.last_reply.inner_text()) > held_at + 200)
            first.process.send_signal(signal.SIGKILL)
            first.process.wait(10)

        second = stack.enter_context(serving(tmp_path / "data", port=first.port))
        connect_now(page)

        expect(page.get_by_role("heading", name="Conversation not found")).to_be_visible(timeout=60_000)
        connect_now(beside)  # only now: a page sends its text back directly after it connects
        expect(lasting.pairs.last.locator(".failure").get_by_text("recovered", exact=True)).to_be_visible()
        assert files_with(second, "Xylophonquartett") == []
        assert json.loads(second.get("/api/v1/conversations?temporary=true").body)["items"] == []


@pytest.mark.exhaustive
def test_message_whose_answer_was_lost_by_kill_9_is_not_sent_twice(tmp_path: Path, browser: Browser) -> None:
    with ExitStack() as stack:
        first = stack.enter_context(serving(tmp_path / "data"))
        page, state = browser.new_page(base_url=first.url), LateState()
        stack.callback(page.close)
        page.route_web_socket(LINK, state.relay)
        screen = Screen(page).go("/").start("/echo one").wait_for_reply()
        state.held = []
        screen.send("/echo two")
        eventually(lambda: [pair["lifecycle"] for pair in screen.stored_pairs()] == ["succeeded"] * 2)
        first.process.send_signal(signal.SIGKILL)
        first.process.wait(10)
        expect(page.get_by_text(re.compile("Inview cannot be reached. Your text is saved"))).to_be_visible()
        expect(screen.composer).to_have_value("/echo two")

        stack.enter_context(serving(tmp_path / "data", port=first.port))
        state.mend()
        connect_now(page)
        screen.wait_for_reply(2)
        screen.composer.press("Enter")

        expect(screen.composer).to_have_value("")
        expect(page.locator("[data-sending]")).to_have_count(0)
        screen.send("/echo three").wait_for_reply(3)
        assert [pair["user_text"] for pair in screen.stored_pairs()] == ["/echo one", "/echo two", "/echo three"]


@pytest.mark.parametrize("away", [False, True], ids=["open page", "page that is opened again"])
@pytest.mark.exhaustive
def test_edit_of_a_pair_that_was_deleted_before_a_restart_is_in_the_message_box(
    tmp_path: Path, browser: Browser, *, away: bool
) -> None:
    with ExitStack() as stack:
        first = stack.enter_context(serving(tmp_path / "data"))
        screen = Screen(browser.new_page(base_url=first.url))
        stack.callback(screen.page.close)
        screen.go("/").start("/echo one").wait_for_reply(1)
        address, pair_id = screen.page.url, screen.stored_pairs()[0]["id"]
        for key in ("Escape", "Shift+G", "e"):
            screen.page.keyboard.press(key)
        expect(screen.page.get_by_role("textbox", name="Request of pair 1")).to_be_focused()
        screen.page.keyboard.type(" and more")
        if away:
            screen.page.goto("about:blank")
        first.process.send_signal(signal.SIGKILL)
        first.process.wait(10)
        with serving(tmp_path / "data") as elsewhere:
            call(elsewhere.url, "DELETE", f"/pairs/{pair_id}")

        stack.enter_context(serving(tmp_path / "data", port=first.port))
        if away:
            screen.page.goto(address)
        else:
            connect_now(screen.page)

        expect(screen.composer).to_have_value("/echo one and more", timeout=60_000)
        expect(screen.page.get_by_text("which you were editing, was deleted. Your text is in")).to_be_visible()


def words(text: str) -> str:
    """Return the words alone: the composer shows the signs of a heading, the drawn reply does not."""
    return " ".join(re.findall(r"\w+", text))


def stored_reply(server: Served, tab: Screen) -> str:
    """Return the words of the reply in the conversation that a tab shows, which has one pair."""
    conversation = tab.page.url.rpartition("/")[2]
    (pair,) = json.loads(server.get(f"/api/v1/conversations/{conversation}/pairs").body)["items"]
    return words(pair["reply_text"])


def connect_now(page: Page) -> None:
    """Let a page that lost its server reconnect now, without waiting for its next attempt."""
    page.evaluate("dispatchEvent(new Event('online'))")


def begins(holder: sqlite3.Connection) -> bool:
    """Lock the database for writing. Return False if another connection has the lock."""
    try:
        holder.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:
        return False
    return True
