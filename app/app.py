"""Wiring only: Reflex's app with its pages, and beside it the API and the built files, behind the gate.

Nothing is decided here. Reflex finds `app` by its name when the page is built; the server calls `create_asgi`.
"""

from __future__ import annotations

from pathlib import Path

import reflex as rx
from starlette.types import ASGIApp, Receive, Scope, Send

from app.settings import Settings
from app.web import files, gate


def index() -> rx.Component:
    return rx.el.main(rx.el.h1("Inview"), rx.el.textarea(id="draft", auto_focus=True))


app = rx.App(toaster=None)
app.add_page(index, route="/", title="Inview")


def create_asgi(settings: Settings, page: Path) -> ASGIApp:
    """Everything that answers on our port, from the settings and the folder of the built page."""
    sockets = app()
    pages = files.serving(page, is_page=lambda path: app.router(path) is not None)

    async def switch(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] == "lifespan" or path == "/_event" or path.startswith("/_event/"):
            await sockets(scope, receive, send)
        else:
            await pages(scope, receive, send)

    return gate.guarded(switch, gate.GateRules.of(settings))
