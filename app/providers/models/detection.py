"""Finds local model servers: those that answer with a list of models on their usual port.

The lists are requested only from 127.0.0.1, from all ports at once, within a short time limit. This module uses only
the standard library: each page that is opened starts the search, so the search must not need the memory of an SDK.

    >>> import asyncio
    >>> asyncio.run(detect_local_servers(rows=()))
    ()
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from http.client import HTTPException, parse_headers
from io import BytesIO

from app.providers.base import Credentials, Provider, ProviderRow
from app.providers.registry import PROVIDERS, make_provider
from app.providers.wire.json_values import load_json

ANSWER_SECONDS = 0.5
"""Maximum seconds for the connection, the request and the whole answer."""
LARGEST_LIST = 1_000_000
NO_LIST = (TimeoutError, OSError, HTTPException, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError)
"""Errors that mean: no server answers, or the server lists no models."""
_REQUEST = b"GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept-Encoding: identity\r\nConnection: close\r\n\r\n"


async def detect_local_servers(rows: Iterable[ProviderRow] = PROVIDERS.values()) -> tuple[Provider, ...]:
    """Return the local servers that answer now. This takes at most about half a second."""
    candidates = [(row, row.local_port) for row in rows if row.local_port is not None]
    found = await asyncio.gather(*(_answers(port) for _, port in candidates))
    return tuple(
        make_provider(row, Credentials(base_url=f"http://127.0.0.1:{port}/v1"), "detected")
        for (row, port), answers in zip(candidates, found, strict=True)
        if answers
    )


async def _answers(port: int) -> bool:
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                writer.write(_REQUEST % port)
                answer = load_json(await _read_list(reader))
            finally:
                writer.transport.abort()
    except NO_LIST:
        return False
    return isinstance(answer, dict) and "data" in answer


async def _read_list(reader: asyncio.StreamReader) -> bytes:
    """Return the body of an answer with status 200, otherwise empty bytes."""
    status, _, lines = (await reader.readuntil(b"\r\n\r\n")).partition(b"\r\n")
    if status.split(b" ")[1:2] != [b"200"]:
        return b""
    headers, body = parse_headers(BytesIO(lines)), bytearray()
    if headers.get("Transfer-Encoding", "").lower() == "chunked":
        while (size := int((await reader.readline()).partition(b";")[0], 16)) and len(body) + size <= LARGEST_LIST:
            body += (await reader.readexactly(size + 2))[:size]
        return bytes(body)
    most = min(int(headers.get("Content-Length", LARGEST_LIST)), LARGEST_LIST)
    while len(body) < most and (piece := await reader.read(most - len(body))):
        body += piece
    return bytes(body)
