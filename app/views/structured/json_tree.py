"""Draws a JSON value as HTML: lists of objects as tables, objects as names and values, schema errors at their places.

The value comes from a model, so every text in it is escaped and none becomes a tag or an attribute. The depth, width
and length of the HTML are limited; a note refers to the source for the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any, Final, TypeVar, cast

from app.domain.structured.partial_json import JsonPath
from app.domain.structured.structured_replies import SchemaFault

MAX_ITEMS: Final = 200
"""Maximum number of items of a list or an object, and of columns of a table."""
MAX_DEPTH: Final = 8
MAX_DRAWN: Final = 300_000
"""Maximum size of the drawing: the characters of all texts and names, plus `VALUE` for each value and empty cell."""
VALUE: Final = 50
MAX_SPARSE: Final = 4
"""Maximum number of cells of a table for each value in it. A list with more empty cells is not drawn as a table."""

_EMPTY: Final = '<span class="json-empty">empty</span>'
_LEFT_OUT: Final = '<span class="json-empty">see the source</span>'
_END: Final = re.compile(r"(?:</\w+>)+$")

T = TypeVar("T")


def draw_json(value: object, faults: Iterable[SchemaFault]) -> str:
    """Return the HTML of a JSON value with its schema errors.

    The end tags at its end are left out, so that the HTML of a growing reply only gets longer. Browsers add these tags.
    """
    messages: dict[JsonPath, list[str]] = {}
    for fault in faults:
        messages.setdefault(fault.path, []).append(fault.message)
    return _END.sub("", _Drawing(messages).draw(value, ()))


class _Drawing:
    """One drawing of a value. `room` is the size that may still be drawn; when it is used up, the rest is left out."""

    def __init__(self, messages: Mapping[JsonPath, list[str]]) -> None:
        self.messages = messages
        self.room = MAX_DRAWN

    def draw(self, value: object, path: JsonPath) -> str:
        self.room -= VALUE
        return self._plain(value, path) + (self._faults_at(path) if path else "")

    def _plain(self, value: object, path: JsonPath) -> str:
        if self.room <= 0:
            return _LEFT_OUT
        if len(path) > MAX_DEPTH:
            return f"<code>{self._text(_write(value))}</code>"
        if isinstance(value, list):
            return self._list(cast("list[Any]", value), path)
        if isinstance(value, dict):
            return self._object(cast("dict[str, Any]", value), path)
        if isinstance(value, str):
            return f'<span dir="auto">{self._text(value)}</span>'
        return f'<span class="json-scalar">{self._text(_write(value))}</span>'

    def _text(self, text: str) -> str:
        shown = text[: max(0, self.room)]
        self.room -= len(text)
        return escape(shown) + ("" if shown == text else f"… {_LEFT_OUT}")

    def _list(self, items: list[Any], path: JsonPath) -> str:
        if not items:
            return _EMPTY
        if _is_table(items):
            return self._table(items, path)
        lines = [f"<li>{self.draw(item, (*path, at))}</li>" for at, item in self._fitting(enumerate(items))]
        return f"<ol>{''.join(lines)}{_more(items, len(lines))}</ol>"

    def _object(self, fields: dict[str, Any], path: JsonPath) -> str:
        if not fields:
            return _EMPTY
        lines = [
            f"<div><dt>{self._text(name)}</dt><dd>{self.draw(inner, (*path, name))}</dd></div>"
            for name, inner in self._fitting(fields.items())
        ]
        return f"<dl>{''.join(lines)}{_more(fields, len(lines))}</dl>"

    def _table(self, rows: list[dict[str, Any]], path: JsonPath) -> str:
        names = _names(rows)
        heads = "".join(f'<th scope="col">{self._text(name)}</th>' for name in names)
        lines = [f"<tr>{self._cells(row, names, (*path, at))}</tr>" for at, row in self._fitting(enumerate(rows))]
        left_out = _left_out(rows, len(lines))
        foot = f'<tfoot><tr><td colspan="{len(names)}">{left_out}</td></tr></tfoot>' if left_out else ""
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(lines)}</tbody>{foot}</table>"

    def _cells(self, row: dict[str, Any], names: list[str], path: JsonPath) -> str:
        """Draw the cells of a row. The first cell also has the errors of the row itself."""
        drawn = [self.draw(row[name], (*path, name)) if name in row else "" for name in names]
        self.room -= VALUE * drawn.count("")
        own = self._faults_at(path)
        return "".join(f"<td>{cell}{'' if column else own}</td>" for column, cell in enumerate(drawn))

    def _faults_at(self, path: JsonPath) -> str:
        messages = self.messages.get(path, ())
        return "".join(f'<small class="json-fault">{self._text(message)}</small>' for message in messages)

    def _fitting(self, items: Iterable[T]) -> Iterator[T]:
        """Yield the first items, as long as the limits allow."""
        for at, item in enumerate(items):
            if at == MAX_ITEMS or self.room <= 0:
                return
            yield item


def _is_table(items: list[Any]) -> bool:
    if not all(isinstance(item, dict) for item in items):
        return False
    rows = cast("list[dict[str, Any]]", items[:MAX_ITEMS])
    columns = len(_names(rows))
    return columns <= MAX_ITEMS and columns * len(rows) <= MAX_SPARSE * sum(map(len, rows))


def _names(rows: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for row in rows[:MAX_ITEMS] for name in row))


def _more(items: list[Any] | dict[str, Any], shown: int) -> str:
    left_out = _left_out(items, shown)
    return f'<div class="json-empty">{left_out}</div>' if left_out else ""


def _left_out(items: list[Any] | dict[str, Any], shown: int) -> str:
    return f"and {len(items) - shown:,} more: see the source" if len(items) > shown else ""


def _write(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
