"""The page of a conversation as HTML: drawn at build time without a conversation, and served for every `/c/<id>`.

Without this page, React Router would serve an empty page for these addresses, and the browser would load one script
after the other before it can draw anything. `rxconfig.py` lists `PrerenderPlugin`.
"""

from __future__ import annotations

from typing import Final, Unpack

import reflex as rx
from reflex_base.plugins.base import PreCompileContext

SHELL: Final = "/c/_"
"""The address under which the page without a conversation is built."""
_CONFIG: Final = "react-router.config.js"
_EVERY_STATIC: Final = '"prerender": true'
_AND_THE_SHELL: Final = f'"prerender": ({{ getStaticPaths }}) => [...getStaticPaths(), "{SHELL}"]'


class PrerenderError(Exception):
    """Error: React Router's configuration, which Reflex writes, has another form than this module expects."""


class PrerenderPlugin(rx.plugins.Plugin):
    """The plugin that adds the page of a conversation to the pages that are drawn at build time."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        context["add_modify_task"](_CONFIG, with_shell)


def with_shell(config: str) -> str:
    """Return React Router's configuration with the address `SHELL` added to those that are drawn at build time.

    Raises:
        PrerenderError: the line to replace does not occur exactly once.
    """
    if config.count(_EVERY_STATIC) != 1:
        raise PrerenderError(f"{_CONFIG} does not say {_EVERY_STATIC} any more.")
    return config.replace(_EVERY_STATIC, _AND_THE_SHELL)
