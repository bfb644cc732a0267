"""Limits the messages of an MCP server before the SDK reads them: requests per minute, and items of a list.

The SDK keeps a task for each request until its answer is sent, and a server can refuse to receive answers. The SDK
checks all items of a list at once: tens of thousands of them take seconds and hundreds of megabytes.

    async with Client(limit_messages(transport, terms)) as client: ...
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, cast

from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from app.tools.mcp.connection_terms import ConnectionTerms
from app.tools.network.bounds import MAX_REQUESTS, Flow, TooMuchError

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams  # the SDK's name for the pair of streams; there is no public one
    from mcp.shared._stream_protocols import ReadStream  # the SDK has no public name for it

MAX_ITEMS: Final = 500
"""Maximum items of a list in an answer.

A longer list is cut to one item more than this maximum, so that the caller notices the cut.
"""
_MAX_FIELD: Final = 80
"""Maximum characters of the name of a field in the log."""


def _describe_shortly(self: object) -> str:
    return type(self).__name__


# Without this, the SDK would format each message for its debug log, which is off: three copies of up to four bytes per
# character.
for _kind in (JSONRPCRequest, JSONRPCResponse, JSONRPCNotification):
    _kind.__str__ = _describe_shortly


@asynccontextmanager
async def limit_messages(
    transport: AbstractAsyncContextManager[TransportStreams], terms: ConnectionTerms
) -> AsyncGenerator[TransportStreams]:
    """Open a transport, and limit the server's requests per minute and the items of each list in its answers.

    Too many requests end the connection; `terms.ending` has the reason. Lists that are too long are cut, with a warning
    in the log that Inview shows for this server.
    """
    async with transport as (heard, to_say):
        yield _BoundedMessages(heard, terms), to_say


class _BoundedMessages:
    """The stream of a server's messages, with shortened lists. It ends if the server sends too many requests."""

    def __init__(self, messages: ReadStream[SessionMessage | Exception], terms: ConnectionTerms) -> None:
        self._messages = messages
        self._terms = terms
        self._flow = Flow(MAX_REQUESTS, "requests")

    @property
    def last_context(self) -> Any:
        """Return the SDK's context for the newest message, or None if there is none."""
        return getattr(self._messages, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        return await anext(self)

    async def aclose(self) -> None:
        await self._messages.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        message = await anext(self._messages)
        match message:
            case SessionMessage(message=JSONRPCRequest()):
                try:
                    self._flow.note(1)
                except TooMuchError as error:
                    self._terms.ending.note(f"sent {error}")
                    raise StopAsyncIteration from None
            case SessionMessage(message=JSONRPCResponse(result=result)):
                self._cut_lists(result)
            case _:
                pass
        return message

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        await self.aclose()

    def _cut_lists(self, result: dict[str, Any]) -> None:
        for field, value in result.items():
            if isinstance(value, list) and (count := len(items := cast("list[Any]", value))) > MAX_ITEMS:
                del items[MAX_ITEMS + 1 :]
                words = (
                    f"A response has {count:,} items in {field[:_MAX_FIELD]!r}. Items after the first {MAX_ITEMS} "
                    "are left out."
                )
                self._terms.tell("warning", words)
