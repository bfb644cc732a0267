"""Steps for tests of export and import."""

from __future__ import annotations

from typing import Any

from app.domain.filters.language.commands import Export
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.transfer.exporting import export_conversation
from app.runs.transfer.importing import import_file

WHOLE = Export()
PAIR_BY_HAND: dict[str, Any] = {"user_text": "Hi", "reply_text": "Hello", "model": "offline:demo"}


async def export(
    ctx: AppContext, conversation_id: str, asked: Export = WHOLE, options: ViewOptions | None = None
) -> bytes:
    exported = await export_conversation(ctx, LOCAL_OWNER, conversation_id, asked, options)
    body = b"".join([chunk async for chunk in exported.chunks])
    assert len(body) == exported.size
    return body


async def bring_back(ctx: AppContext, body: bytes, owner: str = LOCAL_OWNER) -> list[str]:
    return [one.id for one in await import_file(ctx, owner, body)]
