"""Finds what looks like a text of the screen among the literals of Python modules."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_NOT_SHOWN: Final = frozenset({
    "class_name", "tag", "library", "key", "id", "type", "href", "role", "custom_attrs", "html_for", "accept", "rel",
    "auto_complete", "input_mode", "dir", "form", "pattern", "enter_key_hint", "viewBox", "view_box", "d", "style",
    "stroke", "fill", "at", "anchor", "keys", "method", "content", "route", "stroke_linecap", "alias",
})  # fmt: skip
_NOT_SHOWN_CALLS: Final = frozenset({
    "island", "Var", "icon", "getLogger", "get_logger", "warning", "error", "info", "debug", "cast", "compile",
    "call_function", "run_script", "text_in", "to", "startswith", "endswith", "removeprefix", "removesuffix",
    "partition", "rpartition", "split", "replace", "fullmatch", "match", "sub", "EventSpec", "get_state", "path",
    "TypedDict", "NotAudited", "NewType", "TypeVar", "ImportVar", "from_iterable", "join", "plural",
})  # fmt: skip
_CERTAINLY: Final = frozenset({"aria_label", "title", "placeholder", "label"})
_CSS: Final = re.compile(r"[a-z0-9!*&-][\w\[\]:./%&>()#!,*'+=~-]*")
_CSS_WORDS: Final = frozenset({
    "flex", "grid", "relative", "absolute", "fixed", "sticky", "hidden", "block", "inline", "truncate", "italic",
    "quiet", "loud", "danger", "modal", "contents", "peer", "group", "card", "skip", "drawer", "frame", "isolate",
})  # fmt: skip
_CODE: Final = re.compile(r"=>|</|/>|\(\)|^/|::|^--|^import |const |;\n")

Found = Iterator[tuple[ast.expr, str]]


@dataclass(frozen=True)
class Literal:
    """A text at its place: an expression of the module, and how it reads with `{}` for what is filled in."""

    path: Path
    node: ast.expr
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.node.lineno}: {self.text!r}"


def find_literals(path: Path) -> list[Literal]:
    """Return what looks like a text of the screen in a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [Literal(path, node, text) for node, text in _walk(tree)]


def looks_shown(text: str, *, certainly: bool = False) -> bool:
    """Whether a literal reads like words of a person and not like a class of CSS, a name or a bit of script."""
    words = text.strip(" ·.,:;()“”\n")
    if not re.search(r"[A-Za-z]{2}|^[A-Z]$", words) or _CODE.search(words):
        return False
    if certainly or " " in words:
        return not _is_css(words)
    return bool(re.fullmatch(r"[A-Z][a-z’'-]+(…)?", words)) or text != text.strip() or words.endswith("…")


def flatten(node: ast.expr) -> Iterator[str | ast.expr]:
    """The texts and the expressions of an f-string or a sum, in their order."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr():
            for each in node.values:
                yield from flatten(each)
        case ast.FormattedValue(format_spec=None, conversion=-1):
            yield node.value
        case ast.BinOp(op=ast.Add()):
            yield from flatten(node.left)
            yield from flatten(node.right)
        case _:
            yield node


def _walk(node: ast.AST, *, shown: bool = False) -> Found:
    """`shown`: the node is drawn as it is, so that any word is a text."""
    match node:
        case ast.Constant(value=str(text)) if looks_shown(text, certainly=shown):
            yield node, text
        case ast.JoinedStr() | ast.BinOp(op=ast.Add()):
            yield from _walk_sum(node, shown=shown)
        case ast.Call():
            yield from _walk_call(node, shown=shown)
        case _:
            yield from _walk_all(_parts(node))


def _parts(node: ast.AST) -> Iterable[ast.AST]:
    """What of a node can hold texts: no docstrings, errors, annotations, or what values are compared with."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Raise() | ast.Assert() | ast.MatchValue():
            return ()
        case ast.Assign(targets=[ast.Name(id="tag" | "library")]):
            return ()
        case ast.Compare() | ast.Subscript():
            return (each for each in ast.iter_child_nodes(node) if not isinstance(each, ast.Constant))
        case ast.arguments():
            return filter(None, (*node.defaults, *node.kw_defaults))
        case ast.AnnAssign():
            return filter(None, (node.value,))
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return (node.args, *node.body)
        case _:
            return ast.iter_child_nodes(node)


def _walk_sum(node: ast.expr, *, shown: bool) -> Found:
    parts = list(flatten(node))
    words = "".join(part for part in parts if isinstance(part, str))
    if len(parts) > 1 and looks_shown(words, certainly=shown):
        yield node, "".join(part if isinstance(part, str) else "{}" for part in parts)
    else:
        yield from _walk_all(part for part in parts if not isinstance(part, str))


def _walk_call(node: ast.Call, *, shown: bool) -> Found:
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    if name in {"phrase", "translate"}:
        yield from _walk_all(keyword.value for keyword in node.keywords)
        return
    yield from _walk(node.func)
    if name in _NOT_SHOWN_CALLS:
        return
    for each in node.args:
        yield from _walk(each, shown=shown or name == "fragment" or _is_element(node.func))
    for keyword in node.keywords:
        if keyword.arg not in _NOT_SHOWN and not (keyword.arg or "").startswith("data_"):
            yield from _walk(keyword.value, shown=keyword.arg in _CERTAINLY)


def _walk_all(nodes: Iterable[ast.AST]) -> Found:
    for each in nodes:
        yield from _walk(each)


def _is_css(words: str) -> bool:
    tokens = words.split()
    return all(_CSS.fullmatch(token) for token in tokens) and any(
        token in _CSS_WORDS or re.search(r"[\[\]]|[a-z]-|:[a-z]|^-", token) for token in tokens
    )


def _is_element(func: ast.expr) -> bool:
    """Tell `rx.el.…`."""
    return isinstance(func, ast.Attribute) and isinstance(func.value, ast.Attribute) and func.value.attr == "el"
