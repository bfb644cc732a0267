"""The offline provider's answers to requests with a JSON schema: a simple value that fits, made by fixed rules.

>>> make_sample({"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}})
{'name': 'name 1', 'age': 1}

Some keywords are ignored (patterns, conditions), so that users can also see a reply that does not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from app.providers.wire.json_values import fields_of

MAX_DEPTH = 8
ITEMS = 3
"""The number of items in a list, unless the schema limits this number."""
MAX_ITEMS = 100


def make_sample(schema: Any) -> Any:
    """Return a value that fits a schema."""
    return _sample(schema, _Place(schema))


@dataclass(frozen=True, slots=True)
class _Place:
    """The position of a value in the sample: its `name`, its `number` in its list (from 1), and its `depth`.

    `root` is the whole schema.
    """

    root: Any
    name: str = "value"
    number: int = 1
    depth: int = 0

    def inner(self, name: str | None = None, number: int | None = None) -> _Place:
        return _Place(self.root, name or self.name, number or self.number, self.depth + 1)


def _sample(schema: Any, place: _Place) -> Any:
    known = fields_of(schema, "the schema")
    if place.depth > MAX_DEPTH:
        return None
    if isinstance(reference := known.get("$ref"), str):
        return _sample(_follow(place.root, reference), place.inner())
    for word in ("const", "default"):
        if word in known:
            return known[word]
    if known.get("enum"):
        return known["enum"][(place.number - 1) % len(known["enum"])]
    for word in ("anyOf", "oneOf", "allOf"):
        if known.get(word):
            return _sample(known[word][0], place.inner())
    kind = known.get("type", "object" if "properties" in known else "string")
    return _KINDS[kind if isinstance(kind, str) else kind[0]](known, place)


def _object(known: Mapping[str, Any], place: _Place) -> Any:
    return {key: _sample(value, place.inner(key)) for key, value in known.get("properties", {}).items()}


def _array(known: Mapping[str, Any], place: _Place) -> Any:
    count = min(max(ITEMS, known.get("minItems", 0)), known.get("maxItems", MAX_ITEMS), MAX_ITEMS)
    items = known.get("items", {"type": "string"})
    return [_sample(items, place.inner(number=number)) for number in range(1, count + 1)]


_KINDS: Mapping[str, Callable[[Mapping[str, Any], _Place], Any]] = MappingProxyType(
    {
        "object": _object,
        "array": _array,
        "integer": lambda known, place: int(known.get("minimum", 0)) + place.number,
        "number": lambda known, place: float(known.get("minimum", 0)) + place.number / 2,
        "boolean": lambda _known, place: place.number % 2 == 1,
        "null": lambda _known, _place: None,
        "string": lambda _known, place: f"{place.name} {place.number}",
    }
)


def _follow(root: Any, reference: str) -> Any:
    """Return the schema at a JSON pointer (RFC 6901) within the root. If it is missing, return {} (any value fits)."""
    found = fields_of(root, "the schema")
    for step in reference.removeprefix("#").strip("/").split("/"):
        if step:
            found = fields_of(found.get(step.replace("~1", "/").replace("~0", "~")), step)
    return found
