"""Replies that cost something, for the tests of usage."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from app.domain.models.model_profile import Prices
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import start_reply
from app.runs.send.send_request import SendRequest
from app.runs.usage.prices import set_price
from app.runs.watch.broadcast import follow
from app.store.ledger.prices import OwnPrice

MODEL: Final = "offline:tiny"
DOLLARS: Final = Decimal(1000)
"""Price per million tokens: a tenth of a cent per token."""


async def talk(ctx: AppContext, *texts: str, title: str = "Dear talk", priced: bool = True) -> str:
    """Send these texts in a new conversation and wait for the replies. Return its id."""
    if priced:
        await set_price(ctx, LOCAL_OWNER, OwnPrice(MODEL, datetime.now(UTC).date(), Prices(DOLLARS, DOLLARS)))
    conversation = await create_conversation(ctx, LOCAL_OWNER, model=MODEL, title=title)
    for text in texts:
        await send(ctx, conversation.id, text)
    return conversation.id


async def send(ctx: AppContext, conversation_id: str, text: str) -> None:
    """Send a text and wait until the reply ends."""
    started = await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest(text))
    async for _ in follow(ctx, LOCAL_OWNER, started.run_id):
        pass
