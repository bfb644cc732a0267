"""The body of a request in pieces. Later requests share pieces, so each is stored once.

A body is cut between messages, and between the parts of one: after a message of `LARGE` bytes, after about each eighth
of the smaller ones, by what is in it, and at last after `MAX_SMALL` bytes of small ones. What stands before a message
has no part in that, so a request that goes on from another one has its pieces, and so has one that begins some messages
later, as those under a filter such as `r20` do. Text is never cut: what looks like the end of a message cannot stand
unescaped within a JSON string.

>>> body = b'{"messages":[{"role":"user","content":"' + b"a" * 5000 + b'"},{"role":"user","content":"b"}]}'
>>> [len(piece) for piece in split_body(body)]
[5042, 31]
>>> b"".join(split_body(body)) == body
True
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final
from zlib import crc32

LARGE: Final = 4096
"""Bytes of a message after which there is a cut, whatever is in it."""
MAX_SMALL: Final = 65_536
"""Bytes that small messages have together at most, until there is a cut: if none of them asks for one."""
_ONE_IN: Final = 8
_BETWEEN: Final = re.compile(rb'\},(?=\{"(?:role|type)":)')


def split_body(body: bytes) -> tuple[bytes, ...]:
    """Return the pieces of a body, none of them empty. Joined they are the body."""
    cuts, start = [0], 0
    for between in _BETWEEN.finditer(body):
        end = between.end()
        if end - start >= LARGE or end - cuts[-1] >= MAX_SMALL or crc32(body[start:end]) % _ONE_IN == 0:
            cuts.append(end)
        start = end
    cuts.append(len(body))
    return tuple(body[start:end] for start, end in pairwise(cuts) if start < end)
