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
    """A prompt of an MCP server with its arguments."""

    name: str = Field(
        min_length=1, max_length=MAX_NAME, description="The name of the prompt, as in the server's `prompts`."
    )
    arguments: Values = Field(
        default_factory=dict[str, str], max_length=MAX_VALUES, description="The arguments, by name. Empty: not given."
    )


class ResourceToRead(Body):
    """A resource of an MCP server by its URI, or a URI template with its variables."""

    uri: str = Field(
        min_length=1,
        max_length=MAX_TEMPLATE,
        description="The URI of the resource, as in the server's `resources`, or another one.",
    )
    variables: Values = Field(
        default_factory=dict[str, str],
        max_length=MAX_VALUES,
        description="The values of a URI template (RFC 6570), by name. Query variables may be left out.",
    )


@router.post(
    "/{server_id}/prompt",
    summary="Fill in a prompt of an MCP server",
    description="Returns the server's prompt as text to insert into a message. Nothing is sent to a model or stored. "
    "Several messages are joined, with their roles unless all are of the user. A prompt with a picture, a "
    "sound or other bytes is refused: a message is text.",
    responses=says(InsertionView, *WITH_BODY, "not-found", "conflict", "server-gave-nothing"),
)
async def fill_prompt(ctx: Ctx, owner: Owner, server_id: ServerId, body: PromptToFill) -> Response:
    return answer(InsertionView(await insertions.fill_prompt(ctx, owner, server_id, body.name, body.arguments)))


@router.post(
    "/{server_id}/resource",
    summary="Read a resource of an MCP server",
    description="Returns the content as text in a code fence, below a line with the server and the address. The "
    "address is sent only to the server. Nothing is sent to a model or stored. Content that is not text is "
    "refused.",
    responses=says(InsertionView, *WITH_BODY, "not-found", "conflict", "server-gave-nothing"),
)
async def read_resource(ctx: Ctx, owner: Owner, server_id: ServerId, body: ResourceToRead) -> Response:
    return answer(InsertionView(await insertions.read_resource(ctx, owner, server_id, body.uri, body.variables)))
