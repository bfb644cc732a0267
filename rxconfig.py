"""Reflex's own configuration: what is built and how state is kept.

Not Inview's settings (`app/settings.py`): hosts and ports do not reach the built page at all.
"""

from pathlib import Path
from typing import Any, Unpack

import reflex as rx
from reflex_base.plugins.base import CommonContext, PostBuildContext

from app.patches.plugin import PatchesPlugin
from app.ui.chunks import ChunksPlugin
from app.ui.islands import IslandsPlugin
from app.ui.link import LinkPlugin
from app.ui.prerender import PrerenderPlugin
from app.ui.theme import TAILWIND
from app.ui.translated_pages import LanguagesPlugin
from app.web.bundle import PLACEHOLDER_HOST, free_from_address
from app.web.diagram_frame import PACKAGE, write_frame


class SameOriginPlugin(rx.plugins.Plugin):
    """Lets one build serve any host and port: see `app/web/bundle.py`."""

    def post_build(self, **context: Unpack[PostBuildContext]) -> None:
        free_from_address(context["static_dir"])


class DiagramsPlugin(rx.plugins.Plugin):
    """Adds the frame in which diagrams are drawn: see `app/web/diagram_frame.py`."""

    def get_frontend_development_dependencies(self, **_context: Unpack[CommonContext]) -> list[str]:
        return [PACKAGE]

    def post_build(self, **context: Unpack[PostBuildContext]) -> None:
        write_frame(context["static_dir"], Path.cwd() / ".web" / "node_modules")


_tailwind: Any = TAILWIND  # Reflex has a type for it, but not one that a plain dictionary satisfies
_plugins: list[rx.plugins.Plugin] = [
    PatchesPlugin(),
    SameOriginPlugin(),
    PrerenderPlugin(),
    ChunksPlugin(),
    IslandsPlugin(),
    LinkPlugin(),
    rx.plugins.TailwindV4Plugin(_tailwind),
    LanguagesPlugin(),  # behind the others: it writes what they made once per language
    DiagramsPlugin(),  # last: its file has no texts
]

config = rx.Config(
    app_name="app",
    api_url=f"http://{PLACEHOLDER_HOST}",
    telemetry_enabled=False,
    # All state can be made anew from the URL and the database; nothing of it is worth a disk or a lock.
    state_manager_mode=rx.constants.StateManagerMode.MEMORY,
    show_built_with_reflex=False,
    # No origin beside the page's own: app/web/gate.py turns others away first, this is the second lock.
    cors_allowed_origins=[],
    frontend_compression_formats=["brotli", "gzip"],
    # The page evaluates no components at run time: their libraries need not be in its first bundle.
    frontend_lazy_bundled_libraries=True,
    plugins=_plugins,
    disable_plugins=[rx.plugins.sitemap.SitemapPlugin],
)
