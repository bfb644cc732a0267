"""The names in the code: one public class for each name, so a name in a text or an error says which class it is."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

APP = Path(__file__).parents[3] / "app"


def test_public_class_name_is_defined_once() -> None:
    places = defaultdict[str, list[str]](list)
    for path in APP.rglob("*.py"):
        if "node_modules" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(f"{path.relative_to(APP)}:{node.lineno}")

    assert {name: found for name, found in places.items() if len(found) > 1} == {}
    assert len(places) > 500  # the search has found the app
