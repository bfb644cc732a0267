"""Rules of saved filters: valid names, valid content, and which saved filters use each other.

Not here: the replacement of `@name` when a filter is read (`filters/saved.py`).

    >>> rename_use("s2 @good | @good", "good", "best")
    's2 @best | @best'
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.conversation.damage import Damage
from app.domain.errors import ConflictError, InputError
from app.domain.filters.language.errors import FilterError
from app.domain.filters.language.lexer import MAX_LENGTH
from app.domain.filters.language.parser import parse_filter
from app.domain.filters.language.syntax import Everything, Filter, Saved, leaves
from app.domain.filters.saved import expand_saved

MAX_NAME = 60
"""Maximum number of characters of a saved filter's name."""
MAX_SAVED = 500
"""Maximum number of saved filters per owner."""

_NAME = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class SavedFilter:
    """A saved filter. `number` is its row number in the database. `damage` lists its unreadable values."""

    number: int
    name: str
    filter: str
    damage: tuple[Damage, ...] = ()


@dataclass(frozen=True, slots=True)
class AppliedFilter:
    """An entry in the history of applied filters.

    `number` is its row number in the database. `damage` lists its unreadable values.
    """

    number: int
    filter: str
    damage: tuple[Damage, ...] = ()


def require_name(name: str) -> None:
    """Check that a name can follow an `@`.

    Raises:
        InputError: the name is invalid.
    """
    if not _NAME.fullmatch(name) or len(name) > MAX_NAME:
        raise InputError(
            "name", f"can have only letters, digits, - and _, at most {MAX_NAME}, because it is written as @name."
        )


def read_savable(name: str, line: str, saved: Mapping[str, str]) -> None:
    """Check that a line can be saved under this name, and that the saved filters that use this name remain valid.

    Raises:
        FilterError: the line cannot be read. The error has the position.
        InputError: the name is invalid, the line is empty, or another saved filter would become invalid.
        ConflictError: there are too many saved filters.
    """
    require_name(name)
    tree = parse_filter(line)
    if isinstance(tree, Everything):
        raise InputError("filter", "is empty. Write a filter.")
    if name not in saved and len(saved) >= MAX_SAVED:
        raise ConflictError(f"You have {MAX_SAVED} saved filters, which is the maximum. Delete some.")
    would_be = {**saved, name: line}
    expand_saved(tree, would_be)
    for other in list_users(name, saved):
        try:
            expand_saved(Saved(other), would_be)
        except FilterError as error:
            raise InputError("filter", f"@{other} uses @{name} and could no longer be used: {error.message}") from error


def list_used(line: str, saved: Mapping[str, str]) -> tuple[str, ...]:
    """Return the saved filters that a line uses, directly or through other saved filters, in alphabetical order."""
    found: set[str] = set()
    waiting = [line]
    while waiting:
        for name in _names(waiting.pop()):
            if name in saved and name not in found:
                found.add(name)
                waiting.append(saved[name])
    return tuple(sorted(found))


def list_users(name: str, saved: Mapping[str, str]) -> tuple[str, ...]:
    """Return the saved filters that use the saved filter `name`, directly or through others, in alphabetical order."""
    return tuple(sorted(other for other, line in saved.items() if other != name and name in list_used(line, saved)))


def uses(line: str, name: str) -> bool:
    """Return True if a filter line contains `@name`. A use through another saved filter does not count."""
    return name in _names(line)


def rename_use(line: str, old: str, new: str) -> str:
    """Return the line with every use of the saved filter `old` changed to `new`. The rest does not change.

    Raises:
        InputError: the line would become too long.
    """
    places = [leaf.position + 1 for leaf in leaves(parse_filter(line)) if isinstance(leaf, Saved) and leaf.name == old]
    for place in sorted(places, reverse=True):
        line = f"{line[:place]}{new}{line[place + len(old) :]}"
    if len(line) > MAX_LENGTH:
        raise InputError("name", f"a filter that uses it would have more than {MAX_LENGTH:,} characters. Shorten it.")
    return line


def _names(line: str) -> frozenset[str]:
    try:
        tree: Filter = parse_filter(line)
    except FilterError:  # saved by a version with another filter language, so its uses are unknown
        return frozenset()
    return frozenset(leaf.name for leaf in leaves(tree) if isinstance(leaf, Saved))
