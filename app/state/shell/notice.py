"""The notice: one line about an error that belongs to no part of the page. It is shown until a person dismisses it.

Every exception that leaves a handler is shown here. An `InviewError` is shown with the message that is shown next to
commands. Any other exception is logged, and the notice names the id of the log entry.
"""

import re
from typing import cast
from uuid import uuid4

import reflex as rx
import structlog
from reflex_base.event import EventSpec
from reflex_base.event.context import EventContext

from app.domain.errors import InviewError
from app.patches.sampling import Sampler
from app.state.messages import error_messages

_log = structlog.get_logger(__name__)
_script_faults = Sampler(_log.error)

_KIND = re.compile(r"\b[A-Z][A-Za-z]{0,40}Error\b")
_PLACE = re.compile(r"[\w-]{1,80}(?:\.[\w-]{1,40}){0,3}\.m?js:\d{1,7}:\d{1,7}")
_MAX_PLACES = 10
_NO_FAULT = "ResizeObserver loop "
"""The beginning of a browser message about a size that changed while sizes were reported.

The browser reports the size later.
"""
_LOOKED_AT = 20_000
"""Maximum number of characters that are read of a browser's report."""


class NoticeState(rx.State):
    """The notice: a line about an error that belongs to no part of the page. `message` is its text, "" for none."""

    message: rx.Field[str] = rx.field("")

    @rx.event
    async def tell(self, message: str) -> None:
        self.message = str(message)[:1000]

    @rx.event
    async def dismiss(self) -> None:
        self.message = ""


# Reflex evaluates these annotations in another module, so none of them is a text here.
def describe_fault(exception: Exception) -> EventSpec:
    """Handle an exception that left a handler. Return the event that shows the notice. Reflex calls this."""
    if isinstance(exception, InviewError):
        return _tell(error_messages.describe_fault(exception))
    log_id = uuid4().hex[:12]
    _log.error("a page event failed", log_id=log_id, exc_info=exception)
    return _tell(f"Something went wrong in Inview. Details are in the log under {log_id}.")


def log_script_fault(exception: Exception) -> None:
    """Log an error of a script in a browser: its kind and the places in the code, in one line. Reflex calls this.

    The message of the error is left out, because it may repeat text that a person wrote. A browser's complaint that
    sizes changed while it reported them is not logged.
    """
    text = str(exception)[:_LOOKED_AT]
    if text.startswith(_NO_FAULT):
        return
    kind, places = _KIND.search(text), _PLACE.findall(text)[:_MAX_PLACES]
    where = ", ".join(places) or "an unknown place"
    _script_faults.write(_connection(), f"A script of the page failed: {kind[0] if kind else 'a fault'} at {where}.")


def _connection() -> str:
    """Return the token of the tab whose event is being handled; "" if there is none."""
    try:
        return EventContext.get().token
    except LookupError:
        return ""


def _tell(message: str) -> EventSpec:
    return cast("EventSpec", NoticeState.tell(message))  # a handler that is called on its class returns this type
