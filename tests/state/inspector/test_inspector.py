"""The inspector's frame and its preview, on a real app context without a browser."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from app.domain.conversation.marks import Marks
from app.domain.conversation.parts import Text
from app.runs.app_context import AppContext
from app.runs.child_calls.summaries import summarise
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.conversation.mark_commands import mark_pair
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send
from app.runs.send.context_selection import ViewOptions
from app.runs.send.send_request import SendRequest
from app.state.composer.message_box import MAX_TEXT
from app.state.composer.state import ComposerState
from app.state.inspector import frame
from app.state.inspector import preview as preview_module
from app.state.inspector.bodies import BodyView
from app.state.inspector.frame import InspectorState
from app.state.inspector.preview import PreviewState
from app.state.tab.tab_watchers import Moment
from app.state.transcript.chat import ChatState
from app.state.transcript.transcript import TranscriptState
from app.views.inspector.request import RequestView
from app.views.inspector.request_changes import ChangesView
from tests.runs.steps import collect, reply_to
from tests.state.conftest import Tab
from tests.state.watched import running, watching
from tests.waiting import until


async def a_conversation(ctx: AppContext, *texts: str, **fields: Any) -> str:
    made = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo", **fields)
    for text in texts:
        await reply_to(ctx, made.id, f"/echo {text}")
    return made.id


def request(tab: Tab) -> RequestView:
    shown = tab.shows(PreviewState, "request")
    assert shown is not None
    return shown


def gists(tab: Tab) -> list[str]:
    return [piece.gist for piece in request(tab).messages]


# --- the frame ---


@pytest.fixture
async def there(tab: Tab, monkeypatch: pytest.MonkeyPatch) -> Tab:
    """A tab at a conversation. The sections of the inspector are not updated automatically."""
    monkeypatch.setattr(frame, "_KEEP_CURRENT", {})
    await tab.send(ChatState.open)
    tab.path = "/c/conversation"
    return tab


async def test_section_is_opened_closed_and_toggled(there: Tab) -> None:
    tab = there
    await tab.send(InspectorState.show, section="usage")
    assert tab.shows(InspectorState, "section") == "usage"
    await tab.send(InspectorState.toggle, section="branches")
    assert tab.shows(InspectorState, "section") == "branches"
    await tab.send(InspectorState.toggle, section="branches")
    assert tab.shows(InspectorState, "section") == ""
    await tab.send(InspectorState.show, section="lineage")
    await tab.send(InspectorState.close)
    assert tab.shows(InspectorState, "section") == ""


@pytest.mark.parametrize("section", ["secrets", 7, None, ["preview"], {}])
async def test_section_that_there_is_not_opens_nothing(there: Tab, section: object) -> None:
    await there.send(InspectorState.show, section="usage")

    await there.send(InspectorState.show, section=section)

    assert there.shows(InspectorState, "section") == "usage"


async def test_open_preview_follows_draft_and_marks_until_it_is_closed(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frame, "SETTLE_SECONDS", 0.01)
    ended, moments = asyncio.Event(), frame.moments

    async def moments_to_the_end(*args: Any, **more: Any) -> AsyncGenerator[Moment]:
        try:
            async for moment in moments(*args, **more):
                yield moment
        finally:
            ended.set()

    monkeypatch.setattr(frame, "moments", moments_to_the_end)
    conversation_id = await a_conversation(ctx, "one", "two")
    async with watching(ctx, tab, conversation_id) as watcher:
        async with running(tab, InspectorState.show, section="preview"):
            await until(lambda: tab.shows(PreviewState, "request") is not None)
            assert gists(tab)[0] == "/echo one"

            watcher.write("And three?")
            await until(lambda: gists(tab)[-1] == "And three?")
            pairs = watcher.screen.pairs
            await mark_pair(ctx, LOCAL_OWNER, pairs[0].id, Marks(deleted=True))
            await until(lambda: gists(tab) == ["/echo two", "two", "And three?"])

        await tab.send(InspectorState.close)
        watcher.write("Not seen")
        await ended.wait()
        assert gists(tab)[-1] == "And three?"


async def test_section_follows_again_after_a_reconnect(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, "one")
    async with watching(ctx, tab, conversation_id), running(tab, InspectorState.show, section="preview"):
        await until(lambda: tab.shows(PreviewState, "request") is not None)
    async with watching(ctx, tab, conversation_id, draft="Back again"), running(tab, InspectorState.follow):
        await until(lambda: gists(tab)[-1] == "Back again")


# --- the preview ---


async def test_preview_reads_as_what_would_be_sent(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, "one", system_prompt="Be brief.")
    await reply_to(ctx, conversation_id, "/fail server")
    async with watching(ctx, tab, conversation_id, draft="What now?"):
        await tab.send(PreviewState.refresh)

    shown = request(tab)
    assert [(piece.role, piece.whence, piece.gist) for piece in shown.messages] == [
        ("user", "pair 1", "/echo one"),
        ("assistant", "pair 1", "one"),
        ("user", "draft", "What now?"),
    ]
    assert [piece.opened for piece in shown.messages] == [False, False, True]
    assert shown.messages[-1].parts[0].text == "What now?"
    assert shown.left_out == ("1 pair: failed (2)",)
    assert shown.pairs == "1 of 2 pairs in view"
    assert shown.system is not None
    assert shown.system.parts[0].text == "Be brief."
    assert shown.model == "offline:demo"
    assert tab.shows(PreviewState, "body") is None
    assert tab.shows(PreviewState, "fault") in {None, ""}


async def test_preview_leaves_out_a_text_that_was_just_sent(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, "one")
    async with watching(ctx, tab, conversation_id) as watcher:
        await tab.send(ComposerState.write, draft="/echo tw", typed=True)
        await tab.send(ComposerState.send, send_id="1", text="/echo two", order_id="")
        await until(lambda: (context := watcher.screen.context) is not None and context.x == 2)
        await tab.send(PreviewState.refresh)

        assert gists(tab) == ["/echo one", "one", "/echo two", "two"]
        context = watcher.screen.context
        assert context is not None
        assert context.estimate.draft == 0


async def test_preview_is_stale_once_a_send_would_carry_something_else(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, "one")
    await tab.send(ChatState.open)
    tab.path = f"/c/{conversation_id}"
    async with running(tab, TranscriptState.open):
        await tab.until(lambda: tab.shows(ComposerState, "estimate") is not None)
        await tab.send(ComposerState.write, draft="/echo two", typed=True, edition=7)
        await tab.until(lambda: tab.shows(ComposerState, "counted") == 7)
        await tab.send(PreviewState.refresh)
        assert (gists(tab)[-1], tab.shows(PreviewState, "edition")) == ("/echo two", 7)
        assert tab.shows(PreviewState, "stale") is False

        await tab.send(ComposerState.send, send_id="1", text="/echo two", order_id="")
        await tab.until(lambda: tab.shows(ComposerState, "counted") == 0)
        assert tab.shows(PreviewState, "stale") is True
        await tab.until(lambda: tab.shows(ComposerState, "x") == 2)
        await tab.send(ComposerState.write, draft="", typed=False, edition=8)
        await tab.until(lambda: tab.shows(ComposerState, "counted") == 8)
        await tab.send(PreviewState.keep_current)
        assert gists(tab) == ["/echo one", "one", "/echo two", "two"]
        assert (tab.shows(PreviewState, "edition"), tab.shows(PreviewState, "stale")) == (8, False)


async def test_figures_are_of_no_text_while_it_is_too_long_to_be_counted(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, "one")
    await tab.send(ChatState.open)
    tab.path = f"/c/{conversation_id}"
    async with running(tab, TranscriptState.open):
        await tab.until(lambda: tab.shows(ComposerState, "estimate") is not None)
        await tab.send(ComposerState.write, draft="/echo two", typed=True, edition=7)
        await tab.until(lambda: tab.shows(ComposerState, "counted") == 7)

        await tab.send(ComposerState.write, draft="x" * (MAX_TEXT + 1), typed=True, edition=8)

        await tab.until(lambda: tab.shows(ComposerState, "counted") == 0)


async def test_preview_leaves_out_files_that_were_just_sent(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, "one")
    async with watching(ctx, tab, conversation_id) as watcher:
        watcher.attach((Text("notes.txt: remember the milk"),))
        await tab.send(ComposerState.send, send_id="1", text="/echo two", order_id="")

        assert watcher.view.attached == ()


async def test_draft_of_one_conversation_is_never_counted_in_another(ctx: AppContext, tab: Tab) -> None:
    conversation_id, other = await a_conversation(ctx, "one"), await a_conversation(ctx, "two")
    async with watching(ctx, tab, conversation_id) as watcher:
        tab.path = f"/c/{other}"  # the page has moved on, and does not follow the other conversation yet

        await tab.send(ComposerState.write, draft="For the other one", typed=True)

        assert watcher.view.draft == ""


async def test_look_that_is_in_view_is_what_is_previewed(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, "one", "two")
    async with watching(ctx, tab, conversation_id, options=ViewOptions(filter="r1")):
        await tab.send(PreviewState.refresh)

    assert gists(tab) == ["/echo two", "two"]


async def test_json_is_the_body_byte_for_byte(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, "one")
    draft = 'What "now"?'
    async with watching(ctx, tab, conversation_id, draft=draft):
        await tab.send(PreviewState.refresh)
        await tab.send(PreviewState.choose_tab, tab="json")

    body: BodyView = tab.shows(PreviewState, "body")
    planned = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest(draft))
    assert body.page.text.encode() == planned.wire.body
    assert request(tab).body_sha256 == sha256(planned.wire.body).hexdigest()
    assert (body.number, body.count, body.download) == (1, 1, "")

    await tab.send(PreviewState.choose_tab, tab="readable")
    assert tab.shows(PreviewState, "body") is None


async def test_large_body_comes_in_pages_and_as_a_download(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx)
    draft = "A sentence of words. " * 25_000
    async with watching(ctx, tab, conversation_id, draft=draft) as watcher:
        await tab.send(PreviewState.refresh)
        await tab.send(PreviewState.choose_tab, tab="json")
        body: BodyView = tab.shows(PreviewState, "body")
        pages = [body.page.text]
        assert body.count > 3
        for number in range(2, body.count + 1):
            await tab.send(PreviewState.show_page, number=number)
            pages.append(tab.shows(PreviewState, "body").page.text)

        planned = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest(draft))
        assert "".join(pages).encode() == planned.wire.body
        assert all(len(page) <= 200_000 for page in pages)
        assert body.download.endswith(f"/preview/{request(tab).body_sha256}")
        assert ctx.prepared.find(LOCAL_OWNER, conversation_id, request(tab).body_sha256) is not None

        # A large preview is not built again automatically.
        watcher.write("Short")
        await until(lambda: watcher.screen.context is not None and watcher.screen.context.estimate.draft < 100)
        await tab.send(PreviewState.keep_current)
        assert tab.shows(PreviewState, "stale") is True
        assert len(request(tab).messages[-1].gist) > 10
        await tab.send(PreviewState.refresh)
        assert tab.shows(PreviewState, "stale") is False
        assert gists(tab) == ["Short"]


@pytest.mark.parametrize("number", [0, -3, 99, "2", None, True])
async def test_page_that_there_is_not_shows_the_nearest(ctx: AppContext, tab: Tab, number: object) -> None:
    conversation_id = await a_conversation(ctx)
    async with watching(ctx, tab, conversation_id, draft="Hello"):
        await tab.send(PreviewState.refresh)
        await tab.send(PreviewState.choose_tab, tab="json")

        await tab.send(PreviewState.show_page, number=number)

    assert tab.shows(PreviewState, "body").number == 1


async def test_older_messages_are_shown_on_request_and_begin_folded(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preview_module, "FIRST_MESSAGES", 2)
    conversation_id = await a_conversation(ctx, "one", "two")
    async with watching(ctx, tab, conversation_id, draft="three"):
        await tab.send(PreviewState.refresh)
        assert gists(tab) == ["two", "three"]
        assert (request(tab).count, request(tab).earlier) == ("5 messages", "Show 3 earlier")

        await tab.send(PreviewState.show_earlier)

    assert gists(tab) == ["/echo one", "one", "/echo two", "two", "three"]
    assert request(tab).earlier == ""


async def test_long_text_is_cut_until_all_of_it_is_asked_for(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx)
    async with watching(ctx, tab, conversation_id, draft="x" * 50_000):
        await tab.send(PreviewState.refresh)
        (message,) = request(tab).messages
        assert (len(message.parts[0].text), message.parts[0].more) == (20_000, "Show 30,000 more characters")

        await tab.send(PreviewState.open_piece, key=message.key)

    (part,) = request(tab).messages[0].parts
    assert (len(part.text), part.more) == (50_000, "")


@pytest.mark.parametrize("key", [None, 7, "x" * 100, ["message:0"], "message:99"])
async def test_piece_that_there_is_not_changes_nothing(ctx: AppContext, tab: Tab, key: object) -> None:
    conversation_id = await a_conversation(ctx)
    async with watching(ctx, tab, conversation_id, draft="x" * 50_000):
        await tab.send(PreviewState.refresh)
        before = request(tab)

        await tab.send(PreviewState.open_piece, key=key)

    assert request(tab) == before


async def test_changes_are_shown_against_the_last_request(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, "one", "two")
    async with watching(ctx, tab, conversation_id, draft="three"):
        await tab.send(PreviewState.choose_tab, tab="changes")
        await tab.send(PreviewState.refresh)

    changes: ChangesView = tab.shows(PreviewState, "changes")
    assert changes.note == "The first 3 messages are as in the last request. "
    assert [(row.same, row.sign, row.gist) for row in changes.rows] == [
        ("3 the same", "", ""), ("", "+", "two"), ("", "+", "three")
    ]  # fmt: skip
    assert (changes.heads, changes.warning) == ((), "")


async def test_changes_after_a_summary_show_that_it_replaces_the_pairs(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, "alpha", "beta")
    summary = await summarise(ctx, LOCAL_OWNER, conversation_id, ViewOptions())
    await collect(ctx, summary.started.run_id)
    for task in tuple(ctx.background):
        await task
    async with watching(ctx, tab, conversation_id, draft="gamma"):
        await tab.send(PreviewState.choose_tab, tab="changes")
        await tab.send(PreviewState.refresh)

    changes: ChangesView = tab.shows(PreviewState, "changes")
    assert changes.warning == ""
    assert [(head.name, head.before) for head in changes.heads] == [("System", "none")]
    assert [(row.sign, row.gist) for row in changes.rows] == [
        ("-", "/echo alpha"), ("-", "alpha"), ("-", "/echo beta"), ("+", "gamma")
    ]  # fmt: skip


async def test_before_anything_was_sent_there_is_nothing_to_compare_with(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx)
    async with watching(ctx, tab, conversation_id, draft="one"):
        await tab.send(PreviewState.choose_tab, tab="changes")
        await tab.send(PreviewState.refresh)

    assert tab.shows(PreviewState, "changes") is None
    assert "Nothing was sent in this conversation yet" in tab.shows(PreviewState, "changes_note")


async def test_refusal_is_shown_and_removed_by_the_next_attempt(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    async with watching(ctx, tab, made.id, draft="Hello") as watcher:
        moment = preview_module.moment_of

        def without_a_model(state: Any) -> Any:
            found = moment(state)
            return found and replace(found, options=ViewOptions(model="nobody:here"))

        monkeypatch.setattr(preview_module, "moment_of", without_a_model)
        await tab.send(PreviewState.refresh)
        assert "nobody" in tab.shows(PreviewState, "fault")
        assert tab.shows(PreviewState, "busy") is False

        monkeypatch.undo()
        await tab.send(PreviewState.refresh)

    assert tab.shows(PreviewState, "fault") == ""
    assert gists(tab) == [watcher.view.draft]


async def test_another_conversation_is_not_shown_as_the_one_before(ctx: AppContext, tab: Tab) -> None:
    first, second = await a_conversation(ctx, "one"), await a_conversation(ctx, "two")
    async with watching(ctx, tab, first):
        await tab.send(PreviewState.refresh)
    async with watching(ctx, tab, second):
        await tab.send(PreviewState.refresh)

    assert gists(tab) == ["/echo two", "two"]
    assert tab.shows(PreviewState, "conversation") == second


@pytest.mark.parametrize("name", ["secrets", 7, None, ["json"]])
async def test_tab_that_there_is_not_is_not_chosen(tab: Tab, name: object) -> None:
    await tab.send(PreviewState.choose_tab, tab=name)

    assert tab.shows(PreviewState, "tab") in {None, "readable"}
