"""Messages about errors that a person can correct, shown next to the failed command."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from app.domain.errors import (
    InputError,
    InviewError,
    NoKeyError,
    NotFoundError,
    ProviderError,
    SendLockedError,
    add_next_step,
)
from app.views.input_errors import describe_input

_NOT_STORED: Final = "The request of this reply is not stored any more. Choose “Send current request” instead."
_MISSING: Final[Mapping[str, str]] = {"stored request of pair": _NOT_STORED, "snapshot of pair": _NOT_STORED}
"""The message about a missing object, by the noun in the error. People do not know the meaning of these nouns."""
_INTERNAL_ID: Final = re.compile(r"(?:[0-9]+ of pair )?[0-9A-Za-z_-]{16,}")
_OWNER: Final = re.compile(" (?:of|in) (?:pair|conversation|run)$")
_NAMED: Final = re.compile(r"\b(conversation|pair|run) '[0-9A-Za-z_-]{16,}'", re.IGNORECASE)
"""A conversation, a pair or a run with its id, in the message of an error."""
_LOCKED: Final = "A reply is still running in this conversation. Wait for it or stop it, then send again."


def describe_fault(error: InviewError) -> str:
    """Return a message about an error, with the next step. It contains no id that people do not know.

    >>> describe_fault(NotFoundError("agent", "01hzy3q0c8m4x7d2")), describe_fault(NotFoundError("saved filter", "ai"))
    ('There is no such agent. It may have been deleted.', "There is no saved filter 'ai'. It may have been deleted.")
    """
    if isinstance(error, SendLockedError):
        return _LOCKED
    if isinstance(error, NotFoundError) and (message := _MISSING.get(error.noun)):
        return message
    if isinstance(error, NotFoundError) and _INTERNAL_ID.fullmatch(error.object_id):
        return f"There is no such {_OWNER.sub('', error.noun)}. It may have been deleted."
    if isinstance(error, ProviderError):
        return add_next_step(error.failure.message, error.failure.next_step)
    # The message about a fault inside a schema keeps the path of the fault.
    if isinstance(error, InputError) and not error.field.startswith("schema."):
        return describe_input(error.field, error.reason)
    return _NAMED.sub(_point_to, str(error))


def _point_to(named: re.Match[str]) -> str:
    """Return "this conversation", "this pair" or, for a run, "this reply", because people do not know the id."""
    noun = named[1].lower().replace("run", "reply")
    return f"{'This' if named[1][0].isupper() else 'this'} {noun}"


def provider_of(error: InviewError) -> str:
    """Return the provider whose settings must be changed to avoid this error, or "" if it is not known."""
    return error.provider if isinstance(error, NoKeyError) else ""
