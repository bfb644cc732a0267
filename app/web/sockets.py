"""uvicorn's WebSockets with limits on received data. A connection whose browser stopped reading is ended.

Not here: the messages (Reflex, `app/api`).

A message of 18 MB can contain millions of values, which take a gigabyte to build. A message of 18 million letters and
one emoji takes four times its bytes as a Python string. Frames without content cost time, unfinished messages of many
connections cost memory. A message beyond a limit closes its connection, with a line in the log.

A connection is closed only after everything in its buffer was sent. A browser that reads nothing, because it sleeps or
has no network, would keep the connection and its buffers for ever. So a connection that misses its keep-alive is
aborted soon after, and the application may abort a connection at any time:
`scope["extensions"]["websocket.abort"]()`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final, cast

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode, Frame
from websockets.http11 import Request

from app.domain.text.json_size import MAX_VALUES, ValueCount, has_more_values
from app.web.refusals import note_refusal

ABORT_SECONDS: Final = 5.0
MAX_MESSAGE: Final = 18_000_000
"""Maximum bytes of a message, both in UTF-8 and as text in memory. A single text has a lower limit (`text_size.py`)."""
MAX_UNFINISHED: Final = 32_000_000
"""Maximum bytes of the unfinished messages of all connections together."""
SMALL: Final = 65_536
"""Maximum size in bytes of a small unfinished message.

Small ones are always allowed and do not count for `MAX_UNFINISHED`.
"""
MAX_FRAMES: Final = 1_000
"""Maximum number of frames of one message. Browsers cut large messages into frames of a hundred kilobytes and more."""
MAX_WAITING: Final = 1_000
"""Maximum number of received messages of a connection that are not handled yet."""
MAX_CONTROLS: Final = 1_000
"""Maximum number of pings and pongs between two frames with data.

Browsers send few of them, and the scripts of a page cannot send any.
"""

_OWN_WORDS: Final = {CloseCode.MESSAGE_TOO_BIG, CloseCode.POLICY_VIOLATION, CloseCode.TRY_AGAIN_LATER}
_CONTINUATIONS: Final = bytes(range(0x80, 0xC0))
_FOUR_BYTES: Final = re.compile(rb"[\xf0-\xff]")
_unfinished: Final[dict[object, int]] = {}
"""The bytes of the unfinished message of each connection, if they are more than `SMALL`."""


class SocketProtocol(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket protocol with limits for messages. It also ends connections whose browser stopped reading."""

    _controls = 0

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if self.response.status_code == 101:
            scope = cast("dict[str, Any]", self.scope)
            scope["extensions"]["websocket.abort"] = self.transport.abort

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        size = len(self.conn.reader.buffer) + sum(map(len, self.frames))
        if size <= SMALL:
            _unfinished.pop(self, None)
            return
        _unfinished[self] = size
        if sum(_unfinished.values()) > MAX_UNFINISHED:
            self._refuse(
                CloseCode.TRY_AGAIN_LATER, "Inview is receiving too many large messages. Send the message again."
            )

    def connection_lost(self, exc: Exception | None) -> None:
        _unfinished.pop(self, None)
        super().connection_lost(exc)

    def handle_text(self, event: Frame) -> None:
        if self._takes_first(event):
            super().handle_text(event)

    def handle_bytes(self, event: Frame) -> None:
        if self._takes_first(event):
            super().handle_bytes(event)

    def handle_cont(self, event: Frame) -> None:
        if len(self.frames) >= MAX_FRAMES:
            self._refuse(CloseCode.POLICY_VIOLATION, f"A message may have at most {MAX_FRAMES:,} frames.")
        elif self._takes(self._values.feed(bytes(event.data)), event):
            super().handle_cont(event)

    def handle_ping(self) -> None:
        if self._takes_control():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        if self._takes_control():
            super().handle_pong(event)

    def _takes_control(self) -> bool:
        self._controls += 1
        if self._controls <= MAX_CONTROLS:
            return True
        self._refuse(CloseCode.POLICY_VIOLATION, f"At most {MAX_CONTROLS:,} pings may come between two messages.")
        return False

    def _takes_first(self, event: Frame) -> bool:
        if self.queue.qsize() >= MAX_WAITING:
            self._refuse(CloseCode.POLICY_VIOLATION, f"At most {MAX_WAITING:,} messages may wait at once.")
            return False
        data, self._values, self.frames = bytes(event.data), ValueCount(), []
        if event.fin:
            return self._takes(MAX_VALUES + 1 if has_more_values(data, MAX_VALUES) else 0, event)
        return self._takes(self._values.feed(data), event)

    def _takes(self, values: int, event: Frame) -> bool:
        """Return True if a message is within the limits; otherwise refuse it.

        `values` is the number of the message's values so far. `event` is the newest frame of the message.
        """
        if values > MAX_VALUES:
            self._refuse(CloseCode.MESSAGE_TOO_BIG, f"A message may have at most {MAX_VALUES:,} values.")
        elif event.fin and _text_size([*self.frames, event.data]) > MAX_MESSAGE:
            self._refuse(CloseCode.MESSAGE_TOO_BIG, f"A message may have at most {MAX_MESSAGE:,} bytes as text.")
        else:
            self._controls = 0
            return True
        return False

    def handle_parser_exception(self) -> None:
        """Log the reason for refusing the received data, and close the connection.

        The library also calls this for its own limits, such as that for bytes.
        """
        close = self.conn.close_sent
        if close is not None and not self.close_sent:
            words = close.reason if close.code in _OWN_WORDS else CloseCode(close.code).name
            note_refusal(self.client, f"Closed a socket because of what it sent: {words}")
        super().handle_parser_exception()

    def _refuse(self, code: CloseCode, words: str) -> None:
        """Close the connection with a code and a reason."""
        self.frames = []
        if self.conn.close_sent is None:
            self.conn.fail(code, words)
            self.handle_parser_exception()

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self.loop.call_later(ABORT_SECONDS, self.transport.abort)


def _text_size(pieces: Iterable[bytes | bytearray | memoryview]) -> int:
    """Return the bytes that a message takes as a Python string: each character takes the bytes of the widest one."""
    characters, width = 0, 1
    for piece in map(bytes, pieces):
        if piece.isascii():
            characters += len(piece)
        else:
            characters += len(piece.translate(None, _CONTINUATIONS))
            width = max(width, 4 if _FOUR_BYTES.search(piece) else 2)
    return characters * width
