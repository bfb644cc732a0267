"""The record of provider calls over HTTP: what each one contained, and its exact bytes."""

from __future__ import annotations

import re
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Path
from starlette.responses import Response

from app.api.http.access import Bench, Owner
from app.api.http.answers import answer, fails, says
from app.api.http.negotiation import ANYTHING, JSON, offers
from app.api.resources.conversation.marks import PairId
from app.api.resources.send.request_bodies import BYTES, answer_file
from app.domain.errors import NotFoundError
from app.runs.engine.sent_log import list_messages
from app.runs.workbench import bench_of, current
from app.store.run.sent_calls import SentCall, list_sent_calls, load_sent_call
from app.views.sent_call import SentCallsView, SentCallView, SentMessageView

router = APIRouter(tags=["sending"])

_NUMBER: Final = re.compile(r"[1-9][0-9]{0,5}")

CallId = Annotated[str, Path(max_length=80, description="A recorded call.")]


@router.get(
    "/pairs/{pair_id}/calls",
    summary="List what was sent to the provider for a pair",
    description="Every call of the pair and of its earlier versions, as it left. Nothing that is done to the "
    "conversation changes it. `messages` is null once words of the call were deleted for good.",
    responses=says(SentCallsView, "not-found"),
    dependencies=[Depends(offers(JSON))],
)
async def list_of_pair(bench: Bench, owner: Owner, pair_id: PairId) -> Response:
    async with bench.store.read() as session:
        calls = await list_sent_calls(session, owner, pair_id)
    if not calls:
        raise NotFoundError("recorded call of pair", pair_id)
    return answer(SentCallsView(tuple(map(_describe, calls))))


@router.get(
    "/calls/{call_id}/body",
    summary="The exact body of a provider call as a file",
    description="Byte for byte as it left; its SHA-256 is `body_sha256` of the call.",
    response_class=Response,
    responses=BYTES | fails("not-found"),
    dependencies=[Depends(offers(ANYTHING))],
)
async def read_body(owner: Owner, call_id: CallId) -> Response:
    run_id, _, number = call_id.rpartition("-")
    if not _NUMBER.fullmatch(number):
        raise NotFoundError("recorded call", call_id)
    bench = await bench_of(current(), run_id)
    async with bench.store.read() as session:
        call = await load_sent_call(session, owner, run_id, int(number))
    if call.body is None:
        raise NotFoundError("body of call", call_id)
    return answer_file(call.body, f"call-{call_id[:20]}.json")


def _describe(sent: SentCall) -> SentCallView:
    messages = (
        None
        if sent.body is None
        else tuple(
            SentMessageView(message_index=index, **message) for index, message in enumerate(list_messages(sent.body))
        )
    )
    return SentCallView(
        id=f"{sent.call.run_id}-{sent.call.number}",
        run_id=sent.call.run_id,
        number=sent.call.number,
        purpose=sent.call.purpose,
        model=sent.call.model,
        url=sent.call.url,
        sent_at=sent.call.sent_at,
        body_sha256=sent.body_sha256,
        body_bytes=sent.body_bytes,
        messages=messages,
    )
