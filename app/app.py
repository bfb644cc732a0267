"""Connects Reflex's app, which has the pages, with the API.

This module contains no logic of the product. Reflex finds `app` by its name when the page is built; the server calls
`create_asgi`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import reflex as rx
from starlette.types import ASGIApp, Receive, Scope, Send

from app.config.settings import Settings
from app.patches.namespace import send_patches
from app.state.allowed_events import EventGuard
from app.state.opening import prepare_page
from app.state.shell.notice import describe_fault, log_script_fault
from app.state.tab.client_address import ClientAddress
from app.state.tab.visit import PageLoads
from app.ui import pages, theme
from app.ui.pages.frame import head

HEALTH = "/api/v1/health"
"""The address that monitoring programs request.

The page never requests this address. So a request to it does not mean that a user with a page is there, who may need
token counts.
"""

# No toaster, because its library adds 10 KB to every first visit, and the page has its own notices.
app = rx.App(
    toaster=None,
    html_lang="en",
    stylesheets=theme.STYLESHEETS,
    head_components=head(),
    backend_exception_handler=describe_fault,
    frontend_exception_handler=log_script_fault,
)
send_patches(app)
app.add_middleware(EventGuard())
app.add_middleware(ClientAddress())
app.add_middleware(PageLoads(prepare_page))
pages.register(app)


def create_asgi(settings: Settings) -> ASGIApp:
    """Return the ASGI app of the API and of Reflex's socket, with the lifespan of both."""
    # Imported here, because the build of the page does not need them.
    from app.api.app import create_api  # noqa: PLC0415 - see above
    from app.providers.counts.token_counts import warm_up  # noqa: PLC0415 - see above
    from app.runs.wiring import open_app_context  # noqa: PLC0415 - see above

    @asynccontextmanager
    async def app_context() -> AsyncGenerator[None]:
        async with open_app_context(settings):
            yield

    app.register_lifespan_task(app_context)  # pyright: ignore[reportUnknownMemberType] - Reflex leaves its kwargs untyped
    reflex, api = app(), create_api()

    async def switch(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan" and scope["path"] != HEALTH:
            warm_up()  # a user has opened a page, and may soon need token counts
        to_api: bool = scope["type"] != "lifespan" and scope["path"].startswith("/api/")
        await (api if to_api else reflex)(scope, receive, send)  # Reflex also handles the lifespan

    return switch
