"""The words of the access log: what was sent, exported or changed, by the name that the audit trail stores.

    >>> describe_action("conversation.changed", {"what": "deleted removed", "pairs": 2})
    '2 pairs restored'
    >>> describe_action("conversation.changed", {"what": "model, system_prompt"})
    'model, system prompt'

A name that is not in these tables is shown unchanged: the path of the API for a program that reads, and the
names in entries of older versions.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from app.domain.audit import AuditAction
from app.domain.conversation.damage import SETTINGS
from app.views.usage.figures import plural

_CHANGED: Final[Mapping[str, str]] = MappingProxyType(
    {
        **SETTINGS,
        "checkpoint": "summary",
        "comparison discarded": "comparison discarded",
        "comparison kept": "reply of a comparison kept",
        "comparison reopened": "comparison opened again",
        "filter": "filter",
        "flagged": "flag set",
        "flagged removed": "flag removed",
        "folder_id": "folder",
        "keep warm": "cache kept warm",
        "keep warm removed": "cache no longer kept warm",
        "mark": "tag",
        "metadata_json": "metadata",
        "pair added": "pair added",
        "queue": "queued messages",
        "reply recovered": "reply recovered after a crash",
        "stars": "stars",
        "summary": "summary",
        "summary_position": "summary",
        "temporary removed": "no longer temporary",
        "title": "title",
        "topic_id": "topic",
        "version": "earlier version restored",
    }
)
_COUNTED: Final[Mapping[str, str]] = MappingProxyType(
    {"deleted": "deleted", "deleted removed": "restored", "pairs deleted permanently": "deleted permanently"}
)
"""The changes that are named with the number of their pairs."""
_SENT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "reply": "a message",
        "comparison": "a message to several models",
        "count": "a request for an exact count",
        "delegated": "a task of an agent",
        "edit": "an edited message",
        "resend": "a message again",
        "summary": "a request for a summary",
        "title": "a request for a title",
    }
)
_EXPORTED: Final[Mapping[str, str]] = MappingProxyType({"json": "JSON", "md": "Markdown", "html": "HTML"})
_WORDS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        AuditAction.CHANGED: _CHANGED,
        AuditAction.CREATED: {"import": "imported from a file"},
        AuditAction.EXPORTED: _EXPORTED,
        AuditAction.SENT: _SENT,
    }
)


def describe_action(action: str, data: Mapping[str, Any]) -> str:
    """Describe what an entry of the audit trail is about, "" if its data has no name."""
    names = [name for name in str(data.get("what", "")).split(", ") if name]
    pairs = data.get("pairs")
    words = _WORDS.get(action, {})
    count = plural(pairs, "pair") if isinstance(pairs, int) else "pair"
    described = (
        f"{count} {_COUNTED[name]}" if action == AuditAction.CHANGED and name in _COUNTED else words.get(name, name)
        for name in names
    )
    return ", ".join(dict.fromkeys(described))
