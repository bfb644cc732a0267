"""An MCP server that requires a sign-in, and its authorization server: both are the SDK's, on a free port.

async with a_protected_server() as server:
    server.url, server.tokens, server.revoke_access()
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import Any

from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    AuthorizeError,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    RegistrationError,
    TokenError,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.api.served import serve


@dataclass
class Protected(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """The provider of tokens. It accepts every client unless set otherwise. `secrets`: texts that must never leak.

    `drips`: a path whose answers start and never end; for "/mcp" only requests with a sign-in. `dripping` is set by the
    first such answer.
    """

    origin: str = ""
    denies: bool = False
    registers: bool = True
    gives_tokens: bool = True
    renews: bool = True
    recognises: bool = True
    seconds: int = 3600
    drips: str = ""
    dripping: asyncio.Event = field(default_factory=asyncio.Event)
    clients: dict[str, OAuthClientInformationFull] = field(default_factory=dict[str, OAuthClientInformationFull])
    codes: dict[str, AuthorizationCode] = field(default_factory=dict[str, AuthorizationCode])
    access: dict[str, AccessToken] = field(default_factory=dict[str, AccessToken])
    refresh: dict[str, RefreshToken] = field(default_factory=dict[str, RefreshToken])
    secrets: set[str] = field(default_factory=set[str])
    renewed: int = 0

    @property
    def url(self) -> str:
        return f"{self.origin}/mcp"

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        if not self.registers:
            raise RegistrationError("unapproved_software_statement", "Only programs we know.")
        self.clients[client_info.client_id] = client_info
        self.secrets.add(client_info.client_secret or "?")

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        if self.denies:
            raise AuthorizeError("access_denied", "Not today.")
        code = AuthorizationCode(
            code=token_urlsafe(32), scopes=[], expires_at=time.time() + 60, client_id=client.client_id,
            code_challenge=params.code_challenge, redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly, resource=params.resource,
        )  # fmt: skip
        self.codes[code.code] = code
        self.secrets |= {code.code, params.state or "?"}
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state, session_state="x")

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        if not self.gives_tokens:
            raise TokenError("invalid_grant", f"No token for {authorization_code.code}.")
        del self.codes[authorization_code.code]
        return self._give(client, authorization_code.resource)

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> RefreshToken | None:
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        if not self.renews:
            raise TokenError("invalid_grant")
        self.renewed += 1
        del self.refresh[refresh_token.token]
        return self._give(client, refresh_token.resource)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.access.get(token) if self.recognises else None

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None: ...

    def _give(self, client: OAuthClientInformationFull, resource: str | None) -> OAuthToken:
        access, refresh = token_urlsafe(32), token_urlsafe(32)
        self.secrets |= {access, refresh}
        self.access[access] = AccessToken(token=access, client_id=client.client_id, scopes=[], resource=resource)
        self.refresh[refresh] = RefreshToken(token=refresh, client_id=client.client_id, scopes=[], resource=resource)
        return OAuthToken(access_token=access, expires_in=self.seconds, refresh_token=refresh)


@asynccontextmanager
async def a_protected_server(**how: Any) -> AsyncGenerator[Protected]:
    """Serve it, with one tool `greet(name)`."""
    provider = Protected(**how)
    inside: list[ASGIApp] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == provider.drips and (scope["path"] != "/mcp" or b"authorization" in dict(scope["headers"])):
            await _drip(receive, send, provider.dripping)
        else:
            await inside[0](scope, receive, send)

    async with serve(app) as served:
        provider.origin = f"http://{served.host}"
        settings = AuthSettings(
            issuer_url=AnyHttpUrl(provider.origin),
            resource_server_url=AnyHttpUrl(provider.url),
            client_registration_options=ClientRegistrationOptions(enabled=True),
            validate_token_resource=True,
        )
        server = MCPServer("calendar", auth_server_provider=provider, auth=settings)

        @server.tool()
        def greet(name: str) -> str:
            """Greets."""
            return f"Hello, {name}."

        inside.append(server.streamable_http_app())
        up, over = asyncio.Event(), asyncio.Event()

        async def run() -> None:
            async with server.session_manager.run():
                up.set()
                await over.wait()

        running = asyncio.create_task(run())  # entered and left by one task, as the SDK requires; fixtures have two
        await up.wait()
        try:
            yield provider
        finally:
            over.set()
            await running


async def _drip(receive: Receive, send: Send, dripping: asyncio.Event) -> None:
    """Start a JSON answer and wait until the client has disconnected."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": b" ", "more_body": True})
    dripping.set()
    while (await receive())["type"] != "http.disconnect":
        pass


async def _serve_until_killed(how: dict[str, Any]) -> None:
    async with a_protected_server(**how) as server:
        print(server.url, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":  # for tests without an event loop: prints its address, and runs until it is killed
    asyncio.run(_serve_until_killed(json.loads(sys.argv[1])))
