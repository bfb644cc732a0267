"""Changes Reflex's runtime in the browser, so that it passes its socket and events to `app/ui/kit/connection/link.ts`.

`link.ts` decides which events may be sent. Reflex exports neither its socket nor its events, so the build replaces
lines of the runtime, and fails if Reflex has changed one of these lines. `rxconfig.py` lists `LinkPlugin`.
"""

from __future__ import annotations

from typing import Final, Unpack

import reflex as rx
from reflex_base.constants import Templates
from reflex_base.plugins.base import PreCompileContext

_RUNTIME: Final = "utils/state.js"
_CHANGES: Final = {
    'import io from "socket.io-client";\n': (
        'import io from "socket.io-client";\nimport { admit, attach } from "$/islands/kit/connection/link.ts";\n'
    ),
    "  socket.current =\n    warmSocket ?? createSocket(endpoint, transports, session_token);\n": (
        "  socket.current =\n    warmSocket ?? createSocket(endpoint, transports, session_token);\n"
        "  attach(socket.current, event_queue);\n"
    ),
    "  const normalized = normalizeEvents(events);\n": "  const normalized = admit(normalizeEvents(events));\n",
}
"""Lines of Reflex's runtime, with their replacements."""


class LinkError(Exception):
    """Error: Reflex's runtime has another form than this module expects."""


class LinkPlugin(rx.plugins.Plugin):
    """The plugin that applies `with_link` to Reflex's runtime when the page is built."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        context["add_save_task"](_pristine)
        context["add_modify_task"](_RUNTIME, with_link)


def with_link(runtime: str) -> str:
    """Return Reflex's runtime with the lines that call `attach` and `admit` of `app/ui/kit/connection/link.ts`.

    Raises:
        LinkError: a line to replace does not occur exactly once.
    """
    for line, changed in _CHANGES.items():
        if runtime.count(line) != 1:
            raise LinkError(f"{_RUNTIME} does not say {line.strip()!r} exactly once any more.")
        runtime = runtime.replace(line, changed)
    return runtime


def _pristine() -> tuple[str, str]:
    """Return the file name and the text of the runtime as Reflex ships it.

    The copy in the build folder cannot be used, because the last build has changed it.
    """
    return _RUNTIME, (Templates.Dirs.WEB_TEMPLATE / _RUNTIME).read_text(encoding="utf-8")
