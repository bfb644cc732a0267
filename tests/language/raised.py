"""Finds the texts of errors in Python modules: what is raised, and what a failure says."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Final

FILLED_IN: Final = "7"
"""What stands where a value is filled in."""
_ERRORS: Final = ("Error", "failure", "refuse", "__init__")
_WITHOUT_TEXT: Final = frozenset({
    "NotFoundError", "ValueError", "TypeError", "RuntimeError", "IndexError", "SettingsError", "NoCallerError",
    "EventTooLargeError",
})  # fmt: skip
"""Faults that no screen shows in these words; and one whose arguments are nouns."""


def find_raised(path: Path) -> frozenset[str]:
    """Return the texts of two words or more, with `FILLED_IN` for each value; each way of a condition in them."""
    calls = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
    arguments = (argument for call in calls if _makes_an_error(call) for argument in call.args)
    return frozenset(text for argument in arguments for text in _read(argument) if _says_something(argument))


def find_constants(path: Path) -> Iterator[str]:
    """Return every text of a module, in pieces between what is filled in."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _makes_an_error(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name.endswith(_ERRORS) and name not in _WITHOUT_TEXT


def _read(node: ast.expr) -> list[str]:
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=parts):
            return ["".join(said) for said in product(*map(_read, parts))]
        case ast.FormattedValue(
            value=ast.IfExp(body=ast.Constant(value=str(one)), orelse=ast.Constant(value=str(two)))
        ):
            return [one, two]
        case ast.FormattedValue():
            return [FILLED_IN]
        case _:
            return []


def _says_something(node: ast.expr) -> bool:
    pieces = " ".join(
        part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)
    )
    return sum(word.strip(".,:;\"'").isalpha() and len(word) > 1 for word in pieces.split()) > 1
