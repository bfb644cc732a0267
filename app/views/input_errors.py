"""Errors of inputs as sentences for people, with the name of the field that the page uses.

>>> describe_input("text", "is empty."), describe_input("model", "provider 'gone' is not configured.")
('The message is empty.', "Provider 'gone' is not configured.")
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

FIELDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "about_me": "The text about you",
        "user_name": "Your name or id",
        "amount": "The amount",
        "arguments": "The arguments",
        "attachment": "The file",
        "attachments": "The files",
        "file": "The file",
        "filter": "The filter",
        "key": "The key",
        "line": "The line",
        "model": "The model",
        "models": "The models",
        "name": "The name",
        "path": "The topic",
        "schema": "The schema",
        "summary": "The summary",
        "text": "The message",
        "topic": "The topic",
    }
)
"""The names of input fields for people, for a reason that continues the sentence (`_PREDICATES`)."""

_PREDICATES: Final = ("is ", "are ", "has ", "have ", "can ", "cannot ", "must ", "refers ", "selects ")


def describe_input(field: str, reason: str) -> str:
    """Return the reason why an input is invalid as a sentence. It names the field as people know it, or not at all."""
    subject = FIELDS.get(field) if reason.startswith(_PREDICATES) else None
    return f"{subject} {reason}" if subject else f"{reason[:1].upper()}{reason[1:]}"


def describe_stored(message: str) -> str:
    """Return the stored message of an error as a sentence: without the name of the field that is for programs.

    >>> describe_stored("model: provider 'gone' is not configured."), describe_stored("Not today: it rains.")
    ("Provider 'gone' is not configured.", 'Not today: it rains.')
    """
    field, colon, reason = message.partition(": ")
    return describe_input(field, reason) if colon and field in FIELDS else message
