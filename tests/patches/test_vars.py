"""Every var of every state: a collection that is sent whole each time needs a reason."""

# Reflex's data on vars is private.
# pyright: reportUnknownMemberType=false, reportPrivateUsage=false, reportUnknownVariableType=false

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Generator
from typing import Any, Final

import reflex as rx

import app.state
from app.patches.namespace import has_own_json
from app.patches.values import Kinds

KINDS: Final = Kinds(has_own_json)
WHOLE: Final[dict[str, str]] = {}
"""Vars that are sent whole each time, as "SomeState.var", with the reason."""


def states(parent: type[Any] = rx.State) -> Generator[type[Any]]:
    for module in pkgutil.walk_packages(app.state.__path__, "app.state."):
        importlib.import_module(module.name)
    for state in parent.get_substates():
        if state.__module__.startswith("app."):
            yield state
        yield from states(state)


VARS: Final = {
    f"{state.__name__}.{name}": var._var_type
    for state in states()
    for name, var in {**state.base_vars, **state.computed_vars}.items()
}


def test_every_var_travels_as_patches_unless_the_list_says_why_not() -> None:
    """A var whose type fails here can change in place. Make it a tuple of frozen dataclasses."""
    assert {name for name, kind in VARS.items() if not KINDS.is_patchable(kind)} == WHOLE.keys()
