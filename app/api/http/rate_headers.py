"""Middleware that names the client of each request, and adds the headers of rate limits to its response.

    RateLimit-Policy: "conversation";q=10;w=60
    RateLimit: "conversation";r=9;t=60

The headers follow the IETF draft "RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers). Only
responses to sends have them, and only if a limit of sends applies. `problems.py` adds `Retry-After` to a refusal.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.domain.settings.rate_limits import SENDS_SECONDS, SendQuota
from app.runs.runtime.client import Client, serving


class RateHeaders:
    """ASGI middleware; see the module."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        address, *_ = scope.get("client") or ("",)
        with serving(Client(str(address), _find_via(scope))) as client:

            async def add_headers(message: Message) -> None:
                if message["type"] == "http.response.start" and client.quotas:
                    headers = MutableHeaders(scope=message)
                    headers["RateLimit-Policy"], headers["RateLimit"] = describe_quotas(client.quotas)
                await send(message)

            await self._app(scope, receive, add_headers)


def _find_via(scope: Scope) -> Literal["page", "api"]:
    """Return "page" for a request of Inview's page, such as a download. Browsers mark requests of the same site."""
    return "page" if (b"sec-fetch-site", b"same-origin") in scope["headers"] else "api"


def describe_quotas(quotas: Iterable[SendQuota]) -> tuple[str, str]:
    """Return the values of `RateLimit-Policy` and `RateLimit`.

    >>> from app.domain.settings.rate_limits import RateScope
    >>> describe_quotas([SendQuota(RateScope.PERSON, 30, 12, 40)])
    ('"person";q=30;w=60', '"person";r=12;t=40')
    """
    known = tuple(quotas)
    return (
        ", ".join(f'"{one.scope}";q={one.limit};w={SENDS_SECONDS}' for one in known),
        ", ".join(f'"{one.scope}";r={one.remaining};t={one.reset}' for one in known),
    )
