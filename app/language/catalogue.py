"""Catalogues: all texts of the screen by key, one TOML file per language.

A table is a region, a key within it names the text: `[trash]` with `title = "Trash"` is `trash.title`. `{name}` is
filled in. A text with a count has two forms, `one` (the count is 1) and `other`. How to add a text or a language:
CONTRIBUTING.md. Why: docs/decisions/0080.

>>> english = load_catalogue("en")
>>> english.fill("count.pair", {"count": 1}), english.fill("count.pair", {"count": 1482})
('1 pair', '1,482 pairs')
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, cast

FOLDER: Final = Path(__file__).parent / "catalogues"
SOURCE: Final = "en"
"""The language that has every text first; who reads none of the others gets it."""

_FORMS: Final = frozenset({"one", "other"})
_PLACE: Final = re.compile(r"\{([a-z][a-z0-9_]*)\}")


class CatalogueError(Exception):
    """A catalogue lacks a text, or has one that cannot be used: a fault of ours."""


@dataclass(frozen=True, slots=True)
class Plural:
    """The two forms of a text with a count."""

    one: str
    other: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The texts of one `language`, a BCP 47 tag such as "de"."""

    language: str
    texts: Mapping[str, str | Plural]

    @property
    def name(self) -> str:
        """What the language calls itself."""
        return self.fill("language.name", {})

    def text(self, key: str) -> str | Plural:
        """Return a text as it is written.

        Raises:
            CatalogueError: there is none.
        """
        try:
            return self.texts[key]
        except KeyError:
            raise CatalogueError(f"The catalogue {self.language}.toml has no text {key!r}.") from None

    def fill(self, key: str, values: Mapping[str, object]) -> str:
        """Return a text with its values filled in. Whole numbers are written as the language groups digits.

        Raises:
            CatalogueError: there is no such text, or a value of it is missing.
        """
        text = self.text(key)
        if isinstance(text, Plural):
            text = text.one if values.get("count") == 1 else text.other
        if not values:
            return text
        try:
            return _PLACE.sub(lambda place: self._write(values[place[1]]), text)
        except KeyError as error:
            raise CatalogueError(f"The text {key!r} ({self.language}) wants a value {error}.") from None

    def number(self, count: int) -> str:
        """Write a whole number with its digits grouped."""
        separator = self.text("language.group")
        return f"{count:,}".replace(",", str(separator))

    def decimal(self, figure: str) -> str:
        """Write a figure such as "1,234.50" with the separators of the language."""
        group, point = str(self.text("language.group")), str(self.text("language.decimal"))
        return figure.translate({ord(","): group, ord("."): point})

    def _write(self, value: object) -> str:
        return self.number(value) if isinstance(value, int) and not isinstance(value, bool) else str(value)


def find_languages(folder: Path = FOLDER) -> tuple[str, ...]:
    """Return the languages that have a catalogue, the source language first."""
    found = sorted(path.stem for path in folder.glob("*.toml"))
    return (SOURCE, *(language for language in found if language != SOURCE))


LANGUAGES: Final = find_languages()


@lru_cache
def load_catalogue(language: str) -> Catalogue:
    """Read the catalogue of one of `LANGUAGES`.

    Raises:
        CatalogueError: it has something that is neither a text nor two forms of one.
    """
    tables = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    return Catalogue(language, dict(_flatten(tables, "")))


def find_places(text: str | Plural) -> frozenset[str]:
    """Return the names of the values that a text has filled in.

    >>> sorted(find_places("{count} of {total}"))
    ['count', 'total']
    """
    forms = (text.one, text.other) if isinstance(text, Plural) else (text,)
    return frozenset(name for form in forms for name in _PLACE.findall(form))


def _flatten(table: Mapping[str, Any], region: str) -> list[tuple[str, str | Plural]]:
    texts: list[tuple[str, str | Plural]] = []
    for name, value in table.items():
        key = f"{region}{name}"
        if isinstance(value, str):
            texts.append((key, value))
        elif not isinstance(value, dict):
            raise CatalogueError(f"{key} is neither a text nor a table.")
        else:
            texts.extend(_read_table(cast("dict[str, Any]", value), key))
    return texts


def _read_table(table: dict[str, Any], key: str) -> list[tuple[str, str | Plural]]:
    if table.keys() == _FORMS:
        return [(key, Plural(table["one"], table["other"]))]
    return _flatten(table, f"{key}.")
