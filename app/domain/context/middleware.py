r"""Middleware: an ordered list of pieces that can change every provider call. Each piece has a few pure functions.

A piece can do three things: add to the system text of a request; change the request before it is hashed, previewed and
sent; and change the events of the incoming stream. `docs/middleware.md` has the rules for a piece.

    >>> from app.domain.stream.stream_events import TextReceived
    >>> receivers = new_receivers(StreamContext(reasoning_tags=True))
    >>> receive(receivers, [TextReceived("<think>Hm."), TextReceived("</think>Yes.")])
    [ThinkingReceived(text='Hm.'), TextReceived(text='Yes.')]
    >>> compose_system_prelude(UserOptions(UserContext("I am Ada.")))
    'About the person you talk to:\nI am Ada.'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from app.domain.conversation.middleware_choices import MiddlewareChoices
from app.domain.privacy.redaction import RedactedRequest, redact_request
from app.domain.privacy.user_context import NO_CONTEXT, UserContext, describe_user
from app.domain.request.request import Request
from app.domain.stream.reasoning_tags import TagReader
from app.domain.stream.stream_events import StreamEvent


@dataclass(frozen=True, slots=True)
class UserOptions:
    """A person's settings for all requests: what models get about them, and the redaction of secrets.

    If none is set, middleware does not change a request.
    """

    context: UserContext = NO_CONTEXT
    redact: bool = False


NO_USER_OPTIONS = UserOptions()


def choose_middleware(options: UserOptions, choices: MiddlewareChoices) -> UserOptions:
    """Return the settings for a conversation with these choices.

    >>> choose_middleware(UserOptions(UserContext("I am Ada.")), MiddlewareChoices(user_context=False, redaction=True))
    UserOptions(context=UserContext(about='', name='', project='', first_request='', today=None, time=''), redact=True)
    """
    context = options.context if choices.user_context else NO_CONTEXT
    return UserOptions(context, options.redact if choices.redaction is None else choices.redaction)


@dataclass(frozen=True, slots=True)
class StreamContext:
    """The facts about a stream that middleware can use.

    `reasoning_tags`: the model writes its reasoning between tags.
    """

    reasoning_tags: bool = False


class Receiver(Protocol):
    """The part of middleware that changes the events of one stream. Each stream gets a new receiver."""

    def feed(self, events: Sequence[StreamEvent]) -> list[StreamEvent]:
        """Return the changed events. The last ones can be held back, at most until `end` is called."""
        ...

    def end(self) -> list[StreamEvent]:
        """Return the events that were held back. Called at the end of the stream."""
        ...


Adds = Callable[[UserOptions], str | None]
Changes = Callable[[Request], RedactedRequest]
Receives = Callable[[StreamContext], Receiver | None]


@dataclass(frozen=True, slots=True)
class Middleware:
    """One piece of middleware: its functions, in the order of their use in a provider call.

    - `adds`: returns text for a card above all pairs.
    - `changes`: returns the request to send, with a list of all changes.
    - `new_receiver`: returns a receiver for a stream, or None if the stream needs none.

    A piece may lack some of these functions; then the field is None.
    """

    name: str
    adds: Adds | None = None
    changes: Changes | None = None
    new_receiver: Receives | None = None


MIDDLEWARE: Final = (
    Middleware("user context", adds=lambda options: describe_user(options.context, redact=options.redact)),
    Middleware("redaction", changes=redact_request),
    Middleware("reasoning tags", new_receiver=lambda about: TagReader() if about.reasoning_tags else None),
)
"""All pieces of middleware, in the order of their use in a provider call."""


def compose_system_prelude(options: UserOptions) -> str | None:
    """Return the text of the prelude, the card between the system prompt and the summary.

    Return None if there is no prelude.
    """
    preludes = (piece.adds(options) for piece in MIDDLEWARE if piece.adds is not None)
    return "\n\n".join(text for text in preludes if text) or None


def change_request(request: Request) -> RedactedRequest:
    """Let all pieces of middleware change a request, one after the other.

    Only called if the person switched redaction on.
    """
    changed = RedactedRequest(request)
    for piece in MIDDLEWARE:
        if piece.changes is not None:
            after = piece.changes(changed.request)
            changed = RedactedRequest(
                after.request, changed.replaced + after.replaced, changed.left_out + after.left_out
            )
    return changed


def new_receivers(stream: StreamContext) -> tuple[Receiver, ...]:
    """Return the receivers that middleware needs for a new stream, in order. Usually there are none."""
    made = (piece.new_receiver(stream) for piece in MIDDLEWARE if piece.new_receiver is not None)
    return tuple(receiver for receiver in made if receiver is not None)


def receive(receivers: Iterable[Receiver], events: Sequence[StreamEvent]) -> list[StreamEvent]:
    """Pass events through all receivers, and return the output of the last one."""
    given = list(events)
    for receiver in receivers:
        given = receiver.feed(given)
    return given


def receive_end(receivers: Sequence[Receiver]) -> list[StreamEvent]:
    """End all receivers, and return the events that they held back, changed by the receivers after them."""
    given: list[StreamEvent] = []
    for receiver in receivers:
        given = [*receiver.feed(given), *receiver.end()]
    return given
