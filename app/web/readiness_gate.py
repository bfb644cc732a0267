"""The readiness gate: serves the built page at once; other requests wait until the application is imported.

Importing the application takes seconds; serving a file needs none of it. A browser that comes early gets its page; its
calls of the API and Reflex's socket wait here and are answered as if they had come later. The first page after a
restart comes after about one second instead of four on two busy cores (docs/decisions/0083).

    gate = ReadinessGate(files.serving(page))
    ...                               # a page is served; a request to the API waits
    gate.open(application)            # it is answered now
"""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Receive, Scope, Send

_BEHIND = ("/api/", "/v1/", "/s/", "/_event")
"""Of Reflex only its socket: no /_upload, /ping or /_health."""


class ReadinessGate:
    """Plain ASGI, without the lifespan: that is the application's own."""

    def __init__(self, page: ASGIApp, *, page_waits: bool = False) -> None:
        """Within a running event loop. `page_waits`: the application also decides who gets the page."""
        self._page = page
        self._page_waits = page_waits
        self._application: asyncio.Future[ASGIApp] = asyncio.get_running_loop().create_future()

    @property
    def is_open(self) -> bool:
        """Whether the application is there."""
        return self._application.done()

    def open(self, application: ASGIApp) -> None:
        """Let in those who wait, and from now on everybody at once."""
        self._application.set_result(application)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request or socket."""
        if self._page_waits or scope["path"].startswith(_BEHIND):
            application = await asyncio.shield(self._application)  # one that goes away takes nobody with it
            await application(scope, receive, send)
        else:
            await self._page(scope, receive, send)
