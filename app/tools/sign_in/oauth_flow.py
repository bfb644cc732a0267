"""The sign-in of a person to an MCP server, with the OAuth flow of MCP's SDK.

    text = await sign_in(server, secrets, one, log)         # `one` is a SignIn: sets its `address`, awaits `answered`

`sign_in` connects to the server and requests its lists, so the sign-in starts at the first request that needs one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any, Final, cast
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider, OAuthRegistrationError, OAuthTokenError
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull
from pydantic import ValidationError

from app.domain.errors import words_of
from app.domain.tools.tool_servers import CLIENT_SECRET, OverHttp, ToolServer
from app.tools.mcp.connection_terms import ConnectionTerms
from app.tools.mcp.link import describe_fault, open_link
from app.tools.mcp.server_log import ServerLog
from app.tools.network.bounds import TooMuchError
from app.tools.sign_in.sign_ins import (
    SIGN_IN_SECONDS,
    TOKEN_SECONDS,
    Refusal,
    SignIn,
    SignInFailedError,
    StoredGrant,
)
from app.tools.sign_in.stored_auth import UNAUTHORIZED, Storage, describe_ourselves, is_loopback, prepare

_FORBIDDEN: Final = 403
_MAX_WORDS: Final = 200


class PersonAuth(httpx2.Auth):
    """Authentication that asks a person to sign in.

    - `failed`: the reason if the sign-in failed.
    - `limit`: the time limit of the sign-in.
    - `secret`: the secret of the OAuth client in `way`, which the user registered by hand; None if there is no such
      client, or if it has no secret.
    """

    def __init__(
        self, way: OverHttp, kept: StoredGrant, sign_in: SignIn, mask: Callable[..., None], secret: str | None
    ) -> None:
        self.failed = ""
        self.limit = asyncio.timeout(SIGN_IN_SECONDS)
        self._way = way
        self._sign_in = sign_in
        self._kept = kept
        self._answer: httpx2.Response | None = None
        client = None
        if way.client_id is not None:
            client = OAuthClientInformationFull(client_id=way.client_id, client_secret=secret)
        storage = Storage(way.url, kept, mask, client)
        self._provider = OAuthClientProvider(
            way.url, describe_ourselves(sign_in.redirect_uri), storage, self._send_away, self._come_back
        )
        storage.context = self._provider.context

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        flow = self._provider.async_auth_flow(request)
        try:
            outgoing = await anext(flow)
            while True:
                if outgoing is not request:
                    prepare(outgoing, self._way)
                self._answer = response = yield outgoing
                if outgoing is request and response.status_code == _FORBIDDEN:
                    return  # the person did not consent to this access, and another sign-in would have the same result
                if outgoing is request and self._kept.text is not None and response.status_code == UNAUTHORIZED:
                    self.failed = "The server does not accept the token of its authorization server"
                    return
                outgoing = await flow.asend(response)
        except StopAsyncIteration:
            return
        except Exception as error:
            self.failed = self.failed or self._describe(error)
            raise
        finally:
            await flow.aclose()

    async def _send_away(self, address: str) -> None:
        if self._sign_in.address.done():
            raise SignInFailedError("The server requests the same consent a second time")
        parts = urlsplit(address)
        local = self._way.allow_private and parts.scheme == "http" and is_loopback(parts.hostname)
        if parts.scheme != "https" and not local:
            raise SignInFailedError(
                f'Inview does not open the address of the sign-in page: "{parts.scheme}://{parts.netloc}". It '
                "must begin with https"
            )
        self._choose_proof()
        self._sign_in.state = parse_qs(parts.query)["state"][-1]
        self._sign_in.address.set_result(address)

    def _choose_proof(self) -> None:
        """Set the authentication method of a client registered by hand: one that the server supports, or Basic."""
        client, metadata = self._provider.context.client_info, self._provider.context.oauth_metadata
        if self._way.client_id is None or client is None or client.client_secret is None:
            return
        taken = (metadata.token_endpoint_auth_methods_supported if metadata else None) or ["client_secret_basic"]
        client.token_endpoint_auth_method = next(
            (method for method in ("client_secret_basic", "client_secret_post") if method in taken), taken[0]
        )

    async def _come_back(self) -> AuthorizationCodeResult:
        answer = await self._sign_in.answered
        if not self.limit.expired():
            self.limit.reschedule(asyncio.get_running_loop().time() + TOKEN_SECONDS)
        match answer:
            case Refusal(words):
                raise SignInFailedError(words)
            case _:
                return AuthorizationCodeResult(code=answer.code, state=answer.state, iss=answer.issuer)

    def _describe(self, error: Exception) -> str:
        status, code, words = _read_refusal(self._answer)
        match error:
            case OAuthRegistrationError():
                more = f": {code} {words}".rstrip() if code else ""
                return (
                    f"The authorization server does not register Inview (status {status}{more}). Register Inview "
                    "there by hand and enter the client for this server, or add a header with a token"
                )
            case OAuthTokenError():
                return f"The token endpoint returned no token (status {status}{f': {code}' if code else ''})"
            case SignInFailedError():
                return str(error)
            case TooMuchError():
                return f"The authorization server sent {error}"
            case ValidationError():
                return "The response of the authorization server is not valid OAuth"
            case _:
                return words_of(error, "The sign-in failed")[:_MAX_WORDS]


async def sign_in(server: ToolServer, secrets: Mapping[str, str], current: SignIn, log: ServerLog) -> str:
    """Connect to a server, let a person sign in if necessary, and return the access tokens as text to store.

    `current` is the running sign-in: it shows the address to the person, and receives the answer. `StoredGrant` reads
    the text. `log` is the log of the server, and `secrets` are the values that the user entered for it.

    Raises:
        SignInFailedError: the person is not signed in.
    """
    if not isinstance(server.way, OverHttp):
        raise TypeError(type(server.way).__name__)
    kept = StoredGrant(None, _keep_nowhere)
    auth = PersonAuth(server.way, kept, current, log.mask, secrets.get(CLIENT_SECRET))
    terms = ConnectionTerms(log.write, lambda: None, lambda _terms: auth, log.mask)
    fault = "The server did not request a sign-in"
    try:
        async with auth.limit, open_link(server, secrets, terms) as link:
            await link.list_all()
    except Exception as error:  # noqa: BLE001 - reported below; with tokens, the next connection reports errors
        fault = describe_fault(error)
        fault = f"The server could not be reached: {fault}" if not current.address.done() else fault
    if auth.limit.expired():
        fault = _describe_late(current)
    if auth.failed or kept.text is None:
        raise SignInFailedError(auth.failed or fault)
    return kept.text


def _read_refusal(response: httpx2.Response | None) -> tuple[int, str, str]:
    """Return status, code and description of an OAuth error. Other fields are ignored."""
    if response is None:
        return 0, "", ""
    try:
        body: Any = response.json()
    except (ValueError, httpx2.ResponseNotRead):
        body = None
    fields = cast("dict[str, object]", body) if isinstance(body, dict) else {}
    code, words = (str(fields.get(name, ""))[:_MAX_WORDS] for name in ("error", "error_description"))
    return response.status_code, code, words


def _describe_late(current: SignIn) -> str:
    """Say who took too long: the person, or the servers after the browser had returned."""
    if not current.answered.done():
        return f"The sign-in was not completed within {SIGN_IN_SECONDS / 60:g} minutes"
    return (
        f"The authorization server did not respond within {TOKEN_SECONDS:g} seconds. Sign in again. If that fails "
        "too, contact the operator of the server"
    )


async def _keep_nowhere(_text: str) -> None: ...
