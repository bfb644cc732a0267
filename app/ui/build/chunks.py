"""The division of the page's scripts into files: one file holds the code that pages share, instead of thirty files.

A browser fetches six files at a time. Each file, whatever its content, costs the browser and the server milliseconds of
processor time. Code that is loaded on demand (`lazy`, `import()`) stays in separate files. Why: docs/decisions/0043.
Opening a conversation runs nearly all code of two files; a comment in these files makes browsers compile them at once.
Why: docs/decisions/0047.

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
# This group contains neither the code that only one page uses, nor entry.client, which starts to run only when all
# other files are loaded.
_SHARED: Final = 'groups: [{ name: "shared", tags: ["$initial"], minShareCount: 2 }]'

# The files are React's rendering and the page of a conversation. Opening a conversation runs nearly all of both, but
# not of the shared file.
_RUN_AT_ONCE: Final = ("entry.client-*.js", "_c_.__conversation_._index-*.js")
_ALL_OF_IT: Final = "//# allFunctionsCalledOnLoad\n"


class ChunksError(Exception):
    """Error: a file of Reflex or Vite has another form than this module expects."""


class ChunksPlugin(rx.plugins.Plugin):
    """The plugin that calls `with_shared` and `compile_at_once` when the page is built. `rxconfig.py` lists it."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        context["add_modify_task"](_CONFIG, with_shared)

    def post_build(self, **context: Unpack[PostBuildContext]) -> None:
        compile_at_once(context["static_dir"])


def with_shared(config: str) -> str:
    """Return Vite's configuration with one file for all shared code.

    Reflex's own configuration has a shared file only for `env.json`.

    Raises:
        ChunksError: the configuration does not have Reflex's group for `env.json` exactly once.
    """
    changed, count = _GROUPS.subn(_SHARED, config)
    if count != 1:
        raise ChunksError(f"{_CONFIG} groups no env.json any more.")
    return changed


def compile_at_once(static_dir: Path) -> None:
    """Make browsers compile two scripts of the page completely while they download: write a comment into both files.

    The two scripts are React's rendering and the page of a conversation. Without the comment, a browser compiles each
    function when the page first calls it. `static_dir` is the folder of the built page.

    Raises:
        ChunksError: the build does not have exactly one file of each name.
    """
    for pattern in _RUN_AT_ONCE:
        found = list(static_dir.glob(f"assets/{pattern}"))
        if len(found) != 1:
            raise ChunksError(f"{static_dir}/assets holds {len(found)} files {pattern}, not one.")
        found[0].write_text(_ALL_OF_IT + found[0].read_text(encoding="utf-8"), encoding="utf-8")
