"""Decides which values can be kept by reference and compared later: those that cannot change in place ("lasting").

    >>> kinds = Kinds()
    >>> kinds.freeze(["a", "b"])
    ('a', 'b')
    >>> kinds.freeze([{"id": 1}]) is None
    True

A type is checked once, by its annotations. Lasting types are scalars, dates and decimals, enums of strings and
integers, frozen dataclasses with lasting fields, and tuples.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, cast, get_args, get_origin, get_type_hints

from app.patches.diff import field_names, is_list

_FLOATS: Final = frozenset({float, Decimal})
_SCALARS: Final = frozenset({str, int, bool, NoneType, datetime, date, time, timedelta}) | _FLOATS


class Kinds:
    """Checks whether the values of a type are lasting (cannot change in place), and caches the results.

    `has_own_json` returns True if the framework writes a dataclass or an enum in a special JSON form, instead of an
    object with its fields or the enum's value. Such a type does not count as lasting: a patch names the changed field,
    and the special form may lack this field.
    """

    def __init__(self, has_own_json: Callable[[type], bool] = lambda _kind: False) -> None:
        self._has_own_json = has_own_json
        self._lasting: dict[type, bool] = {}
        self._floating: dict[type, bool] = {}

    def freeze(self, value: object) -> object | None:
        """Return a list, tuple or dataclass in a form that cannot change in place.

        Return None if `value` is a scalar, or has parts that can change.

        The items of a list are copied into a tuple, because the list itself can change. Only references are copied.
        """
        if is_list(value):
            return tuple(value) if self._all_last(value) else None
        return value if dataclasses.is_dataclass(value) and self.is_lasting(type(value)) else None

    def is_lasting(self, kind: type) -> bool:
        """Return True if no value of this type can change in place."""
        known = self._lasting.get(kind)
        if known is None:
            known = self._lasting[kind] = self._lasts(kind, frozenset())
        return known

    def is_patchable(self, hint: Any) -> bool:
        """Return True if every value that an annotation allows is a scalar or is sent as patches.

        >>> Kinds().is_patchable(tuple[str, ...] | None), Kinds().is_patchable(dict[str, int])
        (True, False)
        """
        if get_origin(hint) in (list, Union, UnionType):
            return all(map(self.is_patchable, get_args(hint)))
        return self._lasts(hint, frozenset())

    def is_plain(self, value: object) -> bool:
        """Return True if a value is a scalar that JSON can represent."""
        return type(value) in _SCALARS and self.is_finite(value)

    def is_finite(self, value: object) -> bool:
        """Return True if a lasting value (see `is_lasting`) contains neither NaN nor an infinity, which JSON lacks."""
        kind = type(value)
        if isinstance(value, float):
            return math.isfinite(value)
        if isinstance(value, Decimal):
            return value.is_finite()
        if is_list(value):
            return all(map(self.is_finite, value))
        if not dataclasses.is_dataclass(kind) or not self._may_hold_floats(kind):
            return True
        return all(self.is_finite(getattr(value, name)) for name in field_names(kind))

    def _all_last(self, items: Any) -> bool:
        kinds = set(map(type, items))
        if tuple in kinds:  # the type of a tuple does not have the types of its items
            kinds.discard(tuple)
            if not all(self._all_last(item) for item in items if type(item) is tuple):
                return False
        return all(map(self.is_lasting, kinds))

    def _lasts(self, hint: Any, within: frozenset[type]) -> bool:
        """Return True if an annotated type is lasting. `within`: dataclasses being checked; they may be recursive."""
        origin = get_origin(hint)
        if origin is Literal or hint in within:
            return True
        if origin in (Union, UnionType, tuple):
            return all(self._lasts(part, within) for part in get_args(hint) if part is not Ellipsis)
        if origin is Annotated or hasattr(hint, "__supertype__"):  # a NewType has this attribute
            return self._lasts(get_args(hint)[0] if origin is Annotated else hint.__supertype__, within)
        if not isinstance(hint, type) or hint in _SCALARS:
            return isinstance(hint, type)
        if issubclass(hint, Enum):
            return all(type(each.value) in (str, int) for each in hint) and not self._has_own_json(hint)
        return self._dataclass_lasts(cast("type[object]", hint), within)

    def _dataclass_lasts(self, kind: type, within: frozenset[type]) -> bool:
        parameters = getattr(kind, "__dataclass_params__", None)
        if parameters is None or not parameters.frozen or self._has_own_json(kind):
            return False
        hints = _hints(kind)
        if hints is None or not all(self._lasts(hints[name], within | {kind}) for name in field_names(kind)):
            return False
        # A field may contain an instance of a subclass, with further fields.
        return all(self._lasts(subclass, within | {kind}) for subclass in kind.__subclasses__())

    def _may_hold_floats(self, kind: type) -> bool:
        known = self._floating.get(kind)
        if known is None:
            known = self._floating[kind] = _mentions(kind, _FLOATS, set())
        return known


def _mentions(hint: Any, types: frozenset[type], seen: set[Any]) -> bool:
    """Return True if a type's annotations name one of the `types`, at any depth."""
    if hint in types:
        return True
    if hint in seen:
        return False
    seen.add(hint)
    parts: list[Any] = [part for part in get_args(hint) if isinstance(part, type) or get_origin(part)]
    if hasattr(hint, "__supertype__"):
        parts.append(hint.__supertype__)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        parts += [*(_hints(hint) or {}).values(), *cast("list[type]", hint.__subclasses__())]
    return any(_mentions(part, types, seen) for part in parts)


def _hints(kind: type) -> dict[str, Any] | None:
    try:
        return get_type_hints(kind, include_extras=True)
    except NameError:  # a name in an annotation cannot be resolved
        return None
