r"""Decides which addresses in a text become links: http, https and mailto, nothing else.

This is the one list for all places that draw what a model or another person wrote: a reply on the page, exported and
printed pages, shares. It names what is allowed, because programs on a reader's machine register new schemes every day
(`ms-word:`, `intent:`). An address without a scheme is no link either: `//host/` would lead to wherever its page is.

    >>> [may_be_link(url) for url in ("https://example.org", "mailto:ada@example.org", "//example.org", "feed:x")]
    [True, True, False, False]
"""

from __future__ import annotations

import re
from typing import Final

LINK: Final = re.compile(r"(?:https?://[^/?#\\]|mailto:)", re.IGNORECASE)
"""How a link begins. `ui/reply/markdown.tsx` has the same pattern; a test compares the two."""


def may_be_link(url: str) -> bool:
    """Whether a reader may follow this address by a click."""
    return LINK.match(url) is not None
