"""Conversations as a page of the build: drawn once with no conversation in it, served for every address `/c/<id>`.

Without it React Router serves an empty page for addresses it did not render, learns from its scripts which others it
needs, and draws everything from nothing. `PrerenderPlugin` belongs into `rxconfig.py`.
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
    """Reflex writes React Router's configuration in another way now, and so must this module."""


class PrerenderPlugin(rx.plugins.Plugin):
    """Adds the page to those that are drawn at build time."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        context["add_modify_task"](_CONFIG, with_shell)


def with_shell(config: str) -> str:
    """React Router's configuration with one more address to draw."""
    if config.count(_EVERY_STATIC) != 1:
        raise PrerenderError(f"{_CONFIG} does not say {_EVERY_STATIC} any more.")
    return config.replace(_EVERY_STATIC, _AND_THE_SHELL)
