"""Every way to fail, stop, change one's mind and come back: by keys alone and by pointer, on a desk and on a phone.

What each of these is in detail has tests of its own; here nothing is left out for a pair of hands.
"""

from __future__ import annotations

import re
from collections.abc import Generator

import pytest
from playwright.sync_api import Browser, ViewportSize, expect

from tests.e2e.hands import Hands, lifecycles, texts
from tests.e2e.peer import REPLY
from tests.e2e.screen import Screen, eventually, reload
from tests.e2e.written import a_pair, write
from tests.serving import Served

SLOW = "/long 4000 /rate 25"  # longer than any test
DESK = ViewportSize(width=1440, height=900)
PHONE = ViewportSize(width=390, height=844)
WAYS = [
    pytest.param((True, DESK), id="keys-desk"),
    pytest.param((True, PHONE), id="keys-phone"),
    pytest.param((False, DESK), id="pointer-desk"),
    pytest.param((False, PHONE), id="pointer-phone"),
]
WORDS = ("one", "two", "three")
STORY = {
    "title": "Plans",
    "model": "offline:demo",
    "pairs": [a_pair(f"/echo {word}", word, stars=3 * (word != "two")) for word in WORDS],
}


@pytest.fixture(scope="module", params=WAYS)
def hands(request: pytest.FixtureRequest, browser: Browser, server: Served) -> Generator[Hands]:
    """One browser for each pair of hands."""
    keys, viewport = request.param
    phone = viewport is PHONE
    touch = phone and not keys
    context = browser.new_context(base_url=server.url, viewport=viewport, has_touch=touch, is_mobile=touch)
    page = context.new_page()
    page.set_default_timeout(30_000)
    yield Hands(Screen(page), keys, phone)
    context.close()


@pytest.fixture(scope="module")
def stories(server: Served) -> list[str]:
    """Conversations of three pairs, the second without stars; each is taken once."""
    return write(server, *[STORY] * 4 * len(WAYS))


@pytest.fixture
def new(hands: Hands) -> Hands:
    """At a new conversation."""
    hands.screen.go("/")
    return hands


@pytest.fixture
def story(hands: Hands, stories: list[str]) -> Hands:
    """At a conversation of three pairs."""
    hands.screen.go(f"/c/{stories.pop()}")
    expect(hands.screen.pairs).to_have_count(3)
    return hands


@pytest.mark.exhaustive
def test_reply_that_fails(new: Hands) -> None:
    hands, screen, page = new, new.screen, new.page
    retry = page.locator(".retry")
    hands.send("/fail rate retry-after 55 times 1")
    expect(retry).to_contain_text(re.compile(r"Trying again in \d+ s"))
    hands.press(retry.get_by_role("button", name="Try now"))
    screen.wait_for_reply(1)

    hands.send("/fail rate retry-after 54")
    hands.press(retry.get_by_role("button", name="Stop trying"))
    expect(screen.pairs.last).to_contain_text("Stopped.")
    lifecycles(screen, "succeeded", "canceled")
    assert page.evaluate("document.activeElement.closest('[data-pair]') !== null"), "the focus went with the button"

    hands.send("/fail auth times 1")
    screen.wait_for_reply(3)
    hands.press(screen.pairs.last.locator(".failure").get_by_role("button", name="What was sent"))
    kept = page.get_by_role("dialog", name="What was sent for pair 3")
    expect(kept).to_contain_text("as they left")
    if hands.keys:
        page.keyboard.press("ArrowRight")
    else:
        hands.press(kept.get_by_role("tab", name="Compared with now"))
    expect(kept).to_contain_text("exactly this again")
    hands.press(kept.get_by_role("button", name="Send as it was"))
    lifecycles(screen, "succeeded", "canceled", "succeeded")


@pytest.mark.exhaustive
def test_stop_and_what_waits_meanwhile(new: Hands) -> None:
    hands, screen, page = new, new.screen, new.page
    hands.send(SLOW)
    expect(screen.stop).to_be_visible()
    waiting = page.get_by_role("region", name="Queue").get_by_role("listitem")
    for count, text in enumerate(("/echo one", "/echo two", "/echo three"), start=1):
        hands.send(text, "Queue")
        expect(waiting).to_have_count(count)

    hands.press(page.get_by_role("button", name="Move up queued message 2"))
    expect(waiting.first).to_contain_text("two")
    hands.press(page.get_by_role("button", name="Drop queued message 3"))
    expect(waiting).to_have_count(2)
    if hands.keys:
        hands.reach(screen.composer)
        page.keyboard.press("ArrowUp")
    else:
        hands.press(page.get_by_role("button", name="Edit queued message 2"))
    hands.write(page.get_by_role("textbox", name="Queued message"), "/echo 1")
    if hands.keys:
        page.keyboard.press("Enter")
    else:
        hands.press(page.get_by_role("button", name="Save", exact=True))
    expect(waiting.last).to_contain_text("/echo 1")

    hands.stop()
    expect(page.get_by_role("region", name="Queue")).to_contain_text("You stopped the reply")
    hands.press(page.get_by_role("button", name="Send the next one"))
    screen.wait_for_reply(3)
    texts(screen, SLOW, "/echo two", "/echo 1")
    lifecycles(screen, "canceled", "succeeded", "succeeded")


@pytest.mark.exhaustive
def test_edit_and_what_becomes_of_later_pairs(story: Hands) -> None:
    hands, screen, page = story, story.screen, story.page
    later = page.get_by_role("dialog", name="What about the later pairs?")

    def edit(text: str, way: str) -> None:
        hands.on_pair(1, "Edit and resend", "e")
        hands.write(page.get_by_role("textbox", name="Request of pair 1"), text)
        if hands.keys:
            page.keyboard.press("Enter")
        else:
            hands.press(page.get_by_role("button", name="Resend", exact=True))
        hands.press(later.get_by_role("button", name=re.compile(f"^{way}")))

    edit("/echo first", "Keep the 2 later pairs")
    expect(screen.pairs.first.locator(".reply")).to_have_text("first")
    texts(screen, "/echo first", "/echo two", "/echo three")
    lifecycles(screen, *["succeeded"] * 3)
    edit("/echo again", "Discard the 2 later pairs")
    expect(screen.pairs).to_have_count(1)
    expect(screen.last_reply).to_have_text("again")
    lifecycles(screen, "succeeded")
    hands.undo()
    texts(screen, "/echo first", "/echo two", "/echo three")
    expect(screen.pairs).to_have_count(3)
    here = screen.path
    edit("/echo branched", "Branch")
    expect(page).not_to_have_url(re.compile(here))
    expect(screen.last_reply).to_have_text("branched")
    texts(screen, "/echo branched")


@pytest.mark.exhaustive
def test_other_replies_and_their_versions(story: Hands) -> None:
    hands, screen, page = story, story.screen, story.page
    pair = screen.pairs.last
    menu = page.get_by_role("combobox", name="Answer pair 3 again")

    def stands(version: int, of: int) -> None:
        eventually(lambda: [screen.stored_pairs()[2][name] for name in ("version", "versions")] == [version, of])
        lifecycles(screen, *["succeeded"] * 3)
        expect(pair.locator(".version-place")).to_have_text(f"{version}/{of}")

    hands.on_pair(3, "Answer again", "r")
    expect(menu).to_be_focused()
    if hands.keys:
        page.keyboard.press("Enter")
    else:
        hands.press(page.get_by_role("listbox").get_by_role("option").first)
    stands(2, 2)
    hands.on_pair(3, "Answer again", "r")
    expect(menu).to_be_focused()
    if hands.keys:
        page.keyboard.insert_text("peer small")
        expect(page.get_by_role("listbox").get_by_role("option")).to_have_count(1)
        page.keyboard.press("Enter")
    else:
        hands.press(page.get_by_role("listbox").get_by_role("option", name=re.compile("small")))
    expect(screen.last_reply).to_have_text(REPLY)
    stands(3, 3)

    hands.press(pair.get_by_role("button", name="Previous version"))
    stands(2, 3)
    hands.press(pair.get_by_role("button", name="Next version"))
    stands(3, 3)
    hands.press(pair.locator(".version-place"))
    versions = page.get_by_role("dialog", name="Versions of pair 3")
    expect(versions.locator("ins").first).to_be_visible()
    hands.press(versions.get_by_role("button", name="Restore version 2"))
    stands(2, 3)
    hands.on_pair(3, "Next version", "Shift+E")
    stands(3, 3)
    expect(screen.last_reply).to_have_text(REPLY)


@pytest.mark.exhaustive
def test_what_is_deleted_comes_back(story: Hands) -> None:
    hands, screen, page = story, story.screen, story.page
    here = screen.path

    def delete_last() -> None:
        hands.on_pair(3, "Delete the pair", "x")
        hands.press(page.get_by_role("dialog").get_by_role("button", name="Delete"))
        expect(screen.pairs).to_have_count(2)

    delete_last()
    hands.undo()
    expect(screen.pairs).to_have_count(3)
    delete_last()
    reload(page)
    expect(page.locator(".toast")).to_contain_text("Deleted the pair “/echo three”")
    hands.undo()
    expect(screen.pairs).to_have_count(3)

    hands.show_conversations()
    row = screen.conversations.filter(has=page.locator("[aria-current=page]"))
    if not hands.phone:
        row.hover()
    hands.press(row.get_by_role("button", name="Delete Plans"))
    hands.press(page.get_by_role("dialog", name="Delete this conversation?").get_by_role("button", name="Delete"))
    page.wait_for_url("**/")
    hands.show_conversations()
    hands.press(page.get_by_role("link", name="Trash"))
    entry = page.locator(".trash-list li").filter(has_text="Plans").first
    hands.press(entry.get_by_role("button", name=re.compile("^Restore")))
    expect(page.get_by_text("“Plans” is back.")).to_be_visible()
    screen.go(here)
    texts(screen, "/echo one", "/echo two", "/echo three")


@pytest.mark.exhaustive
def test_fork_of_what_is_in_view_and_the_tree(story: Hands) -> None:
    hands, screen, page = story, story.screen, story.page
    origin = screen.path
    hands.on_pair(2, "Fork from here", "b")
    expect(page).not_to_have_url(re.compile(origin))
    texts(screen, "/echo one", "/echo two")
    hands.press(page.locator(".forked-from").get_by_role("link", name="Plans"))
    expect(screen.pairs).to_have_count(3)

    hands.choose_filter("s3")
    expect(screen.pairs).to_have_count(2)
    hands.on_pair(2, "Fork from here", "b")
    choice = page.get_by_role("dialog", name="Which pairs should the fork have?")
    hands.press(choice.get_by_role("button", name="Those in view up to pair 3"))
    expect(page).not_to_have_url(re.compile(origin))
    texts(screen, "/echo one", "/echo three")

    hands.show_branches()
    items = page.get_by_role("tree", name="Branches").get_by_role("treeitem")
    expect(items).to_have_count(3)
    if hands.keys:
        expect(items.nth(1).or_(items.nth(2)).and_(page.locator(":focus"))).to_have_count(1)
        for key in ("ArrowLeft", "Enter"):
            page.keyboard.press(key)
    else:
        hands.press(items.first)
    page.wait_for_url(f"**{origin}*")
    expect(page.locator(".forked-from")).to_have_count(0)
    expect(screen.pairs).to_have_count(2)  # under its filter


@pytest.mark.exhaustive
def test_replies_of_several_models_and_the_one_that_is_kept(new: Hands) -> None:
    hands, screen, page = new, new.screen, new.page
    page.evaluate("localStorage.removeItem('inview.compared')")
    if hands.keys:
        hands.reach(screen.composer)
    hands.write(screen.composer, SLOW)
    if hands.keys:
        page.keyboard.press("Alt+Enter")
    else:
        hands.press(page.get_by_role("button", name="Compare models"))
    choice = page.get_by_role("dialog", name="Compare models")
    for model in ("small", "large"):
        hands.press(choice.get_by_role("checkbox", name=re.compile(model)), "Space")
    expect(choice.get_by_role("status")).to_have_text("3 chosen.")
    hands.press(choice.get_by_role("button", name="Compare", exact=True))

    replies = page.get_by_role("dialog", name="Compared replies")
    demo, large = (replies.get_by_role("region", name=name) for name in ("offline:demo", "peer:large"))
    expect(large.get_by_role("status")).to_have_text("Complete")
    hands.press(demo.get_by_role("button", name="Stop offline:demo"))
    expect(demo.get_by_role("status")).to_have_text("Stopped")
    hands.press(large.get_by_role("button", name="Keep the reply of peer:large"))
    expect(screen.last_reply).to_have_text(REPLY)
    eventually(lambda: [pair["versions"] for pair in screen.stored_pairs()] == [3])


@pytest.mark.exhaustive
def test_conversation_that_is_temporary_until_it_is_kept(new: Hands) -> None:
    hands, screen, page = new, new.screen, new.page
    hands.press(page.get_by_role("switch", name="Temporary"), "Space")
    expect(page.get_by_text("This conversation is never written to disk.")).to_be_visible()
    hands.send("/echo passing")
    screen.wait_for_reply()
    note = page.get_by_role("group", name="Temporary conversation")
    hands.press(note.get_by_role("button", name="Keep"))
    expect(note).to_have_count(0)
    texts(screen, "/echo passing")
