"""A request as a cache sees it: the tools, the system text and the messages, each with a key.

The index of such an element is its *place*: `TOOLS` (-2), `SYSTEM` (-1), then 0 for the first message. The key of an
element is a hash of the request from its start up to this element, so two requests with equal keys at a place are equal
up to this place. A key is the first eight bytes of a content hash (`domain.request.hashing`). Parameters that no cache
depends on, such as the temperature, are left out.

The two requests of the example have equal tools, system texts and first messages, so 0 is the last place up to which
they are equal:

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
"""The place of the tools."""
SYSTEM = -1
"""The place of the system text. Places from 0 on are those of the messages."""
KEY = 8
NO_KEY = b""
_HEX = 2 * KEY
_IMAGE_WEIGHT = 4_000
"""Length of an image or file in characters, for dividing the estimated tokens of a request among its messages."""


@dataclass(frozen=True, slots=True)
class Prefix:
    """The keys of a request. A key is a hash of everything from the start of the request to the end of a place.

    - `tools`: the key of the tools; empty if there are none.
    - `system`: the key of the tools and the system text; empty if there are neither.
    - `chain`: the keys of the messages, of `KEY` bytes each, one after the other.
    """

    tools: bytes
    system: bytes
    chain: bytes

    @property
    def last(self) -> int:
        """The place of the last message: its index in the request."""
        return len(self.chain) // KEY - 1

    def key(self, place: int) -> bytes:
        """Return the key of everything up to a place. Return empty bytes if the request has no such place."""
        if place == TOOLS:
            return self.tools
        if place == SYSTEM:
            return self.system
        return self.chain[place * KEY : (place + 1) * KEY]

    def begins_with(self, place: int, key: bytes) -> bool:
        """Return true if the beginning of this request, up to the place `place`, has the key `key`."""
        return key != NO_KEY and self.key(place) == key

    def shared_with(self, other: Prefix) -> int | None:
        """Return the last place up to which both requests are equal, or None if their tools differ."""
        low, high = 0, min(self.last, other.last) + 1
        while low < high:  # binary search: equal keys at a place mean equal keys at all earlier places
            middle = (low + high) // 2
            if self.key(middle) == other.key(middle):
                low = middle + 1
            else:
                high = middle
        if low:
            return low - 1
        return next((place for place in (SYSTEM, TOOLS) if self.begins_with(place, other.key(place))), None)


def prefix_of(request: Request, hashes: tuple[str, ...]) -> Prefix:
    """Return the keys of a request. `hashes` are its content hashes, which are not computed again."""
    parameters = request.parameters
    cached = Parameters(effort=parameters.effort, thinking=parameters.thinking)
    if parameters != cached:
        hashes = content_hashes(replace(request, parameters=cached))
    # The tools and the system text do not depend on the parameters for thinking.
    tools = content_hashes(Request(request.model, "", (), tools=request.tools))[0]
    system = content_hashes(Request(request.model, request.system, (), tools=request.tools))[0]
    return Prefix(
        bytes.fromhex(tools[:_HEX]) if request.tools else NO_KEY,
        bytes.fromhex(system[:_HEX]) if request.system or request.tools else NO_KEY,
        bytes.fromhex("".join(one[:_HEX] for one in hashes[1:])),
    )


def name_beginning(request: Request) -> str:
    """Return a name for requests that may share a prefix: equal for equal model, tools and system text.

    OpenAI takes the name as `prompt_cache_key`, to find the machine that has the prefix cached. The name has no
    id of a person or a conversation, so a fork can read the cache of its original conversation.
    """
    return "inview-" + content_hashes(Request(request.model, request.system, (), tools=request.tools))[0][:_HEX]


def count_positions(message: RequestMessage) -> int:
    """Return the number of blocks of a message, as a vendor's search for cached entries counts them.

    Consecutive tool calls count as one block, and so do consecutive tool results.
    """
    return sum(
        1 if kind in {ToolCall, ToolResult} else len(list(run)) for kind, run in groupby(message.parts, key=type)
    )


def can_be_marked(message: RequestMessage) -> bool:
    """Return true if a breakpoint is possible at the end of a message.

    A message that ends with thinking cannot have one.
    """
    return bool(message.parts) and not isinstance(message.parts[-1], Thinking)


def count_contents(message: RequestMessage) -> int:
    """Return the number of content parts of a message in Chat Completions.

    A reply has one part. A tool result has one part; its images and files follow as parts of a user message, after a
    part with a line of text.
    """
    if message.role == "assistant":
        return 1
    results = [part for part in message.parts if isinstance(part, ToolResult)]
    shown = [sum(not isinstance(piece, Text) for piece in result.content) for result in results]
    return len(message.parts) + sum(1 + count for count in shown if count)


def can_be_marked_in_chat(message: RequestMessage) -> bool:
    """Return true if the content of a message in Chat Completions ends with a part, which can be a breakpoint.

    A reply without text, and a message whose last text is empty, have no such part.
    """
    if message.role == "assistant":
        return any(isinstance(part, Text) and part.text for part in message.parts)
    match message.parts[-1] if message.parts else None:
        case Text(text=text):
            return bool(text)
        case ToolResult(content=content):
            return any(not isinstance(piece, Text) or piece.text for piece in content)
        case None:
            return False
        case _:
            return True


def weigh(message: RequestMessage) -> int:
    """Return the approximate length of a message in characters.

    The estimated tokens of a whole request are divided among its messages in proportion to these lengths.
    """
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
