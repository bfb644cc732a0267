"""Messages about errors that a person can correct, shown next to the failed command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.domain.errors import InputError, InviewError, NoKeyError, ProviderError, add_next_step

_FIELDS: Final[Mapping[str, str]] = {
    "about_me": "The text about you",
    "attachment": "The file",
    "attachments": "The files",
    "file": "The file",
    "filter": "The filter",
    "key": "The key",
    "model": "The model",
    "models": "The models",
    "name": "The name",
    "path": "The topic",
    "schema": "The schema",
    "text": "The message",
    "topic": "The topic",
}
"""Fields of invalid input, as a person calls them, for a reason that continues the sentence (`_PREDICATES`)."""

_PREDICATES: Final = ("is ", "are ", "has ", "have ", "can ", "cannot ", "must ", "refers ", "selects ")


def describe_fault(error: InviewError) -> str:
    """Return a message that says what happened and what to do about it."""
    if isinstance(error, ProviderError):
        return add_next_step(error.failure.message, error.failure.next_step)
    if isinstance(error, InputError) and not error.field.startswith("schema."):  # a path inside the schema is needed
        subject = _FIELDS.get(error.field) if error.reason.startswith(_PREDICATES) else None
        return f"{subject} {error.reason}" if subject else f"{error.reason[:1].upper()}{error.reason[1:]}"
    return str(error)


def provider_of(error: InviewError) -> str:
    """Return the provider whose settings must be changed to avoid the error; "" if none is known."""
    return error.provider if isinstance(error, NoKeyError) else ""
