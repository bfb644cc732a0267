"""Websockets of uvicorn with our compression, and an end for connections whose browser stopped reading.

Not what is said on them (Reflex, `app/api`). A connection is closed only after everything in its buffer was sent. A
browser that takes nothing, because it sleeps or its network is gone, would keep the connection and its buffers for
ever. So a connection that misses its keep-alive is aborted a moment later, and the application may abort one at any
time: `scope["extensions"]["websocket.abort"]()`. It may also send a text without waiting for anything, if the
connection takes it: `scope["extensions"]["websocket.write"](text)`, and a last one before the connection is closed:
`scope["extensions"]["websocket.leave"](text)`.
"""

from __future__ import annotations

from typing import Any, Final, cast

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

ABORT_SECONDS: Final = 5.0
POLICY_VIOLATION: Final = 1008
WINDOW_BITS: Final = 13
"""What is sent is compressed with the 8 KB before it, a minute of a reply: 60 KB of memory for a connection."""


def compression() -> ServerPerMessageDeflateFactory:
    """permessage-deflate as a server offers it. What browsers send is little, so their window is uvicorn's."""
    return ServerPerMessageDeflateFactory(
        server_max_window_bits=WINDOW_BITS, client_max_window_bits=12, compress_settings={"memLevel": 5}
    )


class SocketProtocol(WebSocketsSansIOProtocol):
    """uvicorn's own, with our compression, which also ends when nobody reads."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        if self.config.ws_per_message_deflate:  # uvicorn does not let its window be chosen
            self.conn = ServerProtocol(
                extensions=[compression()], max_size=self.config.ws_max_size, logger=self.conn.logger
            )

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if self.response.status_code == 101:
            scope = cast("dict[str, Any]", self.scope)
            scope["extensions"]["websocket.abort"] = self.transport.abort
            scope["extensions"]["websocket.write"] = self.write_text
            scope["extensions"]["websocket.leave"] = self.leave

    def write_text(self, text: str) -> bool:
        """Send a text now. False: it was not sent, as what was sent before waits, or the connection is not open."""
        if not self.handshake_complete or not self.writable.is_set() or self.conn.state is not State.OPEN:
            return False
        self.conn.send_text(text.encode())
        self.transport.write(b"".join(self.conn.data_to_send()))
        return True

    def leave(self, text: str) -> None:
        """Send a last text and close. A browser that takes neither is cut off."""
        if not self.write_text(text):
            self.transport.abort()
            return
        self.stop_keepalive()
        self.queue.put_nowait({"type": "websocket.disconnect", "code": POLICY_VIOLATION})
        self.conn.send_close(POLICY_VIOLATION)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.loop.call_later(ABORT_SECONDS, self.transport.abort)

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self.loop.call_later(ABORT_SECONDS, self.transport.abort)
