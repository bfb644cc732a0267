"""The readiness gate: serves the built page at once. Other requests wait until the application is imported.

Importing the application takes seconds, and serving a file does not need it. A browser that connects early gets its
page at once. Its requests to the API and Reflex's socket wait here, and are then answered normally.

    gate = ReadinessGate(files.serving(page))
    ...                               # a page is served; a request to the API waits
    gate.open(application)            # it is answered now
"""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Receive, Scope, Send

_BEHIND = ("/api/", "/_event")
"""The paths that wait for the application. Reflex's paths /_upload, /ping and /_health are not among them."""


class ReadinessGate:
    """The ASGI application that serves the page, and lets other requests wait for the imported application.

    It does not handle the lifespan: the imported application does.
    """

    def __init__(self, page: ASGIApp) -> None:
        """Create the readiness gate. An event loop must be running. `page` serves the files of the page."""
        self._page = page
        self._application: asyncio.Future[ASGIApp] = asyncio.get_running_loop().create_future()

    def open(self, application: ASGIApp) -> None:
        """Pass waiting requests to the application, and all later ones at once."""
        self._application.set_result(application)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request or socket: with a file of the page, or by the application once it is imported."""
        if scope["path"].startswith(_BEHIND):
            # if a client disconnects, the other requests continue to wait
            application = await asyncio.shield(self._application)
            await application(scope, receive, send)
        else:
            await self._page(scope, receive, send)
