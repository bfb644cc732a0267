"""Reads all lists of an MCP server, page by page, within limits, and notes everything that was left out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, Protocol, TypeVar

import mcp_types as types
from mcp import Client
from mcp.shared.exceptions import MCPError

from app.domain.text.invisible import INVISIBLE, strip_invisible, strip_invisible_in_lines
from app.domain.tools.tool_servers import ListedArgument, ListedPrompt, ListedResource, ListedTool, Listing
from app.schema_check.checker import WORKS_TOO_LONG, check_schema
from app.tools.mcp.json_text import write_json
from app.tools.mcp.messages import MAX_ITEMS

MAX_LISTED: Final = MAX_ITEMS
MAX_PAGES: Final = 50
MAX_CURSOR: Final = 10_000
"""Maximum characters of a cursor: all cursors of a list are in memory at once."""
MAX_NAME: Final = 200
MAX_WORDS: Final = 10_000
MAX_LOOKED_AT: Final = 2 * MAX_WORDS
"""Number of characters of a text from which invisible characters are removed; the rest of the text is dropped.

Removing them from megabytes of text would take seconds.
"""
MAX_SCHEMA: Final = 50_000
"""Maximum characters of one tool's schema: every request contains the whole schema."""
MAX_SLOW_SCHEMAS: Final = 3
"""Number of slow schema checks after which the schemas of the server's other tools are not checked."""

Item = TypeVar("Item")


class _Page(Protocol):
    @property
    def next_cursor(self) -> str | None: ...


Page = TypeVar("Page", bound=_Page)


async def list_all(client: Client, promised: dict[str, str], *, account: str) -> Listing:
    """Request all tools, resources, resource templates and prompts of an MCP server, and return them.

    The output schemas of tools are written into `promised`, by tool name. `account`: the name, usually the id of the
    server, under which Inview adds up and limits the time of slow schema checks.

    Raises:
        MCPError: the server cannot list its tools.
    """
    can, info, cut = client.server_capabilities, client.server_info, list[str]()
    tools = await _walk("tools", lambda c: client.list_tools(cursor=c), lambda p: p.tools, cut) if can.tools else []
    resources = list[ListedResource]()
    if can.resources:
        found = await _walk("resources", lambda c: client.list_resources(cursor=c), lambda p: p.resources, cut)
        resources += [_resource(one, str(one.uri), is_template=False) for one in found]
        try:
            patterns = await _walk(
                "resource templates",
                lambda c: client.list_resource_templates(cursor=c),
                lambda p: p.resource_templates,
                cut,
            )
        except MCPError as error:
            if error.code != types.METHOD_NOT_FOUND:  # a server with resources may have no templates
                raise
            patterns = []
        resources += [_resource(one, one.uri_template, is_template=True) for one in patterns]
    prompts = (
        await _walk("prompts", lambda c: client.list_prompts(cursor=c), lambda p: p.prompts, cut) if can.prompts else []
    )
    promised.clear()
    schemas = {tool.name: _write_schema(tool.output_schema)[0] for tool in tools if tool.output_schema is not None}
    promised |= {name: schema for name, schema in schemas.items() if schema is not None}
    return Listing(
        title=_line((info and (info.title or info.name)) or ""),
        version=_line((info and info.version) or ""),
        protocol=client.protocol_version,
        instructions=_lines(client.instructions or ""),
        tools=tuple(await _tools(tools, cut, account)),
        resources=tuple(_take_first(resources, "resources and templates", cut)),
        prompts=tuple(_prompt(one, cut) for one in prompts),
        cut=tuple(cut),
    )


async def _walk(
    noun: str, ask: Callable[[str | None], Awaitable[Page]], items_of: Callable[[Page], list[Item]], cut: list[str]
) -> list[Item]:
    found, cursor, seen = list[Item](), None, set[str]()
    for _ in range(MAX_PAGES):
        page = await ask(cursor)
        found += items_of(page)
        cursor = page.next_cursor or None  # some servers send "" on the last page
        del page  # free its memory before the next one is read
        if cursor is None or len(found) > MAX_LISTED or cursor in seen or len(cursor) > MAX_CURSOR:
            break
        seen.add(cursor)
    if cursor is not None or len(found) > MAX_LISTED:
        cut.append(f"The server lists {noun} without end. Inview uses the first {min(len(found), MAX_LISTED):,}.")
    return found[:MAX_LISTED]


async def _tools(found: list[types.Tool], cut: list[str], account: str) -> list[ListedTool]:
    listed, names, slow = list[ListedTool](), set[str](), 0
    for tool in found:
        schema, unwritable = _write_schema(tool.input_schema)
        reason = (
            "it has no name" if not tool.name.strip()
            else "its name is too long" if len(tool.name) > MAX_NAME
            else "its name has invisible characters" if INVISIBLE.search(tool.name)
            else "another has its name" if tool.name in names
            else "its schema is too long" if len(schema or "") > MAX_SCHEMA
            else f"its schema cannot be written as JSON: {unwritable}" if schema is None
            else "its schema does not describe an object" if tool.input_schema.get("type", "object") != "object"
            else ""
        )  # fmt: skip
        if not reason and schema is not None:
            # A provider refuses the whole request if one tool has an invalid schema.
            checked = await check_schema(schema, account=account) if slow < MAX_SLOW_SCHEMAS else WORKS_TOO_LONG
            slow += checked.too_long
            reason = f"its schema {checked.unusable}" if checked.unusable else ""
            reason = reason or ("its schema is not valid" if checked.faults else "")
        if reason or schema is None:
            cut.append(f"The tool {_short(tool.name, 80)!r} is left out: {reason}.")
            continue
        names.add(tool.name)
        hints = tool.annotations
        listed.append(
            ListedTool(
                name=tool.name,
                title=_line(tool.title or "") or _line((hints and hints.title) or "") or tool.name,
                description=_lines(tool.description or ""),
                input_schema_json=schema,
                read_only=bool(hints and hints.read_only_hint),
            )
        )
    return listed


def _write_schema(schema: dict[str, object]) -> tuple[str | None, str]:
    """Return a schema as JSON text and "", or None and the reason if that is impossible."""
    try:
        return write_json(schema), ""
    except ValueError as error:
        return None, str(error)


def _resource(one: types.Resource | types.ResourceTemplate, uri: str, *, is_template: bool) -> ListedResource:
    return ListedResource(
        _short(uri, 2000), _line(one.title or one.name), _lines(one.description or ""),
        _line(one.mime_type or ""), is_template,
    )  # fmt: skip


def _take_first(found: list[Item], what: str, cut: list[str]) -> list[Item]:
    if len(found) > MAX_LISTED:
        cut.append(f"The server lists {len(found):,} {what}. Inview uses the first {MAX_LISTED:,}.")
    return found[:MAX_LISTED]


def _prompt(one: types.Prompt, cut: list[str]) -> ListedPrompt:
    arguments = _take_first(one.arguments or [], f"arguments of the prompt {_short(one.name, 80)!r}", cut)
    return ListedPrompt(
        _short(one.name, MAX_NAME),
        _line(one.title or one.name),
        _lines(one.description or ""),
        tuple(map(_argument, arguments)),
    )  # fmt: skip


def _argument(one: types.PromptArgument) -> ListedArgument:
    return ListedArgument(
        _short(one.name, MAX_NAME), _lines(one.description or ""), bool(one.required)
    )  # fmt: skip


def _line(text: str) -> str:
    return _short(strip_invisible(text[:MAX_LOOKED_AT]), MAX_NAME)


def _lines(text: str) -> str:
    return _short(strip_invisible_in_lines(text[:MAX_LOOKED_AT]), MAX_WORDS)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
