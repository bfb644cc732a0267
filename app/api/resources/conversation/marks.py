"""Routes of marks: mark one pair or many at once. Every answer has the changes that undo the marking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path
from pydantic import ConfigDict, Field
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import WITH_BODY, answer, says
from app.api.http.bodies import Body
from app.api.http.negotiation import HasBody, ReadsJson
from app.api.http.problems import refuse_field
from app.api.resources.conversation.conversations import ConversationId
from app.domain.conversation.conversation import Mark
from app.domain.conversation.marks import MAX_STARS, Marks, PairMarks
from app.domain.topics.topics import build_topic_tree
from app.runs.app_context import AppContext
from app.runs.conversation import mark_commands
from app.store.conversation.pairs import load_pair
from app.store.topics.topics import load_topics
from app.views.conversation.marks import ChangedView, MarkedPairView, describe_changed, describe_marked
from app.views.conversation.pair import PairFacts, describe_pair

router = APIRouter(tags=["marks"], dependencies=[ReadsJson])

MAX_CHANGES = 100_000
PairId = Annotated[str, Path(max_length=64, description="A pair.")]


class MarksBody(Body):
    """The new marks of a pair. A mark whose field is missing is not changed."""

    # Only fields that were sent are read, so these defaults are never used. A default of None would have to be in the
    # type.
    stars: int = Field(0, ge=0, le=MAX_STARS)
    flagged: bool = Field(default_factory=bool)
    mark: Literal["in", "out"] | None = Field(None, description="Null: neither.")
    topic_id: str | None = Field(None, max_length=64, description="Null: no topic.")

    def to_domain(self) -> Marks:
        fields: dict[str, Any] = self.model_dump(exclude_unset=True, exclude={"topic", "pair_id"})
        if fields.get("mark") is not None:
            fields["mark"] = Mark(fields["mark"])
        return Marks(**fields)


class ChangedPair(MarksBody):
    """The new marks of the pair that the address of the request names."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    topic: str | None = Field(None, max_length=2_000, description="The path of a topic, instead of `topic_id`.")


class Change(MarksBody):
    """The new marks of one of several pairs, and whether it is deleted."""

    pair_id: str = Field(max_length=64)
    deleted: bool = Field(default_factory=bool, description="`true` deletes the pair, `false` restores it.")


class Changes(Body):
    """The new marks of several pairs of one conversation. Either all are changed or none."""

    changes: list[Change] = Field(max_length=MAX_CHANGES)


@router.patch(
    "/pairs/{pair_id}",
    summary="Set the stars, flag, mark or topic of a pair",
    dependencies=[HasBody],
    responses=says(MarkedPairView, *WITH_BODY, "not-found", description="The updated pair. `undo` reverts the change."),
)
async def change(ctx: Ctx, owner: Owner, pair_id: PairId, body: ChangedPair) -> Response:
    if not body.model_fields_set:
        refuse_field("body", "has no changes. Give at least one field.")
    marks = body.to_domain()
    if "topic" in body.model_fields_set:
        if "topic_id" in marks:
            refuse_field("topic", "cannot be combined with topic_id. Give only one of them.")
        path = body.topic
        marks["topic_id"] = None if path is None else await mark_commands.find_topic_by_path(ctx, owner, path)
    return await _answer_pair(ctx, owner, pair_id, await mark_commands.mark_pair(ctx, owner, pair_id, marks))


@router.delete(
    "/pairs/{pair_id}",
    summary="Delete a pair",
    description="The pair no longer appears in lists, filters and requests. `undo` or `undelete` restores it.",
    responses=says(ChangedView, "not-found", "conflict", description="The pair is deleted, or already was."),
)
async def delete(ctx: Ctx, owner: Owner, pair_id: PairId) -> Response:
    return answer(describe_changed(await mark_commands.mark_pair(ctx, owner, pair_id, Marks(deleted=True))))


@router.post(
    "/pairs/{pair_id}/undelete",
    summary="Restore a deleted pair",
    responses=says(MarkedPairView, "not-found", description="The pair is restored at its place, or was not deleted."),
)
async def undelete(ctx: Ctx, owner: Owner, pair_id: PairId) -> Response:
    undo = await mark_commands.mark_pair(ctx, owner, pair_id, Marks(deleted=False))
    return await _answer_pair(ctx, owner, pair_id, undo)


@router.post(
    "/conversations/{conversation_id}/marks",
    summary="Mark several pairs at once",
    description="`changes` accepts the `undo` of every marking command. The response has the `undo` for these changes.",
    dependencies=[HasBody],
    responses=says(ChangedView, *WITH_BODY, "not-found", "conflict", description="Done. `undo` reverts the changes."),
)
async def change_several(ctx: Ctx, owner: Owner, conversation_id: ConversationId, body: Changes) -> Response:
    changes = [PairMarks(one.pair_id, one.to_domain()) for one in body.changes]
    return answer(describe_changed(await mark_commands.mark_pairs(ctx, owner, conversation_id, changes)))


async def _answer_pair(ctx: AppContext, owner: str, pair_id: str, undo: Sequence[PairMarks]) -> Response:
    async with ctx.store.read() as session:
        pair = await load_pair(session, owner, pair_id)
        topics = build_topic_tree(await load_topics(session, owner))
    path = None if pair.topic is None else topics.path_text(pair.topic)
    return answer(describe_marked(describe_pair(pair, PairFacts(topic=path)), undo))
