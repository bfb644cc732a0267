"""Pages drawn without a browser: the JavaScript that Reflex compiles runs in Node with the given vars.

    page = draw(conversation, {ChatState: {"summary": "Short."}})
    assert "Short." in page.text
    assert page.find("button", "Remove").sends("on_click") == [sent(CheckpointState.remove)]

The result has HTML elements and islands. An island is one element, and the components among its props are its first
children. A list whose elements have equal keys is an error. Not here: what an island does in the browser, and what the
stylesheet hides.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

import reflex as rx
from reflex.compiler import utils
from reflex.utils import format as formats
from reflex_base.compiler import templates
from reflex_base.components.memo import MEMOS, MemoComponentDefinition, MemoFunctionDefinition
from reflex_base.constants import Templates
from reflex_base.utils.format import to_camel_case

import app.app  # noqa: F401  # pyright: ignore[reportUnusedImport] - imports every state, page and memo
from tests.node import NODE

_HERE: Final = Path(__file__).parent
# Reflex gives these no complete types.
_dump_json: Final[Callable[[Any], str]] = cast("Any", formats).json_dumps
_compile_component_memo: Final[Any] = cast("Any", utils).compile_experimental_component_memo
_compile_function_memo: Final[Any] = cast("Any", utils).compile_experimental_function_memo

Sent: TypeAlias = tuple[str, dict[str, Any]]
"""An event that a control sends: its name, and its payload."""
Values: TypeAlias = Mapping[Any, Mapping[str, Any]]
"""Values of vars by their name, for each state class."""


@dataclass(frozen=True)
class Element:
    """A drawn element. `type` is its HTML tag, or the name of its island."""

    type: str
    props: Mapping[str, Any] = field(default_factory=dict[str, Any])
    events: Mapping[str, list[Sent]] = field(default_factory=dict[str, list[Sent]])
    children: tuple[Element | str, ...] = ()

    @property
    def text(self) -> str:
        """The text within the element that a screen reader reads."""
        if self.props.get("aria-hidden") in (True, "true"):
            return ""
        return "".join(one if isinstance(one, str) else one.text for one in self.children)

    @property
    def name(self) -> str:
        """The accessible name, as far as an attribute or the text gives it."""
        return self.props.get("aria-label") or self.props.get("label") or self.text or self.props.get("title") or ""

    def all(self) -> Generator[Element]:
        """Return this element and all within it."""
        yield self
        for one in self.children:
            if isinstance(one, Element):
                yield from one.all()

    def list(self, kind: str, name: str | None = None) -> list[Element]:
        """Return the elements of this type, with this name."""
        return [one for one in self.all() if one.type == kind and (name is None or one.name.strip() == name)]

    def find(self, kind: str, name: str | None = None) -> Element:
        """Return the only element of this type, with this name."""
        found = self.list(kind, name)
        assert len(found) == 1, (kind, name, found or [one.name for one in self.list(kind)])
        return found[0]

    def sends(self, event: str) -> list[Sent]:
        """Return the events that this element sends, for example for `on_click`.

        The value in a payload that the browser would add is "<value>", "<checked>" or "<form>", or for an island's
        event "<0>" for its first argument.
        """
        return list(self.events.get(to_camel_case(event), []))


def sent(handler: Any, **payload: Any) -> Sent:
    """Return the event of this handler with this payload, to compare with `Element.sends`."""
    return formats.format_event_handler(handler), payload


def sent_to(address: str) -> Sent:
    """Return the event that leads to this address."""
    return "_redirect", {"path": address, "external": False, "popup": False, "replace": False}


def draw(view: Callable[[], rx.Component], values: Values) -> Element:
    """Draw a view. `values` are the vars of each state; others have their first value."""
    states = {name: dict(values_of) for name, values_of in _first_values().items()}
    for state, changed in values.items():
        for name, value in changed.items():
            key = f"{name}_rx_state_"
            assert key in states[state.get_full_name()], f"{state.__name__} has no var {name}"
            states[state.get_full_name()][key] = value
    code, memos = _compile(view)
    asked = _dump_json({"code": code, "memos": memos, "helpers": _read_helpers(), "states": states})
    done = subprocess.run(
        [NODE, _HERE / "draw.js"], input=asked, capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 0, done.stderr
    return _read(json.loads(done.stdout))


@cache
def _first_values() -> dict[str, dict[str, Any]]:
    state = cast("Any", rx.State)(_reflex_internal_init=True)
    return state.dict(initial=True)


@cache
def _compile(view: Callable[[], rx.Component]) -> tuple[str, str]:
    """Return the JavaScript of a view, and that of all memos."""
    drawn = view()
    hooks = "\n".join(drawn._get_all_hooks())  # pyright: ignore[reportPrivateUsage] - as the compiler
    return f"{hooks}\nreturn {drawn}", _compile_memos()


@cache
def _compile_memos() -> str:
    components, functions = list[Any](), list[Any]()
    done = set[Any]()
    while left := [key for key in MEMOS if key not in done]:  # a body that is evaluated may register others
        for key in left:
            done.add(key)
            match MEMOS[key]:
                case MemoComponentDefinition() as memo:
                    components.append(_compile_component_memo(memo)[0])
                case MemoFunctionDefinition() as memo:
                    functions.append(_compile_function_memo(memo)[0])
                case other:
                    raise TypeError(other)
    return templates.memo_components_template([], components, functions, [], []).replace("export const", "var")


@cache
def _read_helpers() -> str:
    """Return the functions of Reflex's runtime that work like operators of Python."""
    runtime = (Templates.Dirs.WEB_TEMPLATE / "utils/state.js").read_text()
    start, end = runtime.index("export const isTrue"), runtime.index("export const mergeRefs")
    return runtime[start:end].replace("export const", "const")


def _read(drawn: Any) -> Element:
    events = {name: [(one["name"], one["payload"]) for one in sent] for name, sent in drawn["events"].items()}
    children = tuple(one if isinstance(one, str) else _read(one) for one in drawn["children"])
    return Element(drawn["type"], drawn["props"], events, children)
