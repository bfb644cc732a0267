"""Reads providers' lists of models strictly.

Each field is checked. An entry with an invalid field is left out and reported. The other entries are used.

    >>> answer = [{"id": "m", "window": 8192}, {"id": 7}, {"id": "n", "window": "8192"}]
    >>> listed = read_list(answer, lambda entry: ListedModel(entry.name("id"), context_window=entry.tokens("window")))
    >>> [model.name for model in listed.models], listed.skipped
    (['m'], ('entry 2: id is 7', "entry 3: window is '8192'"))

The adapter of a vendor names the fields of its list.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeGuard, cast

from app.domain.usage import read_count
from app.providers.base import ListedModel, ListedModels
from app.providers.wire.json_values import FieldError, name_kind

MAX_MODELS: Final = 2_000
"""Maximum number of models of one provider.

It is several times the length of the longest lists of today, and the most that a picker can show.
"""
MAX_NAME: Final = 250
MAX_TOLD: Final = 20
"""Maximum number of left-out entries that are reported one by one."""


class BadEntryError(ValueError):
    """Error: an entry of a list has an invalid field. The message names the field and its value."""


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """An entry of a list, or an object in an entry. Every method raises `BadEntryError` for an invalid value."""

    fields: dict[str, Any]

    def name(self, field: str) -> str:
        """Return the name of the model from this field: visible characters without blanks."""
        value = self.fields.get(field)
        if not is_name(value):
            raise BadEntryError(f"{field} is {reprlib.repr(value)}")
        return value

    def label(self, *fields: str) -> str | None:
        """Return the text in the first of these fields that is present: visible characters on one line."""
        found = self._first(fields)
        if found is None:
            return None
        field, value = found
        if not is_label(value):
            raise BadEntryError(f"{field} is {reprlib.repr(value)}")
        return value

    def tokens(self, *fields: str) -> int | None:
        """Return the count in the first of these fields that is present.

        A field with 0 counts as missing, because some servers write 0 if they do not know a value.
        """
        found = self._first(fields)
        if found is None:
            return None
        field, value = found
        if (count := read_count(value)) is None:
            raise BadEntryError(f"{field} is {reprlib.repr(value)}")
        return count

    def flag(self, field: str) -> bool | None:
        """Return the boolean in this field, or None if the field is missing."""
        value = self.fields.get(field)
        if value is not None and not isinstance(value, bool):
            raise BadEntryError(f"{field} is {reprlib.repr(value)}")
        return value

    def words(self, field: str) -> frozenset[str] | None:
        """Return the words in the list in this field, or None if the field is missing."""
        value = self.fields.get(field)
        if value is None:
            return None
        words = cast("list[object]", value) if isinstance(value, list) else [None]
        texts = [word for word in words if isinstance(word, str)]
        if len(texts) < len(words):
            raise BadEntryError(f"{field} is {reprlib.repr(cast('object', value))}")
        return frozenset(texts)

    def inside(self, field: str) -> ModelEntry:
        """Return the object in this field, or an empty one if the field is missing."""
        value = self.fields.get(field)
        if value is None:
            return ModelEntry({})
        if not isinstance(value, dict):
            raise BadEntryError(f"{field} is {reprlib.repr(value)}")
        return ModelEntry(cast("dict[str, Any]", value))

    def _first(self, fields: Sequence[str]) -> tuple[str, Any] | None:
        values = ((field, self.fields.get(field)) for field in fields)
        return next(((field, value) for field, value in values if value is not None and not _is_zero(value)), None)


def read_list(answer: object, read: Callable[[ModelEntry], ListedModel]) -> ListedModels:
    """Read every entry of a list with `read`. Leave out invalid entries, and name them in `skipped` of the result.

    Raises:
        FieldError: the answer is no list.
        BadEntryError: the list has entries, and all are invalid.
    """
    if not isinstance(answer, list):
        raise FieldError(f"{name_kind(answer)} instead of a list of models")
    models: dict[str, ListedModel] = {}
    skipped: list[str] = []
    entries = cast("list[object]", answer)
    for number, entry in enumerate(entries, start=1):
        if len(models) == MAX_MODELS:
            skipped.append(f"{len(entries) - number + 1:,} entries after the first {MAX_MODELS:,} models")
            break
        try:
            if not isinstance(entry, dict):
                raise BadEntryError(f"it is {reprlib.repr(entry)}")  # noqa: TRY301 - handled below
            model = read(ModelEntry(cast("dict[str, Any]", entry)))
            if model.name in models:
                raise BadEntryError(f"{model.name} is listed twice")  # noqa: TRY301 - handled below
        except BadEntryError as error:
            skipped.append(f"entry {number:,}: {error}")
        else:
            models[model.name] = model
    if skipped and not models:
        raise BadEntryError(skipped[0])
    more = len(skipped) - MAX_TOLD
    named = skipped if more <= 0 else [*skipped[:MAX_TOLD], f"{more:,} more"]
    return ListedModels(tuple(models.values()), tuple(named))


def is_name(value: object) -> TypeGuard[str]:
    """Return True if a value can be the name of a model."""
    return is_label(value) and " " not in value


def is_label(value: object) -> TypeGuard[str]:
    """Return True if a value can be the label of a model. Control characters would change how other labels look."""
    return isinstance(value, str) and 0 < len(value) <= MAX_NAME and value.isprintable()


def is_usable(listed: ListedModel) -> bool:
    """Return True if a stored model is valid. Earlier versions of Inview stored lists without checking them."""
    counts = (listed.context_window, listed.max_output_tokens)
    labelled = listed.label is None or is_label(listed.label)
    return is_name(listed.name) and labelled and all(count is None or read_count(count) for count in counts)


def _is_zero(value: object) -> bool:
    return type(value) is int and value == 0
