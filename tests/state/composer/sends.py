"""Sends from the page, for tests of the composer."""

from __future__ import annotations

from app.domain.conversation.parts import plain_text
from app.domain.settings.preferences import Preferences
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.preference_commands import set_preferences
from app.state.composer.state import ComposerState
from app.state.conversation.model import ModelState
from app.store.conversation.lists import list_conversations
from app.store.conversation.pairs import load_pairs
from tests.runs.steps import reply_to
from tests.state.conftest import Tab

LONG = "A sentence of eight words stands here again. " * 400


async def opened(ctx: AppContext, tab: Tab) -> str:
    """Open a new conversation in the tab."""
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    tab.path = f"/c/{conversation.id}"
    await tab.send(ComposerState.open)
    await tab.send(ModelState.load)
    return conversation.id


async def send(tab: Tab, text: str, send_id: str = "1", order_id: str = "") -> None:
    await tab.send(ComposerState.send, send_id=send_id, text=text, order_id=order_id)


async def requests(ctx: AppContext, conversation_id: str) -> list[str]:
    async with ctx.store.read() as session:
        pairs = await load_pairs(session, LOCAL_OWNER, conversation_id)
    return [plain_text(pair.request.parts) for pair in pairs]


async def listed(ctx: AppContext) -> list[str]:
    """Return the conversations in the list."""
    async with ctx.store.read() as session:
        return [one.conversation.id for one in await list_conversations(session, LOCAL_OWNER, limit=10)]


async def too_much(ctx: AppContext, tab: Tab) -> str:
    """Create a conversation whose pairs no longer all fit."""
    conversation_id = await opened(ctx, tab)
    for number in range(3):
        await reply_to(ctx, conversation_id, f"/rate 100000\n/echo {number} {LONG}")
    await set_preferences(ctx, LOCAL_OWNER, Preferences(send_tokens=9_000))
    return conversation_id


async def compare(tab: Tab, *models: str) -> None:
    """Send "What now?" to these models."""
    await tab.send(ComposerState.open)
    await tab.send(ComposerState.compare, models=list(models))
    await send(tab, "What now?", "1", tab.shows(ComposerState, "order").id)
