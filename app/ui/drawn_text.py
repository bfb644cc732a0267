"""Bounds on every text of the page: Reflex's runtime sets them (`app/ui/kit/drawn_text.ts`) before anything is drawn.

`DrawnTextPlugin` belongs into `rxconfig.py`, after `LinkPlugin`, which puts the runtime back as Reflex ships it.
"""

from __future__ import annotations

from typing import Final, Unpack

import reflex as rx
from reflex_base.plugins.base import PreCompileContext

_RUNTIME: Final = "utils/state.js"
_BOUNDS: Final = 'import { boundTexts } from "$/islands/kit/drawn_text.ts";\nboundTexts();\n'


class DrawnTextPlugin(rx.plugins.Plugin):
    """Changes Reflex's runtime, which every page loads before it draws."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        context["add_modify_task"](_RUNTIME, with_bounds)


def with_bounds(runtime: str) -> str:
    """Return Reflex's runtime, which then sets the bounds when it is loaded."""
    return _BOUNDS + runtime
