"""The base class of islands: parts of the page that are written in TypeScript.

Not here: copying the files of islands into the build (`app/ui/build/islands.py`), and the types of their props
(`make types`). For how to write an island, see docs/islands.md.

    class MomentText(Island):
        library = island("kit/clock/moment.tsx")
        tag = "Moment"
        at: rx.Var[str]
        exact: rx.Var[bool] | None = None
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Self, get_origin

import reflex as rx

UI: Final = Path(__file__).resolve().parents[1]
FOLDER: Final = "islands"
"""The folder of the build that has copies of the TypeScript files, with the same subfolders as `app/ui`."""


class IslandError(Exception):
    """Error: an island is used or declared in a way that its TypeScript does not allow."""


def island(path: str) -> str:
    """Return the import path of an island's TypeScript file. `path` is its path in app/ui: `kit/clock/moment.tsx`.

    Raises:
        IslandError: there is no such file.
    """
    if not (UI / path).is_file():
        raise IslandError(f"No island app/ui/{path}.")
    return f"$/{FOLDER}/{path}"


class Island(rx.Component):
    """The base class of components that are drawn by TypeScript.

    A prop declared as `rx.Var[X]` is required, one declared as `rx.Var[X] | None = None` is optional. Events are
    optional.
    """

    @classmethod
    def create(cls, *children: Any, **props: Any) -> Self:
        """Create the component.

        Raises:
            IslandError: a required prop is missing.
        """
        missing = sorted(required_props(cls) - props.keys())
        if missing:
            raise IslandError(f"{cls.__name__} is used without {', '.join(missing)}.")
        return super().create(*children, **props)


def required_props(component: type[Island]) -> set[str]:
    """Return the names of the props that an island requires."""
    return {name for name, declared in declared_props(component).items() if is_var(declared)}


def declared_props(component: type[Island]) -> dict[str, Any]:
    """Return the declared types of an island's own props and events, by their Python names."""
    return {name: field.annotated_type for name, field in component.get_js_fields().items()}


def is_var(declared: Any) -> bool:
    """Return True for the declared type of a required prop, `rx.Var[X]`; False for that of an optional prop."""
    return get_origin(declared) is rx.Var
