"""TypeScript types of the props of islands, generated from their Python declarations: `app/ui/<region>/views.ts`.

Each `Island` gives an interface `<Tag>Props`; each frozen dataclass and enum that a prop or event names gives its own
type. A field that is renamed in Python therefore fails `tsc` wherever an island reads it.

    Deferred.when: rx.Var[bool]                      ->  readonly when: boolean;
    MomentText.exact: rx.Var[bool] | None = None         ->  readonly exact?: boolean | undefined;
    Picker.on_choose: rx.EventHandler[... (str)]     ->  readonly onChoose?: ((value0: string) => void) | undefined;
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import pkgutil
from collections import defaultdict
from collections.abc import Callable, Generator, Mapping, Sequence
from enum import Enum
from importlib import import_module
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import reflex as rx
from reflex_base.event import EventHandler
from reflex_base.utils.format import to_camel_case

import app.ui
from app.ui.kit.island import FOLDER, UI, Island, declared_props

FILE: Final = "views.ts"
_HEAD: Final = "// Written by `make types` from the Python of this region. Do not edit.\n"
_SCALARS: Final[dict[Any, str]] = {str: "string", int: "number", float: "number", bool: "boolean", NoneType: "null"}
_SCALARS_OF_REACT: Final[dict[Any, str]] = {rx.Component: "ReactNode"}
_UNKNOWN: Final = (Any, object)


class UnknownTypeError(TypeError):
    """A prop has a type that islands do not accept: see docs/islands.md."""


def all_views() -> dict[Path, str]:
    """Return the files with their contents."""
    by_region: defaultdict[str, list[type[Island]]] = defaultdict(list)
    for island in all_islands():
        by_region[region_of(island)].append(island)
    return {UI / region / FILE: describe(islands) for region, islands in sorted(by_region.items())}


def all_islands() -> list[type[Island]]:
    """Return every island of the page, by region and tag."""
    for module in pkgutil.walk_packages(app.ui.__path__, "app.ui."):
        import_module(module.name)
    ours = [island for island in _below(Island) if island.__module__.startswith("app.") and island.tag]
    return sorted(ours, key=lambda island: (region_of(island), str(island.tag)))


def region_of(island: type[Island]) -> str:
    """Return the folder of the island's TypeScript."""
    start, folder, region = str(island.library).split("/")[:3]
    if (start, folder) != ("$", FOLDER):
        raise UnknownTypeError(f"{island.__name__}.library is {island.library}: name its file by island().")
    return region


def describe(islands: Sequence[type[Island]]) -> str:
    """Return the TypeScript file for the islands of one region."""
    types = _Types()
    props = [_props(island, types) for island in islands]
    imports = ['import type { ReactNode } from "react";\n'] if types.draws else []
    return "\n".join([_HEAD, *imports, *types.described(), *props])


def _below(parent: type[Island]) -> Generator[type[Island]]:
    for child in parent.__subclasses__():
        yield child
        yield from _below(child)


def _props(island: type[Island], types: _Types) -> str:
    types.draws = True
    lines = [_prop(name, declared, types) for name, declared in declared_props(island).items()]
    common = ["readonly children?: ReactNode;", "readonly className?: string | undefined;"]
    return _interface(f"{island.tag}Props", [*lines, *common])


def _prop(name: str, declared: Any, types: _Types) -> str:
    name = to_camel_case(name)
    if get_origin(declared) is Annotated and get_args(declared)[0] is EventHandler:
        spec = get_args(declared)[1]
        return f"readonly {name}?: (({_arguments(spec, types)}) => void) | undefined;"
    if declared is EventHandler:
        return f"readonly {name}?: (() => void) | undefined;"
    var, *rest = [one for one in _members(declared) if one is not NoneType]
    if rest or get_origin(var) is not rx.Var:
        raise UnknownTypeError(f"Prop {name} is {declared}, and should be rx.Var[X] or rx.Var[X] | None.")
    of = types.of(get_args(var)[0])
    return f"readonly {name}: {of};" if var is declared else f"readonly {name}?: {of} | undefined;"


def _arguments(spec: Callable[..., Any], types: _Types) -> str:
    parameters = inspect.signature(spec).parameters.values()
    hints = get_type_hints(spec)
    named = ((each.name.replace("ev_", "value"), hints.get(each.name, Any)) for each in parameters)
    return ", ".join(
        f"{name}: {types.of(get_args(var)[0] if get_origin(var) is rx.Var else var)}" for name, var in named
    )


def _members(declared: Any) -> tuple[Any, ...]:
    return get_args(declared) if get_origin(declared) in (Union, UnionType) else (declared,)


def _interface(name: str, lines: Sequence[str]) -> str:
    return f"export interface {name} {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


class _Types:
    """The types that a file needs, described in the order of their use."""

    def __init__(self) -> None:
        self.draws = False
        self._met: dict[str, tuple[type, str]] = {}

    def described(self) -> list[str]:
        return [text for _, (_, text) in sorted(self._met.items())]

    def of(self, declared: Any) -> str:
        """Return the TypeScript of a Python type."""
        if declared in _SCALARS_OF_REACT:
            self.draws = True
        if (known := (_SCALARS | _SCALARS_OF_REACT).get(declared)) is not None:
            return known
        if declared in _UNKNOWN:
            return "unknown"
        if isinstance(declared, type) and (dataclasses.is_dataclass(declared) or issubclass(declared, Enum)):
            return self._named(declared)
        return self._generic(declared)

    def _generic(self, declared: Any) -> str:
        origin, arguments = get_origin(declared), get_args(declared)
        if origin is Literal:
            return " | ".join(json.dumps(each) for each in arguments)
        if origin in (Union, UnionType):
            return " | ".join(self.of(each) for each in arguments)
        if origin is Annotated:
            return self.of(arguments[0])
        if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
            return f"readonly {self._element(arguments[0])}[]"
        if origin is tuple:
            return f"readonly [{', '.join(self.of(each) for each in arguments)}]"
        if origin in (list, Sequence):
            return f"readonly {self._element(arguments[0])}[]"
        if origin in (dict, Mapping):
            return f"Readonly<Record<{self.of(arguments[0])}, {self.of(arguments[1])}>>"
        if origin is Callable or getattr(origin, "__name__", "") == "Callable":
            return f"() => {self.of(arguments[-1])}"
        raise UnknownTypeError(f"{declared} has no TypeScript here.")

    def _element(self, declared: Any) -> str:
        of = self.of(declared)
        return f"({of})" if " " in of else of

    def _named(self, declared: type) -> str:
        name = declared.__name__
        if name not in self._met:
            self._met[name] = (declared, "")  # the type may refer to itself
            self._met[name] = (declared, self._described(declared))
        if self._met[name][0] is not declared:
            raise UnknownTypeError(f"Two types of one region are called {name}: {declared}, {self._met[name][0]}.")
        return name

    def _described(self, declared: Any) -> str:
        if issubclass(declared, Enum):
            return f"export type {declared.__name__} = {' | '.join(json.dumps(each.value) for each in declared)};\n"
        hints = get_type_hints(declared)
        lines = [f"readonly {field.name}: {self.of(hints[field.name])};" for field in dataclasses.fields(declared)]
        return _interface(declared.__name__, lines)
