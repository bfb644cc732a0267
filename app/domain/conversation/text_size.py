"""The size limit of a single text. It applies to written, attached, imported and received texts.

    >>> measure_text("naïve")
    6

Storing a text takes up to 60 times its size in memory, most of it for the full-text index. With this limit, a text
takes less than 64 MB.
"""

from __future__ import annotations

from typing import Final

from app.domain.errors import InputError

MAX_TEXT_BYTES: Final = 1024 * 1024
"""Maximum number of bytes of a text in UTF-8: about 250,000 tokens of English."""


def measure_text(text: str) -> int:
    """Return the number of bytes of a text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode(errors="replace"))


def require_text_size(field: str, text: str) -> None:
    """Refuse a text that is too large.

    Raises:
        InputError: the text has more than `MAX_TEXT_BYTES`.
    """
    if (size := measure_text(text)) > MAX_TEXT_BYTES:
        reason = f"has {size:,} bytes. The maximum for a text is {MAX_TEXT_BYTES:,}. Shorten it, or send it in parts."
        raise InputError(field, reason)
