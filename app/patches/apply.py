"""Applies a patch in Python, as `apply.ts` does in the browser. Tests and other Python clients use it.

apply(["a", "b"], diff(("a", "b"), ("b", "c"))) == ["b", "c"]
"""

from __future__ import annotations

import dataclasses
from enum import Enum
from typing import Any

from app.patches.diff import field_names, is_list
from app.patches.patch import Append, FullValue, Op, Patch, Rebuild, Replace, Span, ValuePath


def apply(value: Any, patch: Patch | FullValue) -> Any:
    """Return a plain value with a patch applied. `value` itself does not change; equal parts are shared, not copied."""
    if isinstance(patch, FullValue):
        return plain(patch.value)
    for op in patch.ops:
        value = _apply_at(value, op.path, op)
    return value


def plain(value: Any) -> Any:
    """Convert a value to its form in JSON: lists, dictionaries and scalars."""
    if is_list(value):
        return [plain(item) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: plain(getattr(value, name)) for name in field_names(type(value))}
    return value.value if isinstance(value, Enum) else value


def _apply_at(value: Any, path: ValuePath, op: Op) -> Any:
    if path:
        copy = value.copy()
        copy[path[0]] = _apply_at(value[path[0]], path[1:], op)
        return copy
    match op:
        case Append(text=text):
            return value + text
        case Replace(value=new):
            return plain(new)
        case Rebuild(pieces=pieces):
            rebuilt: list[Any] = []
            for piece in pieces:
                rebuilt += value[piece.start : piece.stop] if isinstance(piece, Span) else plain(piece.items)
            return rebuilt
