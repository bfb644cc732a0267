"""Decides how the page's scripts are divided into files: shared code comes as one file, not as thirty.

A browser fetches six files at a time, and each costs it and the server milliseconds of processor whatever is in it.
What is loaded only when it is needed (`lazy`, `import()`) stays in files of its own. Why: docs/decisions/0043. Of two
files opening a conversation runs nearly everything; browsers are told so. Why: docs/decisions/0047.

    >>> with_shared('groups: [{ test: /env.json/, name: "reflex-env", },]')
    'groups: [{ name: "shared", tags: ["$initial"], minShareCount: 2 }]'
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, Unpack

import reflex as rx
from reflex_base.plugins.base import PostBuildContext, PreCompileContext

_CONFIG: Final = "vite.config.js"
_GROUPS: Final = re.compile(r"groups: \[\s*\{\s*test: /env\.json/,\s*name: \"reflex-env\",\s*\},\s*\]")
# Not entry.client, which begins to run only when all else is there, nor what a single page needs.
_SHARED: Final = 'groups: [{ name: "shared", tags: ["$initial"], minShareCount: 2 }]'

# React's drawing, and the page of a conversation: what opening one runs. Of the shared file it runs a part.
_RUN_AT_ONCE: Final = ("entry.client-*.js", "_c_.__conversation_._index-*.js")
_ALL_OF_IT: Final = "//# allFunctionsCalledOnLoad\n"


class ChunksError(Exception):
    """Reflex or Vite writes its files in another way now, and so must this module."""


class ChunksPlugin(rx.plugins.Plugin):
    """Belongs into `rxconfig.py`."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        context["add_modify_task"](_CONFIG, with_shared)

    def post_build(self, **context: Unpack[PostBuildContext]) -> None:
        compile_at_once(context["static_dir"])


def with_shared(config: str) -> str:
    """Vite's configuration with this group in place of Reflex's own, which gives one address a file of its own."""
    changed, count = _GROUPS.subn(_SHARED, config)
    if count != 1:
        raise ChunksError(f"{_CONFIG} groups no env.json any more.")
    return changed


def compile_at_once(static_dir: Path) -> None:
    """Have browsers compile these files while they arrive, not function by function as the page is waited for."""
    for pattern in _RUN_AT_ONCE:
        found = list(static_dir.glob(f"assets/{pattern}"))
        if len(found) != 1:
            raise ChunksError(f"{static_dir}/assets holds {len(found)} files {pattern}, not one.")
        found[0].write_text(_ALL_OF_IT + found[0].read_text(encoding="utf-8"), encoding="utf-8")
