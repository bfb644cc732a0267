"""Describes each damage of the database for `inview doctor`: the value, its place, and the next step.

    Damaged: parts of message m1 (40 bytes): it is no JSON (unexpected end of data: line 1 column 41 (char 40))
      In conversation c1 “Plans”: Delete the pair, or export it raw: /c/c1?at=3

No stored text is quoted, except titles of conversations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from app.config.settings import SQLITE
from app.domain.conversation.damage import SETTINGS
from app.store.diagnosis.diagnosis import Finding, find_damage, is_readable
from app.store.diagnosis.mending import BUILT, mend
from app.store.topics.topics import NO_TOPIC

MAX_TITLE: Final = 60
_MENDED: Final = frozenset(
    {
        *("agent", "applied_filter", "budget", "conversation_rule", "keep_warm", "pair_size", "pair_text"),
        *("permission_rule", "preference", "price", "provider_setting", "saved_filter", "search_text", "topic"),
        *("usage_account", "usage_day"),
    }
)
"""Tables whose damage `--mend` repairs."""
_OTHERWISE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "attachment": "Attach the file again.",
        "mcp_server": "The server is off. Delete it and add it again: /settings#tools",
        "node": "The entry counts nothing and is shown as unreadable. You need not do anything.",
    }
)
"""The default next step for damage in these tables."""
_OF_PAIRS: Final = frozenset({"pair", "message", "version", "run", "snapshot", "tool_call"})


def mend_damage(database_url: str, say: Callable[[str], object]) -> None:
    """Repair the database as far as possible, and print each repair with `say`.

    Raises:
        StoreError: the database cannot be opened or written. Nothing was changed.
    """
    path = Path(database_url.removeprefix(SQLITE).partition("?")[0])
    if not path.exists() or not is_readable(database_url):
        return
    mended = mend(database_url, path.parent)
    for sentence in mended.sentences:
        say(f"Mended: {sentence}")
    if mended.kept is not None:
        say(f"The original of each changed or deleted row is saved in {mended.kept}.")
    if not mended.sentences:
        say("Nothing could be repaired.")


def report_damage(database_url: str, say: Callable[[str], object]) -> int:
    """Print each damaged value and the next step with `say`. Return the number of damaged values.

    Raises:
        StoreError: the database cannot be opened.
    """
    if not Path(database_url.removeprefix(SQLITE).partition("?")[0]).exists():
        return 0
    if not is_readable(database_url):
        say(
            "An older version of Inview created the database, so it was not checked for damage. Run `inview "
            "migrate` first."
        )
        return 0
    count = 0
    for finding in find_damage(database_url):
        count += 1
        say(f"Damaged: {finding.damage}")
        say(f"  {_tell_place(finding)}{advise(finding)}")
    return count


def advise(finding: Finding) -> str:
    """Return a sentence with the next step that the user can take for this damage."""
    table, column, place = finding.damage.table, finding.damage.column, finding.place
    if column == "*":
        return "Restore a backup of the database."
    if table in {one.name for one in BUILT}:
        return "`inview doctor --mend` builds it again."
    if place.in_trash:
        return "It is in the trash. Delete it there permanently, or restore it: /trash"
    path = f"/c/{place.conversation_id}"
    if table == "conversation" and place.conversation_id is not None:
        if column in SETTINGS:
            return f"Set the {SETTINGS[column]} again, or press Reset at the top of the conversation: {path}"
        return f"Rename it: {path}" if column == "title" else "No send depends on it. You need not do anything."
    if table == "attachment" and place.conversation_id is not None:
        at = "" if place.position is None else f"?at={place.position}"
        return f"Attach the file again in a new message, or delete the pair that has it: {path}{at}"
    if finding.damage.reason == NO_TOPIC and place.position is not None:
        at = f"{path}?at={place.position}"
        return f"File the pair under another topic, or stop Inview and run `inview doctor --mend`: {at}"
    if table == "saved_filter" or (table, column) == ("applied_filter", "filter"):
        return "Delete it in the list of saved filters, or stop Inview and run `inview doctor --mend`."
    if table in _OF_PAIRS and place.position is not None:
        return f"Delete the pair, or export it raw: {path}?at={place.position}"
    if table in _MENDED:
        return "Stop Inview and run `inview doctor --mend`."
    if table in {"queued", "comparison"} and place.conversation_id is not None:
        return f"Remove it in the conversation: {path}"
    return _OTHERWISE.get(table, "If you need it, restore a backup of the database that has it.")


def _tell_place(finding: Finding) -> str:
    place = finding.place
    if place.conversation_id is None:
        return ""
    title = place.title or ""
    shown = title if len(title) <= MAX_TITLE else f"{title[:MAX_TITLE]}…"
    named = f"{place.conversation_id} “{shown}”" if shown else place.conversation_id
    return "".join(one if one.isprintable() else " " for one in f"In conversation {named}: ")
