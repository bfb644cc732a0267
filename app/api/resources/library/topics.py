"""Routes of topics: read the whole tree, and change it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import ConfigDict, Field
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import WITH_BODY, answer, fails, says
from app.api.http.bodies import Body
from app.api.http.negotiation import HasBody, ReadsJson
from app.api.http.problems import refuse_field
from app.domain.errors import NotFoundError
from app.domain.preferences import TopicOrder
from app.domain.topics.topic_rules import MAX_LEVELS, MAX_NAME
from app.runs.app_context import AppContext
from app.runs.library import topic_commands
from app.views.conversation.topic import TopicsView, TopicView

router = APIRouter(prefix="/topics", tags=["topics"], dependencies=[ReadsJson])

TopicPath = Annotated[str, Path(max_length=64, description="A topic.")]
TopicName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_NAME,
        description="One line, unique among its siblings, case aside. No `>`: that stands between the names of a path.",
    ),
]
TopicPathText = Annotated[str, Field(min_length=1, max_length=MAX_LEVELS * (MAX_NAME + 3), examples=["AI > Planning"])]
ParentId = Annotated[str | None, Field(max_length=64, description="The topic right above; null: none, at the root.")]


class NewTopic(Body):
    """A new topic by its path. Missing topics above it are created too."""

    path: TopicPathText


class ChangedTopic(Body):
    """The changes. A missing field is not changed."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    # The defaults are never used: only fields that were sent are read. A default of None would have to be in the type.
    name: TopicName = Field(default_factory=str)
    parent_id: ParentId = None
    before: str | None = Field(None, max_length=64, description="The sibling to stand before by hand; null: the last.")


@router.get(
    "",
    summary="List the topics",
    description="The whole tree, flat: parents before children, siblings in the order asked for.",
    responses=says(TopicsView),
)
async def list_them(
    ctx: Ctx,
    owner: Owner,
    *,
    order: Annotated[
        TopicOrder | None, Query(description="Used last first, or by hand. Left out: as preferred.")
    ] = None,
) -> Response:
    return answer(await topic_commands.list_topics(ctx, owner, order))


@router.post(
    "",
    summary="Create a topic",
    description="Makes what is missing of the path. A path that is there already is no fault: its topic is the answer.",
    status_code=201,
    dependencies=[HasBody],
    responses=says(TopicView, *WITH_BODY, "conflict", status=201, description="The topic of that path."),
)
async def create(ctx: Ctx, owner: Owner, body: NewTopic) -> Response:
    topic_id = await topic_commands.create_topic(ctx, owner, body.path)
    return answer(await _describe(ctx, owner, topic_id), 201)


@router.patch(
    "/{topic_id}",
    summary="Rename, move or arrange a topic",
    dependencies=[HasBody],
    responses=says(TopicView, *WITH_BODY, "not-found", "conflict", description="The topic as it is now."),
)
async def change(ctx: Ctx, owner: Owner, topic_id: TopicPath, body: ChangedTopic) -> Response:
    changes: Any = body.model_dump(exclude_unset=True)
    if not changes:
        refuse_field("body", "nothing is to be changed. Name at least one field.")
    await topic_commands.change_topic(ctx, owner, topic_id, changes)
    return answer(await _describe(ctx, owner, topic_id))


@router.delete(
    "/{topic_id}",
    summary="Delete an empty topic",
    status_code=204,
    response_class=Response,
    responses={204: {"description": "Gone."}} | fails("not-found", "conflict"),
)
async def delete(ctx: Ctx, owner: Owner, topic_id: TopicPath) -> Response:
    await topic_commands.delete_topic(ctx, owner, topic_id)
    return Response(status_code=204)


async def _describe(ctx: AppContext, owner: str, topic_id: str) -> TopicView:
    listed = await topic_commands.list_topics(ctx, owner)
    for topic in listed.items:
        if topic.id == topic_id:
            return topic
    raise NotFoundError("topic", topic_id)  # another request deleted it meanwhile
