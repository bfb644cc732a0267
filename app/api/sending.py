"""Preview and send over HTTP: the dry run, and the reply as an event stream."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import Response

from app.api.access import Bench, Owner
from app.api.answers import WITH_BODY, answer, fails, says
from app.api.bodies import DraftToPreview, DraftToSend
from app.api.conversations import ConversationId
from app.api.event_stream import answer_events, events_documented
from app.api.negotiation import EVENT_STREAM, JSON, offers, require_json_body
from app.domain.conversation import Parameters
from app.runs import commands
from app.runs.broadcast import follow
from app.views.preview import PreviewView, describe_preview
from app.views.run import StartedRunView

router = APIRouter(prefix="/conversations", tags=["sending"], dependencies=[Depends(require_json_body)])


@router.post(
    "/{conversation_id}/preview",
    summary="See exactly what a send would send",
    description="`body` stands in the answer byte for byte as it would leave. Nothing is called or stored.",
    dependencies=[Depends(offers(JSON))],
    responses=says(
        PreviewView,
        *WITH_BODY,
        "not-found",
        "provider-refused",
    ),
)
async def preview(bench: Bench, owner: Owner, conversation_id: ConversationId, body: DraftToPreview) -> Response:
    planned = await commands.preview_send(bench, owner, conversation_id, body.text, body.model, _parameters(body))
    wire = planned.wire
    return answer(describe_preview(planned.built, planned.hashes, url=wire.url, headers=wire.headers, body=wire.body))


@router.post(
    "/{conversation_id}/send",
    summary="Send a draft and stream the reply",
    description="Stores the pair and starts its reply, which belongs to the server: it goes on if the stream is left, "
    "and `GET /runs/{id}/events` takes it up again. With `Accept: application/json` the answer comes at once and names "
    "the run; without `Accept` it is the event stream.",
    response_class=Response,
    responses=events_documented("The run's log, from its beginning.")
    | says(StartedRunView, status=202, description="Started; `Location` is where its events are.")
    | fails(
        *WITH_BODY,
        "not-found",
        "send-locked",
        "provider-refused",
    ),
)
async def send(
    bench: Bench,
    owner: Owner,
    conversation_id: ConversationId,
    body: DraftToSend,
    media_type: Annotated[str, Depends(offers(EVENT_STREAM, JSON))],
) -> Response:
    started = await commands.start_reply(bench, owner, conversation_id, body.text, body.model, _parameters(body))
    if media_type == EVENT_STREAM:
        return answer_events(follow(bench, owner, started.run_id))
    place = f"/api/v1/runs/{started.run_id}/events"
    view = StartedRunView(started.run_id, started.pair_id, started.content_hash, place)
    return answer(view, 202, {"Location": place})


def _parameters(body: DraftToPreview) -> Parameters | None:
    return None if body.parameters is None else body.parameters.to_domain()
