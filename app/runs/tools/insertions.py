"""Insertions: what people put into their message from their MCP servers and shared ones: prompts, texts of resources.

    text = await fill_prompt(wb, LOCAL_OWNER, server_id, "review", {"language": "Python"})

It returns text and stores nothing: the message contains what the person sends of it. Unlike a tool, it needs no
permission: no model chooses here, and the person reads the text before it is sent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from app.domain.errors import ConflictError, InputError, NotFoundError
from app.domain.tools.tool_servers import ListedPrompt, Listing
from app.domain.tools.uri_templates import fill_template
from app.runs.tools.lent_servers import require_lent
from app.runs.tools.server_commands import read_server
from app.runs.workbench import Workbench
from app.tools.sessions import ServerSession

MAX_SECONDS: Final = 60.0
"""Somebody waits for it; a server that may take longer for its tools may not for this."""
MAX_URI: Final = 8_000

_URI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20\x7f]*")


async def fill_prompt(wb: Workbench, owner: str, server_id: str, name: str, arguments: Mapping[str, str]) -> str:
    """A prompt's text with these arguments; those that are empty count as not given.

    Raises:
        NotFoundError: no such server of this owner nor a shared one, or no such prompt of it.
        ConflictError: it is switched off.
        InputError: `arguments`: one is missing, or there is none of that name.
        ToolFailedError: the server gave nothing that can be put into a text.
    """
    session = await _session_of(wb, owner, server_id)
    given = {argument: value for argument, value in arguments.items() if value}
    if session.known is not None:
        _check_arguments(_find_prompt(session.known, name), arguments)
    what = f'The prompt "{name}"'
    return await session.ask(what, _seconds(session), lambda link: link.fill_prompt(name, given))


async def read_resource(wb: Workbench, owner: str, server_id: str, uri: str, variables: Mapping[str, str]) -> str:
    """Return the content of a resource, as text that names its source. A pattern's `variables` are filled in.

    The address goes to the server alone; Inview opens none of itself.

    Raises:
        NotFoundError: no such server of this owner, nor a shared one.
        ConflictError: it is switched off.
        InputError: it is no address, or a variable is missing.
        ToolFailedError: the server gave nothing that can be put into a text.
    """
    session = await _session_of(wb, owner, server_id)
    listed = session.known.resources if session.known else ()
    as_it_is = not variables and any(one.uri == uri and not one.is_template for one in listed)
    filled = uri if as_it_is else fill_template(uri, variables)
    if len(filled) > MAX_URI or not (as_it_is or _URI.fullmatch(filled)):
        raise InputError("uri", f"an address such as file:///notes/tea.md, at most {MAX_URI:,} characters.")
    return await session.ask(filled, _seconds(session), lambda link: link.read_resource(filled))


async def _session_of(wb: Workbench, owner: str, server_id: str) -> ServerSession:
    if (lent := wb.toolbox.borrow(owner).get(server_id)) is not None:
        await require_lent(wb, owner, server_id)
        return lent
    seen = await read_server(wb, owner, server_id)
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
        raise InputError(f"arguments.{min(unknown)}", f'"{prompt.name}" has no argument of that name.')
    for argument in prompt.arguments:
        if argument.required and not given.get(argument.name, "").strip():
            raise InputError(f"arguments.{argument.name}", "fill it in.")
