"""Limits the heads (status and headers) of answers, because the SDKs' HTTP client (aiohttp) does not.

    client = bound_heads(openai.DefaultAioHttpClient())

A server may send any number of informational answers (`HTTP/1.1 103`) before its answer. aiohttp keeps all of them in
memory until they are read, and parses all data of a network read at once.

aiohttp also makes a timer for each network read of an answer. Here one timer serves the whole answer.
"""

from __future__ import annotations

import asyncio
from functools import partial
from http.cookiejar import DefaultCookiePolicy
from typing import Any, Final, cast

import aiohttp
import httpx2
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError

MAX_HEAD_BYTES: Final = 65_536
"""Maximum bytes of the head of an answer and all informational answers before it. Usual heads have less than 4 KB."""
PIECE_BYTES: Final = 4_096
SHORTEST_TIMER: Final = 0.001
"""Minimum seconds of a timer, because uvloop returns a handle without a time for a shorter timer."""
_INFORMATIONAL: Final = range(100, 200)
_SWITCHING: Final = 101
"""The only informational status after which no other answer follows."""


class HeadTooLargeError(HttpProcessingError):
    """Error: the head of an answer and the informational answers before it are too large, or a second answer came.

    The limit is `MAX_HEAD_BYTES`. A second answer belongs to no request.
    """


def bound_heads(client: Any) -> Any:
    """Limit the heads of answers for this `httpx2.AsyncClient` of an SDK, also through proxies, and return the client.

    The client keeps no cookies: with cookies a provider could recognise later requests, and make them ever longer.
    """
    # This changes fields of the client, because a transport passed as an argument would replace the proxies.
    fields = cast("dict[str, Any]", vars(client))
    proxies = cast("dict[Any, Any]", fields["_mounts"])
    for transport in (fields["_transport"], *proxies.values()):
        if transport is not None:  # None means no proxy for these addresses
            transport.client = partial(_open_session, transport)
    client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=()))
    return client


def _open_session(transport: Any) -> aiohttp.ClientSession:
    """Open the session that this transport of an SDK would open, with limited heads."""
    limits: httpx2.Limits = transport.limits
    connector: Any = aiohttp.TCPConnector(
        ssl=transport.ssl_context,
        limit=limits.max_connections or 0,
        keepalive_timeout=limits.keepalive_expiry,
    )
    connector._factory = partial(_Handler, loop=asyncio.get_running_loop())  # noqa: SLF001 - aiohttp has no argument for it
    return aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())


class _Handler(ResponseHandler):
    """The part of aiohttp that converts the bytes of one connection to answers, with limited heads."""

    _head_bytes: int | None = None
    """Bytes received since the request; None: no head is expected."""
    _read_due = 0.0
    """The time at which the next data must have arrived. The timer may ring earlier: then it is set again."""

    def set_response_params(self, **params: Any) -> None:
        """Expect the head of an answer. aiohttp calls this for each request."""
        self._head_bytes = 0
        super().set_response_params(**params)

    def feed_data(self, data: Any, size: int = 0) -> None:
        """Give the head (status and headers) of a server's answer to the request that waits for it.

        If no request waits, close the connection: aiohttp would keep the head in memory and never use it.
        """
        if self._head_bytes is None:
            self._refuse()
            return
        status: int = data[0].code
        if status not in _INFORMATIONAL or status == _SWITCHING:
            self._head_bytes = None
        super().feed_data(data, size)

    def data_received(self, data: bytes) -> None:
        start = 0
        while self._head_bytes is not None and start < len(data) and self.exception() is None:
            piece = data[start : start + PIECE_BYTES]
            start += len(piece)
            self._head_bytes += len(piece)
            if self._head_bytes > MAX_HEAD_BYTES:
                self._refuse()
                return
            super().data_received(piece)
        if start == 0 or (start < len(data) and self.exception() is None):
            super().data_received(data[start:])

    def _reschedule_timeout(self) -> None:
        """Extend the time until the next data must arrive. aiohttp calls this for each network read."""
        timeout, timer = self._read_timeout, self._read_timeout_handle
        if timeout:
            self._read_due = self._loop.time() + timeout
        if not timeout or timer is None or timer.when() > self._read_due:
            super()._reschedule_timeout()

    def _on_read_timeout(self) -> None:
        if (rest := self._read_due - self._loop.time()) > 0:
            self._read_timeout_handle = self._loop.call_later(max(rest, SHORTEST_TIMER), self._on_read_timeout)
        else:
            super()._on_read_timeout()

    def _refuse(self) -> None:
        self.set_exception(HeadTooLargeError())
        if self.transport is not None:
            self.transport.abort()
