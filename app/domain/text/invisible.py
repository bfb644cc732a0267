r"""Invisible characters: control characters, and format characters such as those that change the direction of writing.

They are removed from the texts of servers before a person or a model gets them. In arguments that a person decides
about, they are shown as escapes.

    >>> strip_invisible("Read\u202e file\n"), escape_invisible("rm \u202e/")
    ('Read file', 'rm \\u202e/')
"""

from __future__ import annotations

import json
import re
from typing import Final

INVISIBLE: Final = re.compile(
    # The Unicode categories Cc, Cf, Cs, Zl and Zp. A test compares the list with `unicodedata`.
    "[\x00-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f]"
)
_JOINERS: Final = frozenset("\u200c\u200d")
"""Invisible characters that are kept, because they are parts of words in Persian and Hindi, and of emoji."""
_LINES: Final = frozenset("\n\t")
_BREAKS: Final = re.compile(r"\s+")


def strip_invisible(text: str) -> str:
    """Return the text on one line, without invisible characters."""
    return _BREAKS.sub(" ", strip_invisible_in_lines(text)).strip()


def strip_invisible_in_lines(text: str) -> str:
    """Return the text without invisible characters. Line breaks and tabs stay."""
    lines = text.replace("\r\n", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    return INVISIBLE.sub(lambda found: found.group() if found.group() in _LINES | _JOINERS else "", lines)


def escape_invisible(text: str) -> str:
    r"""Return the text with invisible characters as JSON escapes, such as `\u202e`. Line breaks and tabs stay."""
    return INVISIBLE.sub(
        lambda found: found.group() if found.group() in _LINES else json.dumps(found.group())[1:-1], text
    )
