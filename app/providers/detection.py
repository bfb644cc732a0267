"""Local model servers on their usual ports, found by asking: is anybody there, and does it list models?

It asks only 127.0.0.1, all ports at once, and gives up quickly. It uses the standard library on purpose: looking around
when a page opens must not cost the memory of an SDK that may never be needed.

    >>> import asyncio
    >>> asyncio.run(detect_local_servers(rows=()))
    ()
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from http.client import HTTPConnection, HTTPException

from app.providers.base import Credentials, Provider, ProviderRow
from app.providers.json_values import load_json
from app.providers.registry import PROVIDERS, make_provider

ANSWER_SECONDS = 0.5
LARGEST_LIST = 1_000_000


async def detect_local_servers(rows: Iterable[ProviderRow] = PROVIDERS.values()) -> tuple[Provider, ...]:
    """The local servers that answer now. Takes at most about half a second; nothing when nobody listens."""
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
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return await asyncio.to_thread(_lists_models, port)
    except (TimeoutError, OSError):
        return False


def _lists_models(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=ANSWER_SECONDS)
    try:
        connection.request("GET", "/v1/models")
        response = connection.getresponse()
        said = load_json(response.read(LARGEST_LIST)) if response.status == 200 else None
    except (OSError, HTTPException, ValueError):
        return False  # somebody else lives there
    finally:
        connection.close()
    return isinstance(said, dict) and "data" in said
