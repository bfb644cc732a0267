"""A request as a cache sees it: tools, system, then the messages, each with a key over all that comes before it.

Equal keys mean an equal beginning. A key is the first eight bytes of the message's content hash
(`domain.request.hashing`), so keeping a chain costs eight bytes a message. Parameters that no cache looks at, such as
the temperature, are left out.

    >>> from app.domain.request.hashing import content_hashes
    >>> from app.domain.conversation.parts import Text
    >>> from app.domain.request.request import Request, RequestMessage
    >>> hello, again = (RequestMessage("user", (Text(text),)) for text in ("Hello", "Again"))
    >>> short = Request("anthropic:claude-opus-5", "Be brief.", (hello,))
    >>> long = Request("anthropic:claude-opus-5", "Be brief.", (hello, again))
    >>> prefix_of(long, content_hashes(long)).shared_with(prefix_of(short, content_hashes(short)))
    0
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby

from app.domain.conversation.conversation import Parameters
from app.domain.conversation.parts import File, Image, SentPart, Text, Thinking, ToolCall, ToolResult
from app.domain.request.hashing import content_hashes
from app.domain.request.request import Request, RequestMessage

TOOLS = -2
"""The place after the tools."""
SYSTEM = -1
"""The place after the system text; from 0 on, a place is that of a message."""
KEY = 8
NO_KEY = b""
_HEX = 2 * KEY
_IMAGE_WEIGHT = 4_000
"""Characters an image stands for where sizes are shared out by length."""


@dataclass(frozen=True, slots=True)
class Prefix:
    """The keys of a request: after the tools (empty: there are none), after the system text, after each message."""

    tools: bytes
    system: bytes
    chain: bytes

    @property
    def last(self) -> int:
        """The place of the last message."""
        return len(self.chain) // KEY - 1

    def key(self, place: int) -> bytes:
        """The key of everything up to a place, empty beyond the end."""
        if place == TOOLS:
            return self.tools
        if place == SYSTEM:
            return self.system
        return self.chain[place * KEY : (place + 1) * KEY]

    def begins_with(self, place: int, key: bytes) -> bool:
        """Whether this request begins with what has this key at that place."""
        return key != NO_KEY and self.key(place) == key

    def shared_with(self, other: Prefix) -> int | None:
        """The last place up to which both are the same; None: not even the tools are."""
        low, high = 0, min(self.last, other.last) + 1
        while low < high:  # equal here means equal before
            middle = (low + high) // 2
            if self.key(middle) == other.key(middle):
                low = middle + 1
            else:
                high = middle
        if low:
            return low - 1
        return next((place for place in (SYSTEM, TOOLS) if self.begins_with(place, other.key(place))), None)


def prefix_of(request: Request, hashes: tuple[str, ...]) -> Prefix:
    """The keys of a request. `hashes` are its content hashes, which spare hashing it again."""
    asked = request.parameters
    cached = Parameters(effort=asked.effort, thinking=asked.thinking)
    if asked != cached:
        hashes = content_hashes(replace(request, parameters=cached))
    # What stands before the messages does not depend on how the model is to think.
    tools = content_hashes(Request(request.model, "", (), tools=request.tools))[0]
    system = content_hashes(Request(request.model, request.system, (), tools=request.tools))[0]
    return Prefix(
        bytes.fromhex(tools[:_HEX]) if request.tools else NO_KEY,
        bytes.fromhex(system[:_HEX]) if request.system or request.tools else NO_KEY,
        bytes.fromhex("".join(one[:_HEX] for one in hashes[1:])),
    )


def name_beginning(request: Request) -> str:
    """A name for requests that may share a beginning: equal for equal model, tools and system text.

    OpenAI takes it as `prompt_cache_key`, to find the machine that keeps it. It names no person and no conversation, so
    that a branch finds what was kept of the conversation it comes from.
    """
    return "inview-" + content_hashes(Request(request.model, request.system, (), tools=request.tools))[0][:_HEX]


def count_positions(message: RequestMessage) -> int:
    """How many positions a message takes where a cache looks back: tool calls in a row are one, so are results."""
    return sum(
        1 if kind in {ToolCall, ToolResult} else len(list(run)) for kind, run in groupby(message.parts, key=type)
    )


def can_be_marked(message: RequestMessage) -> bool:
    """Whether a breakpoint can stand at the end of a message: not on thinking."""
    return bool(message.parts) and not isinstance(message.parts[-1], Thinking)


def has_markable_words(message: RequestMessage) -> bool:
    """Whether a breakpoint can stand at the end of a message where none stands on calls of tools."""
    return can_be_marked(message) and not isinstance(message.parts[-1], ToolCall)


def weigh(message: RequestMessage) -> int:
    """How long a message is, for sharing out an estimate: nearly its characters."""
    return 16 + sum(_weigh_part(part) for part in message.parts)


def _weigh_part(part: SentPart) -> int:
    match part:
        case Text() | Thinking():
            return len(part.text)
        case ToolCall():
            return len(part.name) + len(part.input_json)
        case ToolResult():
            return sum(_weigh_part(piece) for piece in part.content)
        case Image() | File():
            return _IMAGE_WEIGHT
