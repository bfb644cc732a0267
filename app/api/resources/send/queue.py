"""Routes of the queue of a conversation: add, edit and remove texts that wait for the running reply; pause, resume."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import WITH_BODY, answer, says
from app.api.http.bodies import Body, DraftToSend, ModelName, OverBudgetChoice, choice_of
from app.api.http.negotiation import HasBody, ReadsJson
from app.api.http.patterns import NOT_BLANK
from app.api.resources.conversation.conversations import ConversationId
from app.domain.run.queue import MAX_QUEUED, HoldReason
from app.domain.settings.preferences import OverBudget
from app.runs.send import queue as queueing
from app.views.conversation.queue import QueuedView, QueueView, describe_queue, describe_queued

router = APIRouter(prefix="/conversations", tags=["queue"], dependencies=[ReadsJson])

QueuedId = Annotated[str, Path(max_length=64, description="The id of a queued text.")]
QueuePlace = Annotated[int, Field(ge=0, le=MAX_QUEUED, description="The position in the queue; 0 is the next one.")]


class DraftToQueue(DraftToSend):
    """A text to queue, with the options of its send. Without `place`, it becomes the last text of the queue."""

    place: QueuePlace | None = None
    paused: bool = Field(
        default=False, description="Whether to pause the queue as well: nothing is sent until you resume it."
    )


class ChangedQueued(Body):
    """The new values of a queued text. A missing field is not changed."""

    text: str | None = Field(None, pattern=NOT_BLANK, description="The new text. Not blank.")
    version: int | None = Field(None, ge=1, le=2**31 - 1, description="Only change the text if it is still this one.")
    place: QueuePlace | None = None


class QueueToResume(Body):
    """The options for resuming the queue. `model` and `over_budget` apply only to the first text of the queue."""

    only: HoldReason | None = Field(
        None, strict=False, description="Only resume the queue if it is held for this reason."
    )
    model: ModelName | None = None
    over_budget: OverBudgetChoice = None

    def choice(self) -> OverBudget | None:
        return None if self.over_budget is None else choice_of(self.over_budget)


@router.get(
    "/{conversation_id}/queue",
    summary="Read the queue of a conversation",
    responses=says(QueueView, "not-found", description="The next one first."),
)
async def read(ctx: Ctx, owner: Owner, conversation_id: ConversationId) -> Response:
    return answer(describe_queue(await queueing.read_queue(ctx, owner, conversation_id)))


@router.post(
    "/{conversation_id}/queue",
    summary="Queue a text",
    description="Inview sends the text once the running reply, and all texts before it in the queue, have "
    "succeeded; at once if nothing is running or queued. Filter, model and topic are those of now. `as_of` "
    "is not stored: ages are measured when the text is sent.",
    dependencies=[HasBody],
    responses=says(QueueView, *WITH_BODY, "not-found", "conflict", description="The updated queue."),
)
async def add(ctx: Ctx, owner: Owner, conversation_id: ConversationId, body: DraftToQueue) -> Response:
    request = await body.request(owner)
    queue = await queueing.queue_text(ctx, owner, conversation_id, request, place=body.place, paused=body.paused)
    return answer(describe_queue(queue))


@router.post(
    "/{conversation_id}/queue/pause",
    summary="Pause the queue",
    description="A queue that is already held keeps its reason. An empty queue is not held.",
    responses=says(QueueView, "not-found", description="The updated queue."),
)
async def pause(ctx: Ctx, owner: Owner, conversation_id: ConversationId) -> Response:
    return answer(describe_queue(await queueing.pause_queue(ctx, owner, conversation_id)))


@router.post(
    "/{conversation_id}/queue/resume",
    summary="Resume the queue",
    description="Sends the first text now, or when the running reply has succeeded. If the send is refused, the "
    "queue is held for that reason.",
    dependencies=[HasBody],
    responses=says(
        QueueView,
        *WITH_BODY,
        "not-found",
        "conflict",
        "over-budget",
        "rate-limited",
        "provider-refused",
        description="The updated queue.",
    ),
)
async def resume(ctx: Ctx, owner: Owner, conversation_id: ConversationId, body: QueueToResume) -> Response:
    queue = await queueing.resume_queue(
        ctx, owner, conversation_id, only=body.only, model=body.model, over_budget=body.choice()
    )
    return answer(describe_queue(queue))


@router.patch(
    "/{conversation_id}/queue/{queued_id}",
    summary="Edit or move a queued text",
    dependencies=[HasBody],
    responses=says(QueueView, *WITH_BODY, "not-found", "conflict", description="The updated queue."),
)
async def change(
    ctx: Ctx, owner: Owner, conversation_id: ConversationId, queued_id: QueuedId, body: ChangedQueued
) -> Response:
    changes = queueing.QueuedChanges(body.text, body.place)
    queue = await queueing.change_queued(ctx, owner, conversation_id, queued_id, changes, version=body.version)
    return answer(describe_queue(queue))


@router.delete(
    "/{conversation_id}/queue/{queued_id}",
    summary="Remove a queued text",
    responses=says(QueuedView, "not-found", description="The removed text. `POST …/queue` adds it again."),
)
async def drop(ctx: Ctx, owner: Owner, conversation_id: ConversationId, queued_id: QueuedId) -> Response:
    dropped = await queueing.drop_queued(ctx, owner, conversation_id, queued_id)
    return answer(describe_queued(dropped.item))
