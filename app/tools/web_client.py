"""An HTTP client that connects to checked addresses only and reads no more than its limit.

    async with open_client(Guard(), most_bytes=2_000_000) as client:
        response = await client.get("https://example.org/")

The environment's proxies are not used: behind one the address talked to could not be checked.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Iterable, Mapping
from functools import cache
from typing import Any, Final, cast

import httpcore2
import httpx2

from app.tools.addresses import Guard

USER_AGENT: Final = "Inview (self-hosted chat workbench)"
MAX_REDIRECTS: Final = 5
MAX_CONNECTIONS: Final = 20


class TooMuchError(Exception):
    """An answer is larger than what is taken."""

    def __init__(self, most: int) -> None:
        super().__init__(f"more than {most:,} bytes")
        self.most = most


def open_client(
    guard: Guard,
    *,
    most_bytes: int | None = None,
    headers: Mapping[str, str] | None = None,
    auth: httpx2.Auth | None = None,
    timeout: httpx2.Timeout | float = 30.0,
) -> httpx2.AsyncClient:
    """A client to be closed by its caller. `most_bytes` bounds each answer over the wire but streams of events.

    Its requests raise AddressRefusedError for an address that is not talked to, TooMuchError while a body is read.
    """
    return httpx2.AsyncClient(
        transport=_CheckedTransport(guard, most_bytes),
        headers={"User-Agent": USER_AGENT, "Accept-Encoding": "identity", **(headers or {})},
        auth=auth,
        timeout=timeout,
        trust_env=False,
        max_redirects=MAX_REDIRECTS,
    )


@cache
def _certificates() -> ssl.SSLContext:
    """Reading the machine's certificates takes tens of milliseconds: once is enough."""
    return httpx2.create_ssl_context()


class _CheckedTransport(httpx2.AsyncHTTPTransport):
    def __init__(self, guard: Guard, most_bytes: int | None) -> None:
        super().__init__(verify=_certificates(), trust_env=False)
        self._most_bytes = most_bytes
        # httpx2 has no argument for it; httpcore2, which it passes all others on to, does.
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=_certificates(),
            max_connections=MAX_CONNECTIONS,
            network_backend=_CheckedNetwork(guard),
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        if (encoding := response.headers.get("content-encoding", "identity")) != "identity":
            await response.aclose()  # a small answer could become a huge one
            raise httpx2.DecodingError(f"The answer is compressed ({encoding}), which was not asked for.")
        streams = response.headers.get("content-type", "").startswith("text/event-stream")
        if self._most_bytes is not None and not streams and isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Bounded(response.stream, self._most_bytes)
        return response


class _CheckedNetwork(httpcore2.AsyncNetworkBackend):
    """Resolves and checks, then connects to the address itself; TLS goes on checking the name."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        # The cast: without anyio it would be a stand-in of another type, and anyio is one of our packages.
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
            raise httpcore2.ConnectError(f"{host} is not known: {error.strerror or error}") from error
        failed: Exception = httpcore2.ConnectError(f"{host} has no address")
        for address in addresses:
            try:
                return await self._network.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failed = error
        raise failed

    async def sleep(self, seconds: float) -> None:
        await self._network.sleep(seconds)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, most: int) -> None:
        self._stream = stream
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        taken = 0
        async for chunk in self._stream:
            taken += len(chunk)
            if taken > self._most:
                raise TooMuchError(self._most)
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
