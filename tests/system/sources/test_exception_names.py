"""Messages to people contain no class name of an exception: no text in the code is built from one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

APP: Final = Path(__file__).parents[3] / "app"


def test_no_text_is_made_of_the_name_of_an_exception() -> None:
    found = {str(path.relative_to(APP)): list(_find_named(ast.parse(path.read_text()))) for path in APP.rglob("*.py")}

    assert {module: texts for module, texts in found.items() if texts} == {}
    assert len(found) > 100


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("try: go()\nexcept ValueError as error: say(f'{error}')", []),
        ("try: go()\nexcept ValueError as error: say(f'{error!r}')", ["{error!r}"]),
        ("try: go()\nexcept ValueError as error: say(repr(error))", ["repr(error)"]),
        ("try: go()\nexcept ValueError as error: say(type(error).__name__)", ["type(error).__name__"]),
        (
            "def tell(why: BaseException):\n first = list(causes(why))\n say(type(first[0]).__name__)",
            ["type(first[0]).__name__"],
        ),
        ("def tell(part: Part):\n say(type(part).__name__)", []),
        ("def tell(why: InviewError):\n raise TypeError(type(why).__name__)", []),
    ],
)
def test_the_search_finds_names_of_exceptions_and_no_others(text: str, found: list[str]) -> None:
    assert list(_find_named(ast.parse(text))) == found


def _find_named(tree: ast.AST) -> Iterator[str]:
    """Yield texts built from an exception's class, except in a `raise TypeError(…)`, which is a bug for the log."""
    bound = _bound(tree)
    raised = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise) and node.exc is not None]
    ours = {id(inside) for exc in raised if _argument_of(exc, "TypeError") is not None for inside in ast.walk(exc)}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=of, attr="__name__"):
                named = _argument_of(of, "type")
            case ast.FormattedValue(value=named, conversion=114):  # !r
                pass
            case _:
                named = _argument_of(node, "repr")
        if id(node) not in ours and _root(named) in bound:
            yield ast.unparse(node)


def _bound(tree: ast.AST) -> set[str]:
    """Return the names of exceptions, and the names of values that a call made from one."""
    bound = {node.name for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.name}
    for node in ast.walk(tree):
        match node:
            case ast.arg(arg=name, annotation=ast.expr() as kind) if ast.unparse(kind).endswith(("Exception", "Error")):
                bound.add(name)
            case _:
                pass
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and bound & _names(node.value):
            bound |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return bound


def _names(node: ast.AST) -> set[str]:
    return {inside.id for inside in ast.walk(node) if isinstance(inside, ast.Name)}


def _argument_of(node: ast.AST, name: str) -> ast.AST | None:
    """Return the first argument of a call of `name`."""
    match node:
        case ast.Call(func=ast.Name(id=called), args=[first, *_]) if called == name:
            return first
        case _:
            return None


def _root(node: ast.AST | None) -> str | None:
    """Return the name of a variable, also for one of its items."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
