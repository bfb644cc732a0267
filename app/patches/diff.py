"""Computes the difference between two values. The difference is as small as the change.

    >>> diff(("a", "b"), ("a", "b", "c"))
    Patch(ops=(Rebuild(path=(), pieces=(Span(start=0, stop=2), NewItems(items=('c',)))),))
    >>> diff("Hel", "Hello")
    Patch(ops=(Append(path=(), text='lo'),))

Values are scalars, enums, dataclasses (objects with their fields), lists and tuples. Identical objects are not
compared, so make a new value from parts of the old one. Only parts that cannot change in place can be used again
(`values.py`).

Items of a list are matched by their `id` if they have one, otherwise by equality.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cache
from operator import is_
from typing import Any, TypeGuard

from app.patches.patch import Append, FullValue, NewItems, Op, Patch, Rebuild, Replace, Span, ValuePath


def diff(old: object, new: object) -> Patch | FullValue:
    """Return the patch that makes `new` from `old`, or the whole new value if they share nothing."""
    ops: list[Op] = []
    _compare(old, new, (), ops)
    match ops:
        case [Replace(path=())]:
            return FullValue(new)
        case [Rebuild(path=(), pieces=pieces), *_] if not any(isinstance(piece, Span) for piece in pieces):
            return FullValue(new)
        case _:
            return Patch(tuple(ops))


def is_list(value: object) -> TypeGuard[Sequence[Any]]:
    """Return True if a value becomes a list in JSON."""
    return isinstance(value, list | tuple)


@cache
def field_names(kind: type) -> tuple[str, ...]:
    """Return the names of a dataclass's fields, in order."""
    return tuple(field.name for field in dataclasses.fields(kind))


def _compare(old: object, new: object, path: ValuePath, ops: list[Op]) -> None:
    if old is new:
        return
    if is_list(old) and is_list(new):
        _compare_lists(old, new, path, ops)
    elif type(old) is not type(new):
        ops.append(Replace(path, new))
    elif isinstance(old, str) and isinstance(new, str):
        if old and len(new) > len(old) and new.startswith(old):
            ops.append(Append(path, new[len(old) :]))
        elif old != new:
            ops.append(Replace(path, new))
    elif dataclasses.is_dataclass(new):
        for name in field_names(type(new)):
            was, now = getattr(old, name), getattr(new, name)
            if was is not now:
                _compare(was, now, (*path, name), ops)
    elif not _is_same_scalar(old, new):
        ops.append(Replace(path, new))


def _is_same_scalar(old: object, new: object) -> bool:
    """Compare by the JSON text: NaN is the same as NaN, and -0.0 differs from 0.0."""
    if isinstance(old, float):
        return repr(old) == repr(new)
    return old == new


def _compare_lists(old: Sequence[object], new: Sequence[object], path: ValuePath, ops: list[Op]) -> None:
    if len(old) == len(new):
        changed = [at for at, same in enumerate(map(is_, old, new)) if not same]
        if all(_is_same_item(old[at], new[at]) for at in changed):  # the most frequent case: no item has moved
            for at in changed:
                _compare(old[at], new[at], (*path, at), ops)
            return
    origins = _origins(old, new)
    if len(old) != len(new) or any(origin != at for at, origin in enumerate(origins)):
        ops.append(Rebuild(path, tuple(_pieces(origins, new))))
    for at, origin in enumerate(origins):
        if origin >= 0 and old[origin] is not new[at]:
            _compare(old[origin], new[at], (*path, at), ops)


def _origins(old: Sequence[object], new: Sequence[object]) -> list[int]:
    """Return for each new item its position in the old list, -1 for an item that was not in it."""
    shared = min(len(old), len(new))
    head = tail = 0
    while head < shared and _is_same_item(old[head], new[head]):
        head += 1
    while tail < shared - head and _is_same_item(old[-1 - tail], new[-1 - tail]):
        tail += 1
    old_middle, new_middle = range(head, len(old) - tail), range(head, len(new) - tail)
    places: dict[str | int, int] = {key: at for at in old_middle if (key := _key(old[at])) is not None}
    if places or len(old_middle) != len(new_middle):
        middle = [-1 if (key := _key(new[at])) is None else places.get(key, -1) for at in new_middle]
    else:  # the items have no ids, so the item at the same position is used
        middle = list(old_middle)
    return [*range(head), *middle, *range(len(old) - tail, len(old))]


def _pieces(origins: Sequence[int], new: Sequence[object]) -> list[Span | NewItems]:
    pieces: list[Span | NewItems] = []
    at = 0
    while at < len(origins):
        begin, first = at, origins[at]
        if first < 0:
            while at < len(origins) and origins[at] < 0:
                at += 1
            pieces.append(NewItems(tuple(new[begin:at])))
        else:
            while at < len(origins) and origins[at] == first + at - begin:
                at += 1
            pieces.append(Span(first, first + at - begin))
    return pieces


def _is_same_item(one: object, other: object) -> bool:
    if one is other:
        return True
    key = _key(one)
    return key == _key(other) if key is not None else type(one) is type(other) and one == other


def _key(item: object) -> str | int | None:
    key = getattr(item, "id", None)
    return key if isinstance(key, str | int) else None
