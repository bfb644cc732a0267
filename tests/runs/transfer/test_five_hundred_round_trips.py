"""Five hundred random conversations out, in and out again: the same bytes, but for ids and the time of writing."""

from __future__ import annotations

import os
import random
import re
from typing import Any, cast

import orjson

from app.runs.workbench import Workbench
from tests.runs.exchange import bring_back, export
from tests.runs.random_conversations import make_conversation, store_made
from tests.seeds import choose_seed

ROUND_TRIPS = int(os.environ.get("ROUND_TRIPS", "500"))
_ID = re.compile(rb'"[0-7][0-9a-hjkmnp-tv-z]{25}"')
_WRITTEN_AT = re.compile(rb'"exported_at":"[^"]*"', re.ASCII)
EVERYTHING = {
    *("text", "thinking", "image", "file", "text_file", "tool_call", "tool_result"),
    *("checkpoint", "nodes", "topic", "mark", "versions", "snapshot", "failure", "usage", "tool_calls", "seconds"),
    *("reply_schema", "temperature", "attachments", "prelude", "redacted", "sent", "structured_json", "retries"),
}


def but_for_ids(body: bytes) -> bytes:
    """The bytes of a file, with its ids numbered in the order in which they appear."""
    numbers: dict[bytes, bytes] = {}
    numbered = _ID.sub(lambda found: numbers.setdefault(found[0], b'"#%d"' % len(numbers)), body)
    return _WRITTEN_AT.sub(b'"exported_at":""', numbered, count=1)


def note_what_is_there(value: Any, seen: set[str]) -> None:
    """Add the types of parts and the fields that hold something."""
    if isinstance(value, dict):
        for name, inner in cast("dict[str, Any]", value).items():
            if inner not in (None, "", [], {}):
                seen.add(inner if name == "type" else name)
                note_what_is_there(inner, seen)
    elif isinstance(value, list):
        for inner in cast("list[Any]", value):
            note_what_is_there(inner, seen)


async def test_what_is_exported_imported_and_exported_again_is_the_same_bytes(wb: Workbench, other: Workbench) -> None:
    seed = choose_seed("ROUND_TRIP_SEED")
    seen: set[str] = set()
    for number in range(ROUND_TRIPS):
        made = make_conversation(random.Random(seed + number))
        await store_made(wb, made)
        first = await export(wb, made.conversation.id)
        (elsewhere,) = await bring_back(other, first)
        second = await export(other, elsewhere)
        assert but_for_ids(second) == but_for_ids(first), f"seed {seed + number}"
        note_what_is_there(orjson.loads(first), seen)

    assert EVERYTHING - seen == set()
