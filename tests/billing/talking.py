"""A conversation with entries in a provider's cache, and steps for tests of the cache keep-alive."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.domain.cache.keep_alive import KeepAliveCost
from app.domain.cache.rules import CacheLifetime
from app.domain.settings.preferences import Preferences
from app.runs.app_context import AppContext
from app.runs.cache.cache_state import look_at_cache
from app.runs.cache.keep_alive import KeepAlive, offer_keeping, read_keeping, start_keeping, tend
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.settings.preference_commands import set_preferences
from app.runs.wiring import open_app_context
from tests.billing.peer import BillingPeer, age, serve_billing
from tests.runs.steps import a_conversation, reply_to, settings_of

MODEL = "anthropic:claude-sonnet-4-5"
PROMPT = "You help an engineer of bridges. " * 200
DEFAULT_OPTIONS = ViewOptions()


@dataclass
class Talk:
    """A conversation with cache entries, and its provider."""

    ctx: AppContext
    peer: BillingPeer
    conversation_id: str

    async def pass_time(self, seconds: float) -> None:
        self.peer.pass_time(seconds)
        await age(self.ctx, seconds)

    async def keep(self, minutes: int = 60) -> None:
        """Start the keep-alive, and end its background task, so that only the test refreshes."""
        await start_keeping(self.ctx, LOCAL_OWNER, self.conversation_id, DEFAULT_OPTIONS, minutes)
        await self.dismiss()

    async def dismiss(self) -> None:
        for keeper in tuple(self.ctx.keeping.values()):
            keeper.task.cancel()
            await asyncio.gather(keeper.task, return_exceptions=True)

    async def tend(self) -> float | None:
        return await tend(self.ctx, LOCAL_OWNER, self.conversation_id)

    async def waits(self) -> float:
        """Return the seconds until the next refresh."""
        seconds = await self.tend()
        assert seconds is not None
        return seconds

    async def kept(self) -> KeepAlive:
        kept = await read_keeping(self.ctx, LOCAL_OWNER, self.conversation_id)
        assert kept is not None
        return kept

    async def offer(self) -> KeepAliveCost:
        state = await look_at_cache(self.ctx, LOCAL_OWNER, self.conversation_id)
        assert state.next is not None
        offer = offer_keeping(state.next, state.tariff, state.at)
        assert isinstance(offer, KeepAliveCost), offer
        return offer

    async def says(self, text: str) -> dict[str, Any]:
        await reply_to(self.ctx, self.conversation_id, text)
        return self.peer.asked[-1].usage


@asynccontextmanager
async def talking(data: Path, peer: BillingPeer, model: str = MODEL) -> AsyncGenerator[Talk]:
    async with serve_billing(peer), open_app_context(settings_of(data, **peer.environment)) as ctx:
        await set_preferences(ctx, LOCAL_OWNER, Preferences(cache=CacheLifetime.SHORT))
        talk = Talk(ctx, peer, await a_conversation(ctx, model=model, system_prompt=PROMPT))
        await talk.says("Which load does the arch carry?")
        await talk.says("And in winter?")
        yield talk
