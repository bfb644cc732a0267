"""Wiring only: Reflex's app with its pages, and beside it the API.

Nothing is decided here. Reflex finds `app` by its name when the page is built; the server calls `create_asgi`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import reflex as rx
from starlette.types import ASGIApp, Receive, Scope, Send

from app.patches.namespace import send_patches
from app.settings import Settings
from app.state.guard import Guard
from app.state.shell.notice import describe_fault, log_script_fault
from app.state.visit import PageLoads
from app.ui import pages, theme
from app.ui.pages.frame import head

HEALTH = "/api/v1/health"
"""Asked by what watches over the server: not by somebody who will write."""

# No toaster: its library weighs 10 KB in every first visit, and the page has its own notices.
app = rx.App(
    toaster=None,
    html_lang="en",
    stylesheets=theme.STYLESHEETS,
    head_components=head(),
    backend_exception_handler=describe_fault,
    frontend_exception_handler=log_script_fault,
)
send_patches(app)
app.add_middleware(Guard())
app.add_middleware(PageLoads())
pages.register(app)


def create_asgi(settings: Settings) -> ASGIApp:
    """The API and Reflex's socket, with the lifespan of both."""
    # Here, not at the top: the page is built without them.
    from app.api.app import create_api  # noqa: PLC0415 - see above
    from app.providers.counts.token_counts import warm_up  # noqa: PLC0415 - see above
    from app.runs.wiring import open_workbench  # noqa: PLC0415 - see above

    @asynccontextmanager
    async def workbench() -> AsyncGenerator[None]:
        async with open_workbench(settings):
            yield

    app.register_lifespan_task(workbench)  # pyright: ignore[reportUnknownMemberType] - Reflex leaves its kwargs untyped
    reflex, api = app(), create_api()

    async def switch(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan" and scope["path"] != HEALTH:
            warm_up()  # somebody is there, who may want something counted in a moment
        to_api: bool = scope["type"] != "lifespan" and scope["path"].startswith("/api/")
        await (api if to_api else reflex)(scope, receive, send)  # the lifespan, which is everybody's, is told to Reflex

    return switch
