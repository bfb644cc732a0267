"""Sign-ins at MCP servers: how a connection uses the access tokens of a sign-in, and how they are stored encrypted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.domain.tools.tool_servers import OverHttp
from app.runs.app_context import AppContext
from app.store.tools import mcp_servers
from app.store.tools.mcp_servers import StoredServer
from app.tools.mcp.connection_terms import ConnectionTerms
from app.tools.sign_in.sign_ins import StoredGrant

if TYPE_CHECKING:
    import httpx2

AUTHORIZATION = "authorization"


def may_sign_in(stored: StoredServer) -> bool:
    """Return True if the server can use a sign-in: an HTTP server without an Authorization header in its secrets."""
    over_http = isinstance(stored.server.way, OverHttp)
    return over_http and AUTHORIZATION not in map(str.lower, stored.server.secret_names)


def make_auth_of(ctx: AppContext, stored: StoredServer) -> Callable[[ConnectionTerms], httpx2.Auth] | None:
    """Return a factory for the authentication of connections to this server; None if the server cannot use a sign-in.

    Raises:
        StoreError: the stored access tokens cannot be read.
    """
    way = stored.server.way
    if not isinstance(way, OverHttp) or not may_sign_in(stored):
        return None
    sealed = stored.sealed_tokens

    async def store(text: str) -> None:
        async with ctx.store.write() as session:
            await mcp_servers.save_tokens(session, stored.server.id, ctx.catalogue.seal.close(text))

    kept = StoredGrant(None if sealed is None else ctx.catalogue.seal.open(sealed), store)

    def make(terms: ConnectionTerms) -> httpx2.Auth:
        from app.tools.sign_in.stored_auth import StoredAuth  # noqa: PLC0415 - the SDK, which a connection over HTTP has loaded already

        return StoredAuth(way, kept, terms)

    return make
