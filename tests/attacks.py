"""Texts written to block the page: a few kilobytes each, which take long to read or to draw, or never end.

`attacks.json` has them as pieces, each with its number of repetitions, so that tests in TypeScript can read them too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

_FILE: Final = Path(__file__).with_suffix(".json")

ATTACKS: Final[Mapping[str, str]] = MappingProxyType(
    {
        attack["name"]: "".join(piece * times for piece, times in attack["parts"])
        for attack in json.loads(_FILE.read_text(encoding="utf-8"))
    }
)
"""Markdown, by the kind of attack."""

NO_JSON: Final[Mapping[str, str]] = MappingProxyType(
    {
        "closing braces": "}}}}",
        "opening brackets": "[" * 20_000,
        "lists within each other": "[" * 5_000 + "]" * 5_000,
        "objects within each other": '{"a":' * 900 + "1" + "}" * 900,
        "escaped quotes": '\\"' * 100_000,
        "a string that does not end": '{"a":"' + '\\"' * 90_000,
        "commas": "," * 50_000,
        "a beginning": '{"a": [1, 2, {"b": "c',
    }
)
"""Arguments and results of tools that are not JSON, or are nested too deeply for a layout."""
