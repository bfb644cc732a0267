"""A conversation for the tests of filters and topics, and a page that follows it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from app.domain.transfer.records import PairRecord
from app.runs.app_context import AppContext, current
from app.runs.runtime.event_bus import ConversationRemoved
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.filters.applied import FilterState
from app.state.transcript.transcript import TranscriptState
from app.store.conversation.conversations import insert_conversation, load_conversation, next_revision
from app.store.conversation.pairs import load_pairs
from app.store.transfer.pair_records import RecordTarget, insert_records
from tests.state.conftest import Tab
from tests.store.values import a_conversation, a_pair_of
from tests.waiting import until

CONVERSATION = "c1"
STARS = (0, 3, 1, 3)


async def write_pairs(ctx: AppContext, stars: Sequence[int] = STARS, *, kept: str = "") -> list[str]:
    """Write a conversation whose pairs have these stars, with this stored filter. Return the ids of its pairs."""
    conversation = replace(a_conversation(CONVERSATION), owner=LOCAL_OWNER, filter=kept, model="offline:demo")
    pairs = [
        replace(a_pair_of(CONVERSATION, position), stars=count, topic=None)
        for position, count in enumerate(stars, start=1)
    ]
    async with ctx.store.write() as session:
        await insert_conversation(session, conversation)
        revision = await next_revision(session, CONVERSATION, conversation.updated_at)
        records = [PairRecord(pair) for pair in pairs]
        await insert_records(session, RecordTarget(LOCAL_OWNER, CONVERSATION, revision, ctx.process_id), records)
    return [pair.id for pair in pairs]


async def kept_filter(ctx: AppContext) -> str:
    """Return the stored filter of the conversation."""
    async with ctx.store.read() as session:
        return (await load_conversation(session, LOCAL_OWNER, CONVERSATION)).filter


async def flagged(ctx: AppContext) -> list[int]:
    """Return the positions of the flagged pairs."""
    async with ctx.store.read() as session:
        return [pair.position for pair in await load_pairs(session, LOCAL_OWNER, CONVERSATION) if pair.flagged]


@asynccontextmanager
async def opened(tab: Tab, query: str = "") -> AsyncGenerator[None]:
    """Open the page of the conversation and follow it until the block ends."""
    tab.path = f"/c/{CONVERSATION}{query}"
    await tab.send(FilterState.open)
    following = asyncio.create_task(tab.send(TranscriptState.open))
    try:
        await until(lambda: tab.shows(FilterState, "known") is True)
        yield
    finally:
        current().event_bus.publish(
            LOCAL_OWNER, CONVERSATION, ConversationRemoved()
        )  # a page that receives this stops following
        await following


def positions(tab: Tab) -> list[int]:
    """Return the positions of the pairs on the page."""
    return [pair.position for pair in tab.shows(TranscriptState, "pairs")]
