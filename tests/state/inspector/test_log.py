"""The log in the inspector: requests for titles and summaries, and what was spent when messages left the history."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from app.domain.conversation.accounting import Accounting, RemovalReason
from app.domain.usage import Usage
from app.runs.app_context import AppContext
from app.runs.child_calls.summaries import summarise
from app.runs.conversation.conversation_commands import delete_conversation
from app.runs.resend.resend import resend_pair, restore_version
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.inspector.frame import InspectorState
from app.state.inspector.log import LogState
from app.state.reply.deletion import PairDeletionState
from app.state.transcript.chat import ChatState
from app.views.inspector.log import MOST, LogEntryView, show_log
from tests.runs.steps import a_conversation, collect, reply_to
from tests.state.conftest import Tab
from tests.state.watched import running, watching


async def read(tab: Tab, conversation_id: str) -> tuple[LogEntryView, ...]:
    tab.path = f"/c/{conversation_id}"
    await tab.send(LogState.keep_current)
    return tab.shows(LogState, "entries") or ()


async def test_an_edit_and_a_restored_version_are_two_entries_the_newest_first(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    pair_id = (await reply_to(ctx, conversation_id, "/echo one")).pair.id
    await collect(ctx, (await resend_pair(ctx, LOCAL_OWNER, pair_id, text="/echo two")).started.run_id)
    await restore_version(ctx, LOCAL_OWNER, pair_id, 1)

    entries = await read(tab, conversation_id)

    assert [entry.name for entry in entries] == [
        "Another version restored: 2 messages replaced.",
        "Edited and resent: 2 messages replaced.",
    ]
    assert {entry.kind for entry in entries} == {"accounting"}
    assert all(entry.about.startswith("So far ") for entry in entries)


async def test_a_summary_names_its_request_and_can_be_used_again(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await reply_to(ctx, conversation_id, "/echo one")
    summary = await summarise(ctx, LOCAL_OWNER, conversation_id)
    await collect(ctx, summary.started.run_id)

    (entry,) = await read(tab, conversation_id)

    assert (entry.kind, entry.name) == ("summary", "Summary requested of the pairs before 2")
    assert (entry.usable, entry.position, entry.after_position) == (True, 2, 1)
    assert entry.made_in == summary.conversation_id
    assert "Offline demo" in entry.about


async def test_an_open_log_shows_a_deletion_when_it_happens(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    pair_id = (await reply_to(ctx, conversation_id, "/echo one")).pair.id

    async with watching(ctx, tab, conversation_id), running(tab, InspectorState.show, section="log"):
        await tab.until(lambda: tab.shows(LogState, "conversation") == conversation_id)
        assert tab.shows(LogState, "entries") == ()
        await tab.send(PairDeletionState.delete, pair_id=pair_id)
        await tab.until(lambda: len(tab.shows(LogState, "entries")) == 1)

    (entry,) = tab.shows(LogState, "entries")
    assert (entry.name, entry.after_position) == ("Deleted: 2 messages removed.", 0)


async def test_the_log_of_a_deleted_conversation_is_a_fault(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await delete_conversation(ctx, LOCAL_OWNER, conversation_id)

    assert await read(tab, conversation_id) == ()
    assert tab.shows(LogState, "fault") != ""


def test_the_newest_entries_are_shown_and_the_others_counted() -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    first = Accounting("n0", 0, RemovalReason.EDIT, 2, Usage(), start)
    many = [replace(first, id=f"n{at}", created_at=start + timedelta(seconds=at)) for at in range(MOST + 3)]

    log = show_log(many, (), {}, {})

    assert (len(log.entries), log.earlier) == (MOST, 3)
    assert log.entries[0].id == f"n{MOST + 2}"


async def test_an_open_log_shows_a_title_request_when_it_is_made(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await reply_to(ctx, conversation_id, "/echo one")

    async with watching(ctx, tab, conversation_id), running(tab, InspectorState.show, section="log"):
        await tab.until(lambda: tab.shows(LogState, "conversation") == conversation_id)
        await tab.send(ChatState.make_title)
        await tab.until(lambda: any(not entry.running for entry in tab.shows(LogState, "entries")))

    (entry,) = tab.shows(LogState, "entries")
    assert (entry.kind, entry.name, entry.running) == ("title", "Title requested", False)
