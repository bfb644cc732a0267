"""The messages that a program sends, as pairs of a conversation and the new request.

    >>> from app.domain.conversation.parts import Text
    >>> messages = (RequestMessage("user", (Text("Hi"),)), RequestMessage("assistant", (Text("Hello"),)))
    >>> split_messages((*messages, RequestMessage("user", (Text("Bye"),)))).draft
    (Text(text='Bye'),)

The request that is built of them again has the same messages: only neighbours of one role are joined.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.conversation.parts import Part, SentPart, ToolCall, ToolResult, has_content
from app.domain.errors import InputError
from app.domain.request.request import RequestMessage


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and all that answered it. A request without parts goes on after what is above it."""

    request: tuple[Part, ...]
    reply: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class SplitMessages:
    """What was said before, and the `draft` that is sent now. No draft: the reply above it goes on."""

    exchanges: tuple[Exchange, ...]
    draft: tuple[Part, ...]


def split_messages(messages: tuple[RequestMessage, ...]) -> SplitMessages:
    """The exchanges that these messages are, and the draft.

    Raises:
        InputError: there are none, a call of a tool has no result, or a result no call.
    """
    if not messages:
        raise InputError("messages", "is empty. Send at least one message.")
    done: list[Exchange] = []
    request: tuple[SentPart, ...] = ()
    reply: tuple[SentPart, ...] = ()
    for index, message in enumerate(messages):
        if message.role != "user":
            reply += message.parts
            continue
        if has_content(reply):
            _require_answered(reply, f"messages.{index - 1}")
            done.append(Exchange(request, reply))
            request, reply = (), ()
        request += message.parts
    if not has_content(reply):
        return SplitMessages(tuple(done), request)
    _require_answered(reply, f"messages.{len(messages) - 1}")
    return SplitMessages((*done, Exchange(request, reply)), ())


def _require_answered(reply: tuple[SentPart, ...], place: str) -> None:
    """Refuse calls without results and results without calls: no provider takes them."""
    called = [part.tool_call_id for part in reply if isinstance(part, ToolCall)]
    answered = [part.tool_call_id for part in reply if isinstance(part, ToolResult)]
    for one in called:
        if one not in answered:
            raise InputError(place, f"the tool call {one!r} has no result. Send a result for each call.")
    for one in answered:
        if one not in called:
            raise InputError(
                place, f"the result names the tool call {one!r}, which nobody made. Send the call as well."
            )
