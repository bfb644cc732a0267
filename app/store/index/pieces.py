"""Pieces of the words of a long pair, without secrets. The search index has each piece in a row (`rows_search.py`).

>>> redact_piece("The key is AKIAIOSF", "IOSFODNN7EXAMPLE, said Ada.", 100)
'[redacted: AWS access key], said Ada.'
"""

from __future__ import annotations

from app.domain.privacy.redaction import placeholder_of, redact_text
from app.domain.privacy.secrets import cut_outside_secrets, find_secrets
from app.store.index.rows_search import MARGIN


def redact_piece(before: str, words: str, length: int) -> str:
    """Return the first `length` characters of a piece, with placeholders instead of its secrets.

    `before`: the end of the previous piece, "" for the first one. A secret may begin in it: the rest of such a secret
    would not be recognised alone. The piece repeats up to twice `MARGIN` characters of it.
    """
    if before:
        before = before[: len(before) - _count_repeated(before, words)]
        secrets = find_secrets(before + words)
        begun = next((one for one in secrets if one.start <= len(before) < one.end), None)
        if begun is not None:
            rest = words[begun.end - len(before) :]
            return placeholder_of(begun.kind) + redact_text(cut_outside_secrets(rest, length)).text
    return redact_text(cut_outside_secrets(words, length)).text


def _count_repeated(before: str, words: str) -> int:
    """Return how many characters `words` repeats from the end of `before`."""
    most = min(2 * MARGIN, len(words))
    return next((count for count in range(most, 0, -1) if before.endswith(words[:count])), 0)
