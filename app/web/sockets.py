"""Websockets as uvicorn serves them, with a bound on what a message holds and an end where the browser reads no more.

Not what is said on them (Reflex, `app/api`).

A message of 32 MB can hold millions of values, which take a gigabyte to build: one of too many closes the connection.

A connection is closed only after everything in its buffer was sent. A browser that takes nothing, because it sleeps or
its network is gone, would keep the connection and its buffers for ever. So a connection that misses its keep-alive is
aborted a moment later, and the application may abort one at any time: `scope["extensions"]["websocket.abort"]()`.
"""

from __future__ import annotations

from typing import Any, Final, cast

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode, Frame
from websockets.http11 import Request

from app.domain.json_size import MAX_VALUES, ValueCount, has_more_values

ABORT_SECONDS: Final = 5.0


class SocketProtocol(WebSocketsSansIOProtocol):
    """uvicorn's own, with bounds for messages, which also ends when the browser reads no more."""

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if self.response.status_code == 101:
            scope = cast("dict[str, Any]", self.scope)
            scope["extensions"]["websocket.abort"] = self.transport.abort

    def handle_text(self, event: Frame) -> None:
        if self._takes_first(event):
            super().handle_text(event)

    def handle_bytes(self, event: Frame) -> None:
        if self._takes_first(event):
            super().handle_bytes(event)

    def handle_cont(self, event: Frame) -> None:
        if self._values.feed(bytes(event.data)) > MAX_VALUES:
            self._refuse()
        else:
            super().handle_cont(event)

    def _takes_first(self, event: Frame) -> bool:
        data, self._values = bytes(event.data), ValueCount()
        has_more = has_more_values(data, MAX_VALUES) if event.fin else self._values.feed(data) > MAX_VALUES
        if has_more:
            self._refuse()
        return not has_more

    def _refuse(self) -> None:
        """Close the connection: a message has too many values."""
        if self.conn.close_sent is None:
            self.conn.fail(CloseCode.MESSAGE_TOO_BIG, f"A message may have {MAX_VALUES:,} values.")
            self.handle_parser_exception()

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self.loop.call_later(ABORT_SECONDS, self.transport.abort)
