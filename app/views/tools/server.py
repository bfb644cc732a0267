"""Views of MCP servers: their settings, their status, their lists and their logs. Secrets appear only by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import orjson

from app.domain.tools.permissions import UNASKED
from app.domain.tools.tool_servers import (
    CLIENT_SECRET,
    ListedPrompt,
    ListedResource,
    ListedTool,
    Listing,
    OverHttp,
    OverStdio,
    ToolServer,
)
from app.domain.tools.tools import BUILT_IN, Tool, wire_name
from app.domain.tools.uri_templates import list_variables

ServerHealth = Literal["off", "starting", "ready", "waiting", "sign_in"]


@dataclass(frozen=True, slots=True)
class ServerToolView:
    """A tool of an MCP server. `name` is its name for models, `tool_name` its name on the server.

    `arguments` are the names of its arguments; a name of an optional argument ends with "?".
    """

    name: str
    tool_name: str
    title: str
    description: str
    arguments: tuple[str, ...]
    read_only: bool


@dataclass(frozen=True, slots=True)
class VariableView:
    """A variable in the address pattern of a resource, or an argument of a prompt."""

    name: str
    description: str
    required: bool


@dataclass(frozen=True, slots=True)
class ResourceView:
    """An MCP server's resource. `is_template`: `uri` is a pattern for the addresses of resources, with `variables`."""

    uri: str
    name: str
    description: str
    media_type: str
    is_template: bool
    variables: tuple[VariableView, ...]


@dataclass(frozen=True, slots=True)
class PromptView:
    """A prompt of an MCP server, with its arguments."""

    name: str
    title: str
    description: str
    arguments: tuple[VariableView, ...]


@dataclass(frozen=True, slots=True)
class InsertionView:
    """The text of a prompt or a resource, to insert into a message."""

    text: str


@dataclass(frozen=True, slots=True)
class ServerView:
    """One MCP server. A program has a `command`, a server over HTTP a `url`; the other one is null.

    - `health`: "waiting": the server failed, and Inview will try again. "sign_in": a person must sign in first.
    - `problem`: the reason for this state.
    - `client_id`: the OAuth client that a person registered for Inview.
    - `has_client_secret`: the secret of this client is stored.
    - `signed_in`: the access tokens (OAuth) of a sign-in are stored.
    - `signing_in`: a sign-in is running.
    - `cut`: describes the parts of the server's lists that were left out.
    """

    id: str
    name: str
    kind: Literal["stdio", "http"]
    command: str | None
    arguments: tuple[str, ...]
    folder: str | None
    url: str | None
    allow_private: bool
    client_id: str | None
    has_client_secret: bool
    enabled: bool
    timeout: float
    secret_names: tuple[str, ...]
    signed_in: bool
    signing_in: bool
    health: ServerHealth
    problem: str
    restarts: int
    title: str
    version: str
    protocol: str
    instructions: str
    tools: tuple[ServerToolView, ...]
    resources: tuple[ResourceView, ...]
    prompts: tuple[PromptView, ...]
    cut: tuple[str, ...]
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class BuiltInView:
    """A built-in tool. `asks`: each call needs a person's permission, as calls of a server's tool do."""

    name: str
    title: str
    description: str
    asks: bool


@dataclass(frozen=True, slots=True)
class ServersView:
    """All MCP servers of an owner, sorted by name, and the built-in tools.

    `programs`: servers may be programs on this machine. `redirect_uri` is the address that a browser returns to after a
    sign-in; a person who registers an OAuth client needs it.
    """

    items: tuple[ServerView, ...]
    programs: bool
    redirect_uri: str
    built_ins: tuple[BuiltInView, ...]


@dataclass(frozen=True, slots=True)
class SignInView:
    """A running sign-in. The person must open `url` in a browser before `expires_at`."""

    url: str
    expires_at: datetime


def describe_built_ins(tools: Iterable[Tool]) -> tuple[BuiltInView, ...]:
    """Convert the built-in tools among `tools` to the form that the HTTP API returns, in the same order."""
    return tuple(
        BuiltInView(tool.name, tool.title, tool.description, asks=tool.tool_name not in UNASKED)
        for tool in tools
        if tool.server_id == BUILT_IN
    )


@dataclass(frozen=True, slots=True)
class LogLineView:
    """A line of a server's log.

    `level`: `stderr` for the error output of a program, `inview` for messages of Inview, or a level of the server.
    """

    number: int
    at: datetime
    level: str
    text: str


@dataclass(frozen=True, slots=True)
class ServerLogView:
    """Lines of a server's log, oldest first. A request with the value of `next` as `after` returns the next lines."""

    items: tuple[LogLineView, ...]
    next: int


def describe_server(
    server: ToolServer, known: Listing | None, health: ServerHealth, problem: str, restarts: int
) -> ServerView:
    """Convert an MCP server for the HTTP API. `known` are the last lists that it reported; None: none yet.

    - `health`: the state of the connection.
    - `problem`: the reason for this state.
    - `restarts`: the number of times that a lost connection was made again.

    `signing_in` is always False: the caller sets it.
    """
    program = server.way if isinstance(server.way, OverStdio) else None
    address = server.way if isinstance(server.way, OverHttp) else None
    has = known or Listing()
    return ServerView(
        id=server.id,
        name=server.name,
        kind="stdio" if program else "http",
        command=program.command if program else None,
        arguments=program.arguments if program else (),
        folder=program.folder if program else None,
        url=address.url if address else None,
        allow_private=address.allow_private if address else False,
        client_id=address.client_id if address else None,
        has_client_secret=CLIENT_SECRET in server.secret_names,
        enabled=server.enabled,
        timeout=server.timeout,
        secret_names=tuple(name for name in server.secret_names if name != CLIENT_SECRET),
        signed_in=server.signed_in,
        signing_in=False,
        health=health,
        problem=problem,
        restarts=restarts,
        title=has.title,
        version=has.version,
        protocol=has.protocol,
        instructions=has.instructions,
        tools=tuple(_describe_tool(server.name, tool) for tool in has.tools),
        resources=tuple(map(_describe_resource, has.resources)),
        prompts=tuple(map(_describe_prompt, has.prompts)),
        cut=has.cut,
        created_at=server.created_at,
        updated_at=server.updated_at,
    )


def describe_log(lines: Sequence[LogLineView], after: int) -> ServerLogView:
    return ServerLogView(tuple(lines), lines[-1].number if lines else after)


def _describe_tool(server_name: str, tool: ListedTool) -> ServerToolView:
    schema: dict[str, Any] = orjson.loads(tool.input_schema_json)
    names, needed = list(_names(schema, "properties")), _names(schema, "required")
    return ServerToolView(
        name=wire_name(server_name, tool.name),
        tool_name=tool.name,
        title=tool.title,
        description=tool.description,
        arguments=tuple(name if name in needed else f"{name}?" for name in names),
        read_only=tool.read_only,
    )


def _describe_resource(one: ListedResource) -> ResourceView:
    variables = list_variables(one.uri) if one.is_template else ()
    return ResourceView(
        one.uri, one.name, one.description, one.media_type, one.is_template,
        tuple(VariableView(variable.name, "", variable.required) for variable in variables),
    )  # fmt: skip


def _describe_prompt(one: ListedPrompt) -> PromptView:
    variables = tuple(
        VariableView(argument.name, argument.description, argument.required) for argument in one.arguments
    )
    return PromptView(one.name, one.title, one.description, variables)


def _names(schema: Mapping[str, Any], word: str) -> Sequence[str]:
    """Return the names that a schema lists under the keyword `word`.

    The schema comes from a server: if the value is neither a list nor an object, there are no names.
    """
    names: Any = schema.get(word)
    return [str(name) for name in names] if isinstance(names, dict | list) else []  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - from JSON
