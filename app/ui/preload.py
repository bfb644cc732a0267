"""Links in the built page that let a browser fetch a conversation's scripts at once, not one after the other.

React Router's page for addresses it did not render (`/c/<id>`) names its own scripts only; which the route needs it
learns when those have run. Its manifest knows at build time.

Not a bundler and not the serving of files. `PreloadPlugin` belongs into `rxconfig.py`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final, Unpack

import reflex as rx
from reflex_base.plugins.base import PostBuildContext

_PAGE: Final = "__spa-fallback.html"
_ROUTE: Final = "c/:conversation"
_MANIFEST: Final = re.compile(r"^window\.__reactRouterManifest=(\{.*\});?\s*$", re.DOTALL)


class PreloadError(Exception):
    """The built files are not as we know them: React Router changed, and so must this module."""


class PreloadPlugin(rx.plugins.Plugin):
    """Adds the links once the page is built."""

    def post_build(self, **context: Unpack[PostBuildContext]) -> None:
        static_dir = context["static_dir"]
        page = static_dir / _PAGE
        page.write_text(with_links(page.read_text(), scripts_of(_read_manifest(static_dir))))


def scripts_of(manifest: dict[str, Any]) -> list[str]:
    """The script of the conversation's route and all that it imports."""
    for route in manifest["routes"].values():
        if route.get("path") == _ROUTE:
            return [route["module"], *route["imports"]]
    raise PreloadError(f"React Router's manifest has no route {_ROUTE!r}. It names routes in another way now.")


def with_links(page: str, scripts: list[str]) -> str:
    """The page with a link for each script that it does not name already."""
    links = "".join(f'<link rel="modulepreload" href="{script}"/>' for script in scripts if f'"{script}"' not in page)
    before, head, after = page.partition("</head>")
    if not head:
        raise PreloadError(f"{_PAGE} has no head. React Router writes it in another way now.")
    return before + links + head + after


def _read_manifest(static_dir: Path) -> dict[str, Any]:
    found = [match for path in static_dir.glob("assets/manifest-*.js") if (match := _MANIFEST.match(path.read_text()))]
    if len(found) != 1:
        raise PreloadError(f"{len(found)} files in {static_dir / 'assets'} are React Router's manifest, not one.")
    return json.loads(found[0][1])
