"""The size limit of a page of pairs. It applies in addition to the limit on the number of pairs.

A browser could not show a page with a few replies of ten megabytes each.

    >>> count_fitting([10, 20, 30], most=30)
    2
    >>> count_fitting([50, 1], most=30)
    1
    >>> grow_range([9, 9, 9, 9, 9], 2, 3, most=30)
    (1, 4)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from app.domain.conversation.conversation import Pair
from app.domain.conversation.parts import File, Image, Part, Text, TextFile, Thinking, ToolCall, ToolResult

MAX_PAGE_BYTES: Final = 4_000_000
"""Maximum bytes of the pairs of a page. A single pair can be larger: then it is the only one on its page."""


def count_fitting(sizes: Iterable[int], most: int = MAX_PAGE_BYTES) -> int:
    """Count how many sizes, from the first one on, fit into `most` together. The first one always fits."""
    total = count = 0
    for size in sizes:
        total += size
        if total > most and count:
            break
        count += 1
    return count


def grow_range(sizes: Sequence[int], first: int, end: int, most: int = MAX_PAGE_BYTES) -> tuple[int, int]:
    """Return a larger range of pairs. It is extended at both ends in turn, as far as the pairs fit into `most` bytes.

    `sizes` has the sizes of all pairs. The range is from index `first` up to, but not including, `end`. While the range
    has less than an eighth of `most`, a pair that does not fit is added too. So a short pair between two pairs of ten
    megabytes is not shown alone.
    """
    total = sum(sizes[first:end])
    grows = True
    while grows:
        grows = False
        for at in (first - 1, end):
            if 0 <= at < len(sizes) and (total + sizes[at] <= most or total < most // 8):
                total += sizes[at]
                first, end, grows = min(first, at), max(end, at + 1), True
    return first, end


def measure_pair(pair: Pair) -> int:
    """Count the characters of a pair's request and reply."""
    return sum(measure_parts(message.parts) for message in (pair.request, pair.reply) if message is not None)


def measure_parts(parts: Iterable[Part]) -> int:
    """Count the characters of these parts."""
    return sum(map(_measure_part, parts))


def _measure_part(part: Part) -> int:
    match part:
        case Text() | TextFile():
            return len(part.text)
        case Thinking():
            return len(part.text) + len(part.signature or "")
        case ToolCall():
            return len(part.input_json)
        case ToolResult():
            return sum(map(_measure_part, part.content))
        case Image() | File():
            return 0
