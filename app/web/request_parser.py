"""Reads requests with uvicorn's parser, with limits on the data before and after a body.

uvicorn's parser stores the address, the headers and the data after the last chunk of a body, without any limit. The
limits for bodies are in `app/api/http/body_limit.py`.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Final, cast

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from app.web.refusals import note_refusal

MAX_HEAD: Final = 65_536
"""Maximum bytes of an address with its headers, and of other data that is not part of a body."""
HEAD_SECONDS: Final = 30.0
MAX_REST: Final = 68 * 1024 * 1024
"""Maximum bytes of the rest of a body that is read and discarded after the answer was sent.

If the connection were closed while a large file is being sent, the sender could not read the answer.
"""
REST_SECONDS: Final = 30.0
"""Maximum time in seconds to read the discarded rest of a body."""
MAX_WAITING: Final = 100
"""Maximum number of requests of one connection that wait for the answer to an earlier one."""

_TOO_LONG: Final = f"The address and the headers of a request may have at most {MAX_HEAD:,} bytes. Shorten them."
_TOO_LATE: Final = (
    f"The address and the headers of a request must arrive within {HEAD_SECONDS:g} seconds. Send the request again."
)
_TOO_MANY: Final = f"A connection may have at most {MAX_WAITING} waiting requests. Wait for their responses."
_GOES_ON: Final = "The request body continued after the response."
_INVALID: Final = "Invalid HTTP request received."


class RequestProtocol(HttpToolsProtocol):
    """uvicorn's HTTP protocol with limits: a head that is too long or comes too late is refused.

    The head of a request is its address with its headers.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._unread = 0
        self._is_empty = True
        self._late: asyncio.TimerHandle | None = None
        self._is_in_body = False
        self._rest = 0
        self._rest_late: asyncio.TimerHandle | None = None
        self._is_ending = False
        self._is_refused = False
        self._refusal: bytes | None = None
        self._answers = _Answers(self)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_wait()
        self._end_rest()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        self._is_empty = False
        if self._is_refused:
            self._count_rest(data)
            return
        self._unread += len(data)
        try:
            self.parser.feed_data(data)  # pyright: ignore[reportOptionalMemberAccess] - none only after the connection is lost
        except httptools.HttpParserUpgrade:
            if self._should_upgrade():
                self.handle_websocket_upgrade()
            else:
                self._refuse(HTTPStatus.BAD_REQUEST, "Upgrades to another protocol are not supported.")
        except httptools.HttpParserError:
            if len(self.pipeline) >= MAX_WAITING:
                self._refuse(HTTPStatus.TOO_MANY_REQUESTS, _TOO_MANY)
            else:
                self._refuse(HTTPStatus.BAD_REQUEST, _INVALID)
        else:
            if self._unread > MAX_HEAD:
                self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, _TOO_LONG)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._expect_head()

    def on_headers_complete(self) -> None:
        self._end_wait()
        self._unread = 0
        if self._is_ending or len(self.pipeline) >= MAX_WAITING:
            raise ValueError(_TOO_MANY)  # this error stops the parser, and `data_received` refuses the request
        self._is_in_body = True
        before = self.cycle
        super().on_headers_complete()
        if self.cycle is not before:  # otherwise another protocol continues with the connection
            self.cycle.transport = self._answers

    def on_body(self, body: bytes) -> None:
        self._unread = 0
        if self._rest_late is not None:
            self._count_rest(body)
        if not self._is_ending:
            super().on_body(body)

    def on_message_complete(self) -> None:
        self._unread = 0
        self._is_in_body = False
        self._end_rest()
        super().on_message_complete()
        if self._is_ending:
            self.transport.close()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._refusal is not None and not self._is_answering and not self.is_ending:
            self.transport.write(self._refusal)
            self.end()
        if self._is_in_body and not self._is_answering:
            self._expect_rest()

    def end(self) -> None:
        """Send nothing more, and close the connection.

        If the body of a request is still arriving, its rest is read first, within a limit. A client whose connection
        closes during its upload may lose the answer.
        """
        if self._is_ending or self.transport.is_closing():
            return
        if self._is_refused or (self._is_in_body and not self.pipeline):
            self._is_ending = True
            self.transport.write_eof()
            self.flow.resume_reading()
            self._expect_rest()
        else:
            self.transport.close()

    @property
    def is_ending(self) -> bool:
        """True if the server has sent its last data on this connection."""
        return self._is_ending or self.transport.is_closing()

    @property
    def _is_answering(self) -> bool:
        cycle = cast("RequestResponseCycle | None", self.cycle)
        return cycle is not None and not cycle.response_complete

    def _expect_head(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(HEAD_SECONDS, self._end_late)

    def _end_wait(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _expect_rest(self) -> None:
        if self._rest_late is None:
            self._rest = 0
            self._rest_late = self.loop.call_later(REST_SECONDS, self._leave_rest)

    def _count_rest(self, data: bytes) -> None:
        self._rest += len(data)
        if self._rest > MAX_REST:
            self._leave_rest()

    def _end_rest(self) -> None:
        if self._rest_late is not None:
            self._rest_late.cancel()
            self._rest_late = None

    def _leave_rest(self) -> None:
        """Close a connection if the rest of a body after the answer is too large or takes too long."""
        if not self.transport.is_closing():
            if not self._is_refused:
                note_refusal(self.client, f"Refused a request: {_GOES_ON}")
            self.transport.close()

    def _end_late(self) -> None:
        self._late = None
        if self._is_answering:
            self._expect_head()  # the previous request must be answered first
        elif self._is_empty:
            self.transport.close()  # without an error, because browsers connect in advance
        else:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, _TOO_LATE)

    def _refuse(self, status: HTTPStatus, words: str) -> None:
        """Answer with a refusal and end the connection. If a part of the answer was sent already, only end it.

        Earlier requests get their answers first, unless too many wait.
        """
        if self._is_refused or self.transport.is_closing():
            return
        note_refusal(self.client, f"Refused a request: {words}")
        self._is_refused = True
        self._end_wait()
        head = f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: text/plain; charset=utf-8\r\n"
        refusal = f"{head}Content-Length: {len(words)}\r\nConnection: close\r\n\r\n{words}".encode()
        if self._is_answering and not self._is_in_body and status is not HTTPStatus.TOO_MANY_REQUESTS:
            self._refusal = refusal
            return
        if not self._is_ending and not (self._is_answering and self.cycle.response_started):
            self.transport.write(refusal)
        self.end()
        if self._is_answering:  # ends the answer as if the client had disconnected
            self.cycle.disconnected = True
            self.cycle.message_event.set()


class _Answers(asyncio.Transport):
    """The transport that uvicorn writes its answers to. `close` ends the connection as `RequestProtocol.end` does."""

    def __init__(self, protocol: RequestProtocol) -> None:
        super().__init__()
        self._protocol = protocol

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if not self._protocol.is_ending:
            self._protocol.transport.write(data)

    def is_closing(self) -> bool:
        return self._protocol.is_ending

    def close(self) -> None:
        self._protocol.end()
