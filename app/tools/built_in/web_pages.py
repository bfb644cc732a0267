"""Reads a page of the web as text. It connects only to addresses that `addresses.py` allows.

    outcome = await read_page("https://example.org/", 0, AddressGuard())

A separate process converts a page to text (`page_worker.py`), because that takes up to a second and 300 MB, and other
tasks should not wait. At most two such processes run at once. The tool itself is in `fetching.py`.
"""

from __future__ import annotations

import asyncio
import codecs
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

import httpx2

from app.domain.conversation.parts import Text
from app.domain.errors import words_of
from app.domain.tools.tools import ToolOutcome
from app.tools.network.addresses import AddressGuard, AddressRefusedError
from app.tools.network.bounds import TooMuchError
from app.tools.network.web_client import Bounds, open_client

MAX_BYTES: Final = 3_000_000
MAX_CHARACTERS: Final = 40_000
SECONDS: Final = 20.0
"""Maximum seconds for everything: names, connections, redirects, the body, and the conversion to text."""

MAX_AT_ONCE: Final = 2

_WORKER: Final = Path(__file__).with_name("page_worker.py")
_workers: Final = asyncio.Semaphore(MAX_AT_ONCE)
_PAGES: Final = frozenset({"text/html", "application/xhtml+xml"})
_TEXTS: Final = re.compile(r"text/.*|application/(?:.*\+)?(?:json|xml|yaml)|application/(?:javascript|x-ndjson)|")
_CHARSET: Final = re.compile(rb"<meta[^>]{0,200}charset=[\"']?([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)


_ENCODINGS: Final = frozenset(
    codecs.lookup(name).name
    for name in (
        "utf-8 utf-16 utf-16-le utf-16-be ascii big5 euc-jp euc-kr gb2312 gb18030 gbk hz ibm866 iso-2022-jp koi8-r "
        "koi8-u latin-1 mac-cyrillic mac-roman shift-jis tis-620 "
        + " ".join(f"cp{number}" for number in (874, 932, 949, *range(1250, 1259)))
        + " "
        + " ".join(f"iso8859-{number}" for number in (*range(2, 12), *range(13, 17)))
    ).split()
)
"""The encodings of the web (https://encoding.spec.whatwg.org). Some other encodings of Python take quadratic time."""


async def read_page(url: str, start: int, guard: AddressGuard) -> ToolOutcome:
    """Return up to `MAX_CHARACTERS` of the page from character `start` on, or the reason why it cannot be read."""
    try:
        async with asyncio.timeout(SECONDS):
            return await _read(url, start, guard)
    except AddressRefusedError as error:
        return _failed(f"This address cannot be fetched. {error}")
    except TooMuchError:
        return _failed(f"The page is larger than the maximum of {MAX_BYTES:,} bytes.")
    except httpx2.TooManyRedirects:
        return _failed("The address redirects too often.")
    except (httpx2.TimeoutException, TimeoutError):
        return _failed(f"The page did not load within {SECONDS:g} seconds.")
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        return _failed(f"The page could not be fetched: {words_of(error, 'the connection failed')}.")
    except _UnreadableError:
        return _failed("The page could not be converted to text. Fetch another page with the same content.")


class _UnreadableError(Exception):
    """Error: the process that converts a page ended without a text."""


async def _read(url: str, start: int, guard: AddressGuard) -> ToolOutcome:
    async with open_client(guard, Bounds(MAX_BYTES), timeout=SECONDS) as client:
        response = await client.get(url, follow_redirects=True)
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _PAGES and not _TEXTS.fullmatch(kind):
        return _failed(f"{response.url} is not text ({kind}).")
    text = _decode(response)
    if kind in _PAGES:
        text = await _make_text(text)
    where = f"{response.url} (status {response.status_code})"
    piece = text[start : start + MAX_CHARACTERS]
    rest = len(text) - start - len(piece)
    end = f"\n\n[{rest:,} more characters: call again with start {start + len(piece)}.]" if rest > 0 else ""
    return ToolOutcome((Text(f"{where}\n\n{piece}{end}"),), is_error=response.status_code >= 400)


async def _make_text(page: str) -> str:
    """Return an HTML page as Markdown.

    Raises:
        _UnreadableError: the conversion failed.
    """
    async with _workers:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", _WORKER, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        try:
            text, _ = await process.communicate(page.encode(errors="replace"))
        finally:
            with suppress(ProcessLookupError):
                process.kill()  # after a cancellation the process may still run
            await process.wait()
    if process.returncode:
        raise _UnreadableError
    return text.decode()


def _decode(response: httpx2.Response) -> str:
    declared = _CHARSET.search(response.content[:2048])
    name = response.charset_encoding or (declared.group(1).decode() if declared else "utf-8")
    try:
        encoding = codecs.lookup(name).name
    except LookupError:
        encoding = "utf-8"
    return response.content.decode(encoding if encoding in _ENCODINGS else "utf-8", errors="replace")


def _failed(words: str) -> ToolOutcome:
    return ToolOutcome((Text(words),), is_error=True)
