"""Cuts JSON text into pages, because a browser must not show megabytes at once. Pure. No character is changed.

>>> cut_json('{"a":[1,2],"b":"xxxxxxxxxxxx"}', 12)
(JsonPage(text='{"a":[1,2],', depth=0, plain=False), JsonPage(text='"b":', depth=1, plain=False), \
JsonPage(text='"xxxxxxxxxxx', depth=1, plain=True), JsonPage(text='x"', depth=1, plain=True), \
JsonPage(text='}', depth=1, plain=False))
>>> "".join(page.text for page in cut_json('{"a": [1, 2]}', 4))
'{"a": [1, 2]}'
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

PAGE: Final = 150_000
"""Maximum number of characters of a page."""
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^{}\[\],:"]+', re.DOTALL)


@dataclass(frozen=True, slots=True)
class JsonPage:
    """A page of JSON text. It starts `depth` levels deep. `plain`: it is a part of a token longer than one page."""

    text: str = ""
    depth: int = 0
    plain: bool = False


def cut_json(text: str, size: int = PAGE) -> tuple[JsonPage, ...]:
    """Cut a text into pages of at most `size` characters, between tokens unless a token is longer than a page."""
    if len(text) <= size:
        return (JsonPage(text),)
    pages = list[JsonPage]()
    start, start_depth, depth = 0, 0, 0
    for match in _TOKEN.finditer(text):
        begins, ends = match.span()
        if ends - start > size:
            if begins > start:
                pages.append(JsonPage(text[start:begins], start_depth))
            start, start_depth = begins, depth
        if ends - begins > size:
            pages.extend(
                JsonPage(text[at : min(at + size, ends)], depth, plain=True) for at in range(begins, ends, size)
            )
            start = ends
        first = text[begins]
        depth += (first in "{[") - (first in "}]")
        if start == ends:
            start_depth = depth
    if start < len(text):
        pages.append(JsonPage(text[start:], start_depth))
    return tuple(pages)
