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
from app.runs.conversation import forks
from app.runs.send.context_selection import UTC_ZONE, ViewOptions
from app.views.conversation.branch import BranchesView, describe_branches
from app.views.conversation.conversation import ConversationView, describe_conversation

router = APIRouter(prefix="/conversations", tags=["branches"], dependencies=[ReadsJson])


class ForkToMake(Body):
    """The pairs to copy into a fork. The filter is evaluated with `model`, `topic`, `zone` and `as_of`."""

    pair_id: str | None = Field(None, max_length=64, description="The last pair to copy. Default: the newest pair.")
    filter: FilterLine | None = Field(
        None, description="The filter that selects the pairs to copy. Default: all pairs."
    )
    model: ModelName | None = None
    topic: TopicId | None = None
    zone: ZoneName = UTC_ZONE
    as_of: Instant | None = Field(None, description="The time from which ages in a filter are measured. Default: now.")

    def options(self) -> ViewOptions | None:
        return None if self.filter is None else ViewOptions(self.filter, self.model, self.topic, self.zone, self.as_of)


@router.post(
    "/{conversation_id}/fork",
    summary="Fork a conversation from a pair or a selection",
    description="Creates a conversation with copies of the pairs up to a given pair, of the pairs that a filter "
    "selects, or of those to which both apply. The original conversation does not change. Nothing is sent. "
    "Attachments are shared, not copied.",
    status_code=201,
    dependencies=[HasBody],
    responses=says(
        ConversationView,
        *WITH_BODY,
        "not-found",
        "conflict",
        status=201,
        description="The fork. `Location` is its address.",
    ),
)
async def fork(ctx: Ctx, owner: Owner, conversation_id: ConversationId, body: ForkToMake) -> Response:
    made = await forks.fork_from(ctx, owner, conversation_id, body.options(), body.pair_id)
    view = describe_conversation(made.conversation, pair_count=made.pair_count, snippet=made.snippet)
    return answer(view, 201, {"Location": f"/api/v1/conversations/{view.id}"})


@router.get(
    "/{conversation_id}/branches",
    summary="Read the tree of branches that contains a conversation",
    responses=says(BranchesView, "not-found", description="Parents before their forks."),
)
async def read(ctx: Ctx, owner: Owner, conversation_id: ConversationId) -> Response:
    return answer(describe_branches(await forks.read_tree(ctx, owner, conversation_id)))
