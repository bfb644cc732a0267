"""Which topics are chosen in which conversations, as the browser keeps it: ids by conversation, as JSON. Pure."""

from __future__ import annotations

import json
from typing import Final

NEW: Final = "new"
"""Where there is no conversation yet."""
MAX_ID: Final = 64
MAX_KEPT: Final = 300
"""Conversations of which the choice is kept."""


def read_kept(kept: str, conversation_id: str) -> str:
    """The id of the topic chosen in a conversation, "" for none."""
    return _read(kept).get(conversation_id or NEW, "")


def keep_topic(kept: str, conversation_id: str, topic_id: str) -> str:
    """The choices with this one as the newest; the oldest are forgotten when there are too many.

    >>> keep_topic('{"c1": "t1"}', "", "t2"), keep_topic('{"c1": "t1"}', "c1", "")
    ('{"c1": "t1", "new": "t2"}', '{}')
    """
    name = conversation_id or NEW
    others = {other: topic for other, topic in _read(kept).items() if other != name}
    chosen = {**others, name: topic_id} if topic_id else others
    return json.dumps(dict(list(chosen.items())[-MAX_KEPT:]))


def _read(kept: str) -> dict[str, str]:
    """The choices as the browser kept them. Anybody can write there.

    >>> _read('{"c1": "t1", "c2": 2}'), _read("nonsense"), _read("[]")
    ({'c1': 't1'}, {}, {})
    """
    try:
        read = json.loads(kept or "{}")
    except ValueError:
        return {}
    found = read.items() if isinstance(read, dict) else ()
    return {str(name): topic for name, topic in found if isinstance(topic, str) and len(topic) <= MAX_ID}
