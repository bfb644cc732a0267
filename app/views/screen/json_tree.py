"""A JSON value as HTML to be read: lists of objects as tables, objects as names and values, faults where they are.

The value is a model's: every text of it is escaped, and none becomes a tag or an attribute.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any, Final, cast

from app.domain.structured import SchemaFault

MAX_ITEMS: Final = 200
"""Of a list or an object at once."""
MAX_DEPTH: Final = 8

_EMPTY: Final = '<span class="json-empty">nothing in it</span>'
_END: Final = re.compile(r"(?:</\w+>)+$")

Path = tuple[str | int, ...]
Messages = Mapping[Path, list[str]]


def draw_json(value: object, faults: Iterable[SchemaFault]) -> str:
    """Return the HTML, without its last end tags: so that of a reply that grows continues what it was."""
    messages: dict[Path, list[str]] = {}
    for fault in faults:
        messages.setdefault(fault.path, []).append(fault.message)
    return _END.sub("", _draw(value, (), messages))


def _draw(value: object, path: Path, messages: Messages) -> str:
    return _plain(value, path, messages) + (_told(path, messages) if path else "")


def _plain(value: object, path: Path, messages: Messages) -> str:
    if len(path) > MAX_DEPTH:
        return f"<code>{escape(_write(value))}</code>"
    if isinstance(value, list):
        return _list(cast("list[Any]", value), path, messages)
    if isinstance(value, dict):
        return _object(cast("dict[str, Any]", value), path, messages)
    if isinstance(value, str):
        return f'<span dir="auto">{escape(value)}</span>'
    return f'<span class="json-scalar">{escape(_write(value))}</span>'


def _list(items: list[Any], path: Path, messages: Messages) -> str:
    if not items:
        return _EMPTY
    if all(isinstance(item, dict) for item in items):
        return _table(items, path, messages)
    lines = (f"<li>{_draw(item, (*path, at), messages)}</li>" for at, item in enumerate(items[:MAX_ITEMS]))
    return f"<ol>{''.join(lines)}{_more(items)}</ol>"


def _object(fields: dict[str, Any], path: Path, messages: Messages) -> str:
    if not fields:
        return _EMPTY
    lines = (
        f"<div><dt>{escape(name)}</dt><dd>{_draw(inner, (*path, name), messages)}</dd></div>"
        for name, inner in list(fields.items())[:MAX_ITEMS]
    )
    return f"<dl>{''.join(lines)}{_more(fields)}</dl>"


def _table(rows: list[dict[str, Any]], path: Path, messages: Messages) -> str:
    shown = rows[:MAX_ITEMS]
    names = list(dict.fromkeys(name for row in shown for name in row))
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    lines = "".join(f"<tr>{_cells(row, names, (*path, at), messages)}</tr>" for at, row in enumerate(shown))
    foot = f'<tfoot><tr><td colspan="{len(names)}">{_left_out(rows)}</td></tr></tfoot>' if _left_out(rows) else ""
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody>{foot}</table>"


def _cells(row: dict[str, Any], names: list[str], path: Path, messages: Messages) -> str:
    """The faults of the row itself stand in its first cell."""
    drawn = [_draw(row[name], (*path, name), messages) if name in row else "" for name in names]
    own = _told(path, messages)
    return "".join(f"<td>{cell}{'' if column else own}</td>" for column, cell in enumerate(drawn))


def _told(path: Path, messages: Messages) -> str:
    return "".join(f'<small class="json-fault">{escape(message)}</small>' for message in messages.get(path, ()))


def _more(items: list[Any] | dict[str, Any]) -> str:
    left_out = _left_out(items)
    return f'<div class="json-empty">{left_out}</div>' if left_out else ""


def _left_out(items: list[Any] | dict[str, Any]) -> str:
    count = len(items) - MAX_ITEMS
    return f"and {count:,} more: see the source" if count > 0 else ""


def _write(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
