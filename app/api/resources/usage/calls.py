"""The route of recorded provider calls: what a call contained, with its usage and cost."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import answer, says
from app.api.http.negotiation import ReadsJson
from app.runs.usage.sent_calls import ReadCall, read_sent_call
from app.views.usage.sent_call import SentCallView, describe_sent_message, describe_sent_piece, describe_sent_tools
from app.views.usage.usage import spent_fields

router = APIRouter(prefix="/calls", tags=["usage"], dependencies=[ReadsJson])

CallId = Annotated[str, Path(max_length=64, description="The `id` of an entry in the list of calls.")]


@router.get(
    "/{call_id}",
    summary="Read what a provider call contained",
    description="As it was sent: no edit or deletion changes it, and it stays when its conversation is deleted. When "
    "messages are deleted permanently, their texts are removed, and their hashes, roles and lengths stay. 404: there "
    "is no such call, or an older version of Inview made it.",
    responses=says(SentCallView, "not-found", "conflict"),
)
async def read_call(ctx: Ctx, owner: Owner, call_id: CallId) -> Response:
    return answer(_describe(await read_sent_call(ctx, owner, call_id)))


def _describe(read: ReadCall) -> SentCallView:
    call, content = read.call, read.content
    return SentCallView(
        id=call.id,
        conversation_id=call.conversation_id,
        pair_id=call.pair_id,
        run_id=call.run_id,
        attempt=call.attempt,
        purpose=call.purpose,
        model=call.model,
        outcome=call.outcome,
        started_at=call.started_at,
        ended_at=call.ended_at,
        content_hash=read.sent.request_hash,
        pieces=tuple(map(describe_sent_piece, read.head)),
        parameters=None if content.parameters is None else dict(content.parameters),
        system=content.system,
        tools=describe_sent_tools(content.tools),
        messages=tuple(map(describe_sent_message, read.messages, content.messages)),
        **spent_fields(read.spent),
    )
