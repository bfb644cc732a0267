"""Folders: a name that groups conversations in the list. A conversation is in one folder or in none.

A deleted folder stays stored, so it can be restored together with its conversations. While it is deleted, no
conversation is in it.

    >>> clean_name("  Work ")
    'Work'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from app.domain.conversation.conversation import Conversation, ConversationKind
from app.domain.conversation.damage import Damage
from app.domain.errors import ConflictError, InputError
from app.domain.text.pattern import fold

MAX_NAME: Final = 80
"""Maximum number of characters of a folder's name."""
MAX_FOLDERS: Final = 200
"""Maximum number of folders of an owner: the list of conversations shows all of them."""
_JOINERS: Final[dict[int, None]] = dict.fromkeys((0x200C, 0x200D, 0x200E, 0x200F))
"""Invisible characters that a name can have: joiners (in emoji and Persian) and direction marks."""
_FLAG: Final = re.compile("(?<=\U0001f3f4)[\U000e0030-\U000e007a]{2,6}\U000e007f")
"""The invisible tags of a flag, after a black flag."""
_SELECTOR: Final = "[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]"
_SELECTED: Final = re.compile(rf"(?<=\S)(?<!{_SELECTOR}){_SELECTOR}(?!{_SELECTOR})")
"""A variation selector: it chooses the form of the character before it, as in the red heart."""
_HIDDEN: Final = re.compile(rf"{_SELECTOR}|[\u034f\u17b4\u17b5]")
"""Characters that count as printable, and are invisible. Several of them could hide a text."""
_BLANKS: Final[dict[int, None]] = dict.fromkeys((0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0))
"""Characters that count as printable, and look like a blank."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of conversations.

    - `metadata_json`: a JSON object of a program, "" for none (`metadata.py`).
    - `damage`: its unreadable values.
    """

    id: str
    owner: str
    name: str
    created_at: datetime
    updated_at: datetime
    metadata_json: str = ""
    damage: tuple[Damage, ...] = ()


def clean_name(name: str) -> str:
    """Return the name without blanks around it.

    Raises:
        InputError: the name is invalid.
    """
    cleaned = name.strip()
    seen = _leave_out_invisible(cleaned)
    if not _HIDDEN.sub("", seen).translate(_BLANKS).strip():
        raise InputError("name", "is blank. Give the folder a name.")
    if len(cleaned) > MAX_NAME:
        raise InputError("name", f"has {len(cleaned)} characters. The maximum for a folder name is {MAX_NAME}.")
    if not seen.isprintable() or _HIDDEN.search(seen):
        raise InputError("name", "has a line break or another invisible character. Write it on one line.")
    return cleaned


def require_filable(conversation: Conversation) -> None:
    """Refuse a conversation that cannot be in a folder: a temporary one, or a child conversation.

    Raises:
        InputError: the conversation is temporary, or a child conversation.
    """
    if conversation.temporary:
        raise InputError("folder_id", "names a folder for a temporary conversation. Keep the conversation first.")
    if conversation.kind is not ConversationKind.AGENT:
        raise InputError("folder_id", "names a folder for a child conversation. Only chats can be in a folder.")


def require_free(folders: Iterable[Folder], name: str, besides: str = "") -> None:
    """Refuse a name that another folder has, ignoring case and invisible characters.

    The folder with the id `besides` may have the name.

    Raises:
        ConflictError: another folder has the name.
    """
    wanted = _fold_visible(name)
    for other in folders:
        if other.id != besides and _fold_visible(other.name) == wanted:
            raise ConflictError(f"A folder named {other.name!r} already exists. Choose another name.")


def require_empty(folder: Folder, count: int) -> None:
    """Refuse to remove a new folder with `count` conversations.

    Raises:
        ConflictError: the folder has conversations.
    """
    if count:
        content = "1 conversation" if count == 1 else f"{count} conversations"
        raise ConflictError(f"“{folder.name}” has {content} now, so it was not removed. Delete it from its menu.")


def require_room(folders: Sequence[Folder]) -> None:
    """Refuse one more folder if there are too many.

    Raises:
        ConflictError: the owner has the maximum number of folders.
    """
    if len(folders) >= MAX_FOLDERS:
        raise ConflictError(f"You have {len(folders)} folders. The maximum is {MAX_FOLDERS}. Delete one first.")


def _fold_visible(name: str) -> str:
    return fold(_leave_out_invisible(name))


def _leave_out_invisible(name: str) -> str:
    """Return the name without the invisible characters that a name can have."""
    return _SELECTED.sub("", _FLAG.sub("", name)).translate(_JOINERS)
