"""A cache of requests that were prepared for display, so that more of a request can be shown later.

    key = ctx.prepared.keep(LOCAL_OWNER, conversation_id, await preview_send(...))
    ctx.prepared.find(LOCAL_OWNER, conversation_id, key)       # None if it was evicted

The cache has at most `MAX_REQUESTS` requests and `MAX_BYTES` bytes. A send does not use it: it builds its own request.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from app.runs.request.preview import Preview

MAX_REQUESTS: Final = 4
MAX_BYTES: Final = 32_000_000
"""Maximum bytes of all bodies together. The newest request stays in the cache even if it is larger."""

_Key = tuple[str, str, str]


@dataclass(eq=False)
class PreparedRequests:
    """The latest prepared requests, by owner, conversation and the SHA-256 of their bodies."""

    _kept: OrderedDict[_Key, Preview] = field(default_factory=OrderedDict[_Key, Preview], repr=False)

    def keep(self, owner: str, conversation_id: str, planned: Preview) -> str:
        """Cache a request. Return the SHA-256 of its body in hexadecimal."""
        body_sha256 = sha256(planned.wire.body).hexdigest()
        key = (owner, conversation_id, body_sha256)
        self._kept[key] = planned
        self._kept.move_to_end(key)
        while len(self._kept) > 1 and (len(self._kept) > MAX_REQUESTS or self._size > MAX_BYTES):
            self._kept.popitem(last=False)
        return body_sha256

    def find(self, owner: str, conversation_id: str, body_sha256: str) -> Preview | None:
        """Return the request with this body.

        Return None if it is not cached, or belongs to another owner or conversation.
        """
        return self._kept.get((owner, conversation_id, body_sha256))

    @property
    def _size(self) -> int:
        return sum(len(planned.wire.body) for planned in self._kept.values())
