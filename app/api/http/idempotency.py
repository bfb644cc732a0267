"""The header `Idempotency-Key` of sends, after draft-ietf-httpapi-idempotency-key-header."""

from __future__ import annotations

from hashlib import sha256
from typing import Annotated

from fastapi import Depends, Header, Request

from app.runs.send.idempotency import HEADER, IdempotencyKey

MAX_KEY = 255
"""Characters of a key."""


async def read_key(
    request: Request,
    key: Annotated[
        str | None,
        Header(
            alias=HEADER,
            min_length=1,
            max_length=MAX_KEY,
            description="A name that you choose for this send. Sent again within 24 hours with the same body, it gives "
            "the same run; with another body it is refused.",
        ),
    ] = None,
) -> IdempotencyKey | None:
    """The key of a request, with the hash of its method, path and body; None: it has none."""
    if key is None:
        return None
    asked = f"{request.method} {request.url.path}\n".encode() + await request.body()
    return IdempotencyKey(key, sha256(asked).hexdigest())


SentKey = Annotated[IdempotencyKey | None, Depends(read_key)]
