"""The process that converts one page to text. It runs as a script and imports nothing of Inview.

It reads HTML from its standard input until the input ends, and writes Markdown to its standard output. It has limits
for memory and time, and ends after one page.
"""

from __future__ import annotations

import re
import resource
import sys
from contextlib import suppress
from typing import Final

from html_to_markdown import WarningKind, convert

MAX_MEMORY: Final = 1024 * 1024 * 1024
"""Maximum bytes of address space. A page of three million bytes takes up to 300 million."""
MAX_SECONDS: Final = 20
"""Maximum processor time, in seconds."""
MAX_TEXT: Final = 3_000_000
"""Maximum characters of the text."""
MAX_NESTED: Final = 20
"""Maximum depth of nested quotes, lists and code. Each level adds its Markdown sign to every line inside."""

_INDENTED: Final = re.compile(r"<(/?)(?:blockquote|ol|pre|ul)(?=[\s/>])", re.IGNORECASE)
_TOO_DEEP: Final = "\n\n[Parts of this page are nested too deeply to be read. They are left out.]"
_TOO_LONG: Final = f"\n\n[The text of this page is longer than {MAX_TEXT:,} characters. The rest is left out.]"


def page_text(html: str) -> str:
    """Return an HTML page as Markdown. Quotes, lists and code nested deeper than `MAX_NESTED` become plain blocks."""
    depth = 0

    def flatten(tag: re.Match[str]) -> str:
        nonlocal depth
        is_end = tag[1] == "/"
        is_deep = depth > MAX_NESTED if is_end else depth >= MAX_NESTED
        depth = max(0, depth - 1) if is_end else depth + 1
        return f"<{tag[1]}div" if is_deep else tag[0]

    converted = convert(_INDENTED.sub(flatten, html))
    text = (converted.content or "").strip()
    if len(text) > MAX_TEXT:
        text = f"{text[:MAX_TEXT]}{_TOO_LONG}"
    too_deep = any(one.kind == WarningKind.DEPTH_LIMIT_EXCEEDED for one in converted.warnings)
    return f"{text}{_TOO_DEEP}" if too_deep else text


def main() -> None:
    """Convert the page on the standard input to Markdown on the standard output."""
    with suppress(ValueError, OSError):  # some systems do not have these limits
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
    page = sys.stdin.buffer.read().decode()
    sys.stdout.buffer.write(page_text(page).encode())


if __name__ == "__main__":
    main()
