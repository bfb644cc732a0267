"""Texts of the page from the catalogue: `phrase("trash.title")`.

The page is compiled once, with a mark in place of each text. After the build the marks become texts, once per language
(`app/ui/translated_pages.py`), so that a browser gets the words of its language within the page itself.

>>> phrase("trash.title")
'@@trash.title@@'
"""

from __future__ import annotations

from typing import Any, overload

import reflex as rx
from reflex_base.vars import VarData

from app.language.catalogue import SOURCE, CatalogueError, find_places, load_catalogue


@overload
def phrase(key: str, /) -> str: ...  # pyright: ignore[reportOverlappingOverload] - no values, no var


@overload
def phrase(key: str, /, **values: Any) -> rx.Var[str]: ...


def phrase(key: str, /, **values: Any) -> str | rx.Var[str]:
    """Return a text of the catalogue. `values` are vars that the browser fills in; `count` chooses between two forms.

    Without values, a text with places is given as it is written: an island fills it in.

    Raises:
        CatalogueError: there is no such text, or its places are not these values.
    """
    text = load_catalogue(SOURCE).text(key)
    mark = f"@@{key}@@"
    if not values:
        return mark
    if sorted({*find_places(text), "count"}) != sorted({*values, "count"}):
        raise CatalogueError(f"The text {key!r} wants the values {sorted(find_places(text))}, not {sorted(values)}.")
    written = ", ".join(f'"{name}": {rx.Var.create(value)!s}' for name, value in values.items())
    data = VarData(imports={"$/islands/kit/fill.ts": [rx.ImportVar(tag="fill")]})
    inner = [rx.Var.create(value)._get_all_var_data() for value in values.values()]  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - Reflex has no other name
    return rx.Var(f'fill("{mark}", {{{written}}})', _var_type=str, _var_data=VarData.merge(data, *inner)).to(str)
