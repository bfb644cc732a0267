"""Insertions: texts that users insert into a message, from the prompts and resources of MCP servers.

    text = await fill_prompt(ctx, LOCAL_OWNER, server_id, "review", {"language": "Python"})

These functions return text and store nothing: the text is stored only as a part of the message that the person sends.
Unlike a tool call, an insertion needs no permission: no model chooses it, and the person reads the text before it is
sent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from app.domain.errors import ConflictError, InputError, NotFoundError
from app.domain.tools.tool_servers import ListedPrompt, Listing
from app.domain.tools.uri_templates import fill_template
from app.runs.app_context import AppContext
from app.runs.tools.server_commands import read_server
from app.tools.mcp.sessions import ServerSession

MAX_SECONDS: Final = 60.0
"""Upper limit for the server's own timeout, because a person waits for the result."""
MAX_URI: Final = 8_000

_URI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20\x7f]*")


async def fill_prompt(ctx: AppContext, owner: str, server_id: str, name: str, arguments: Mapping[str, str]) -> str:
    """Return the text of an MCP server's prompt, filled in with these arguments. An empty argument counts as not given.

    Raises:
        NotFoundError: this owner has no such server, or the server has no such prompt.
        ConflictError: the server is switched off.
        InputError: a required argument is missing, or the prompt has no argument with this name.
        ToolFailedError: the server returned nothing that can be inserted as text.
    """
    session = await _session_of(ctx, owner, server_id)
    given = {argument: value for argument, value in arguments.items() if value}
    if session.known is not None:
        _check_arguments(_find_prompt(session.known, name), arguments)
    what = f'The prompt "{name}"'
    return await session.ask(what, _seconds(session), lambda link: link.fill_prompt(name, given))


async def read_resource(ctx: AppContext, owner: str, server_id: str, uri: str, variables: Mapping[str, str]) -> str:
    """Return the content of an MCP server's resource, as a text that names its source.

    `variables` are the values for the variables in `uri`, if it is a template. Inview only passes the resulting address
    to the server; Inview itself opens no address.

    Raises:
        NotFoundError: this owner has no such server.
        ConflictError: the server is switched off.
        InputError: `uri` is not an address, or a variable is missing.
        ToolFailedError: the server returned nothing that can be inserted as text.
    """
    session = await _session_of(ctx, owner, server_id)
    listed = session.known.resources if session.known else ()
    as_it_is = not variables and any(one.uri == uri and not one.is_template for one in listed)
    filled = uri if as_it_is else fill_template(uri, variables)
    if len(filled) > MAX_URI or not (as_it_is or _URI.fullmatch(filled)):
        raise InputError("uri", f"write an address such as file:///notes/tea.md, with at most {MAX_URI:,} characters.")
    return await session.ask(filled, _seconds(session), lambda link: link.read_resource(filled))


async def _session_of(ctx: AppContext, owner: str, server_id: str) -> ServerSession:
    seen = await read_server(ctx, owner, server_id)
    if seen.session is None:
        raise ConflictError(f'The MCP server "{seen.server.name}" is switched off. Switch it on in Settings → Tools.')
    return seen.session


def _seconds(session: ServerSession) -> float:
    return min(session.server.timeout, MAX_SECONDS)


def _find_prompt(known: Listing, name: str) -> ListedPrompt:
    found = next((prompt for prompt in known.prompts if prompt.name == name), None)
    if found is None:
        raise NotFoundError("prompt", name)
    return found


def _check_arguments(prompt: ListedPrompt, given: Mapping[str, str]) -> None:
    names = {argument.name for argument in prompt.arguments}
    if unknown := given.keys() - names:
        raise InputError(f"arguments.{min(unknown)}", f'"{prompt.name}" has no argument with this name.')
    for argument in prompt.arguments:
        if argument.required and not given.get(argument.name, "").strip():
            raise InputError(f"arguments.{argument.name}", "a value is required.")
