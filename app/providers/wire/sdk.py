"""Sends bytes with an official SDK's client.

Inview uses only the client's authentication, base URL, connection pool and HTTP errors. It does not use the client's
retries, which obey any `Retry-After`, however long. It does not use the client's event parsing, which takes five times
as long as receiving the data. It uses neither the platform headers nor the environment variables, except proxies.

The SDKs of OpenAI and Anthropic were made by the same generator: they have the same methods, but no common type. An
adapter imports its SDK when a client is opened. This module imports httpx2, so only adapters import this module.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, Final

import aiohttp
import httpx2

from app.domain.errors import ErrorClass, Failure, ProviderError, failure
from app.providers.base import MASK, CallTarget, Provider, Timeouts, WireRequest
from app.providers.wire.bodies import UnpackingError, read_beginning, unpack
from app.providers.wire.errors import describe_missing_key, describe_status
from app.providers.wire.heads import MAX_HEAD_BYTES, HeadTooLargeError

MAX_ERROR_BYTES: Final = 65_536
ERROR_SECONDS: Final = 15.0
"""Maximum seconds for reading an error answer.

At most `MAX_ERROR_BYTES` are read: only a small part is quoted.
"""

UNASKED_HEADERS = (
    "X-Stainless-Lang",
    "X-Stainless-Package-Version",
    "X-Stainless-OS",
    "X-Stainless-Arch",
    "X-Stainless-Runtime",
    "X-Stainless-Runtime-Version",
    "X-Stainless-Async",
    "X-Stainless-Retry-Count",
    "X-Stainless-Read-Timeout",
    "X-Stainless-Timeout",
    "OpenAI-Organization",
    "OpenAI-Project",
)
"""Headers that the SDKs would add, and that Inview leaves out.

Most describe this machine or the SDK's settings. The values of the last two are environment variables for OpenAI, which
would also be sent to compatible servers.
"""


@dataclass(frozen=True, slots=True)
class Sdk:
    """The differences between the two SDKs, except the names of their clients.

    A header with the value `omit` is not sent.
    """

    connection_error: type[Exception]
    stream_class: Any
    omit: Any


class RefusedError(Exception):
    """Error: the server sent an error answer with this status, these headers and this beginning of its body.

    `cut`: the body is longer.
    """

    def __init__(self, response: httpx2.Response, body: bytes, *, cut: bool) -> None:
        super().__init__()  # no text, because it would quote the answer
        self.status = response.status_code
        self.headers = dict(response.headers)
        self.body = body
        self.cut = cut


async def refuse(response: httpx2.Response) -> None:
    """Raise an error for an answer without a success status, before the SDK's client reads the whole body.

    Raises:
        RefusedError: the status is no success.
    """
    if response.is_success:
        return
    async with aclosing(response.aiter_raw()) as packed:
        try:
            pieces = unpack(packed, response.headers.get("content-encoding", ""))
            body, cut = await read_beginning(pieces, MAX_ERROR_BYTES, ERROR_SECONDS)
        except (UnpackingError, *_NETWORK_ERRORS):
            body, cut = b"", True  # the status is enough, so the body is not read
    raise RefusedError(response, body, cut=cut)


class SdkLink:
    """A `ProviderClient` that sends requests through an SDK.

    `client` is an `AsyncOpenAI` or `AsyncAnthropic` with `max_retries=0` and the hook `refuse`.
    """

    def __init__(self, provider: Provider, client: Any, sdk: Sdk) -> None:
        self._provider = provider
        self._client = client
        self._sdk = sdk
        self._left_out = dict.fromkeys(UNASKED_HEADERS, sdk.omit)

    async def post(self, wire: WireRequest, timeouts: Timeouts) -> SdkResponse:
        target = CallTarget(self._provider.row, wire.model)
        # The header with a masked value is that of the key. The client adds the real key.
        headers = {name: value for name, value in wire.headers if MASK not in value}
        response: httpx2.Response = await self._request(
            target,
            timeouts,
            self._client.post(
                wire.url,
                cast_to=httpx2.Response,
                content=wire.body,
                options=self._options(timeouts, headers),
                stream=True,
                stream_cls=self._sdk.stream_class,
            ),
        )
        return SdkResponse(response, target, timeouts)

    async def get(self, path: str, timeouts: Timeouts) -> SdkResponse:
        target = CallTarget(self._provider.row, "")
        request = self._client.get(
            f"{self._provider.base_url}/{path}",
            cast_to=httpx2.Response,
            options=self._options(timeouts, {"Accept-Encoding": "gzip"}),
            stream=True,
            stream_cls=self._sdk.stream_class,
        )
        return SdkResponse(await self._request(target, timeouts, request), target, timeouts)

    async def close(self) -> None:
        await self._client.close()

    def _options(self, timeouts: Timeouts, headers: dict[str, str]) -> dict[str, Any]:
        timeout = httpx2.Timeout(timeouts.read, connect=timeouts.connect, pool=timeouts.connect)
        return {"headers": {**self._left_out, **headers}, "timeout": timeout, "follow_redirects": False}

    async def _request(self, target: CallTarget, timeouts: Timeouts, request: Any) -> httpx2.Response:
        if not self._provider.ready:
            request.close()
            raise ProviderError(describe_missing_key(target, self._provider.name))
        try:
            return await request
        except RefusedError as refused:
            raise ProviderError(self._describe_refusal(target, refused)) from None
        except self._sdk.connection_error as error:
            if isinstance(error.__cause__, RefusedError):  # one of the SDKs wraps each exception of a hook
                # `from None` leaves out the cause, because it has the answer, which may quote the key.
                raise ProviderError(self._describe_refusal(target, error.__cause__)) from None
            raise ProviderError(describe_network(target, error.__cause__ or error, timeouts)) from error
        except _NETWORK_ERRORS as error:
            raise ProviderError(describe_network(target, error, timeouts)) from error

    def _describe_refusal(self, target: CallTarget, refused: RefusedError) -> Failure:
        key = (self._provider.key or "").encode()
        body = refused.body.replace(key, MASK.encode()) if key else refused.body
        reason = describe_status(target, refused.status, refused.headers, body, time.time())
        if not refused.cut:
            return reason
        return replace(reason, message=f"{reason.message} (The response was cut: it is too long or cannot be read.)")


class SdkResponse:
    """A streaming response of an SDK's client."""

    def __init__(self, response: httpx2.Response, target: CallTarget, timeouts: Timeouts) -> None:
        self._response = response
        self._target = target
        self._timeouts = timeouts

    @property
    def content_type(self) -> str:
        return self._response.headers.get("content-type", "").partition(";")[0].strip().lower()

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        coding = self._response.headers.get("content-encoding", "")
        received = False
        try:
            async with aclosing(self._response.aiter_raw()) as packed, aclosing(unpack(packed, coding)) as pieces:
                async for piece in pieces:
                    received = True
                    yield piece
        except UnpackingError as error:
            message = f"{self._target} sent a body that cannot be decompressed: it is {error}."
            raise ProviderError(failure(ErrorClass.STREAM, message)) from error
        except _NETWORK_ERRORS as error:
            raise ProviderError(describe_network(self._target, error, self._timeouts, received=received)) from error

    async def close(self) -> None:
        await self._response.aclose()


def describe_network(
    target: CallTarget, error: BaseException, timeouts: Timeouts, *, received: bool = False
) -> Failure:
    """Return the failure for a network error. `received`: a part of the reply's body was received before the error."""
    causes = list(_causes(error))
    for kind, error_class, words in _NETWORK_WORDS:
        if any(isinstance(cause, kind) for cause in causes):
            return failure(error_class, f"{target} {words.format(timeouts=timeouts)}")
    if received:
        return failure(ErrorClass.STREAM, f"{target} closed the connection in the middle of the reply.")
    if any(isinstance(cause, _BROKEN_OFF) for cause in causes):
        return failure(ErrorClass.NETWORK, f"{target} closed the connection without a response.")
    why = next((f": {cause.strerror}" for cause in causes if isinstance(cause, OSError) and cause.strerror), "")
    return failure(ErrorClass.NETWORK, f"{target} could not be reached{why}.")


_NETWORK_ERRORS = (httpx2.HTTPError, aiohttp.ClientError)
"""Network errors that the clients do not wrap.

The two SDKs raise different errors of httpx2. Their causes, mostly errors of aiohttp, name the fault.
"""

_NETWORK_WORDS: tuple[tuple[type[BaseException], ErrorClass, str], ...] = (
    (
        aiohttp.ConnectionTimeoutError,
        ErrorClass.NETWORK,
        "did not accept the connection within {timeouts.connect:g} seconds.",
    ),
    (aiohttp.ServerTimeoutError, ErrorClass.NETWORK, "sent nothing for {timeouts.read:g} seconds."),
    (socket.gaierror, ErrorClass.NETWORK, "could not be reached: its host name cannot be resolved."),
    (ssl.SSLCertVerificationError, ErrorClass.NETWORK, "could not be reached: its certificate is not trusted."),
    (
        ssl.SSLError,
        ErrorClass.NETWORK,
        "could not be reached: the secure connection failed. Check that the address uses https.",
    ),
    (aiohttp.ClientProxyConnectionError, ErrorClass.NETWORK, "could not be reached: the proxy does not respond."),
    (aiohttp.ClientHttpProxyError, ErrorClass.NETWORK, "could not be reached: the proxy refused the connection."),
    (
        ConnectionRefusedError,
        ErrorClass.NETWORK,
        "could not be reached: it refused the connection. Check that the server is running.",
    ),
    (
        HeadTooLargeError,
        ErrorClass.NETWORK,
        f"sent {MAX_HEAD_BYTES:,} bytes of headers and informational responses, but no response.",
    ),
    (
        aiohttp.ClientResponseError,
        ErrorClass.NETWORK,
        "sent data that is not HTTP, or too many or too long headers.",
    ),
)
"""Types of network errors, each with the error class and the description for the user.

The first entry whose type matches an error, or one of its causes, describes the fault.
"""

_BROKEN_OFF = (aiohttp.ServerDisconnectedError, aiohttp.ClientPayloadError, ConnectionError)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
