"""Routes of branches: fork a conversation, and read the tree of its forks."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import WITH_BODY, answer, says
from app.api.http.bodies import Body, FilterLine, Instant, ModelName, TopicId, ZoneName
from app.api.http.negotiation import HasBody, ReadsJson
from app.api.resources.conversation.conversations import ConversationId
from app.runs import forks
from app.runs.send.context_selection import UTC_ZONE, ViewOptions
from app.views.conversation.branch import BranchesView, describe_branches
from app.views.conversation.conversation import ConversationView, describe_conversation

router = APIRouter(prefix="/conversations", tags=["branches"], dependencies=[ReadsJson])


class ForkToMake(Body):
    """The pairs of a fork. The filter depends on the model, topic, zone and time."""

    pair_id: str | None = Field(None, max_length=64, description="The last one it may have. Without it, any.")
    filter: FilterLine | None = Field(None, description="Only those it selects. Without it, all.")
    model: ModelName | None = None
    topic: TopicId | None = None
    zone: ZoneName = UTC_ZONE
    as_of: Instant | None = Field(None, description="When ages are read. Without it, now.")

    def options(self) -> ViewOptions | None:
        return None if self.filter is None else ViewOptions(self.filter, self.model, self.topic, self.zone, self.as_of)


@router.post(
    "/{conversation_id}/fork",
    summary="Fork a conversation from a pair or a selection",
    description="A new conversation with copies of the pairs up to one, of those that a filter selects, or of both. "
    "The one it comes from stays as it is. Nothing is sent; attachments are not copied, the copies name the same ones.",
    status_code=201,
    dependencies=[HasBody],
    responses=says(
        ConversationView,
        *WITH_BODY,
        "not-found",
        "conflict",
        status=201,
        description="The fork; `Location` is its address.",
    ),
)
async def fork(ctx: Ctx, owner: Owner, conversation_id: ConversationId, body: ForkToMake) -> Response:
    made = await forks.fork_from(ctx, owner, conversation_id, body.options(), body.pair_id)
    view = describe_conversation(made.conversation, pair_count=made.pair_count, snippet=made.snippet)
    return answer(view, 201, {"Location": f"/api/v1/conversations/{view.id}"})


@router.get(
    "/{conversation_id}/branches",
    summary="Read the tree of branches a conversation is in",
    responses=says(BranchesView, "not-found", description="Parents before their forks."),
)
async def read(ctx: Ctx, owner: Owner, conversation_id: ConversationId) -> Response:
    return answer(describe_branches(await forks.read_tree(ctx, owner, conversation_id)))
