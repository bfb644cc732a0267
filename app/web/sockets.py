"""Websockets as uvicorn serves them, and an end for the connections of browsers that have stopped reading.

Not what is said on them (Reflex, `app/api`). A connection is closed only after everything in its buffer was sent. A
browser that takes nothing, because it sleeps or its network is gone, would keep the connection and its buffers for
ever. So a connection that misses its keep-alive is aborted a moment later, and the application may abort one at any
time: `scope["extensions"]["websocket.abort"]()`.
"""

from __future__ import annotations

from typing import Any, Final, cast

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

ABORT_SECONDS: Final = 5.0


class SocketProtocol(WebSocketsSansIOProtocol):
    """uvicorn's own, which also ends when nobody reads."""

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if self.response.status_code == 101:
            scope = cast("dict[str, Any]", self.scope)
            scope["extensions"]["websocket.abort"] = self.transport.abort

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self.loop.call_later(ABORT_SECONDS, self.transport.abort)
