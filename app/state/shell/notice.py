"""A message that belongs to no part of the page: one line, until it is dismissed.

Every exception that leaves a handler comes here: those Inview raises on purpose are fit to be shown as they are, others
are in the log, and the line says under which number.
"""

from typing import cast
from uuid import uuid4

import reflex as rx
import structlog
from reflex_base.event import EventSpec

from app.domain.errors import InviewError
from app.language.translation import translate
from app.state import faults

_log = structlog.get_logger(__name__)

_MAX_LOGGED = 2000
"""Characters of what a browser says of a fault, its stack included."""


class NoticeState(rx.State):
    """`message` is "" when there is nothing to say."""

    message: rx.Field[str] = rx.field("")

    @rx.event
    async def tell(self, message: str) -> None:
        self.message = str(message)[:1000]

    @rx.event
    async def dismiss(self) -> None:
        self.message = ""


# Reflex evaluates these annotations in a module of its own, hence none of them is a string here.
def describe_fault(exception: Exception) -> EventSpec:
    """Reflex's handler of exceptions: return the event that shows the fault."""
    if isinstance(exception, InviewError):
        return _tell(faults.describe_fault(exception))
    log_id = uuid4().hex[:12]
    _log.error("a page event failed", log_id=log_id, exc_info=exception)
    return _tell(translate("shell.fault", log_id=log_id))


def log_script_fault(exception: Exception) -> None:
    """Reflex's handler of faults of scripts in a browser: what it says of them, in one line."""
    _log.error("a script of the page failed", said=str(exception)[:_MAX_LOGGED])


def _tell(message: str) -> EventSpec:
    return cast("EventSpec", NoticeState.tell(message))  # what calling a handler on its class gives
