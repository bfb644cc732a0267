r"""Middleware around every provider call: a fixed order of pieces, each a few pure functions.

A piece may add to the system text of what goes out, change the request before it is hashed, previewed and sent, and
change the events of the stream that comes in. How to write one, and what is no business of a piece:
`docs/middleware.md`.

    >>> from app.domain.stream_events import TextReceived
    >>> receivers = new_receivers(Circumstances(reasoning_tags=True))
    >>> receive(receivers, [TextReceived("<think>Hm."), TextReceived("</think>Yes.")])
    [ThinkingReceived(text='Hm.'), TextReceived(text='Yes.')]
    >>> compose_system_prelude(Wishes(about="I am Ada."))
    'About the person you talk to:\nI am Ada.'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Protocol

from app.domain.context.reasoning_tags import TagReader
from app.domain.privacy.redaction import RedactedRequest, redact_request
from app.domain.privacy.user_context import describe_user
from app.domain.request.request import Request
from app.domain.stream_events import StreamEvent


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a person set for all that goes out: what models are told `about` them, the day, whether secrets are kept.

    Without any, a request is what it was without middleware.
    """

    about: str = ""
    today: date | None = None
    redact: bool = False


NO_WISHES = Wishes()


@dataclass(frozen=True, slots=True)
class Circumstances:
    """All that a piece may look at. `reasoning_tags`: the model writes its reasoning into its reply, between tags."""

    reasoning_tags: bool = False


class Receiver(Protocol):
    """One stream on its way in. Made anew for each, and used by nobody else."""

    def feed(self, events: Sequence[StreamEvent]) -> list[StreamEvent]:
        """What is given out for what came. It may be kept back, but not for longer than until `end`."""
        ...

    def end(self) -> list[StreamEvent]:
        """What is left, when nothing more comes."""
        ...


Adds = Callable[[Wishes], str | None]
Changes = Callable[[Request], RedactedRequest]
Receives = Callable[[Circumstances], Receiver | None]


@dataclass(frozen=True, slots=True)
class Middleware:
    """One piece: what it does, in the order of a call; None where it does nothing.

    `adds` gives text that stands in a card before all pairs. `changes` gives the request as it may leave, with an
    account of every change, where `wanted` says so. `new_receiver` gives what a stream goes through, None where there
    is nothing to do.
    """

    name: str
    adds: Adds | None = None
    changes: Changes | None = None
    new_receiver: Receives | None = None


MIDDLEWARE: Final = (
    Middleware("user context", adds=lambda wishes: describe_user(wishes.about, wishes.today)),
    Middleware("redaction", changes=redact_request),
    Middleware("reasoning tags", new_receiver=lambda about: TagReader() if about.reasoning_tags else None),
)
"""All pieces, in their order."""


def compose_system_prelude(wishes: Wishes) -> str | None:
    """The text of the card that stands between the system prompt and the summary; None where there is none."""
    said = (piece.adds(wishes) for piece in MIDDLEWARE if piece.adds is not None)
    return "\n\n".join(text for text in said if text) or None


def change_request(request: Request) -> RedactedRequest:
    """The request as it may leave, of a view that asks for it."""
    changed = RedactedRequest(request)
    for piece in MIDDLEWARE:
        if piece.changes is not None:
            after = piece.changes(changed.request)
            changed = RedactedRequest(
                after.request, changed.replaced + after.replaced, changed.left_out + after.left_out
            )
    return changed


def new_receivers(circumstances: Circumstances) -> tuple[Receiver, ...]:
    """What the events of a new stream go through, in this order; mostly nothing."""
    made = (piece.new_receiver(circumstances) for piece in MIDDLEWARE if piece.new_receiver is not None)
    return tuple(receiver for receiver in made if receiver is not None)


def receive(receivers: Iterable[Receiver], events: Sequence[StreamEvent]) -> list[StreamEvent]:
    """What comes out at the end for what came in."""
    given = list(events)
    for receiver in receivers:
        given = receiver.feed(given)
    return given


def receive_end(receivers: Sequence[Receiver]) -> list[StreamEvent]:
    """What is left in them: that of an earlier one goes through those after it."""
    given: list[StreamEvent] = []
    for receiver in receivers:
        given = [*receiver.feed(given), *receiver.end()]
    return given
