"""A structured reply on the page: its JSON value so far as HTML, and the places that do not match the schema."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.domain.structured.partial_json import name_path
from app.domain.structured.structured_replies import SchemaFault
from app.views.structured.json_tree import draw_json
from app.views.usage.figures import plural


class Fit(StrEnum):
    """The result of comparing a reply with its schema. `OPEN`: unknown, because the reply is not complete yet."""

    OPEN = "open"
    FITS = "fits"
    FAULTY = "faulty"


@dataclass(frozen=True, slots=True)
class FaultPlaceView:
    """A place in a reply that does not match the schema, and the reason."""

    place: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadReplyView:
    """A reply read as JSON.

    - `value`: the JSON value so far as HTML, "" if none has started.
    - `is_text`: the complete reply has no JSON.
    - `state`: describes the match with the schema.
    - `repair`: the text of a request for a correction, to send with the same `schema`; "": a correction makes no sense,
      or was requested already.
    """

    fit: Fit
    state: str
    value: str
    is_text: bool
    faults: tuple[FaultPlaceView, ...]
    repair: str
    schema: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadReply:
    """The input of `show_read_reply`: a reply read as JSON. `found`: it has a JSON value, or its start, in `value`."""

    schema: str
    running: bool
    found: bool
    value: object
    faults: tuple[SchemaFault, ...]
    repair: str | None


def show_read_reply(read: ReadReply) -> ReadReplyView:
    """Convert a structured reply, read as JSON, to the form that the page shows."""
    count = plural(len(read.faults), "error")
    if read.running:
        fit, state = Fit.OPEN, f"Receiving: {count} so far" if read.faults else "Receiving…"
    elif read.found and not read.faults:
        fit, state = Fit.FITS, "Matches the schema"
    else:
        fit, state = Fit.FAULTY, f"Does not match: {count}"
    return ReadReplyView(
        fit=fit,
        state=state,
        value=draw_json(read.value, read.faults) if read.found else "",
        is_text=not read.found and not read.running,
        faults=tuple(FaultPlaceView(name_path(one.path), one.message) for one in read.faults),
        repair=read.repair or "",
        schema=read.schema,
    )
