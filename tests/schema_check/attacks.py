"""Schemas that need far too much work, each with a value that causes it."""

from __future__ import annotations

from typing import Any, Final

_STEPS: Final = {f"s{n}": {"anyOf": [{"$ref": f"#/$defs/s{n + 1}"}] * 3} for n in range(30)}
_BOTH: Final = {f"b{n}": {"allOf": [{"$ref": f"#/$defs/b{n + 1}"}] * 3} for n in range(30)}

ATTACKS: Final[dict[str, tuple[dict[str, Any], Any]]] = {
    "a pattern that backtracks": ({"properties": {"a": {"pattern": "^(a+)+$"}}}, {"a": "a" * 60 + "!"}),
    "a name that backtracks": (
        {"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False},
        {"a" * 60 + "!": 1},
    ),
    "references that multiply": (
        {"$defs": {**_STEPS, "s30": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/s0"}}},
        {"a": 1},
    ),
    "unevaluated properties of references that multiply": (
        {
            "$defs": {**_BOTH, "b30": {}},
            "properties": {"a": {"$ref": "#/$defs/b0", "unevaluatedProperties": False}},
        },
        {"a": {"b": 1}},
    ),
    "a comparison of everything with everything": (
        {"properties": {"a": {"uniqueItems": True}}},
        {"a": [{"n": n} for n in range(20_000)]},
    ),
}
"""They are fast on a value without `a`, so the schema alone does not show the attack."""
