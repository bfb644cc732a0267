"""The page's link to the server: Reflex's runtime tells `app/ui/kit/link.ts` about its socket, and asks it which events
may be sent.

Reflex keeps both to itself, so its runtime is changed when the page is built. The change fails the build when
Reflex changes the lines it rests on. `LinkPlugin` belongs into `rxconfig.py`.
"""

from __future__ import annotations

from typing import Final, Unpack

import reflex as rx
from reflex_base.constants import Templates
from reflex_base.plugins.base import PreCompileContext

_RUNTIME: Final = "utils/state.js"
_CHANGES: Final = {
    'import io from "socket.io-client";\n': (
        'import io from "socket.io-client";\nimport { admit, attach } from "$/islands/kit/link.ts";\n'
    ),
    "  socket.current =\n    warmSocket ?? createSocket(endpoint, transports, session_token);\n": (
        "  socket.current =\n    warmSocket ?? createSocket(endpoint, transports, session_token);\n"
        "  attach(socket.current, event_queue);\n"
    ),
    "  const normalized = normalizeEvents(events);\n": "  const normalized = admit(normalizeEvents(events));\n",
}
"""What stands instead of which lines."""


class LinkError(Exception):
    """Reflex's runtime is written in another way now, and so must this module be."""


class LinkPlugin(rx.plugins.Plugin):
    """Changes Reflex's runtime."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        context["add_save_task"](_pristine)
        context["add_modify_task"](_RUNTIME, with_link)


def with_link(runtime: str) -> str:
    """Return Reflex's runtime with our changes.

    Raises:
        LinkError: a line that is changed is not there exactly once.
    """
    for line, changed in _CHANGES.items():
        if runtime.count(line) != 1:
            raise LinkError(f"{_RUNTIME} does not say {line.strip()!r} exactly once any more.")
        runtime = runtime.replace(line, changed)
    return runtime


def _pristine() -> tuple[str, str]:
    """The runtime as Reflex ships it: the build folder holds the one of the last build, which was changed already."""
    return _RUNTIME, (Templates.Dirs.WEB_TEMPLATE / _RUNTIME).read_text(encoding="utf-8")
