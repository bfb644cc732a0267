"""Routes of summaries: let a model write one, change its text, remove it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import WITH_BODY, answer, fails, says
from app.api.http.bodies import ChangedCheckpoint, ToSummarise
from app.api.http.event_stream import events_documented
from app.api.http.negotiation import EVENT_STREAM, JSON, HasBody, ReadsJson, offers
from app.api.resources.conversation.conversations import ConversationId
from app.api.resources.send.send import answer_started, describe_started
from app.domain.conversation.conversation import Checkpoint
from app.runs.child_calls import summaries
from app.views.conversation.checkpoint import CheckpointView, SummaryPlanView, SummaryView, describe_checkpoint
from app.views.request.composition import describe_cost

router = APIRouter(prefix="/conversations", tags=["checkpoints"])


@router.post(
    "/{conversation_id}/summarize",
    summary="Have the older pairs summarised",
    description="What of the pairs in view does not fit beside the draft (everything in view, if all of it fits) is "
    "read by the model once more, in a `tool` conversation. What it makes of them becomes the checkpoint: a card that "
    "is sent in their place. If that fails, or says nothing, nothing changes. Answers as `send` does.",
    dependencies=[HasBody],
    response_class=Response,
    responses=events_documented("The run's log, from its beginning.")
    | says(SummaryView, status=202, description="Started; `Location` is where its events are.")
    | fails(*WITH_BODY, "not-found", "conflict", "send-locked", "budget-spent", "provider-refused"),
)
async def summarise(
    ctx: Ctx,
    owner: Owner,
    conversation_id: ConversationId,
    body: ToSummarise,
    media_type: Annotated[str, Depends(offers(EVENT_STREAM, JSON))],
) -> Response:
    summary = await summaries.summarise(ctx, owner, conversation_id, body.options(), body.text, body.extent())
    started = describe_started(summary.started)
    view = SummaryView(
        run_id=started.run_id,
        pair_id=started.pair_id,
        content_hash=started.content_hash,
        events=started.events,
        conversation_id=summary.conversation_id,
        pair_count=summary.count,
        position=summary.position,
    )
    return answer_started(ctx, owner, summary.started, media_type, view)


@router.post(
    "/{conversation_id}/summarize/preview",
    summary="See what a summary would read and stand for",
    description="Nothing is called or stored. `unread` pairs before its place are sent now and would not be then, "
    "though the summary would know nothing of them: the filter hides them.",
    dependencies=[ReadsJson, HasBody],
    responses=says(SummaryPlanView, *WITH_BODY, "not-found", "conflict"),
)
async def preview(ctx: Ctx, owner: Owner, conversation_id: ConversationId, body: ToSummarise) -> Response:
    plan = await summaries.plan_summary(ctx, owner, conversation_id, body.options(), body.text, body.extent())
    view = SummaryPlanView(
        model=plan.base.profile.model,
        pair_count=plan.count,
        position=plan.position,
        tokens=plan.tokens,
        cost=describe_cost(plan.cost),
        unread=plan.unread,
    )
    return answer(view)


@router.put(
    "/{conversation_id}/checkpoint",
    summary="Say what the checkpoint says",
    dependencies=[ReadsJson, HasBody],
    responses=says(CheckpointView, *WITH_BODY, "not-found", "conflict", description="As it is now."),
)
async def change(ctx: Ctx, owner: Owner, conversation_id: ConversationId, body: ChangedCheckpoint) -> Response:
    if body.position is None:
        checkpoint = await summaries.change_checkpoint(ctx, owner, conversation_id, body.summary)
    else:
        checkpoint = Checkpoint(body.summary, body.position)
        await summaries.put_checkpoint(ctx, owner, conversation_id, checkpoint)
    return answer(describe_checkpoint(checkpoint))


@router.delete(
    "/{conversation_id}/checkpoint",
    summary="Take the checkpoint away",
    description="The pairs before it are sent again. The answer says what it was: `PUT` brings it back.",
    dependencies=[ReadsJson],
    responses=says(CheckpointView, "not-found", "conflict", description="As it was."),
)
async def remove(ctx: Ctx, owner: Owner, conversation_id: ConversationId) -> Response:
    return answer(describe_checkpoint(await summaries.remove_checkpoint(ctx, owner, conversation_id)))
