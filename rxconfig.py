"""Reflex's own configuration: what is built and how state is kept.

Not Inview's settings (`app/config/settings.py`): hosts and ports do not reach the built page at all.
"""

from typing import Any, Unpack

import reflex as rx
from reflex_base.plugins.base import PostBuildContext

from app.patches.plugin import PatchesPlugin
from app.ui.build.chunks import ChunksPlugin
from app.ui.build.drawn_text import DrawnTextPlugin
from app.ui.build.islands import IslandsPlugin
from app.ui.build.link import LinkPlugin
from app.ui.build.prerender import PrerenderPlugin
from app.ui.theme import TAILWIND
from app.web.bundle import PLACEHOLDER_HOST, free_from_address


class SameOriginPlugin(rx.plugins.Plugin):
    """Lets one build serve any host and port: see `app/web/bundle.py`."""

    def post_build(self, **context: Unpack[PostBuildContext]) -> None:
        free_from_address(context["static_dir"])


_tailwind: Any = TAILWIND  # Reflex has a type for it, but not one that a plain dictionary satisfies
_plugins: list[rx.plugins.Plugin] = [
    PatchesPlugin(),
    SameOriginPlugin(),
    PrerenderPlugin(),
    ChunksPlugin(),
    IslandsPlugin(),
    LinkPlugin(),
    DrawnTextPlugin(),
    rx.plugins.TailwindV4Plugin(_tailwind),
]

config = rx.Config(
    app_name="app",
    api_url=f"http://{PLACEHOLDER_HOST}",
    telemetry_enabled=False,
    # All state can be made anew from the URL and the database; nothing of it is worth a disk or a lock.
    state_manager_mode=rx.constants.StateManagerMode.MEMORY,
    show_built_with_reflex=False,
    # No origin beside the page's own: app/web/host_check.py turns others away first, this is the second lock.
    cors_allowed_origins=[],
    frontend_compression_formats=["brotli", "gzip"],
    # The page evaluates no components at run time: their libraries need not be in its first bundle.
    frontend_lazy_bundled_libraries=True,
    plugins=_plugins,
    disable_plugins=[rx.plugins.sitemap.SitemapPlugin],
)
