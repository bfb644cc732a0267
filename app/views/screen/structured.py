"""A structured reply on the page: its value as far as it has come, and what of it does not fit the schema."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.domain.structured.partial_json import name_path
from app.domain.structured.structured import SchemaFault
from app.views.screen.json_tree import draw_json
from app.views.usage.figures import plural


class Fit(StrEnum):
    """Whether the reply fits; `OPEN` until it is over."""

    OPEN = "open"
    FITS = "fits"
    FAULTY = "faulty"


@dataclass(frozen=True, slots=True)
class FaultPlaceView:
    """A place that does not fit, and why."""

    place: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadReplyView:
    """A reply read as JSON. `value` is HTML of what is there so far, "" if none has begun; `is_text`: none ever will.

    `state` says how it fits. `repair` is the text to send, with the same `schema`, to have the faults mended; "" where
    that makes no sense or was tried.
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
    """What the view is made of. `value` is None where none was `found`."""

    schema: str
    running: bool
    found: bool
    value: object
    faults: tuple[SchemaFault, ...]
    repair: str | None


def show_read_reply(read: ReadReply) -> ReadReplyView:
    """The reply as the page shows it."""
    count = plural(len(read.faults), "fault")
    if read.running:
        fit, state = Fit.OPEN, f"Still coming: {count} already" if read.faults else "Still coming"
    elif read.found and not read.faults:
        fit, state = Fit.FITS, "Fits the schema"
    else:
        fit, state = Fit.FAULTY, f"Does not fit: {count}"
    return ReadReplyView(
        fit=fit,
        state=state,
        value=draw_json(read.value, read.faults) if read.found else "",
        is_text=not read.found and not read.running,
        faults=tuple(FaultPlaceView(name_path(one.path), one.message) for one in read.faults),
        repair=read.repair or "",
        schema=read.schema,
    )
