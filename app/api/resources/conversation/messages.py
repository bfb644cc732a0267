"""Route that adds a finished pair of given texts to a conversation. Nothing is called."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import WITH_BODY, answer, says
from app.api.http.bodies import Body, Metadata, ModelName, TopicId
from app.api.http.negotiation import HasBody, ReadsJson
from app.api.resources.conversation.conversations import ConversationId
from app.domain.conversation.metadata import encode_metadata
from app.domain.topics.topics import build_topic_tree
from app.runs.conversation.added_pairs import GivenPair, add_pair
from app.runs.transfer.import_part_shapes import Time
from app.store.topics.topics import load_topics
from app.views.conversation.pair import PairFacts, PairView, describe_pair

router = APIRouter(prefix="/conversations", tags=["pairs"], dependencies=[ReadsJson])


class PairToAdd(Body):
    """The texts of a finished pair, and who wrote the reply."""

    user_text: str = Field(description="The text of the request.")
    reply_text: str = Field(description="The text of the reply.")
    model: ModelName | None = Field(
        None, description="The model that wrote the reply; null: the model of the conversation."
    )
    topic_id: TopicId | None = None
    created_at: Time | None = Field(None, description="The time of both messages; null: now.")
    metadata: Metadata = Field(default_factory=dict[str, Any])
    reply_metadata: Metadata = Field(default_factory=dict[str, Any])

    def to_domain(self) -> GivenPair:
        return GivenPair(
            self.user_text,
            self.reply_text,
            self.model,
            self.topic_id,
            self.created_at,
            encode_metadata("metadata", self.metadata),
            encode_metadata("reply_metadata", self.reply_metadata),
        )


@router.post(
    "/{conversation_id}/messages",
    summary="Add a finished pair without a call",
    description="Adds a request and its reply after the last pair, for example from another program. Later sends carry "
    "them like any other pair. No model is called, and the ledger gets no entry. `metadata` belongs to the request, "
    "`reply_metadata` to the reply; `history` returns both.",
    status_code=201,
    dependencies=[HasBody],
    responses=says(
        PairView, *WITH_BODY, "not-found", "conflict", "send-locked", status=201, description="The added pair."
    ),
)
async def add(ctx: Ctx, owner: Owner, conversation_id: ConversationId, body: PairToAdd) -> Response:
    pair = await add_pair(ctx, owner, conversation_id, body.to_domain())
    async with ctx.store.read() as session:
        topics = build_topic_tree(await load_topics(session, owner))
    path = None if pair.topic is None else topics.path_text(pair.topic)
    return answer(describe_pair(pair, PairFacts(topic=path)), 201)
