"""The composer: its text is kept, sent once, and received character for character."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, WebSocket, expect

from tests.e2e.composer.test_files import TABLE, a_file, attach, files_of
from tests.e2e.conversation.test_structured import SET, use_schema
from tests.e2e.figures import counter, estimate
from tests.e2e.late import LINK, LateState
from tests.e2e.people import PHONE, People
from tests.e2e.screen import ANY_CONVERSATION, Screen, eventually, heard, reload
from tests.e2e.written import a_pair, call, write
from tests.serving import Served


def test_enter_sends_what_is_typed_character_for_character_and_once(screen: Screen) -> None:
    text = "/echo  two  blanks\t\ttab \\* `x` <b> & é 👩‍👩‍👧 \u202eright\n\n  trailing  "
    screen.write(text)
    screen.page.keyboard.press("Shift+Enter")
    screen.page.keyboard.type("two ")
    screen.page.keyboard.press("Enter")
    screen.wait_for_reply()
    assert screen.stored_pairs()[0]["user_text"] == f"{text}\ntwo "

    for line in ("- one", "two"):
        screen.page.keyboard.type(line)
        screen.page.keyboard.press("Shift+Enter")
    expect(screen.composer).to_have_value("- one\n- two\n- ")

    screen.write("/echo held")
    for _ in range(5):
        screen.page.keyboard.down("Enter")  # the event repeats, as with a key that is held down
    screen.page.keyboard.up("Enter")
    expect(screen.last_reply).to_have_text("held")
    screen.wait_for_reply(2)
    screen.write("/echo clicked")
    screen.page.get_by_role("button", name="Send", exact=True).dblclick(force=True)
    expect(screen.last_reply).to_have_text("clicked")
    screen.wait_for_reply(3)
    assert len(screen.stored_pairs()) == 3


@pytest.mark.parametrize("key", ["Control+Enter", "Meta+Enter"])
@pytest.mark.exhaustive
def test_enter_with_a_modifier_sends_too(screen: Screen, key: str) -> None:
    screen.page.keyboard.type("/echo sent")
    screen.page.keyboard.press(key)

    expect(screen.last_reply).to_have_text("sent")


@pytest.mark.parametrize("blank", ["", "   ", "\n\n", " \t \n"])
@pytest.mark.exhaustive
def test_blank_text_is_never_sent(screen: Screen, blank: str) -> None:
    screen.write(blank)
    screen.composer.press("Enter")

    expect(screen.page.get_by_role("button", name="Send", exact=True)).to_be_disabled()
    assert screen.path == "/"


KEPT_AT_ONCE = """
const every = window.setInterval, keeps = [];
window.setInterval = (task, wait) => { if (wait === 400) keeps.push(task); return every(task, wait); };
new MutationObserver(() => keeps.forEach((keep) => keep())).observe(document, { childList: true, subtree: true });
"""
"""Run the timer that saves drafts with every change of the document: also just after a text area was removed."""


@pytest.mark.exhaustive
def test_draft_survives_a_timer_that_strikes_as_its_page_goes(screen: Screen) -> None:
    screen.page.add_init_script(KEPT_AT_ONCE)
    screen.start("/echo one").wait_for_reply()
    path = screen.path
    screen.go(path).write("kept")

    screen.page.get_by_role("link", name="New conversation").first.click()
    expect(screen.composer).to_have_value("")
    screen.conversations.first.get_by_role("link").click()

    expect(screen.composer).to_have_value("kept")


@pytest.mark.exhaustive
def test_unreachable_server_is_shown_and_the_text_kept(page: Page, server: Served) -> None:
    state = LateState()
    page.route_web_socket(LINK, state.relay)
    screen = Screen(page).go("/").start("/echo one").wait_for_reply()
    state.cut()
    expect(page.get_by_text("Connection lost. Reconnecting…")).to_be_visible()

    screen.send("do not lose me")

    expect(page.get_by_text(re.compile("Inview cannot be reached. Your text is saved"))).to_be_visible()
    expect(screen.composer).to_have_value("do not lose me")


def open_more_without_server(phone: Page) -> None:
    """Open and close the menu of a pair twice. It needs no server."""
    expect(phone.get_by_text("Connection lost. Reconnecting…")).to_be_visible()
    for _ in range(2):
        phone.get_by_role("button", name="More actions").first.tap()
        expect(phone.get_by_role("dialog", name="More actions")).to_be_visible()
        phone.keyboard.press("Escape")
        expect(phone.get_by_role("dialog", name="More actions")).to_have_count(0)
    phone.close()


def test_text_is_sent_once_whether_it_or_its_answer_was_lost(page: Page, people: People, server: Served) -> None:
    state = LateState()
    page.route_web_socket(LINK, state.relay)
    screen = Screen(page).go("/").start("/echo one").wait_for_reply()
    phone = people.open(**PHONE)
    phone.route_web_socket(LINK, state.relay)
    Screen(phone).go(screen.path).wait_for_reply()

    state.held = []
    screen.send("/echo two")
    eventually(lambda: len(screen.stored_pairs()) == 2)
    state.cut()
    expect(screen.composer).to_have_value("/echo two")
    open_more_without_server(phone)
    state.mend()

    expect(screen.composer).to_have_value("", timeout=20_000)
    screen.wait_for_reply(2)
    assert [pair["user_text"] for pair in screen.stored_pairs()] == ["/echo one", "/echo two"]

    state.deaf = True
    screen.send("/echo three")
    expect(screen.composer).to_have_value("")
    state.deaf = False
    reload(page)
    expect(screen.composer).to_have_value("/echo three")
    screen.composer.press("Enter")
    screen.wait_for_reply(3)
    assert [pair["user_text"] for pair in screen.stored_pairs()] == ["/echo one", "/echo two", "/echo three"]


@pytest.mark.parametrize("text", ["/echo two", pytest.param("", marks=pytest.mark.exhaustive)], ids=["text", "file"])
def test_message_that_arrived_before_its_page_was_reloaded_is_not_in_the_composer_again(
    page: Page, server: Served, text: str
) -> None:
    """Its text is not in the box, and neither its schema nor its file is sent with the next message.

    The reloaded page restores the draft with both, then learns that all of it has arrived. The empty draft that it then
    restores is lost.
    """
    state = LateState()
    page.route_web_socket(LINK, state.relay)
    screen = Screen(page).go("/").start("/echo one").wait_for_reply()
    use_schema(page)
    attach(screen, a_file("c.csv", TABLE.encode()))
    expect(files_of(page)).to_contain_text("sent as text")

    state.held = []
    screen.send(text)
    heard(page, lambda: '"accepted":true' in str(state.held))
    state.mend()
    state.only_first = "composer_state.restore"
    reload(page)

    screen.wait_for_reply(2)
    expect(screen.composer).to_have_value("")
    expect(page.get_by_role("button", name=SET)).to_be_visible()
    expect(files_of(page)).to_contain_text("c.csv")
    state.only_first = ""
    reload(page)
    screen.wait_for_reply(2)
    screen.send("/echo three").wait_for_reply(3)
    pairs = screen.stored_pairs()
    assert [pair["user_text"] for pair in pairs] == ["/echo one", text, "/echo three"]
    assert [pair["structured"] for pair in pairs] == [False, True, False]
    assert [len(pair["attached"]) for pair in pairs] == [0, 1, 0]


def test_unanswered_send_of_a_conversation_that_is_left_is_in_its_box_only_if_it_was_refused(
    page: Page, server: Served
) -> None:
    state = LateState()
    page.route_web_socket(LINK, state.relay)
    leave_and_open_before_the_answer(page, server, state)
    leave_before_the_refusal(page, server, state)


def leave_and_open_before_the_answer(page: Page, server: Served, state: LateState) -> None:
    first, second = write(
        server, {"title": "The first", "pairs": [a_pair("one", "one")]}, {"title": "The second", "pairs": []}
    )
    screen = Screen(page).go(f"/c/{first}")
    expect(screen.pairs).to_have_count(1)
    expect(screen.conversations.get_by_role("link", name="The second")).to_be_visible()

    state.held = []
    screen.send("/echo two")
    screen.conversations.get_by_role("link", name="The second").click()
    page.wait_for_url(f"**/c/{second}")
    screen.write("kept")
    screen.conversations.get_by_role("link", name="The first").click()
    page.wait_for_url(f"**/c/{first}")
    expect(screen.composer).to_have_value("")
    screen.conversations.get_by_role("link", name="The second").click()
    expect(screen.composer).to_have_value("kept")
    state.release()

    screen.conversations.get_by_role("link", name="The first").click()
    screen.wait_for_reply(2)
    expect(screen.composer).to_have_value("")
    reload(page)
    screen.wait_for_reply(2)
    expect(screen.composer).to_have_value("")


def leave_before_the_refusal(page: Page, server: Served, state: LateState) -> None:
    pair = {"user_text": "Where is it?", "reply_text": "It is gone.", "model": "gone:big"}
    old = {"title": "The gone", "model": "gone:big", "pairs": [pair]}
    file = {"format": "inview", "version": 1, "conversations": [old, old | {"title": "The other"}]}
    gone, other = [one["id"] for one in call(server.url, "POST", "/import", file)["conversations"]]
    screen = Screen(page).go(f"/c/{gone}")
    expect(screen.pairs).to_have_count(1)
    expect(screen.conversations.get_by_role("link", name="The other")).to_be_visible()

    state.held = []
    screen.send("/echo two")
    screen.conversations.get_by_role("link", name="The other").click()
    page.wait_for_url(f"**/c/{other}")
    heard(page, lambda: '"accepted":false' in str(state.held))
    state.release()
    screen.conversations.get_by_role("link", name="The gone").click()
    page.wait_for_url(f"**/c/{gone}")
    expect(screen.pairs).to_have_count(1)

    expect(screen.composer).to_have_value("/echo two")

    state.held = []
    screen.composer.press("Enter")
    expect(screen.composer).to_have_value("")
    page.keyboard.type("and this")
    heard(page, lambda: '"accepted":false' in str(state.held))
    state.release()
    expect(screen.composer).to_have_value("/echo two\nand this")


def newest(server: Served) -> str:
    listed = call(server.url, "GET", "/conversations")["items"]
    return listed[0]["id"] if listed else ""


@pytest.mark.exhaustive
def test_first_text_that_arrived_though_the_connection_broke_leads_to_its_conversation(
    page: Page, server: Served
) -> None:
    state = LateState()
    page.route_web_socket(LINK, state.relay)
    screen = Screen(page).go("/")
    expect(page.get_by_role("button", name=re.compile("^Model: (?!none)"))).to_be_visible()
    before = newest(server)

    state.held = []
    screen.send("/echo a first text")
    eventually(lambda: newest(server) != before)
    state.cut()
    expect(screen.composer).to_have_value("/echo a first text")
    state.mend()

    page.wait_for_url(ANY_CONVERSATION)
    screen.wait_for_reply()
    expect(screen.composer).to_have_value("")
    assert [pair["user_text"] for pair in screen.stored_pairs()] == ["/echo a first text"]


@pytest.mark.exhaustive
def test_model_of_the_conversation_opened_before_gets_nothing(page: Page, server: Served) -> None:
    """The state from Reflex arrives late: until then the page shows no model, and the send still uses the right one."""
    first, second = write(
        server,
        {"title": "To the tiny", "model": "offline:tiny", "pairs": [a_pair("one", "one")]},
        {"title": "To the demo", "model": "offline:demo", "pairs": [a_pair("two", "two")]},
    )
    state = LateState()
    page.route_web_socket(LINK, state.relay)
    screen = Screen(page).go(f"/c/{first}")
    tiny, unknown = (page.get_by_role("button", name=f"Model: {name}") for name in ("Offline tiny", "none chosen"))
    expect(tiny).to_be_visible()
    expect(screen.conversations.get_by_role("link", name="To the demo")).to_be_visible()

    state.held = []
    screen.conversations.get_by_role("link", name="To the demo").click()
    expect(unknown).to_be_visible()
    screen.send("/echo three")
    assert screen.path == f"/c/{second}"
    eventually(lambda: len(screen.stored_pairs()) == 2)
    assert screen.stored_pairs()[-1]["model"] == "offline:demo"
    state.release()
    screen.wait_for_reply(2)
    expect(unknown).to_have_count(0)

    state.held = []
    page.get_by_role("link", name="New conversation").first.click()
    expect(screen.pairs).to_have_count(0)
    screen.send("/echo four")
    expect(screen.composer).to_have_value("")
    state.release()
    page.wait_for_url(ANY_CONVERSATION)
    screen.wait_for_reply()
    assert screen.stored_pairs()[0]["user_text"] == "/echo four"


def test_text_too_long_for_the_connection_is_not_sent_and_one_that_just_fits_arrives_whole(
    screen: Screen,
) -> None:
    screen.start("/echo first").wait_for_reply()
    again: list[WebSocket] = []
    screen.page.on("websocket", lambda socket: again.append(socket))  # noqa: PLW0108 - no attribute fits on a method
    grow = """box => {
      const text = "\U0001f600" + "x".repeat(4400000);  // only said: to lay it out takes a minute
      Object.defineProperty(box, "value", {configurable: true, get: () => text, set: () => {}});
      box.dispatchEvent(new Event("input", {bubbles: true}));
    }"""
    shrink = "box => { delete box.value; box.dispatchEvent(new Event('input', {bubbles: true})); }"
    notice = screen.page.get_by_text("This text is too long to send at once.")
    screen.write("/echo short")

    screen.composer.evaluate(grow)
    expect(notice).to_be_visible()
    uncounted = screen.page.get_by_role("button", name="Tokens are not counted: 4,400,001 characters are too many")
    expect(uncounted).to_have_text("not counted")
    expect(screen.page.get_by_role("button", name="The number of pairs to send is unknown")).to_have_text("? / 1")
    expect(screen.page.get_by_text("counting…")).to_have_count(0)
    uncounted.hover()
    expect(screen.page.get_by_role("group", name="What is sent")).to_contain_text("The text stays in the message box.")
    expect(screen.page.get_by_role("button", name="Send", exact=True)).to_be_disabled()
    screen.composer.press("Enter")
    screen.composer.evaluate(shrink)
    expect(notice).to_be_hidden()
    expect(screen.composer).to_have_value("/echo short")
    expect(estimate(screen.page)).to_be_visible()
    expect(counter(screen.page)).to_have_text("1 / 1 pair")
    screen.composer.press("Enter")

    expect(screen.last_reply).to_have_text("short")
    assert [pair["user_text"] for pair in screen.stored_pairs()] == ["/echo first", "/echo short"]
    assert not again

    screen.wait_for_reply(2)
    large = "/long 3\n" + ("=" * 63 + "\n") * 16_000  # more than a million characters, and not many tokens
    screen.composer.evaluate(
        "(box, text) => { box.value = text; box.dispatchEvent(new Event('input', {bubbles: true})) }", large
    )
    screen.composer.press("Enter")
    expect(screen.pairs).to_have_count(3)
    expect(screen.page.locator("footer.meta")).to_have_count(3, timeout=60_000)
    assert screen.stored_pairs()[2]["user_text"] == large
