"""Routes of the filter bar: check a line while it is typed, and run its command."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import WITH_BODY, answer, says
from app.api.http.bodies import Body, Instant, ModelName, TopicId, ZoneName
from app.api.http.negotiation import HasBody, ReadsJson
from app.api.resources.conversation.conversations import ConversationId
from app.runs.filters import line_commands
from app.runs.send.context_selection import UTC_ZONE, ViewOptions
from app.views.filters.filter_line import FilterLineView, OutcomeView

router = APIRouter(prefix="/conversations", tags=["filters"], dependencies=[ReadsJson, HasBody])

MAX_LINE = 100_000
"""Maximum characters of `line` in a body.

A filter may have far fewer characters. So a line that is only somewhat too long gets an error that names the position.
"""


class Typed(Body):
    """A line of the filter bar, with the model, topic and zone that it depends on."""

    line: str = Field(max_length=MAX_LINE, description="A filter, and a command after it.", examples=["s>=2 :flag"])
    model: ModelName | None = Field(
        None, description="The model chosen in the message box; null: the model of the conversation."
    )
    topic: TopicId | None = None
    zone: ZoneName = UTC_ZONE


class LineToCheck(Typed):
    """A line that is being typed. `cursor` is the number of characters in front of the text cursor."""

    cursor: int | None = Field(None, ge=0, le=MAX_LINE, description="Null: at the end.")


class LineToRun(Typed):
    """A line of the filter bar with a command to run."""

    as_of: Instant | None = Field(None, description="The time from which ages in a filter are measured. Default: now.")
    confirmed: bool = Field(default=False, description="Whether a person confirmed the command.")


@router.post(
    "/{conversation_id}/filter",
    summary="Read a line of the filter bar",
    description=(
        "Returns the pairs that the line selects, the effect of its command, and the completions. Changes nothing."
    ),
    responses=says(FilterLineView, *WITH_BODY, "not-found", "conflict"),
)
async def check(ctx: Ctx, owner: Owner, conversation_id: ConversationId, body: LineToCheck) -> Response:
    options = ViewOptions(model=body.model, topic=body.topic, zone=body.zone)
    cursor = len(body.line) if body.cursor is None else body.cursor
    read = await line_commands.check_line(ctx, owner, conversation_id, body.line, cursor=cursor, options=options)
    return answer(read)


@router.post(
    "/{conversation_id}/commands",
    summary="Run the command of a filter line",
    description="Applies it to every pair that the filter selects, in one transaction.",
    responses=says(OutcomeView, *WITH_BODY, "not-found", "conflict"),
)
async def run(ctx: Ctx, owner: Owner, conversation_id: ConversationId, body: LineToRun) -> Response:
    options = ViewOptions(model=body.model, topic=body.topic, zone=body.zone, as_of=body.as_of)
    done = await line_commands.run_line(ctx, owner, conversation_id, body.line, options, confirmed=body.confirmed)
    return answer(done)
