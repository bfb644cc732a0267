"""Routes of prompts and resources of MCP servers, as text that the user can insert into a message."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import WITH_BODY, answer, says
from app.api.http.bodies import Body
from app.api.http.negotiation import HasBody, ReadsJson
from app.api.resources.tools.servers import ServerId
from app.runs.tools import insertions
from app.views.tools.server import InsertionView

router = APIRouter(prefix="/mcp-servers", tags=["tools"], dependencies=[ReadsJson, HasBody])

MAX_NAME = 200
MAX_TEMPLATE = 2_000
MAX_VALUE = 20_000
MAX_VALUES = 500

Values = dict[Annotated[str, Field(max_length=MAX_NAME)], Annotated[str, Field(max_length=MAX_VALUE)]]


class PromptToFill(Body):
    """A prompt with its arguments."""

    name: str = Field(min_length=1, max_length=MAX_NAME, description="As in the server's `prompts`.")
    arguments: Values = Field(
        default_factory=dict[str, str], max_length=MAX_VALUES, description="By name. Empty: not given."
    )


class ResourceToRead(Body):
    """A resource by its URI, or a URI template with its variables."""

    uri: str = Field(min_length=1, max_length=MAX_TEMPLATE, description="As in the server's `resources`, or another.")
    variables: Values = Field(
        default_factory=dict[str, str],
        max_length=MAX_VALUES,
        description="By name, for a pattern (RFC 6570). Those of a query may be left out.",
    )


@router.post(
    "/{server_id}/prompt",
    summary="Fill in a prompt of an MCP server",
    description="The server's prompt as text, to be put into a message. Nothing is sent to a model and nothing is "
    "stored. Several messages are joined, with their roles where not all are the person's. A picture, a sound or "
    "other bytes in it are refused: a message is text.",
    responses=says(InsertionView, *WITH_BODY, "not-found", "conflict", "server-gave-nothing"),
)
async def fill_prompt(ctx: Ctx, owner: Owner, server_id: ServerId, body: PromptToFill) -> Response:
    return answer(InsertionView(await insertions.fill_prompt(ctx, owner, server_id, body.name, body.arguments)))


@router.post(
    "/{server_id}/resource",
    summary="Read a resource of an MCP server",
    description="What stands in it as text between fences, below a line with the server and the address. The address "
    "goes to the server alone. Nothing is sent to a model and nothing is stored. What is no text is refused.",
    responses=says(InsertionView, *WITH_BODY, "not-found", "conflict", "server-gave-nothing"),
)
async def read_resource(ctx: Ctx, owner: Owner, server_id: ServerId, body: ResourceToRead) -> Response:
    return answer(InsertionView(await insertions.read_resource(ctx, owner, server_id, body.uri, body.variables)))
