"""Texts that run a script or fetch something from outside, wherever a page takes them for markup.

`payloads.json` has them by family: HTML, SVG, addresses, Markdown, formulas, diagrams, and what a parser makes into
another text. Each calls `alert(1)`, or asks `evil.example` for something, or takes the name of something that the page
has.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

FAMILIES: Final[Mapping[str, Sequence[str]]] = MappingProxyType(
    json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
)
PAYLOADS: Final = tuple(payload for family in FAMILIES.values() for payload in family)


def items(payloads: Sequence[str]) -> str:
    """A list in Markdown with each payload in an item of its own, which ends what the payload leaves open."""
    indented = (payload.replace("\n", "\n  ") for payload in payloads)
    return "\n".join(f"- {payload}\n\n  end{number}\n" for number, payload in enumerate(indented, start=1))


def lines(longest: int, without: str = "") -> Iterator[str]:
    """One line each with as many payloads as `longest` characters hold, without those that have `without`."""
    line = ""
    for payload in (" ".join(each.split()) for each in PAYLOADS):
        if not payload.isprintable() or len(payload) > longest or (without and without in payload):
            continue
        if line and len(line) + 1 + len(payload) > longest:
            yield line
            line = ""
        line = f"{line} {payload}".strip()
    yield line
