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
from app.web import files, gate


def index() -> rx.Component:
    return rx.el.main(rx.el.h1("Inview"), rx.el.textarea(id="draft", auto_focus=True))


# No toaster: it puts style elements into the page that only a laxer policy would let through.
app = rx.App(toaster=None)
app.add_page(index, route="/", title="Inview")


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
    pages = files.serving(page, is_page=lambda path: app.router(path) is not None)

    async def switch(scope: Scope, receive: Receive, send: Send) -> None:
        # Of Reflex only its socket (and the lifespan, which is everybody's): no /_upload, /ping or /_health.
        path: str = scope.get("path", "")
        if scope["type"] == "lifespan" or path.startswith("/_event"):
            await reflex(scope, receive, send)
        elif path.startswith("/api/"):
            await api(scope, receive, send)
        else:
            await pages(scope, receive, send)

    return gate.guarded(switch, gate.GateRules.of(settings))
