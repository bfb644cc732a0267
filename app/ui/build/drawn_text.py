"""Limits for every text of the page, so that the browser draws each text quickly (`app/ui/kit/texts/drawn_text.ts`).

The build changes Reflex's runtime, which then sets these limits before anything is drawn. `rxconfig.py` lists
`DrawnTextPlugin` after `LinkPlugin`, because `LinkPlugin` restores the runtime that Reflex ships.
"""

from __future__ import annotations

from typing import Final, Unpack

import reflex as rx
from reflex_base.plugins.base import PreCompileContext

_RUNTIME: Final = "utils/state.js"
_BOUNDS: Final = 'import { boundTexts } from "$/islands/kit/texts/drawn_text.ts";\nboundTexts();\n'


class DrawnTextPlugin(rx.plugins.Plugin):
    """The plugin that changes Reflex's runtime when the page is built. Every page loads the runtime first."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        context["add_modify_task"](_RUNTIME, with_bounds)


def with_bounds(runtime: str) -> str:
    """Return Reflex's runtime with lines that set the limits when it is loaded."""
    return _BOUNDS + runtime
