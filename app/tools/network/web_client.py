"""An HTTP client that connects only to checked addresses and limits the size of answers.

    async with open_client(AddressGuard(), Bounds(2_000_000)) as client:
        response = await client.get("https://example.org/")

Proxies from the environment are not used: with a proxy, Inview could not check the address of the connection.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import AsyncIterator, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from http.cookiejar import Cookie, CookieJar
from typing import Any, Final, cast

import httpcore2
import httpx2

from app.domain.text.json_size import ValueCount
from app.tools.network.addresses import AddressGuard
from app.tools.network.bounds import ByteFlow, DecodedSize, Flow, TooMuchError, require_few, require_small

USER_AGENT: Final = "Inview (self-hosted chat workbench)"
MAX_REDIRECTS: Final = 5
MAX_CONNECTIONS: Final = 20
MAX_COOKIES: Final = 50
MAX_GETS: Final = 60
"""Maximum GET requests of one client in a minute.

MCP's SDK reopens an ended stream, and the server chooses the pause.
"""
MAX_HEAD_BYTES: Final = 65_536
HEAD_PIECE_BYTES: Final = 4_096


_BOUNDS: Final = "inview.bounds"
_BLANK_LINE: Final = re.compile(rb"\n\n|\n\r|\r\r")


class TooMuchSentError(TooMuchError, httpx2.SSEError, httpx2.StreamError):
    """Error: an answer over HTTP is too large.

    MCP's SDK passes the message of this error to the caller of the request.
    """


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of one HTTP answer.

    - `is_json`: the number of JSON values and the memory of the text are limited too.
    - `may_last`: if the answer is a stream of events, these limits apply to each event (the SDK limits its bytes), and
      the limits of a `ByteFlow` apply to the stream.
    """

    most_bytes: int
    is_json: bool = False
    may_last: bool = False


def put_bounds(request: httpx2.Request, bounds: Bounds) -> None:
    """Set the limits of the answer to this request. They replace those of the client."""
    request.extensions[_BOUNDS] = bounds


def open_client(
    guard: AddressGuard,
    bounds: Bounds,
    *,
    headers: Mapping[str, str] | None = None,
    auth: httpx2.Auth | None = None,
    timeout: httpx2.Timeout | float = 30.0,
) -> httpx2.AsyncClient:
    """Return a client, which the caller must close. `bounds` are the limits of each answer.

    Requests raise AddressRefusedError for an address that is not allowed, and TooMuchError for a body beyond `bounds`.
    """
    return httpx2.AsyncClient(
        transport=_CheckedTransport(guard, bounds),
        headers={"User-Agent": USER_AGENT, "Accept-Encoding": "identity", **(headers or {})},
        auth=auth,
        timeout=timeout,
        cookies=_FewCookies(),
        trust_env=False,
        max_redirects=MAX_REDIRECTS,
    )


class _FewCookies(CookieJar):
    """A cookie jar that keeps only the first `MAX_COOKIES` cookies.

    Cookies are kept at all because some services direct the requests of a session to the same machine by a cookie.
    """

    def set_cookie(self, cookie: Cookie) -> None:
        """Store a cookie, unless `MAX_COOKIES` are stored already."""
        super().set_cookie(cookie)
        if sum(1 for _ in self) > MAX_COOKIES:
            self.clear(cookie.domain, cookie.path, cookie.name)


@cache
def _certificates() -> ssl.SSLContext:
    """Return the machine's certificates, which are read only once, because this takes tens of milliseconds."""
    return httpx2.create_ssl_context()


class _CheckedTransport(httpx2.AsyncHTTPTransport):
    def __init__(self, guard: AddressGuard, bounds: Bounds) -> None:
        super().__init__(verify=_certificates(), trust_env=False)
        self._bounds = bounds
        self._gets: Flow | None = None
        # httpx2 has no argument for a network backend. httpcore2, which it uses, has one.
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=_certificates(),
            max_connections=MAX_CONNECTIONS,
            network_backend=_CheckedNetwork(guard),
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "GET":
            self._note_get()
        awaited = _head.set(_Head())
        try:
            response = await super().handle_async_request(request)
        finally:
            _head.reset(awaited)
        if (encoding := response.headers.get("content-encoding", "identity")) != "identity":
            await response.aclose()  # without closing it, a small compressed answer could become a huge one
            raise httpx2.DecodingError(
                f"The response is compressed ({encoding}), although Inview did not request this."
            )
        bounds: Bounds = request.extensions.get(_BOUNDS, self._bounds)
        streams = response.is_success and response.headers.get("content-type", "").startswith("text/event-stream")
        if isinstance(response.stream, httpx2.AsyncByteStream):
            bounded = _BoundedEvents if streams and bounds.may_last else _Bounded
            response.stream = bounded(response.stream, bounds)
        return response

    def _note_get(self) -> None:
        self._gets = self._gets or Flow(MAX_GETS, "GET requests")
        try:
            self._gets.note(1)
        except TooMuchError as error:
            raise TooMuchSentError(str(error)) from None


class _CheckedNetwork(httpcore2.AsyncNetworkBackend):
    """Makes the connections of a client: it resolves and checks a name, then connects to the checked address.

    TLS checks the name as usual.
    """

    def __init__(self, guard: AddressGuard) -> None:
        self._guard = guard
        # Without anyio, `AnyIOBackend` would be a substitute of another type, hence the cast. Inview requires anyio.
        self._network = cast("httpcore2.AsyncNetworkBackend", httpcore2.AnyIOBackend())

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore2's own signature
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        try:
            addresses = await self._guard.find(host, port)
        except OSError as error:
            raise httpcore2.ConnectError(f"{host} cannot be resolved: {error.strerror or error}") from error
        failed: Exception = httpcore2.ConnectError(f"{host} has no address")
        for address in addresses:
            try:
                stream = await self._network.connect_tcp(address, port, timeout, local_address, socket_options)
                return _BoundedHeads(stream)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failed = error
        raise failed

    async def sleep(self, seconds: float) -> None:
        await self._network.sleep(seconds)


@dataclass(slots=True)
class _Head:
    """The bytes received so far of the head of an answer, with all informational answers before it."""

    size: int = 0


_head: Final = ContextVar[_Head | None]("head", default=None)
"""The head of the answer that the current task waits for."""


class _BoundedHeads(httpcore2.AsyncNetworkStream):
    """A connection that returns the head of an answer in small pieces, and limits its size.

    httpcore2 accepts any number of informational answers. Parsing 64 KB of them at once would keep the event loop busy
    for half a second.
    """

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream

    async def read(
        self,
        max_bytes: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore2's own signature
    ) -> bytes:
        head = _head.get()
        if head is None:
            return await self._stream.read(max_bytes, timeout)
        piece = await self._stream.read(min(max_bytes, HEAD_PIECE_BYTES), timeout)
        head.size += len(piece)
        if head.size > MAX_HEAD_BYTES:
            raise httpcore2.RemoteProtocolError(f"more than {MAX_HEAD_BYTES:,} bytes before the body of the response")
        return piece

    async def write(
        self,
        buffer: bytes,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore2's own signature
    ) -> None:
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore2's own signature
    ) -> httpcore2.AsyncNetworkStream:
        return _BoundedHeads(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Bounded(httpx2.AsyncByteStream):
    """The body of one answer, with limits."""

    def __init__(self, stream: httpx2.AsyncByteStream, bounds: Bounds) -> None:
        self._stream = stream
        self._bounds = bounds
        self._taken = 0
        self._values, self._size = ValueCount(), DecodedSize()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._stream:
                self._note(chunk)
                yield chunk
        except TooMuchError as error:
            raise TooMuchSentError(str(error)) from None

    async def aclose(self) -> None:
        await self._stream.aclose()

    def _note(self, chunk: bytes) -> None:
        self._taken += len(chunk)
        if self._taken > self._bounds.most_bytes:
            raise TooMuchError(f"more than {self._bounds.most_bytes:,} bytes")
        if self._bounds.is_json:
            require_few(self._values.feed(chunk))
            require_small(self._size.feed(chunk))


class _BoundedEvents(_Bounded):
    """The body of an answer that is a stream of server-sent events and may last forever, with limits."""

    def __init__(self, stream: httpx2.AsyncByteStream, bounds: Bounds) -> None:
        super().__init__(stream, bounds)
        self._flow = ByteFlow()
        self._line_break = b""

    def _note(self, chunk: bytes) -> None:
        first, *others = _BLANK_LINE.split(self._line_break + chunk)  # so no chunk has a whole event that is too large
        self._flow.note(len(chunk), len(others))
        require_few(self._values.feed(first))
        require_small(self._size.feed(first))
        if others:
            self._values, self._size = ValueCount(), DecodedSize()
            self._values.feed(others[-1])
            self._size.feed(others[-1])
        self._line_break = chunk[-1:] if chunk.endswith((b"\r", b"\n")) else b""
