"""Route of the tool calls of a pair's reply, each with its full record."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import answer, says
from app.api.http.negotiation import ReadsJson
from app.store.conversation.pairs import load_pair
from app.store.tools.tool_calls import load_pair_tool_calls
from app.views.tools.tool_calls import ToolCallsView, describe_tool_call

router = APIRouter(prefix="/pairs", tags=["pairs"], dependencies=[ReadsJson])


@router.get(
    "/{pair_id}/tool-calls",
    summary="List the tool calls of a pair's reply",
    description="The requested and the executed call, the times, and the result: structured content, and the full "
    "result even if the model got only its beginning. Covers the current version of the reply. Empty if it "
    "called no tool.",
    responses=says(ToolCallsView, "not-found"),
)
async def read(ctx: Ctx, owner: Owner, pair_id: Annotated[str, Path(max_length=64, description="A pair.")]) -> Response:
    async with ctx.store.read() as session:
        await load_pair(session, owner, pair_id)
        records = await load_pair_tool_calls(session, pair_id)
    return answer(ToolCallsView(tuple(map(describe_tool_call, records))))
