"""The tool `fetch_page`: reads a page of the web as text.

    {"url": "https://example.org/"} → the page as Markdown, 40,000 characters of it at a time

Scripts of the page are not run, images and other parts are not loaded, and cookies are not kept. `web_pages.py` reads
the page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from app.domain.conversation.parts import Text
from app.domain.tools.tools import BUILT_IN, Caller, Tool, ToolOutcome
from app.tools.mcp.connection_terms import Progress
from app.tools.network.addresses import AddressGuard
from app.tools.toolbox import BuiltIn

FETCH_PAGE: Final = Tool(
    name="fetch_page",
    server_id=BUILT_IN,
    server_name="Inview",
    tool_name="fetch_page",
    title="Fetch a page",
    description=(
        "Reads a page or a text file of the web and gives it as text (Markdown). A long one comes in pieces: "
        "ask again with start."
    ),
    input_schema_json=(
        '{"additionalProperties":false,"properties":{"start":{"default":0,"description":"The character to begin at.",'
        '"minimum":0,"type":"integer"},"url":{"description":"An http or https address.","type":"string"}},'
        '"required":["url"],"type":"object"}'
    ),
    read_only=True,
)


def fetch_page(guard: AddressGuard | None = None) -> BuiltIn:
    """Return the tool `fetch_page`. `guard` checks the addresses. Without it, only public addresses are allowed."""

    async def call(_caller: Caller, arguments: Mapping[str, Any], _progress: Progress) -> ToolOutcome:
        url, start = arguments.get("url", ""), arguments.get("start", 0)
        if words := _find_fault(url, start):
            return ToolOutcome((Text(words),), is_error=True)
        read_page = await asyncio.to_thread(_load_reader)
        return await read_page(url, start, guard or AddressGuard())

    return BuiltIn(FETCH_PAGE, call)


def _load_reader() -> Callable[[str, int, AddressGuard], Awaitable[ToolOutcome]]:
    from app.tools.built_in.web_pages import read_page  # noqa: PLC0415 - 12 MB and 0.1 s, needed only for pages

    return read_page


def _find_fault(url: object, start: object) -> str | None:
    if not isinstance(url, str) or not _is_address(url):
        return "Give an http or https address as url, without a name or password in it."
    if not isinstance(start, int) or start < 0:
        return "Give a number of characters, 0 or more, as start."
    return None


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.username is None
    except ValueError:
        return False
