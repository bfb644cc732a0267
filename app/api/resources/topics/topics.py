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
from app.domain.settings.preferences import TopicOrder
from app.domain.topics.topic_rules import MAX_LEVELS, MAX_NAME
from app.runs.app_context import AppContext
from app.runs.topics import topic_commands
from app.views.topics.topic import TopicsView, TopicView

router = APIRouter(prefix="/topics", tags=["topics"], dependencies=[ReadsJson])

TopicPath = Annotated[str, Path(max_length=64, description="A topic.")]
TopicName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_NAME,
        description=(
            "The name, on one line. Unique among its siblings, ignoring case. Without `>`, which separates the "
            "names of a path."
        ),
    ),
]
TopicPathText = Annotated[str, Field(min_length=1, max_length=MAX_LEVELS * (MAX_NAME + 3), examples=["AI > Planning"])]
ParentId = Annotated[
    str | None, Field(max_length=64, description="The id of the parent topic; null: the topic is at the root.")
]


class NewTopic(Body):
    """A new topic, named by its path. Missing topics of the path are created too."""

    path: TopicPathText


class ChangedTopic(Body):
    """The new values of a topic. A missing field is not changed."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    # Only fields that were sent are read, so these defaults are never used. A default of None would have to be in the
    # type.
    name: TopicName = Field(default_factory=str)
    parent_id: ParentId = None
    before: str | None = Field(
        None,
        max_length=64,
        description="The id of the sibling to place it before in the manual order; null: at the end.",
    )


@router.get(
    "",
    summary="List the topics",
    description="Returns the whole tree as a flat list: parents before children, siblings in the requested order.",
    responses=says(TopicsView),
)
async def list_them(
    ctx: Ctx,
    owner: Owner,
    *,
    order: Annotated[
        TopicOrder | None,
        Query(description="The order: last used first, or manual. Default: the value in the preferences."),
    ] = None,
) -> Response:
    return answer(await topic_commands.list_topics(ctx, owner, order))


@router.post(
    "",
    summary="Create a topic",
    description="Creates the missing topics of the path. If the path already exists, its topic is returned.",
    status_code=201,
    dependencies=[HasBody],
    responses=says(TopicView, *WITH_BODY, "conflict", status=201, description="The topic of that path."),
)
async def create(ctx: Ctx, owner: Owner, body: NewTopic) -> Response:
    topic_id = await topic_commands.create_topic(ctx, owner, body.path)
    return answer(await _describe(ctx, owner, topic_id), 201)


@router.patch(
    "/{topic_id}",
    summary="Rename, move or reorder a topic",
    dependencies=[HasBody],
    responses=says(TopicView, *WITH_BODY, "not-found", "conflict", description="The updated topic."),
)
async def change(ctx: Ctx, owner: Owner, topic_id: TopicPath, body: ChangedTopic) -> Response:
    changes: Any = body.model_dump(exclude_unset=True)
    if not changes:
        refuse_field("body", "has no changes. Give at least one field.")
    await topic_commands.change_topic(ctx, owner, topic_id, changes)
    return answer(await _describe(ctx, owner, topic_id))


@router.delete(
    "/{topic_id}",
    summary="Delete an empty topic",
    status_code=204,
    response_class=Response,
    responses={204: {"description": "Deleted."}} | fails("not-found", "conflict"),
)
async def delete(ctx: Ctx, owner: Owner, topic_id: TopicPath) -> Response:
    await topic_commands.delete_topic(ctx, owner, topic_id)
    return Response(status_code=204)


async def _describe(ctx: AppContext, owner: str, topic_id: str) -> TopicView:
    listed = await topic_commands.list_topics(ctx, owner)
    for topic in listed.items:
        if topic.id == topic_id:
            return topic
    raise NotFoundError("topic", topic_id)  # another request has deleted the topic meanwhile
