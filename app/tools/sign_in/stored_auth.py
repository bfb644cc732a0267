"""OAuth for MCP servers that require it: connections with the access tokens of a sign-in. It uses MCP's SDK.

The SDK finds the authorization server (by metadata), registers Inview there, proves with PKCE that the returning
browser is the browser that was sent, and renews expired tokens. This module adds three rules: a connection without a
person starts no sign-in, but ends with `SignInNeededError`; all data of the SDK is stored, so that a new process can
use the sign-in; and no secret is sent over an unencrypted connection.

    open_client(AddressGuard(), auth=StoredAuth(way, kept, terms))

`oauth_flow.py` has the sign-in itself. Both modules connect only to checked addresses (`web_client.py`), whatever
addresses the metadata of a server names.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.client.auth.oauth2 import OAuthContext
from mcp.client.auth.utils import extract_resource_metadata_from_www_auth
from mcp.shared.auth import (
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import AnyUrl, BaseModel

from app.domain.tools.tool_servers import OverHttp
from app.tools.mcp.connection_terms import ConnectionTerms, SignInNeededError
from app.tools.network.web_client import Bounds, put_bounds
from app.tools.sign_in.sign_ins import SignInFailedError, StoredGrant

UNAUTHORIZED: Final = 401
SIGN_IN_BOUNDS: Final = Bounds(1_000_000, is_json=True)
"""The limits of an answer during a sign-in: metadata, a registration, tokens."""
_BUSY: Final = 429
_FAULT: Final = 500
_LONG_AGO: Final = 1.0

# The SDK logs each failure with the answer of the token endpoint. Inview reports failures without that answer.
logging.getLogger("mcp.client.auth").setLevel(logging.CRITICAL + 1)


class Grant(BaseModel):
    """The result of a sign-in, with all data to renew it. It is valid only for the server address `url`."""

    url: str
    client: OAuthClientInformationFull
    tokens: OAuthToken
    expires_at: float | None = None
    issuer: str | None = None
    authorization_server: OAuthMetadata | None = None
    resource: ProtectedResourceMetadata | None = None


class Storage:
    """The storage for the data that MCP's SDK needs for a sign-in.

    The SDK passes only the tokens to this object. The object also stores other data, which it reads from `context`, the
    state of the SDK's OAuth flow.

    `client` is an OAuth client that is already registered. If it is None, the SDK registers one at the authorization
    server.
    """

    def __init__(
        self, url: str, kept: StoredGrant, mask: Callable[..., None], client: OAuthClientInformationFull | None = None
    ) -> None:
        self.context: OAuthContext | None = None
        self.grant: Grant | None = None
        self._client = client
        self._url = url
        self._kept = kept
        self._mask = mask

    def load(self) -> Grant | None:
        """Return the stored result of a sign-in if it belongs to this address, otherwise None."""
        grant = None if self._kept.text is None else Grant.model_validate_json(self._kept.text)
        if grant is not None and grant.url == self._url:
            self.grant = grant
            self._hide(grant)
        return self.grant

    async def get_tokens(self) -> OAuthToken | None:
        return self.grant and self.grant.tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.grant.client if self.grant else self._client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Do nothing: the client is stored together with the tokens."""

    async def set_tokens(self, tokens: OAuthToken) -> None:
        context = self.context
        if context is None or context.client_info is None:
            raise RuntimeError("The tokens came before the client registration.")
        self.grant = Grant(
            url=self._url,
            client=context.client_info,
            tokens=tokens,
            expires_at=context.token_expiry_time,
            issuer=context.auth_server_url,
            authorization_server=context.oauth_metadata,
            resource=context.protected_resource_metadata,
        )
        self._hide(self.grant)
        await self._kept.keep(self.grant.model_dump_json(exclude_none=True))

    def _hide(self, grant: Grant) -> None:
        secrets = (grant.tokens.access_token, grant.tokens.refresh_token, grant.client.client_secret)
        self._mask(*filter(None, secrets))


class StoredAuth(httpx2.Auth):
    """Authentication of requests with the access token of an earlier sign-in. An expired token is renewed.

    This class never starts a sign-in: if the server still requires one, SignInNeededError is raised. The SDK's OAuth
    flow is used only to renew tokens, because it would make each request wait until the previous one is answered.
    """

    def __init__(self, way: OverHttp, kept: StoredGrant, terms: ConnectionTerms) -> None:
        self._way = way
        self._terms = terms
        storage = Storage(way.url, kept, terms.mask)
        self._provider = OAuthClientProvider(way.url, describe_ourselves(None), storage)
        self._context = storage.context = self._provider.context
        if (grant := storage.load()) is not None:
            self._context.current_tokens = grant.tokens
            self._context.client_info = grant.client
            self._context.token_expiry_time = grant.expires_at
            self._context.auth_server_url = grant.issuer
            self._context.oauth_metadata = grant.authorization_server
            self._context.protected_resource_metadata = grant.resource

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        context = self._context
        for renewed in (False, True):
            if not context.is_token_valid() and context.can_refresh_token():
                flow = self._provider.async_auth_flow(request)
                try:
                    outgoing = await anext(flow)
                    while outgoing is not request:
                        prepare(outgoing, self._way)
                        response = yield outgoing
                        if response.status_code >= _FAULT or response.status_code == _BUSY:
                            raise OAuthFlowError(f"the sign-in could not be renewed (status {response.status_code})")
                        outgoing = await flow.asend(response)
                finally:
                    await flow.aclose()
            sent = context.current_tokens.access_token if context.current_tokens and context.is_token_valid() else None
            if sent is not None:
                request.headers["Authorization"] = f"Bearer {sent}"
            response = yield request
            if not _asks_for_sign_in(response):
                return
            if renewed or not context.can_refresh_token():
                break
            if context.current_tokens is not None and context.current_tokens.access_token == sent:
                context.token_expiry_time = _LONG_AGO  # the server refused the token, so it counts as expired
        self._terms.sign_in_needed.set()
        if context.current_tokens is None and not extract_resource_metadata_from_www_auth(response):
            self._terms.unexplained.set()
        raise SignInNeededError


def describe_ourselves(redirect_uri: str | None) -> OAuthClientMetadata:
    """Return the client metadata with which Inview registers at an authorization server."""
    local = redirect_uri is None or is_loopback(urlsplit(redirect_uri).hostname)
    return OAuthClientMetadata(
        redirect_uris=None if redirect_uri is None else [AnyUrl(redirect_uri)],
        client_name="Inview",
        application_type="native" if local else "web",
    )


def _asks_for_sign_in(response: httpx2.Response) -> bool:
    """Return True if a 401 means OAuth: it names the scheme Bearer, or no scheme, as older servers do."""
    challenges = response.headers.get("www-authenticate", "bearer").lower()
    return response.status_code == UNAUTHORIZED and "bearer" in challenges


def prepare(outgoing: httpx2.Request, way: OverHttp) -> None:
    """Check that a request of the sign-in to the server `way` is encrypted, and set the limits of its answer.

    Raises:
        SignInFailedError: the request would be sent unencrypted.
    """
    require_closed_line(outgoing.url, way)
    put_bounds(outgoing, SIGN_IN_BOUNDS)


def require_closed_line(url: httpx2.URL, way: OverHttp) -> None:
    """Check that codes, secrets and tokens may be sent to a URL: by TLS or, if `way` allows private addresses, by HTTP.

    By HTTP, the URL must lead to this machine or to the host of the server `way`.

    Raises:
        SignInFailedError: the URL is neither of these.
    """
    near = way.allow_private and (is_loopback(url.host) or url.host == urlsplit(way.url).hostname)
    if url.scheme != "https" and not (near and url.scheme == "http"):
        raise SignInFailedError(f'The server uses the address "{url.scheme}://{url.host}", which is not encrypted')


def is_loopback(host: str | None) -> bool:
    """Return True if `host` is a name or an address of this machine that only this machine can reach."""
    try:
        return host == "localhost" or ip_address(host or "").is_loopback
    except ValueError:
        return False
