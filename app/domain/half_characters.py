r"""Lone surrogates: half a character of UTF-16, which JSON can escape and UTF-8, so no database and no file, can hold.

>>> has_half_character("😀"), has_half_character({"name": ["a", "\ud83d"]})
(False, True)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, cast

HALF_CHARACTER: Final = "A text holds half a character (a surrogate alone), which nobody can read."
"""The reason of the `InputError` that refuses such a text."""


def has_half_character(value: object) -> bool:
    """Return whether a text, or one within a value of JSON, names of fields included, has a lone surrogate."""
    if not isinstance(value, str):
        return any(has_half_character(one) for one in inner_values(value))
    try:
        value.encode()
    except UnicodeEncodeError:
        return True
    return False


def inner_values(value: object) -> Iterable[object]:
    """Return the names and values of an object of JSON, or the items of a list; nothing for any other value."""
    if isinstance(value, Mapping):
        fields = cast("Mapping[object, object]", value)
        return (*fields, *fields.values())
    return cast("Sequence[object]", value) if isinstance(value, list | tuple) else ()
