"""Routes of the tool calls of a pair's reply: all of them, and one with its full record."""

from __future__ import annotations

import asyncio
from typing import Annotated, Final

from fastapi import APIRouter, Path
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import answer, says
from app.api.http.negotiation import ReadsJson
from app.api.resources.conversation.marks import PairId
from app.domain.conversation.page_bytes import MAX_PAGE_BYTES
from app.domain.errors import NotFoundError
from app.store.conversation.pairs import load_pair
from app.store.tools.tool_calls import load_pair_tool_call, load_tool_call_page
from app.views.tools.tool_calls import ToolCallRecordView, ToolCallsView, describe_tool_call

MAX_NUMBER: Final = 2**53

router = APIRouter(prefix="/pairs", tags=["pairs"], dependencies=[ReadsJson])


@router.get(
    "/{pair_id}/tool-calls",
    summary="List the tool calls of a pair's reply",
    description="The requested and the executed call, the times, and the result: structured content, and the full "
    "result even if the model got only its beginning. Covers the current version of the reply. Empty if it "
    f"called no tool. The results have at most {MAX_PAGE_BYTES:,} bytes together: a call with `cut` is without them.",
    responses=says(ToolCallsView, "not-found"),
)
async def read(ctx: Ctx, owner: Owner, pair_id: PairId) -> Response:
    async with ctx.store.read() as session:
        await load_pair(session, owner, pair_id)
        page = await load_tool_call_page(session, pair_id, MAX_PAGE_BYTES)
    calls = (describe_tool_call(one, cut=one.tool_call_id in page.cut) for one in page.records)
    return answer(ToolCallsView(tuple(calls)))


@router.get(
    "/{pair_id}/tool-calls/{number}",
    summary="Read one tool call of a pair's reply",
    description="The same as in the list, always with the structured content and the full result.",
    responses=says(ToolCallRecordView, "not-found"),
)
async def read_one(
    ctx: Ctx,
    owner: Owner,
    pair_id: PairId,
    number: Annotated[int, Path(ge=1, le=MAX_NUMBER, description="The number of the call in the reply, from 1.")],
) -> Response:
    async with ctx.store.read() as session:
        await load_pair(session, owner, pair_id)
        record = await load_pair_tool_call(session, pair_id, number=number)
    if record is None:
        raise NotFoundError("tool call", str(number))
    view = describe_tool_call(record)
    return await asyncio.to_thread(answer, view)
