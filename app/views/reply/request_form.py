"""The first form of a request's text on the page: the sent text, or formatted Markdown.

>>> choose_form("Why?").value, choose_form("Is **this** bold?").value, choose_form("/echo **this**").value
('plain', 'formatted', 'plain')
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final


class RequestForm(StrEnum):
    """The form of a request's text.

    - PLAIN: the sent text. It has no Markdown, so there is no other form.
    - FORMATTED: formatted Markdown at first.
    - SENT: the sent text at first, because it is long and the page shows only its start.
    """

    PLAIN = "plain"
    FORMATTED = "formatted"
    SENT = "sent"


MAX_FORMATTED: Final = 20_000
"""Maximum characters of a text that can be formatted. A longer text is not formatted."""
MAX_AT_FIRST: Final = 1_500
MAX_LINES_AT_FIRST: Final = 14
_COMMAND: Final = "/"
"""The beginning of a command of the offline model. A command is not formatted."""
_INLINE: Final = re.compile(
    r"`[^`\n]+`"
    r"|(?<![*\w])\*{1,3}[^\s*](?:[^*\n]*[^\s*])?\*{1,3}(?![*\w])"
    r"|(?<!\w)_{1,3}[^\s_](?:[^_\n]*[^\s_])?_{1,3}(?!\w)"
    r"|~~[^\s~](?:[^~\n]*[^\s~])?~~"
    r"|\[[^\[\]\n]+\]\([^()\n]+\)"
    r"|\$\$|\\\([^()\n]+\\\)"
)
_BLOCK: Final = re.compile(
    r"^ {0,8}(?:"
    r"```|~~~|>|\\\[|#{1,6} +\S"
    r"|(?:[-*+]|\d{1,9}[.)]) +\S"
    r"|[-*_](?: ?[-*_]){2,} *$"
    r"|={3,} *$"
    r"|\|? *:?-+:? *(?:\| *:?-+:? *)+\|? *$"
    r")",
    re.MULTILINE,
)


def choose_form(text: str) -> RequestForm:
    """Return the first form of the text of a request on the page."""
    if text.startswith(_COMMAND) or len(text) > MAX_FORMATTED or not (_INLINE.search(text) or _BLOCK.search(text)):
        return RequestForm.PLAIN
    is_short = len(text) <= MAX_AT_FIRST and text.rstrip("\n").count("\n") < MAX_LINES_AT_FIRST
    return RequestForm.FORMATTED if is_short else RequestForm.SENT
