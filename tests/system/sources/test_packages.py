"""Packages by noun: each starts with a sentence on its content."""

from __future__ import annotations

import ast
from pathlib import Path

APP = Path(__file__).parents[3] / "app"
PACKAGES = [
    path for noun in ("api", "domain", "runs", "store") for path in sorted((APP / noun).glob("*/**/__init__.py"))
]


def test_every_package_says_what_belongs_there() -> None:
    silent = [
        path.parent.relative_to(APP).as_posix()
        for path in PACKAGES
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]

    assert silent == []


def test_every_folder_with_modules_is_a_package() -> None:
    folders = {path.parent for noun in ("api", "domain", "runs", "store") for path in (APP / noun).rglob("*.py")}

    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []
