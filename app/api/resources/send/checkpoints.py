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
    summary="Summarise the older pairs",
    description="The model summarises the pairs in view that do not fit together with the draft (all pairs in view, if "
    "all fit) in a `tool` conversation. The summary becomes the checkpoint: a card that is sent instead of "
    "these pairs. If the call fails or returns no text, nothing changes. Responds like `send`.",
    dependencies=[HasBody],
    response_class=Response,
    responses=events_documented("The run's log, from its beginning.")
    | says(SummaryView, status=202, description="Started. `Location` is the address of its events.")
    | fails(*WITH_BODY, "not-found", "conflict", "send-locked", "budget-spent", "rate-limited", "provider-refused"),
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
    summary="Preview which pairs a summary would cover",
    description="Calls and stores nothing. `unread` counts pairs before the checkpoint that the filter hides. The "
    "summary would not cover them, and they would no longer be sent.",
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
    summary="Edit the checkpoint",
    dependencies=[ReadsJson, HasBody],
    responses=says(CheckpointView, *WITH_BODY, "not-found", "conflict", description="The updated checkpoint."),
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
    summary="Remove the checkpoint",
    description="The pairs before it are sent again. The response has the removed checkpoint; `PUT` restores it.",
    dependencies=[ReadsJson],
    responses=says(CheckpointView, "not-found", "conflict", description="The removed checkpoint."),
)
async def remove(ctx: Ctx, owner: Owner, conversation_id: ConversationId) -> Response:
    return answer(describe_checkpoint(await summaries.remove_checkpoint(ctx, owner, conversation_id)))
