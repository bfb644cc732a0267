"""The chosen topic of each conversation, as JSON that the browser stores: topic ids by conversation. Pure functions."""

from __future__ import annotations

import json
from typing import Final, cast

from app.state.tab.inputs import json_in

NEW: Final = "new"
"""The key for the topic chosen on the start page, where there is no conversation yet."""
MAX_ID: Final = 64
MAX_KEPT: Final = 300
"""Maximum number of conversations whose topic is stored."""


def read_kept(kept: str, conversation_id: str) -> str:
    """Return the id of the topic chosen in a conversation, "" for none. `kept` is the JSON that the browser stored."""
    return _read(kept).get(conversation_id or NEW, "")


def keep_topic(kept: str, conversation_id: str, topic_id: str) -> str:
    """Return the stored JSON with this choice added as the newest. `topic_id` "": the conversation's choice is removed.

    If there are too many choices, the oldest are dropped.

    >>> keep_topic('{"c1": "t1"}', "", "t2"), keep_topic('{"c1": "t1"}', "c1", "")
    ('{"c1": "t1", "new": "t2"}', '{}')
    """
    name = conversation_id or NEW
    others = {other: topic for other, topic in _read(kept).items() if other != name}
    chosen = {**others, name: topic_id} if topic_id else others
    return json.dumps(dict(list(chosen.items())[-MAX_KEPT:]))


def _read(kept: str) -> dict[str, str]:
    """Read the choices that the browser stored. Invalid values are ignored: any user can change what a browser stores.

    >>> _read('{"c1": "t1", "c2": 2}'), _read("nonsense"), _read("[]")
    ({'c1': 't1'}, {}, {})
    """
    read = json_in(kept)
    found = cast("dict[str, object]", read).items() if isinstance(read, dict) else ()
    return {name: topic for name, topic in found if isinstance(topic, str) and len(topic) <= MAX_ID}
