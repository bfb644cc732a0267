"""Routes of MCP servers: set up, change, delete, test, read the log. Secrets are stored and never returned."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal, Self

from fastapi import APIRouter, Path, Query
from pydantic import ConfigDict, Field, model_validator
from starlette.requests import Request
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import WITH_BODY, answer, fails, says
from app.api.http.bodies import Body
from app.api.http.negotiation import HasBody, ReadsJson
from app.api.http.patterns import SERVER_NAME
from app.api.http.problems import refuse_field
from app.domain.tools.tool_servers import CLIENT_SECRET, MAX_TIMEOUT, USUAL_TIMEOUT, OverHttp, OverStdio, Way
from app.domain.tools.tools import MAX_SERVER_NAME
from app.runs.agents.agent_commands import read_agent
from app.runs.sign_in.sign_in_commands import callback_of
from app.runs.tools import server_commands
from app.runs.tools.server_commands import SeenServer, ServerSettings
from app.views.tools.server import (
    LogLineView,
    ServerLogView,
    ServersView,
    ServerView,
    describe_built_ins,
    describe_log,
    describe_server,
)

router = APIRouter(prefix="/mcp-servers", tags=["tools"], dependencies=[ReadsJson])

MAX_ARGUMENTS = 100
MAX_SECRETS = 50
MAX_TEXT = 4000

ServerId = Annotated[str, Path(max_length=64, description="An MCP server.")]
Name = Annotated[
    str,
    Field(
        pattern=SERVER_NAME,
        max_length=MAX_SERVER_NAME,
        description="The name. Unique, ignoring case. Models see it before the name of each tool.",
        examples=["files"],
    ),
]
Command = Annotated[str, Field(min_length=1, max_length=MAX_TEXT, description="The command that starts the program.")]
Arguments = Annotated[
    list[Annotated[str, Field(max_length=MAX_TEXT)]],
    Field(max_length=MAX_ARGUMENTS, description="The arguments of the program."),
]
Folder = Annotated[
    str | None, Field(max_length=MAX_TEXT, description="The working directory of the program; null: that of Inview.")
]
Url = Annotated[str, Field(min_length=1, max_length=MAX_TEXT, examples=["https://example.org/mcp"])]
AllowPrivate = Annotated[bool, Field(description="Whether the address may be on this machine or in a private network.")]
ClientId = Annotated[
    Annotated[str, Field(min_length=1, max_length=MAX_TEXT)] | None,
    Field(
        description="The id of an OAuth client that you registered for Inview, for authorization servers without "
        "dynamic registration. Null: Inview registers itself."
    ),
]
ClientSecret = Annotated[
    Annotated[str, Field(min_length=1, max_length=MAX_TEXT)] | None,
    Field(
        description=(
            "The secret of that client, if it has one. Stored encrypted, never returned. A new client starts without "
            "one."
        )
    ),
]
Timeout = Annotated[float, Field(ge=1, le=MAX_TIMEOUT, description="The maximum duration of a call, in seconds.")]
SecretName = Annotated[str, Field(min_length=1, max_length=200)]
SecretValue = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]

OfAgent = Annotated[str | None, Query(max_length=64, description="Only servers of this agent.")]


_OF_ADDRESSES = frozenset({"url", "allow_private", "client_id", "client_secret"})
_OF_PROGRAMS = frozenset({"command", "arguments", "folder"})


class NewServer(Body):
    """A new MCP server. `stdio` needs a command, `http` a URL."""

    name: Name
    kind: Literal["stdio", "http"]
    command: Command | None = None
    arguments: Arguments = Field(default_factory=list[str])
    folder: Folder = None
    url: Url | None = None
    allow_private: AllowPrivate = False
    client_id: ClientId = None
    client_secret: ClientSecret = None
    enabled: bool = True
    timeout: Timeout = USUAL_TIMEOUT
    secrets: dict[SecretName, SecretValue] = Field(
        default_factory=dict[str, str],
        max_length=MAX_SECRETS,
        description=(
            "Environment variables of a program, or headers of an HTTP server. Stored encrypted, never returned."
        ),
    )


class ChangedServer(Body):
    """The new values of an MCP server. A missing field is not changed. The kind (program or address) stays the same."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    # Only fields that were sent are read, so these defaults are never used. A default of None would have to be in the
    # type.
    name: Name = Field(default_factory=str)
    command: Command = Field(default_factory=str)
    arguments: Arguments = Field(default_factory=list[str])
    folder: Folder = None
    url: Url = Field(default_factory=str)
    allow_private: AllowPrivate = False
    client_id: ClientId = None
    client_secret: ClientSecret = None
    enabled: bool = True
    timeout: Timeout = USUAL_TIMEOUT
    secrets: dict[SecretName, SecretValue | None] = Field(
        default_factory=dict[str, str | None],
        max_length=MAX_SECRETS,
        description="The values to set; null removes one. Others stay, unless the address changes to another host.",
    )

    @model_validator(mode="after")
    def _of_one_kind(self) -> Self:
        if _OF_ADDRESSES & self.model_fields_set and _OF_PROGRAMS & self.model_fields_set:
            raise ValueError("a server is a program or an address, not both")
        return self


@router.get(
    "",
    summary="List the MCP servers and the built-in tools",
    responses=says(ServersView, "not-found", description="By name."),
)
async def list_them(ctx: Ctx, owner: Owner, request: Request, *, agent_id: OfAgent = None) -> Response:
    agent = None if agent_id is None else await read_agent(ctx, owner, agent_id)
    seen = await server_commands.list_servers(ctx, owner)
    if agent is not None and agent.server_ids is not None:
        seen = tuple(one for one in seen if one.server.id in agent.server_ids)
    programs = ctx.settings.stdio_servers and server_commands.is_admin(owner)
    built_ins = describe_built_ins(ctx.toolbox.list_tools(owner))
    back = callback_of(ctx.settings.public_url or str(request.base_url))
    return answer(ServersView(tuple(map(_describe, seen)), programs, back, built_ins))


@router.post(
    "",
    summary="Add an MCP server",
    description="Inview connects at once if the server is switched on; `health` and `problem` report the result. A "
    "program runs on the machine of Inview, so only an administrator may add one.",
    status_code=201,
    dependencies=[HasBody],
    responses=says(
        ServerView, *WITH_BODY, "conflict", "forbidden", status=201, description="Created. `Location` is its address."
    ),
)
async def create(ctx: Ctx, owner: Owner, body: NewServer) -> Response:
    client = {} if body.client_secret is None else {CLIENT_SECRET: body.client_secret}
    settings = ServerSettings(body.name, _way(body), body.enabled, body.timeout, body.secrets | client)
    made = await server_commands.add_server(ctx, owner, settings)
    return answer(_describe(made), 201, {"Location": f"/api/v1/mcp-servers/{made.server.id}"})


@router.get("/{server_id}", summary="Read an MCP server", responses=says(ServerView, "not-found"))
async def read(ctx: Ctx, owner: Owner, server_id: ServerId) -> Response:
    return answer(_describe(await server_commands.read_server(ctx, owner, server_id)))


@router.patch(
    "/{server_id}",
    summary="Change an MCP server, or switch it on or off",
    dependencies=[HasBody],
    responses=says(ServerView, *WITH_BODY, "not-found", "conflict", "forbidden", description="The updated server."),
)
async def change(ctx: Ctx, owner: Owner, server_id: ServerId, body: ChangedServer) -> Response:
    changes: Any = body.model_dump(exclude_unset=True)
    if not changes:
        refuse_field("body", "has no changes. Give at least one field.")
    before = (await server_commands.read_server(ctx, owner, server_id)).server
    settings = ServerSettings(
        changes.get("name", before.name),
        _changed_way(before.way, changes),
        changes.get("enabled", before.enabled),
        changes.get("timeout", before.timeout),
        changes.get("secrets", {}) | _changed_client_secret(before.way, changes),
    )
    return answer(_describe(await server_commands.change_server(ctx, owner, server_id, settings)))


@router.delete(
    "/{server_id}",
    summary="Delete an MCP server",
    status_code=204,
    response_class=Response,
    responses={204: {"description": "The server and its secrets are deleted. Its program has ended."}}
    | fails("not-found"),
)
async def delete(ctx: Ctx, owner: Owner, server_id: ServerId) -> Response:
    await server_commands.delete_server(ctx, owner, server_id)
    return Response(status_code=204)


@router.post(
    "/{server_id}/test",
    summary="Test the connection to an MCP server",
    description="Connects if necessary and lists the server's tools, resources and prompts again. `health` has the "
    "result. A server that is switched off is disconnected afterwards.",
    responses=says(
        ServerView,
        "not-found",
        "forbidden",
        description="The status of the server, with its tools, resources and prompts.",
    ),
)
async def try_out(ctx: Ctx, owner: Owner, server_id: ServerId) -> Response:
    return answer(_describe(await server_commands.try_server(ctx, owner, server_id)))


@router.get(
    "/{server_id}/log",
    summary="Read the log of an MCP server",
    description="The newest lines since the server was switched on: its standard error, its log messages, and messages "
    "of Inview about it. Values of its secrets are masked.",
    responses=says(ServerLogView, "not-found"),
)
async def read_log(
    ctx: Ctx,
    owner: Owner,
    server_id: ServerId,
    *,
    after: Annotated[int, Query(ge=0, le=2**53, description="Only lines after this one.")] = 0,
) -> Response:
    seen = await server_commands.read_server(ctx, owner, server_id)
    lines = seen.session.log.lines(after) if seen.session else ()
    return answer(describe_log([LogLineView(one.number, one.at, one.level, one.text) for one in lines], after))


def _describe(seen: SeenServer) -> ServerView:
    session = seen.session
    if session is None:
        view = describe_server(seen.server, seen.server.known, "off", seen.problem, 0)
    else:
        view = describe_server(seen.server, session.known, session.health.value, session.problem, session.restarts)
    return replace(view, signing_in=seen.signing_in)


def _way(body: NewServer) -> Way:
    if body.kind == "stdio":
        if body.command is None:
            refuse_field("command", "give the command of the program.")
        if body.url is not None or body.allow_private:
            refuse_field("url", "a program has no address.")
        if body.client_id is not None or body.client_secret is not None:
            refuse_field("client_id", "a program has no sign-in.")
        return OverStdio(body.command, tuple(body.arguments), body.folder)
    if body.url is None:
        refuse_field("url", "write an address such as https://example.org/mcp.")
    if body.command is not None or body.arguments or body.folder is not None:
        refuse_field("command", "an address has no program.")
    return OverHttp(body.url, body.allow_private, body.client_id)


def _changed_way(way: Way, changes: dict[str, Any]) -> Way:
    match way:
        case OverStdio():
            if _OF_ADDRESSES & set(changes):
                refuse_field("url", "this server is a program. Add another server for an address.")
            return OverStdio(
                changes.get("command", way.command),
                tuple(changes.get("arguments", way.arguments)),
                changes.get("folder", way.folder),
            )
        case OverHttp():
            if _OF_PROGRAMS & set(changes):
                refuse_field("command", "this server has an address. Add another server for a program.")
            return OverHttp(
                changes.get("url", way.url),
                changes.get("allow_private", way.allow_private),
                changes.get("client_id", way.client_id),
            )


def _changed_client_secret(way: Way, changes: dict[str, Any]) -> dict[str, str | None]:
    """Return the change of the stored client secret: the new secret, or None to remove the secret of another client.

    The result is empty if neither the secret nor the client id has changed.
    """
    if "client_secret" in changes:
        return {CLIENT_SECRET: changes["client_secret"]}
    stays = not isinstance(way, OverHttp) or changes.get("client_id", way.client_id) == way.client_id
    return {} if stays else {CLIENT_SECRET: None}
