"""A dialect: how one vendor's API writes a call, its reply and its faults. `answers.py` does the rest.

Each vendor's module has one: `openai_chat.py`, `anthropic_messages.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from starlette.responses import Response

from app.api.gateway.faults import Fault
from app.api.http.negotiation import JSON
from app.domain.conversation.parts import Part, Text
from app.domain.run.reply_deltas import Delta
from app.domain.run.state import RunState
from app.runs.gateway.calls import BegunCall, GatewayCall
from app.views.encode import to_json


@dataclass(frozen=True, slots=True)
class ReadCall:
    """A body that was read: the call, the name of the model as the program wrote it, and how it wants the reply."""

    call: GatewayCall
    model: str
    stream: bool
    include_usage: bool = True


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to a call: what of it goes out, and what names it. `created` is in seconds since 1970."""

    begun: BegunCall
    read: ReadCall
    created: int

    def parts(self, state: RunState) -> tuple[Part, ...]:
        """What a program gets of the reply so far: of an agent its words, for its tools are called here."""
        if self.begun.calls_end_it:
            return state.parts
        return tuple(part for part in state.parts if isinstance(part, Text))


class Encoder(Protocol):
    """Writes the events of one reply that is streamed."""

    def begin(self) -> Iterable[bytes]: ...

    def grow(self, delta: Delta) -> Iterable[bytes]: ...

    def end(self, state: RunState) -> Iterable[bytes]: ...

    def fail(self, fault: Fault) -> Iterable[bytes]: ...


class Dialect(Protocol):
    """One vendor's API."""

    def read(self, body: bytes) -> ReadCall:
        """The call that a body asks for.

        Raises:
            ValidationError: it does not have the form of the API.
            InputError: it asks for what Inview cannot do.
        """
        ...

    def write(self, reply: Reply, state: RunState) -> dict[str, Any]:
        """A whole reply."""
        ...

    def new_encoder(self, reply: Reply) -> Encoder: ...

    def refuse(self, fault: Fault) -> Response:
        """The fault as an answer."""
        ...


def answer_json(content: dict[str, Any], status: int, headers: dict[str, str]) -> Response:
    return Response(to_json(content), status, headers, JSON)
