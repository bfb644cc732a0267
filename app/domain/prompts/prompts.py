"""A prompt: a text under a name, which "/" and that name put into a message.

    >>> at = datetime(2026, 1, 31)
    >>> require_usable(Prompt("p1", "local", "translate", at, at, text="Translate into {{language=German}}: {{text}}"))

What stands between double braces is in `variables.py`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from app.domain.errors import ConflictError, InputError
from app.domain.pattern import fold
from app.domain.prompts.variables import MAX_VARIABLES, list_variables

MAX_NAME: Final = 60
"""Characters of a name."""
MAX_TITLE: Final = 200
MAX_FOLDER: Final = 200
"""Characters of a folder with those above it, as in "work/letters"."""
MAX_TEXT: Final = 200_000
"""Characters of a text: what a box takes at once."""
MAX_PROMPTS: Final = 500
"""Prompts of an owner: "/" lists all of them."""

_NAME: Final = re.compile(r"[^\W_][\w.-]*")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A text that is kept. `name` is written after "/"; `title` says in a line what it is for, or is empty.

    `folder` is where it is listed, with slashes between folder and folder; "": in none. `deleted_at`: it is listed no
    more, and can be restored. `shared_at`: since when everybody of the installation may use it.
    """

    id: str
    owner: str
    name: str
    created_at: datetime
    updated_at: datetime
    title: str = ""
    folder: str = ""
    text: str = ""
    deleted_at: datetime | None = None
    shared_at: datetime | None = None


def require_usable(prompt: Prompt) -> None:
    """Refuse a prompt that could not be found, shown or inserted.

    Raises:
        InputError: at the first field that cannot be used.
    """
    if not prompt.name:
        raise InputError("name", "is empty. Give the prompt a name, such as “translate”.")
    _require_text("name", prompt.name, MAX_NAME)
    if not _NAME.fullmatch(prompt.name):
        raise InputError("name", "is not one word. Use letters, digits, “-”, “.” and “_”, and begin with a letter.")
    _require_line("title", prompt.title, MAX_TITLE)
    _require_line("folder", prompt.folder, MAX_FOLDER)
    if prompt.folder and not all(part and part == part.strip() for part in prompt.folder.split("/")):
        raise InputError("folder", "has an empty part. Write it like “work” or “work/letters”.")
    _require_text("text", prompt.text, MAX_TEXT)
    if not prompt.text.strip():
        raise InputError("text", "is blank. Write what the prompt puts into a message.")
    if (count := len(list_variables(prompt.text))) > MAX_VARIABLES:
        raise InputError("text", f"has {count} variables; {MAX_VARIABLES} is the most.")


def require_free(prompts: Iterable[Prompt], prompt: Prompt) -> None:
    """Refuse a name that another prompt has, case aside.

    Raises:
        ConflictError: one has it.
    """
    for other in prompts:
        if other.id != prompt.id and other.deleted_at is None and fold(other.name) == fold(prompt.name):
            raise ConflictError(f"There is a prompt “{other.name}” already. Choose another name.")


def free_name(name: str, taken: Iterable[str]) -> str:
    """The name, with a number behind it if it is taken, case aside.

    >>> free_name("translate", ["Translate", "translate-2"])
    'translate-3'
    """
    names = set(map(fold, taken))
    numbered, number = name, 1
    while fold(numbered) in names:
        number += 1
        numbered = f"{name[: MAX_NAME - len(f'-{number}')]}-{number}"
    return numbered


def require_room(prompts: Iterable[Prompt], more: int = 1) -> None:
    """Refuse so many more prompts where there would be more than there may be.

    Raises:
        ConflictError: there would.
    """
    if sum(1 for _ in prompts) + more > MAX_PROMPTS:
        raise ConflictError(f"There are {MAX_PROMPTS} prompts, which is the most. Delete one that is not used.")


def _require_line(field: str, text: str, most: int) -> None:
    if text != text.strip():
        raise InputError(field, "has blanks around it. Remove them.")
    if any(unicodedata.category(character) in {"Cc", "Zl", "Zp"} for character in text):
        raise InputError(field, "has a line break or a control character. Write it on one line.")
    _require_text(field, text, most)


def _require_text(field: str, text: str, most: int) -> None:
    if len(text) > most:
        raise InputError(field, f"has {len(text):,} characters; {most:,} is the most.")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise InputError(field, "has half a character. Correct it there.")
    if "\0" in text:
        raise InputError(field, "has a character that ends texts (NUL). Remove it.")
