"""Verification: the requests of an ordinary conversation are proven, whatever was done to it afterwards."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from app.cli.verifying import verify_requests
from app.domain.errors import NotFoundError
from app.runs.app_context import AppContext
from app.runs.child_calls.summaries import summarise
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation, delete_conversation
from app.runs.conversation.forks import fork_conversation
from app.runs.resend.verification import verify_run
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.wiring import open_app_context
from app.store.ledger.rows_sent import SENT_TEXT
from tests.runs.steps import a_conversation, pairs_of, reply_to, settings_of


async def rest(ctx: AppContext) -> None:
    while ctx.background or ctx.engine.runs:
        await asyncio.gather(*ctx.background, return_exceptions=True)
        await asyncio.sleep(0)


async def talk(ctx: AppContext) -> str:
    """Have a conversation with a title, a summary, a fork and a changed system prompt."""
    conversation_id = await a_conversation(ctx)
    for text in ("/echo one", "/echo two"):
        await reply_to(ctx, conversation_id, text)
        await rest(ctx)
    await fork_conversation(
        ctx, LOCAL_OWNER, conversation_id, [pair.id for pair in await pairs_of(ctx, conversation_id)]
    )
    await summarise(ctx, LOCAL_OWNER, conversation_id, ViewOptions())
    await rest(ctx)
    await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(system_prompt="Be brief."))
    await reply_to(ctx, conversation_id, "/echo three")
    return conversation_id


async def test_every_request_of_ordinary_use_is_verified(data: Path) -> None:
    settings = settings_of(data, INVIEW_TITLES="on")
    async with open_app_context(settings) as ctx:
        conversation_id = await talk(ctx)
    said = list[str]()

    assert await verify_requests(settings, None, said.append)

    assert said == [
        "5 of 5 requests are verified: 1 built again from their pairs, 4 read from the records of their calls."
    ]
    async with open_app_context(settings) as ctx:
        first, *_ = await pairs_of(ctx, conversation_id)
        await delete_conversation(ctx, LOCAL_OWNER, conversation_id)
        assert first.run_id is not None
        with pytest.raises(NotFoundError):  # the content of the trash is not read through a run
            await verify_run(ctx, LOCAL_OWNER, first.run_id)
    assert await verify_requests(settings, None, said.append)
    assert said[1:] == said[:1]
    assert await verify_requests(settings, conversation_id, said.append)
    assert said[2].startswith("3 of 3 requests are verified")


async def test_copies_and_requests_without_a_record_have_the_true_reason(data: Path) -> None:
    settings = settings_of(data)
    async with open_app_context(settings) as ctx:
        conversation_id = await talk(ctx)
        first, *_ = await pairs_of(ctx, conversation_id)
        fork_id = await fork_conversation(ctx, LOCAL_OWNER, conversation_id, [first.id])
        (copy,) = await pairs_of(ctx, fork_id)
        assert copy.run_id is not None
        of_copy = await verify_run(ctx, LOCAL_OWNER, copy.run_id)
        async with ctx.store.write() as session:
            await session.execute(SENT_TEXT.delete())
    said = list[str]()

    assert not await verify_requests(settings, None, said.append)

    assert (of_copy.is_proven, of_copy.reasons) == (
        False,
        ("The pair is a copy. The request was sent and recorded for the original.",),
    )
    changed = "The agent, the system prompt, the summary before the pairs, or the known capabilities of the model have"
    assert [line.partition(" cannot be verified. ")[2] for line in said[:-1]] == [
        f"{changed} changed.",
        f"{changed} changed.",
        "Texts of its record were deleted or changed.",
    ]
