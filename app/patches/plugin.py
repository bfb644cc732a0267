"""The page's part of patches: a plugin for `rxconfig.py` that makes the built page apply patches.

The plugin copies `apply.ts` next to Reflex's script, and changes that script, so that functions of `apply.ts` wrap
Reflex's reducer and its reader of packets. A script that an earlier build has changed is not changed again. The build
fails if Reflex's script is not as expected.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, Unpack

import reflex as rx
from reflex_base.plugins.base import PreCompileContext

_SCRIPT: Final = "utils/state.js"
_SOURCE: Final = Path(__file__).with_name("apply.ts")
_TARGET: Final = "utils/patches.ts"

_IMPORT: Final = 'import { app, eventLoop } from "$/utils/context-registry";\n'
_REDUCER: Final = "export const applyDelta = (state, delta) => {\n"
# The event that a page sends when it reconnects: `hydrate`, with the values in the browser's storage.
_HYDRATE: Final = "app.initialEvents(first)[0]"

_PARSER: Final = "      return parseJson(str);\n"
# The first packet of a connection: the server learns from it what the page can read.
_AUTH: Final = "return { event: boot_event, state_schema: app.stateSchema };\n"

_OUR_IMPORT: Final = f'import {{ createReader, createReducer }} from "$/{_TARGET}";\n'
_OUR_AUTH: Final = _AUTH.replace("{ event", "{ reads_added: true, event")
_OUR_PARSER: Final = _PARSER.replace("parseJson", "readData")
_OUR_REDUCER: Final = """
const readData = createReader(parseJson);
export const applyDelta = createReducer(applyWhole, () =>
  eventLoop.addEvents([app.initialEvents(false)[0]]),
);
"""


class PageChangedError(Exception):
    """Error: Reflex's script has changed, so this module must be adapted."""


class PatchesPlugin(rx.plugins.Plugin):
    """The Reflex plugin that makes the page apply patches. The app sends patches once `send_patches` was called."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        context["add_save_task"](_source)
        context["add_modify_task"](_SCRIPT, with_patches)


def with_patches(script: str) -> str:
    """Return Reflex's script, changed so that it applies patches: `apply.ts` wraps its reducer.

    Raises:
        PageChangedError: the script is not the expected one.
    """
    if script.endswith(_OUR_REDUCER):
        return script
    for line in (_IMPORT, _REDUCER, _HYDRATE, _PARSER, _AUTH):
        if (count := script.count(line)) != 1:
            raise PageChangedError(f"Reflex's {_SCRIPT} has {count} lines {line.strip()!r} instead of one.")
    script = script.replace(_IMPORT, _IMPORT + _OUR_IMPORT).replace(_PARSER, _OUR_PARSER).replace(_AUTH, _OUR_AUTH)
    return script.replace(_REDUCER, _REDUCER.replace("export const applyDelta", "const applyWhole")) + _OUR_REDUCER


def _source() -> tuple[str, str]:
    return _TARGET, _SOURCE.read_text(encoding="utf-8")
