"""Texts that Python composes for the screen, in the language of the reader who asked.

The guard of events says which language that is; everything that one event runs, its background work included, speaks
it. Where nobody said so (API, exports, log), it is English. Never call `translate` while a module is imported: keep
the key in a table, and translate when the text is shown.

>>> translate("trash.title")
'Trash'
>>> with speaking("de"):
...     translate("trash.title")
'Papierkorb'
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from app.language.catalogue import SOURCE, Catalogue, load_catalogue

_language: Final = ContextVar("language", default=SOURCE)


def translate(key: str, /, **values: object) -> str:
    """Return the text of a key in the language of the reader, with its values filled in."""
    return load_catalogue(_language.get()).fill(key, values)


def current_catalogue() -> Catalogue:
    """Return the catalogue of the reader's language."""
    return load_catalogue(_language.get())


def use_language(language: str) -> None:
    """Speak one of `LANGUAGES` from now on, in this task and in those that it starts."""
    _language.set(language)


@contextmanager
def speaking(language: str) -> Generator[None]:
    """Speak one of `LANGUAGES` for a while."""
    token = _language.set(language)
    try:
        yield
    finally:
        _language.reset(token)
