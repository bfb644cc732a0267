"""MCP servers as a person set them up, and the tools, resources and prompts that they reported.

    >>> check_server("files", OverStdio("npx", ("-y", "server-filesystem", "/srv/notes")), {})

These values contain only the names of secrets (environment variables, headers, tokens), never the secrets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

from app.domain.errors import InputError
from app.domain.text.invisible import INVISIBLE, strip_invisible, strip_invisible_in_lines
from app.domain.tools.tools import BUILT_IN, MAX_SERVER_NAME, Tool, is_server_name, wire_name

MAX_TIMEOUT: Final = 3600.0
USUAL_TIMEOUT: Final = 60.0

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NOT_OURS: Final = frozenset({"host", "content-length", "transfer-encoding", "connection", "mcp-session-id"})
"""Headers that a person cannot set, because they belong to the underlying protocol."""
CLIENT_SECRET: Final = "client secret"  # noqa: S105 - a name, not a secret
"""The name of the OAuth client secret among a server's secrets (see `client_id`). No header can have this name."""
_EXAMPLE: Final = "write an address such as https://example.org/mcp."


@dataclass(frozen=True, slots=True)
class OverStdio:
    """A server that is a program on this machine, connected through standard input and output.

    `folder` is its working directory.
    """

    command: str
    arguments: tuple[str, ...] = ()
    folder: str | None = None


@dataclass(frozen=True, slots=True)
class OverHttp:
    """A server that is connected over Streamable HTTP.

    - `allow_private`: the address may be on this machine or in its local networks.
    - `client_id`: the id of the OAuth client that a person registered for Inview; None if Inview registers itself.
    """

    url: str
    allow_private: bool = False
    client_id: str | None = None


Way = OverStdio | OverHttp


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool as its server describes it."""

    name: str
    title: str
    description: str
    input_schema_json: str
    read_only: bool


@dataclass(frozen=True, slots=True)
class ListedResource:
    """A resource that can be read. With `is_template`, `uri` is a template for the addresses of many resources."""

    uri: str
    name: str
    description: str
    media_type: str
    is_template: bool = False


@dataclass(frozen=True, slots=True)
class ListedArgument:
    """An argument of a prompt, as its server describes it."""

    name: str
    description: str
    required: bool


@dataclass(frozen=True, slots=True)
class ListedPrompt:
    """A prompt that a server offers."""

    name: str
    title: str
    description: str
    arguments: tuple[ListedArgument, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """Everything that a server reported about itself.

    `cut` describes the parts that were left out, because they were too large.
    """

    title: str = ""
    version: str = ""
    protocol: str = ""
    instructions: str = ""
    tools: tuple[ListedTool, ...] = ()
    resources: tuple[ListedResource, ...] = ()
    prompts: tuple[ListedPrompt, ...] = ()
    cut: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolServer:
    """A server as a person set it up.

    - `timeout`: the maximum duration of a call in seconds.
    - `secret_names`: the names of its environment variables or headers, and `CLIENT_SECRET` if it has one.
    - `known`: the tools, resources and prompts that the server reported last.
    """

    id: str
    name: str
    way: Way
    enabled: bool
    timeout: float
    secret_names: tuple[str, ...]
    created_at: datetime
    updated_at: datetime
    signed_in: bool = False
    known: Listing | None = field(default=None, compare=False)


def list_server_tools(server_id: str, server_name: str, listing: Listing) -> tuple[Tool, ...]:
    """Return the tools of a server, without invisible characters in the texts that people and models see."""
    return tuple(
        Tool(
            name=wire_name(server_name, tool.name),
            server_id=server_id,
            server_name=server_name,
            tool_name=tool.name,
            title=strip_invisible(tool.title) or tool.name,
            description=strip_invisible_in_lines(tool.description),
            input_schema_json=tool.input_schema_json,
            read_only=tool.read_only,
        )
        for tool in listing.tools
        if not INVISIBLE.search(tool.name)  # an earlier version may have stored a listing with such tools
    )


def check_server(name: str, way: Way, secret_names: Iterable[str]) -> None:
    """Refuse invalid settings of a server.

    Raises:
        InputError: a setting is invalid. The error names its field.
    """
    if not is_server_name(name) or name.lower() in {BUILT_IN, "inview"}:
        raise InputError(
            "name",
            "use letters and digits, with single hyphens or underscores between them, at most "
            f'{MAX_SERVER_NAME}, such as "files". Models read it before the name of each tool.',
        )
    match way:
        case OverStdio():
            _check_command(way)
            pattern, noun = _VARIABLE, "an environment variable"
        case OverHttp():
            _check_url(way.url)
            pattern, noun = _HEADER, "a header"
            if way.client_id is not None and _CONTROL.search(way.client_id):
                raise InputError("client_id", "it has a line break or another control character.")
    for secret in secret_names:
        if secret == CLIENT_SECRET and isinstance(way, OverHttp):
            if way.client_id is None:
                raise InputError("client_secret", "a client secret needs a client ID. Give the client ID as well.")
        elif not pattern.fullmatch(secret) or (noun == "a header" and secret.lower() in _NOT_OURS):
            raise InputError("secrets", f"{secret!r} cannot be the name of {noun} here.")


def check_secret(name: str, value: str) -> None:
    """Refuse a value that is invalid in an environment variable or a header.

    Raises:
        InputError: the value is invalid. The message does not contain the value.
    """
    if _CONTROL.search(value) or not value.strip():
        raise InputError("secrets", f"the value of {name!r} is empty or has a line break or another control character.")


def _check_command(way: OverStdio) -> None:
    if not way.command.strip():
        raise InputError("command", "give the command of the program, such as npx.")
    for field_name, text in (
        ("command", way.command),
        ("folder", way.folder or ""),
        *(("arguments", a) for a in way.arguments),
    ):
        if "\0" in text:
            raise InputError(field_name, "has a NUL character.")


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        raise InputError("url", _EXAMPLE) from None
    if not usable or _CONTROL.search(url) or " " in url:
        raise InputError("url", _EXAMPLE)
    if parts.username is not None or parts.password is not None:
        raise InputError("url", "the address cannot have a user name or password. Use a header instead.")
