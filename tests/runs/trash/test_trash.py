"""The trash: deleted things are not found, and can be restored or deleted forever. The ledger never shrinks."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from app.domain.conversation.marks import Marks, PairMarks
from app.domain.errors import NotFoundError
from app.domain.settings.preferences import Preferences
from app.runs.app_context import AppContext, context_for
from app.runs.child_calls.summaries import summarise
from app.runs.conversation.conversation_commands import delete_conversation
from app.runs.conversation.mark_commands import mark_pair, mark_pairs
from app.runs.resend.resend import Later, ResendOptions, resend_pair
from app.runs.runtime.ids import now
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send, start_reply
from app.runs.send.send_request import SendRequest
from app.runs.settings.preference_commands import set_preferences
from app.runs.temporary.temporary import create_temporary
from app.runs.trash.purge import purge_expired
from app.runs.trash.trash import delete_for_good, empty_trash, list_trash, restore
from app.runs.wiring import open_app_context
from app.store.conversation.conversations import load_conversation
from app.store.conversation.lists import list_conversations
from app.store.run.stored_runs import load_run
from app.store.tables import Row
from tests.runs.steps import a_conversation, calls_of, collect, pair_of, pairs_of, reply_to, settings_of

MODEL = "offline:demo"


async def entries_of(ctx: AppContext, conversation_id: str | None = None) -> list[tuple[str, str, int]]:
    """Return kind, text and number of pairs of every entry in the trash."""
    found = await list_trash(ctx, LOCAL_OWNER, limit=50, conversation_id=conversation_id)
    return [(entry.kind, entry.words, entry.count) for entry in found.entries]


async def listed(ctx: AppContext) -> list[str]:
    async with ctx.store.read() as session:
        return [one.conversation.id for one in await list_conversations(session, LOCAL_OWNER, limit=50)]


async def test_a_deleted_conversation_is_found_nowhere_and_comes_back_whole(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model=MODEL, title="Light")
    ended = await reply_to(ctx, conversation, "/echo blue")
    summary = await summarise(ctx, LOCAL_OWNER, conversation)
    await collect(ctx, summary.started.run_id)
    before = await pairs_of(ctx, conversation)

    await delete_conversation(ctx, LOCAL_OWNER, conversation)

    assert await listed(ctx) == []
    assert await entries_of(ctx) == [("conversation", "/echo blue", 1)]
    for call in (
        start_reply(ctx, LOCAL_OWNER, conversation, SendRequest("hello")),
        preview_send(ctx, LOCAL_OWNER, conversation, SendRequest("hello")),
        mark_pair(ctx, LOCAL_OWNER, ended.pair.id, Marks(stars=1)),
        resend_pair(ctx, LOCAL_OWNER, ended.pair.id),
        pair_of(ctx, ended.pair.id),
        delete_conversation(ctx, LOCAL_OWNER, conversation),
    ):
        with pytest.raises(NotFoundError):
            await call
    async with ctx.store.read() as session:
        with pytest.raises(NotFoundError):
            await load_run(session, LOCAL_OWNER, ended.started.run_id)

    entry = await restore(ctx, LOCAL_OWNER, conversation)

    assert (entry.kind, entry.conversation_id, entry.count) == ("conversation", conversation, 1)
    assert set(await listed(ctx)) == {conversation, summary.conversation_id}
    assert await pairs_of(ctx, conversation) == before
    assert await entries_of(ctx) == []
    assert (await reply_to(ctx, conversation, "/echo again")).text == "again"


async def test_it_comes_back_after_a_restart(data: Path) -> None:
    async with open_app_context(settings_of(data)) as ctx:
        conversation = await a_conversation(ctx, model=MODEL)
        await reply_to(ctx, conversation, "/echo blue")
        await delete_conversation(ctx, LOCAL_OWNER, conversation)

    async with open_app_context(settings_of(data)) as ctx:
        await restore(ctx, LOCAL_OWNER, conversation)
        assert len(await pairs_of(ctx, conversation)) == 1


async def test_pairs_that_were_deleted_together_come_back_together(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model=MODEL)
    first, second, third = [(await reply_to(ctx, conversation, f"/echo {word}")).pair for word in ("a", "b", "c")]
    again = await resend_pair(ctx, LOCAL_OWNER, first.id, ResendOptions(later=Later.DISCARD), text="/echo A")
    await collect(ctx, again.started.run_id)

    assert await entries_of(ctx) == await entries_of(ctx, conversation) == [("pairs", "/echo b", 2)]
    await restore(ctx, LOCAL_OWNER, third.id)

    assert [pair.id for pair in await pairs_of(ctx, conversation)] == [first.id, second.id, third.id]
    assert await entries_of(ctx) == []


async def test_what_was_deleted_last_is_first_in_the_trash(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model=MODEL)
    for word in ("a", "b", "c"):
        pair = (await reply_to(ctx, conversation, f"/echo {word}")).pair
        await mark_pair(ctx, LOCAL_OWNER, pair.id, Marks(deleted=True))
    await delete_conversation(ctx, LOCAL_OWNER, await a_conversation(ctx, model=MODEL))

    found = await list_trash(ctx, LOCAL_OWNER, limit=50)

    assert [entry.words for entry in found.entries] == ["", "/echo c", "/echo b", "/echo a"]
    assert [entry.kind for entry in found.entries] == ["conversation", "pairs", "pairs", "pairs"]


async def test_pairs_of_a_conversation_in_the_trash_come_back_with_it_as_they_were(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model=MODEL)
    pair = (await reply_to(ctx, conversation, "/echo a")).pair
    await mark_pair(ctx, LOCAL_OWNER, pair.id, Marks(deleted=True))
    await delete_conversation(ctx, LOCAL_OWNER, conversation)

    assert await entries_of(ctx) == [("conversation", "", 0)]
    with pytest.raises(NotFoundError):
        await restore(ctx, LOCAL_OWNER, pair.id)
    await restore(ctx, LOCAL_OWNER, conversation)

    assert await entries_of(ctx) == [("pairs", "/echo a", 1)]


async def test_deleting_for_good_leaves_no_row_but_the_ledger_s(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model=MODEL)
    await reply_to(ctx, conversation, "/echo a")
    summary = await summarise(ctx, LOCAL_OWNER, conversation)
    await collect(ctx, summary.started.run_id)
    calls = await calls_of(ctx, conversation)
    await delete_conversation(ctx, LOCAL_OWNER, conversation)

    await delete_for_good(ctx, LOCAL_OWNER, conversation)

    assert await calls_of(ctx, conversation) == calls
    assert await entries_of(ctx) == []
    with pytest.raises(NotFoundError):
        await restore(ctx, LOCAL_OWNER, conversation)
    kinds = {"conversation", "pair", "message", "run", "pair_text", "pair_size", "snapshot", "version", "sent_text"}
    async with ctx.store.read() as session:
        for table in Row.metadata.sorted_tables:
            if table.name in kinds:
                assert (await session.execute(table.select())).all() == [], table.name


async def test_only_what_is_in_the_trash_can_be_deleted_for_good(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model=MODEL)
    pair = (await reply_to(ctx, conversation, "/echo a")).pair

    for identifier in (conversation, pair.id, "nothing"):
        with pytest.raises(NotFoundError):
            await delete_for_good(ctx, LOCAL_OWNER, identifier)

    assert len(await pairs_of(ctx, conversation)) == 1


async def test_a_send_after_pairs_are_gone_for_good_sends_what_is_left(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model=MODEL)
    first, second = [(await reply_to(ctx, conversation, f"/echo {word}")).pair for word in ("one", "two")]
    await preview_send(ctx, LOCAL_OWNER, conversation, SendRequest("warm the memory of the history"))
    await mark_pairs(ctx, LOCAL_OWNER, conversation, [PairMarks(second.id, Marks(deleted=True))])
    await delete_for_good(ctx, LOCAL_OWNER, second.id)

    planned = await preview_send(ctx, LOCAL_OWNER, conversation, SendRequest("now"))
    third = await reply_to(ctx, conversation, "/echo three")

    assert b"one" in planned.wire.body
    assert b"two" not in planned.wire.body
    assert [pair.id for pair in await pairs_of(ctx, conversation)] == [first.id, third.pair.id]


async def test_emptying_returns_the_number_of_deleted_entries(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model=MODEL)
    pair = (await reply_to(ctx, conversation, "/echo a")).pair
    await mark_pair(ctx, LOCAL_OWNER, pair.id, Marks(deleted=True))
    await delete_conversation(ctx, LOCAL_OWNER, await a_conversation(ctx, model=MODEL))

    assert await empty_trash(ctx, LOCAL_OWNER) == 2

    assert await entries_of(ctx) == []
    assert await listed(ctx) == [conversation]


@pytest.mark.parametrize(("days", "gone"), [(30, 0), (28, 1), (None, 0)])
async def test_what_was_in_the_trash_longer_than_is_wanted_is_purged(
    ctx: AppContext, days: int | None, gone: int
) -> None:
    conversation = await a_conversation(ctx, model=MODEL)
    await delete_conversation(ctx, LOCAL_OWNER, conversation)
    await set_preferences(ctx, LOCAL_OWNER, Preferences(trash_days=days))

    assert await purge_expired(ctx, now() + timedelta(days=29)) == gone

    assert len(await entries_of(ctx)) == 1 - gone


@pytest.mark.parametrize("stored", ["12", "'0000-00-00 00:00:00'", "'1e999'"])
async def test_an_entry_whose_time_cannot_be_read_is_never_taken_for_old(ctx: AppContext, stored: str) -> None:
    conversation, other = await a_conversation(ctx, model=MODEL), await a_conversation(ctx, model=MODEL)
    pair = (await reply_to(ctx, conversation, "/echo a")).pair
    async with ctx.store.write() as session:
        await session.execute(text(f"UPDATE pair SET deleted_at = {stored} WHERE id = :id"), {"id": pair.id})
        await session.execute(text(f"UPDATE conversation SET deleted_at = {stored} WHERE id = :id"), {"id": other})

    assert await purge_expired(ctx, now() + timedelta(days=1000)) == 0

    assert len(await entries_of(ctx)) == 2


async def test_pairs_deleted_from_a_temporary_conversation_are_in_its_own_trash_alone(ctx: AppContext) -> None:
    conversation = (await create_temporary(ctx, LOCAL_OWNER, model=MODEL)).id
    bench = await context_for(ctx, conversation)
    pair = (await reply_to(bench, conversation, "/echo a")).pair
    await mark_pair(bench, LOCAL_OWNER, pair.id, Marks(deleted=True))

    assert await entries_of(ctx) == []
    assert await entries_of(bench, conversation) == [("pairs", "/echo a", 1)]
    await restore(await context_for(ctx, pair.id), LOCAL_OWNER, pair.id)

    assert len(await pairs_of(bench, conversation)) == 1
    async with bench.store.read() as session:
        assert (await load_conversation(session, LOCAL_OWNER, conversation)).temporary
