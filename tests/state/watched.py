"""A tab that follows a conversation, without the handler that never ends: its watcher runs in the test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from app.domain.conversation.conversation import Pair
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.watch.watcher import Watcher
from app.state.tab.tab_watchers import note_change, registered
from app.state.transcript.chat import ChatState
from app.store.conversation.pairs import load_pairs
from tests.runs.steps import reply_to
from tests.state.conftest import Tab

DEFAULT_OPTIONS = ViewOptions()


@asynccontextmanager
async def watching(
    ctx: AppContext, tab: Tab, conversation_id: str, *, options: ViewOptions = DEFAULT_OPTIONS, draft: str = ""
) -> AsyncGenerator[Watcher]:
    """Show this conversation in the tab, and wait until the pairs in view are known."""
    await tab.send(ChatState.open)  # the first event of a tab loads its page, here the one without a conversation
    tab.path = f"/c/{conversation_id}"
    watcher = Watcher(ctx, LOCAL_OWNER, conversation_id, options, draft)
    known = asyncio.Event()

    async def follow() -> None:
        while (screen := await watcher.next_screen()) is not None:
            note_change(tab.token)
            if screen.context is not None or screen.refusal is not None:
                known.set()

    with registered(tab.token, watcher):
        async with watcher:
            task = asyncio.create_task(follow())
            try:
                await asyncio.wait_for(known.wait(), 10)
                yield watcher
            finally:
                task.cancel()
                await asyncio.wait((task,))


@asynccontextmanager
async def watching_two(ctx: AppContext, tab: Tab) -> AsyncGenerator[Watcher]:
    """Show a conversation of two pairs, "/echo one" and "/echo two", in the tab."""
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    await reply_to(ctx, conversation.id, "/echo one")
    await reply_to(ctx, conversation.id, "/echo two")
    async with watching(ctx, tab, conversation.id) as watcher:
        yield watcher


async def stored(watcher: Watcher) -> tuple[Pair, ...]:
    """Return the pairs of the watched conversation, as stored."""
    async with watcher.ctx.store.read() as session:
        return tuple(await load_pairs(session, LOCAL_OWNER, watcher.conversation_id))


@asynccontextmanager
async def running(tab: Tab, handler: object, **payload: object) -> AsyncGenerator[None]:
    """Run a handler until the block ends."""
    task = asyncio.create_task(tab.send(handler, **payload))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait((task,))
