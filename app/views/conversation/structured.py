"""Views of a structured reply: its value so far, and the places that do not match its schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.domain.structured.partial_json import name_path
from app.domain.structured.structured_replies import SchemaFault


@dataclass(frozen=True, slots=True)
class SchemaFaultView:
    """A place that does not match: its path from the root, the same as text, and the reason."""

    path: tuple[str | int, ...]
    place: str
    message: str


@dataclass(frozen=True, slots=True)
class StructuredView:
    """A reply read as JSON. `found`: a value has started; `running`: more may come, at `open_path`.

    `errors` of a running reply are only those that later text cannot correct. `valid`: the reply is complete and
    matches. `repair` is the text of a request for a correction, to be sent with the same schema; null if a repair makes
    no sense or was tried.
    """

    pair_id: str
    schema: Any
    running: bool
    found: bool
    valid: bool
    value: Any
    open_path: tuple[str | int, ...] | None
    errors: tuple[SchemaFaultView, ...]
    repair: str | None


def describe_fault(fault: SchemaFault) -> SchemaFaultView:
    """Return the view of a place that does not match."""
    return SchemaFaultView(fault.path, name_path(fault.path), fault.message)
