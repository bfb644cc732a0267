"""Pictures from tools: sent back as bytes, kept by copies, deleted with the conversation, on disk only if it is."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from pathlib import Path

from app.domain.attachments.attachments import Attachment
from app.domain.conversation.parts import Text, ToolCall, ToolResult
from app.domain.transfer.records import PairRecord
from app.runs.app_context import AppContext, context_for
from app.runs.conversation.conversation_commands import delete_conversation
from app.runs.conversation.forks import fork_conversation
from app.runs.runtime.ids import new_id, now
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send
from app.runs.send.send_request import SendRequest
from app.runs.temporary.temporary import create_temporary, find_attachment, keep_conversation
from app.runs.trash.trash import empty_trash
from app.store.attachments.attachments import keep_attachments, load_attachments
from app.store.conversation.conversations import next_revision
from app.store.transfer.pair_records import RecordTarget, insert_records
from tests.builders import a_pair
from tests.domain.attachments.test_attachments import a_png
from tests.runs.steps import a_conversation, count_own_statements
from tests.runs.temporary.test_temporary import written

PICTURE = Attachment("image/png", a_png(3, 2))


async def a_picture_in(ctx: AppContext, conversation_id: str) -> str:
    """Store a pair whose reply called a tool that returned a picture."""
    reply = (ToolCall("t1", "camera", "{}", True), ToolResult("t1", (PICTURE.part(),)), Text("A dot."))
    pair = a_pair("Look", reply)
    request, answer = replace(pair.request, id=new_id()), replace(pair.reply or pair.request, id=new_id())
    pair = replace(pair, id=new_id(), conversation_id=conversation_id, request=request, reply=answer)
    async with ctx.store.write() as session:
        await keep_attachments(session, LOCAL_OWNER, conversation_id, [PICTURE], now())
        revision = await next_revision(session, conversation_id, now())
        target = RecordTarget(LOCAL_OWNER, conversation_id, revision, ctx.process_id)
        await insert_records(session, target, [PairRecord(pair)])
    return pair.id


def files_with_the_picture(data: Path) -> list[str]:
    return [path.name for path in data.iterdir() if PICTURE.data in path.read_bytes()]


async def is_kept(ctx: AppContext) -> bool:
    async with ctx.store.read() as session:
        return await load_attachments(session, LOCAL_OWNER, [PICTURE.id]) != {}


async def test_the_bytes_of_a_picture_are_in_the_request(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model="anthropic:claude-sonnet-4-5")
    await a_picture_in(ctx, conversation)

    planned = await preview_send(ctx, LOCAL_OWNER, conversation, SendRequest("And now?"))

    assert b64encode(PICTURE.data) in planned.wire.body


async def test_nothing_is_asked_of_the_database_where_no_picture_is(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model="offline:demo")
    asked = count_own_statements(ctx)

    await preview_send(ctx, LOCAL_OWNER, conversation, SendRequest("Hello"))

    assert asked != []
    assert [one for one in asked if "attachment" in one.replace("pair_text.attachment", "")] == []


async def test_a_fork_keeps_the_picture_of_a_conversation_deleted_for_good(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model="offline:demo")
    pair = await a_picture_in(ctx, conversation)
    fork = await fork_conversation(ctx, LOCAL_OWNER, conversation, [pair])

    await delete_conversation(ctx, LOCAL_OWNER, conversation)
    assert await is_kept(ctx)
    await empty_trash(ctx, LOCAL_OWNER)
    assert await is_kept(ctx)
    await delete_conversation(ctx, LOCAL_OWNER, fork)
    await empty_trash(ctx, LOCAL_OWNER)

    assert not await is_kept(ctx)


async def test_a_picture_of_a_temporary_conversation_is_on_the_disk_only_once_that_is_kept(
    ctx: AppContext, data: Path
) -> None:
    conversation = (await create_temporary(ctx, LOCAL_OWNER, model="offline:demo")).id
    bench = await context_for(ctx, conversation)
    await a_picture_in(bench, conversation)

    found = await find_attachment(ctx, LOCAL_OWNER, PICTURE.id)
    before = await is_kept(ctx), files_with_the_picture(data)
    await keep_conversation(bench, LOCAL_OWNER, conversation)

    assert found == PICTURE
    assert before == (False, [])
    assert await is_kept(ctx)
    assert not await is_kept(bench)


async def test_the_search_for_bytes_finds_those_of_a_kept_conversation(ctx: AppContext, data: Path) -> None:
    await a_picture_in(ctx, await a_conversation(ctx, model="offline:demo"))

    assert files_with_the_picture(data) != []
    assert written(data, "A dot.") != []
