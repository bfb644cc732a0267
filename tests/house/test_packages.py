"""Packages by noun: each opens with a sentence on what belongs there and with one on what does not."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

APP = Path(__file__).parents[2] / "app"
PACKAGES = [
    path for noun in ("api", "domain", "runs", "store") for path in sorted((APP / noun).glob("*/**/__init__.py"))
]


@pytest.mark.parametrize("path", PACKAGES, ids=lambda path: path.parent.relative_to(APP).as_posix())
def test_package_says_what_belongs_there_and_what_does_not(path: Path) -> None:
    first, *more = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n\n")

    assert first.endswith(".")
    assert any("Not " in paragraph for paragraph in more), "say what does not belong there, in a sentence with Not"


def test_every_folder_with_modules_is_a_package() -> None:
    folders = {path.parent for noun in ("api", "domain", "runs", "store") for path in (APP / noun).rglob("*.py")}

    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []
