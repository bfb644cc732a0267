"""The view of a structured reply: its JSON value so far, and the places that do not match its schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.domain.structured.partial_json import name_path
from app.domain.structured.structured_replies import SchemaFault


@dataclass(frozen=True, slots=True)
class SchemaFaultView:
    """A place in a reply that does not match the schema.

    `path` leads to it from the root, `place` is this path as text.
    """

    path: tuple[str | int, ...]
    place: str
    message: str


@dataclass(frozen=True, slots=True)
class StructuredView:
    """A reply read as JSON. `found`: the reply has at least the start of a JSON value, which is in `value`.

    - `running`: the reply may still grow, at `open_path`.
    - `valid`: the reply is complete and matches the schema.
    - `errors`: the errors; while the reply is running, only those that later text cannot correct.
    - `repair`: the text of a request for a correction, to send with the same schema; null: a correction makes no sense,
      or was requested already.
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
    """Convert a place where a reply does not match its schema to the form that the HTTP API returns."""
    return SchemaFaultView(fault.path, name_path(fault.path), fault.message)
