"""Every fault of a provider as a `Failure`: its class, a sentence that names provider and model, and what to do next.

Pure: it judges what was received (status, headers, error object, exception kind) and never sees a key. Messages quote
the vendor's own words, shortened, and with anything that looks like a key taken out.

    >>> describe_truncation("Groq (groq:llama)").message
    'Groq (groq:llama) ended the stream before the reply was complete.'
"""

from __future__ import annotations

from app.domain.errors import ErrorClass, Failure, failure
from app.providers.base import Asked


def describe_truncation(asked: Asked | str) -> Failure:
    """The stream ended cleanly, without a stop reason."""
    return failure(ErrorClass.STREAM, f"{asked} ended the stream before the reply was complete.")


def describe_unreadable(asked: Asked | str, error: Exception) -> Failure:
    """The stream holds what is not of its protocol."""
    return failure(ErrorClass.STREAM, f"{asked} sent what cannot be read: {type(error).__name__}.")


def describe_no_stream(asked: Asked | str, content_type: str, beginning: bytes) -> Failure:
    """Status 200, but no event stream."""
    return failure(ErrorClass.STREAM, f"{asked} answered with {content_type} instead of a stream: {beginning[:80]!r}.")
