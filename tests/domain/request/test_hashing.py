from __future__ import annotations

import json
import tracemalloc
from hashlib import sha256

from app.domain.conversation.parts import Text
from app.domain.request.hashing import content_hashes
from app.domain.request.request import Request, RequestMessage

LONG = '"\\\n\x01é\N{GRINNING FACE} words' * 200_000


def test_a_long_text_is_hashed_as_one_text() -> None:
    seed, found = content_hashes(Request("offline:demo", "", (RequestMessage("user", (Text("a"), Text(LONG))),)))

    parts = [{"type": "text", "text": text} for text in ("a", LONG)]
    whole = json.dumps({"role": "user", "parts": parts}, ensure_ascii=False, separators=(",", ":"))
    assert found == sha256(bytes.fromhex(seed) + whole.encode()).hexdigest()


def test_a_long_text_is_hashed_in_pieces() -> None:
    request = Request("offline:demo", "", (RequestMessage("user", (Text(LONG),)),))
    tracemalloc.start()
    try:
        content_hashes(request)
        assert tracemalloc.get_traced_memory()[1] < len(LONG)
    finally:
        tracemalloc.stop()
