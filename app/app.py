"""Wiring only: Reflex's app with its pages, and beside it the API and the built files, behind the gate.

Nothing is decided here. Reflex finds `app` by its name when the page is built; the server calls `create_asgi`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import reflex as rx
from starlette.types import ASGIApp, Receive, Scope, Send

from app.settings import Settings
from app.state.guard import Guard
from app.state.notice import describe_fault
from app.ui import layout, pages, theme
from app.web import files, gate

# No toaster: its library weighs 10 KB in every first visit, and the page has its own notices.
app = rx.App(
    toaster=None,
    html_lang="en",
    stylesheets=theme.STYLESHEETS,
    head_components=layout.head(),
    backend_exception_handler=describe_fault,
)
app.add_middleware(Guard())
pages.register(app)


def create_asgi(settings: Settings, page: Path) -> ASGIApp:
    """Everything that answers on our port, from the settings and the folder of the built page."""
    # Here, not at the top: the page is built without them.
    from app.api.app import create_api  # noqa: PLC0415 - see above
    from app.runs.workbench import open_workbench  # noqa: PLC0415 - see above

    @asynccontextmanager
    async def workbench() -> AsyncGenerator[None]:
        async with open_workbench(settings):
            yield

    app.register_lifespan_task(workbench)  # pyright: ignore[reportUnknownMemberType] - Reflex leaves its kwargs untyped
    reflex, api = app(), create_api()
    built = files.serving(page, is_page=lambda path: app.router(path) is not None)

    async def switch(scope: Scope, receive: Receive, send: Send) -> None:
        # Of Reflex only its socket (and the lifespan, which is everybody's): no /_upload, /ping or /_health.
        path: str = scope.get("path", "")
        if scope["type"] == "lifespan" or path.startswith("/_event"):
            await reflex(scope, receive, send)
        elif path.startswith("/api/"):
            await api(scope, receive, send)
        else:
            await built(scope, receive, send)

    return gate.guarded(switch, gate.GateRules.of(settings))
