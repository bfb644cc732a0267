"""The page's half: has the built page read patches. Belongs into the plugins of `rxconfig.py`.

It copies `apply.ts` and `frames.ts` beside Reflex's scripts. It wraps Reflex's reducer, and how packets are read, with
the one, and how components hear of a change with the other. A build keeps its files for the next one, so a script that
was changed before is left as it is. The build fails if Reflex's scripts are not as expected.

    >>> with_patches("import {}")
    Traceback (most recent call last):
    app.patches.plugin.PageChangedError: …
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, Unpack

import reflex as rx
from reflex_base.plugins.base import PreCompileContext

_SCRIPT: Final = "utils/state.js"
_REGISTRY: Final = "utils/context-registry.js"
_SOURCES: Final = {"utils/patches.ts": "apply.ts", "utils/frames.ts": "frames.ts"}

_IMPORT: Final = 'import { app, eventLoop } from "$/utils/context-registry";\n'
_REDUCER: Final = "export const applyDelta = (state, delta) => {\n"
# What a page sends when it connects again: its hydrate, with what the browser's storage holds.
_HYDRATE: Final = "app.initialEvents(first)[0]"

# How Socket.IO's decoder reads the payload of a packet.
_READ: Final = "      return parseJson(str);\n"

# How a component hears of a state's changes.
_REACT: Final = '} from "react";\n'
_SUBSCRIBE: Final = "      (listener) => store.subscribe(name, listener),\n"

_FRAMES_IMPORT: Final = 'import { frames } from "$/utils/frames.ts";\n'
_OUR_IMPORT: Final = 'import { createPatches } from "$/utils/patches.ts";\n' + _FRAMES_IMPORT
_OUR_READ: Final = "      return patches.read(str);\n"
_OUR_REDUCER: Final = """
const patches = createPatches(
  applyWhole,
  parseJson,
  () => eventLoop.addEvents([app.initialEvents(false)[0]]),
  frames.arrived,
);
export const applyDelta = patches.reduce;
"""
_OUR_SUBSCRIBE: Final = "      (listener) => frames.listen((heard) => store.subscribe(name, heard), listener),\n"


class PageChangedError(Exception):
    """Reflex writes its page in another way now, and so must this module."""


class PatchesPlugin(rx.plugins.Plugin):
    """Lets the page read patches. The app sends them after `send_patches`."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        for target, source in _SOURCES.items():
            context["add_save_task"](_read, target, source)
        context["add_modify_task"](_SCRIPT, with_patches)
        context["add_modify_task"](_REGISTRY, with_frames)


def with_patches(script: str) -> str:
    """Return Reflex's script with its reducer, and how it reads packets, wrapped.

    Raises:
        PageChangedError: the script is not the one that this was written for.
    """
    if script.endswith(_OUR_REDUCER):
        return script
    _expect_one(_SCRIPT, script, _IMPORT, _REDUCER, _HYDRATE, _READ)
    script = script.replace(_IMPORT, _IMPORT + _OUR_IMPORT).replace(_READ, _OUR_READ)
    return script.replace(_REDUCER, _REDUCER.replace("export const applyDelta", "const applyWhole")) + _OUR_REDUCER


def with_frames(script: str) -> str:
    """Return Reflex's script of contexts, in which components hear of texts that grow at most once a frame.

    Raises:
        PageChangedError: the script is not the one that this was written for.
    """
    if _OUR_SUBSCRIBE in script:
        return script
    _expect_one(_REGISTRY, script, _REACT, _SUBSCRIBE)
    return script.replace(_REACT, _REACT + _FRAMES_IMPORT).replace(_SUBSCRIBE, _OUR_SUBSCRIBE)


def _expect_one(name: str, script: str, *lines: str) -> None:
    for line in lines:
        if (count := script.count(line)) != 1:
            raise PageChangedError(f"Reflex's {name} has {count} lines {line.strip()!r} instead of one.")


def _read(target: str, source: str) -> tuple[str, str]:
    return target, Path(__file__).with_name(source).read_text(encoding="utf-8")
