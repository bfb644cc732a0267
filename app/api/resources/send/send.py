"""Routes of preview and send. The reply is an event stream."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import WITH_BODY, answer, fails, says
from app.api.http.bodies import DraftToPreview, MessageToSend
from app.api.http.event_stream import answer_events, events_documented
from app.api.http.negotiation import EVENT_STREAM, JSON, HasBody, ReadsJson, offers
from app.api.resources.conversation.conversations import ConversationId
from app.runs.app_context import AppContext
from app.runs.cache.cache_views import describe_planned_cache
from app.runs.request.preview import Preview
from app.runs.send import commands
from app.runs.usage.prices import learn_tariffs
from app.runs.watch.broadcast import follow
from app.views.conversation.run import StartedRunView
from app.views.request.preview import Previewed, PreviewView, describe_preview

router = APIRouter(prefix="/conversations", tags=["sending"], dependencies=[HasBody])


@router.post(
    "/{conversation_id}/preview",
    summary="Preview the exact request of a send",
    description="`body` has the exact bytes that would be sent. Calls and stores nothing. Pairs that do not fit "
    "are left out, unless `over_budget` (default: the value in the preferences) forces them in.",
    dependencies=[ReadsJson],
    responses=says(
        PreviewView,
        *WITH_BODY,
        "not-found",
        "conflict",
        "provider-refused",
    ),
)
async def preview(ctx: Ctx, owner: Owner, conversation_id: ConversationId, body: DraftToPreview) -> Response:
    planned = await commands.preview_send(ctx, owner, conversation_id, await body.request(owner))
    return answer(await describe_planned(ctx, owner, planned))


@router.post(
    "/{conversation_id}/send",
    summary="Send a draft and stream the reply",
    description="Stores the pair and starts its reply. The reply continues on the server if you close the stream; `GET "
    "/runs/{id}/events` resumes the stream. With `Accept: application/json` the response comes at once and "
    "names the run; without `Accept` it is the event stream.",
    response_class=Response,
    responses=events_documented("The run's log, from its beginning.")
    | says(StartedRunView, status=202, description="Started. `Location` is the address of its events.")
    | fails(
        *WITH_BODY,
        "not-found",
        "conflict",
        "send-locked",
        "over-budget",
        "selection-changed",
        "budget-spent",
        "rate-limited",
        "provider-refused",
    ),
)
async def send(
    ctx: Ctx,
    owner: Owner,
    conversation_id: ConversationId,
    body: MessageToSend,
    media_type: Annotated[str, Depends(offers(EVENT_STREAM, JSON))],
) -> Response:
    started = await commands.start_reply(ctx, owner, conversation_id, await body.request(owner))
    return answer_started(ctx, owner, started, media_type)


def answer_started(
    ctx: AppContext, owner: str, started: commands.StartedRun, media_type: str, view: StartedRunView | None = None
) -> Response:
    """Return the response for a started reply: its event stream, or JSON with the address of the stream.

    `media_type` decides which of the two is returned. `view` replaces the usual JSON.
    """
    if media_type == EVENT_STREAM:
        return answer_events(follow(ctx, owner, started.run_id))
    view = view or describe_started(started)
    return answer(view, 202, {"Location": view.events})


def describe_started(started: commands.StartedRun) -> StartedRunView:
    place = f"/api/v1/runs/{started.run_id}/events"
    return StartedRunView(started.run_id, started.pair_id, started.content_hash, place)


async def describe_planned(ctx: AppContext, owner: str, planned: Preview) -> PreviewView:
    """Convert a preview, the provider call that a send would make, to the form that the API returns."""
    model = planned.wire.model
    tariff = None if planned.plan.cache is None else (await learn_tariffs(ctx, owner, {model}))[model]
    base = planned.composed.base
    previewed = Previewed(
        built=planned.built,
        hashes=planned.hashes,
        url=planned.wire.url,
        headers=planned.wire.headers,
        body=planned.wire.body,
        composition=planned.composed.composition,
        selection=planned.composed.selection,
        sentence=base.sentence,
        notices=base.notices,
        as_of=base.as_of,
        cache=describe_planned_cache(planned, tariff),
    )
    return describe_preview(previewed)
