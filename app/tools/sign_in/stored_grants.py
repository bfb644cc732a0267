"""Use of stored sign-ins: finds the MCP servers that can use one, and makes the authentication of their connections."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.domain.tools.tool_servers import OverHttp, ToolServer
from app.tools.mcp.connection_terms import ConnectionTerms
from app.tools.sign_in.sign_ins import StoredGrant

if TYPE_CHECKING:
    import httpx2

AUTHORIZATION = "authorization"


def may_sign_in(server: ToolServer) -> bool:
    """Return True if the server can use a sign-in: an HTTP server without an Authorization header in its secrets."""
    over_http = isinstance(server.way, OverHttp)
    return over_http and AUTHORIZATION not in map(str.lower, server.secret_names)


def make_auth_of(
    server: ToolServer, load_grant: Callable[[], StoredGrant]
) -> Callable[[ConnectionTerms], httpx2.Auth] | None:
    """Return a factory for the authentication of connections to this server, or None if it cannot use a sign-in.

    `load_grant` is called only if the server can use a sign-in. It returns the stored access tokens.
    """
    way = server.way
    if not isinstance(way, OverHttp) or not may_sign_in(server):
        return None
    grant = load_grant()

    def make(terms: ConnectionTerms) -> httpx2.Auth:
        from app.tools.sign_in.stored_auth import StoredAuth  # noqa: PLC0415 - the SDK, which a connection over HTTP has loaded already

        return StoredAuth(way, grant, terms)

    return make
