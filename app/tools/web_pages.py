"""Reads a web page as text, only from addresses that `addresses.py` allows.

    outcome = await read_page("https://example.org/", 0, Guard())

Loaded only once somebody fetches a page: what it needs takes 12 MB and a tenth of a second. Not here: the tool itself
(`fetching.py`).
"""

from __future__ import annotations

import asyncio
import re
from typing import Final

import httpx2
from html_to_markdown import WarningKind, convert

from app.domain.conversation.parts import Text
from app.domain.tools.tools import ToolOutcome
from app.tools.addresses import AddressRefusedError, Guard
from app.tools.web_client import TooMuchError, open_client

MAX_BYTES: Final = 3_000_000
MAX_CHARACTERS: Final = 40_000
SECONDS: Final = 20.0
"""For all of it together: names, connections, redirects, the body, and making text of it."""

MAX_NESTED: Final = 20
"""How deep quotes, lists and code may be within each other: each writes its mark on every line that is in it."""

_INDENTED: Final = re.compile(r"<(/?)(?:blockquote|ol|pre|ul)(?=[\s/>])", re.IGNORECASE)
_LEFT_OUT: Final = "\n\n[Parts of this page are nested too deeply to be read. They are left out.]"
_PAGES: Final = frozenset({"text/html", "application/xhtml+xml"})
_TEXTS: Final = re.compile(r"text/.*|application/(?:.*\+)?(?:json|xml|yaml)|application/(?:javascript|x-ndjson)|")
_CHARSET: Final = re.compile(rb"<meta[^>]{0,200}charset=[\"']?([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)


async def read_page(url: str, start: int, guard: Guard) -> ToolOutcome:
    """The page from its character `start` on, or in plain words why there is none."""
    try:
        async with asyncio.timeout(SECONDS):
            return await _read(url, start, guard)
    except AddressRefusedError as error:
        return _failed(f"That address is not fetched. {error}")
    except TooMuchError:
        return _failed(f"The page is larger than the {MAX_BYTES:,} bytes that are taken.")
    except httpx2.TooManyRedirects:
        return _failed("The address leads on and on to others.")
    except (httpx2.TimeoutException, TimeoutError):
        return _failed(f"The page did not come within {SECONDS:g} seconds.")
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        return _failed(f"The page could not be fetched: {str(error) or type(error).__name__}")


async def _read(url: str, start: int, guard: Guard) -> ToolOutcome:
    async with open_client(guard, most_bytes=MAX_BYTES, timeout=SECONDS) as client:
        response = await client.get(url, follow_redirects=True)
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _PAGES and not _TEXTS.fullmatch(kind):
        return _failed(f"{response.url} is no text ({kind}).")
    text = _decode(response)
    if kind in _PAGES:
        text = await asyncio.to_thread(page_text, text)
    where = f"{response.url} (status {response.status_code})"
    piece = text[start : start + MAX_CHARACTERS]
    rest = len(text) - start - len(piece)
    end = f"\n\n[{rest:,} more characters: ask again with start {start + len(piece)}.]" if rest > 0 else ""
    return ToolOutcome((Text(f"{where}\n\n{piece}{end}"),), is_error=response.status_code >= 400)


def page_text(html: str) -> str:
    """A page as markdown. Quotes, lists and code nested beyond `MAX_NESTED` are plain blocks there."""
    depth = 0

    def flatten(tag: re.Match[str]) -> str:
        nonlocal depth
        is_end = tag[1] == "/"
        is_deep = depth > MAX_NESTED if is_end else depth >= MAX_NESTED
        depth = max(0, depth - 1) if is_end else depth + 1
        return f"<{tag[1]}div" if is_deep else tag[0]

    converted = convert(_INDENTED.sub(flatten, html))
    text = (converted.content or "").strip()
    return (
        f"{text}{_LEFT_OUT}"
        if any(one.kind == WarningKind.DEPTH_LIMIT_EXCEEDED for one in converted.warnings)
        else text
    )


def _decode(response: httpx2.Response) -> str:
    said = _CHARSET.search(response.content[:2048])
    name = response.charset_encoding or (said.group(1).decode() if said else "utf-8")
    try:
        return response.content.decode(name, errors="replace")
    except LookupError:
        return response.content.decode(errors="replace")


def _failed(words: str) -> ToolOutcome:
    return ToolOutcome((Text(words),), is_error=True)
