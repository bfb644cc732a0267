"""A structured reply as shown: its value so far, and where that does not fit the schema it was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.domain.structured.partial_json import name_path
from app.domain.structured.structured import SchemaFault


@dataclass(frozen=True, slots=True)
class SchemaFaultView:
    """A place that does not fit: its steps from the root, the same as people write it, and why."""

    path: tuple[str | int, ...]
    place: str
    message: str


@dataclass(frozen=True, slots=True)
class StructuredView:
    """A reply read as JSON. `found`: a value has begun; `running`: more of it may come, `open_path` leads to where.

    `errors` are, while it runs, those that nothing to come can mend. `valid`: it is over and fits. `repair` is the text
    to send, with the same schema, to have them mended; null where that makes no sense or was tried.
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
    """A place that does not fit, as shown."""
    return SchemaFaultView(fault.path, name_path(fault.path), fault.message)
