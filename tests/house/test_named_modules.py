"""Modules that docstrings and comments name are there, after every move."""

from __future__ import annotations

import re
from pathlib import Path

APP = Path(__file__).parents[2] / "app"
NAMED = re.compile(r"`([\w/]+\.(?:py|tsx?))`")


def test_every_module_that_is_named_exists() -> None:
    known = {
        f"/{path.relative_to(APP.parent)}"
        for path in (*APP.rglob("*"), *APP.parent.glob("*.py"))
        if "node_modules" not in path.parts
    }
    missing = [
        f"{path.relative_to(APP)}: {name}"
        for path in sorted(APP.rglob("*.py"))
        if "node_modules" not in path.parts
        for name in NAMED.findall(path.read_text())
        if not any(each.endswith(f"/{name}") for each in known)
    ]

    assert not missing, "\n".join(missing)
