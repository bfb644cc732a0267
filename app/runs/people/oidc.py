"""OpenID Connect: asks a provider who a person is. Authorization code flow with PKCE (RFC 7636), state and nonce.

provider = find_provider(settings.oidc)
address = await provider.build_address(redirect_uri, secrets)
identity = await provider.identify(code, redirect_uri, secrets)

It talks to the issuer and to the addresses that the issuer's own description names. Not who may come: that is
`provider_sign_in.py`. Sources: OpenID Connect Core 1.0, sections 3.1.2 and 3.1.3; Discovery 1.0; RFC 9207.
"""

from __future__ import annotations

import secrets as random
import time
from base64 import b64encode, urlsafe_b64encode
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cache
from hashlib import sha256
from hmac import compare_digest
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import quote_plus, urlencode, urlsplit

import httpx2
import orjson
import structlog

from app.domain.errors import InviewError
from app.domain.people.people import MAX_EMAIL, MAX_NAME, Identity
from app.settings import OidcSettings

if TYPE_CHECKING:
    from jwt import PyJWK

SIGNED_BY: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Public keys alone: `none` and shared secrets are refused."""
SCOPE: Final = "openid email profile"
METADATA_LIFE: Final = 3600.0
TIMEOUT: Final = 10.0
MAX_ANSWER: Final = 1_000_000
LEEWAY: Final = 60
"""Seconds by which the clocks may differ."""
MAX_SUBJECT: Final = 255

_log = structlog.get_logger(__name__)


class ProviderFault(StrEnum):
    """Why a provider did not identify a person."""

    DOWN = "down"
    LIED = "lied"
    """An answer is not what OpenID Connect asks for, or its signature is wrong."""
    REFUSED = "refused"


class ProviderError(InviewError):
    """The provider did not identify the person. The log has the detail."""

    def __init__(self, fault: ProviderFault, detail: str) -> None:
        super().__init__(f"{fault}: {detail}")
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Secrets:
    """What binds an answer to one attempt in one browser."""

    state: str = field(repr=False)
    nonce: str = field(repr=False)
    verifier: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Metadata:
    """What the issuer says of itself."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None
    takes_basic: bool
    names_itself: bool
    """It puts its issuer into each answer (RFC 9207)."""


def make_secrets() -> Secrets:
    """Return new ones for one attempt."""
    return Secrets(random.token_urlsafe(32), random.token_urlsafe(32), random.token_urlsafe(48))


class Provider:
    """One issuer. Its description is kept for an hour, its keys until a token names another."""

    def __init__(self, settings: OidcSettings) -> None:
        self._settings = settings
        self._metadata: tuple[float, Metadata] | None = None
        self._keys: dict[str | None, PyJWK] = {}

    async def build_address(self, redirect_uri: str, secrets: Secrets) -> str:
        """Return where the browser goes to sign in.

        Raises:
            ProviderError: the provider does not describe itself.
        """
        metadata = await self._describe()
        challenge = urlsafe_b64encode(sha256(secrets.verifier.encode()).digest()).rstrip(b"=").decode()
        asked = {
            "response_type": "code",
            "client_id": self._settings.client_id,
            "redirect_uri": redirect_uri,
            "scope": SCOPE,
            "state": secrets.state,
            "nonce": secrets.nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        joint = "&" if urlsplit(metadata.authorization_endpoint).query else "?"
        return f"{metadata.authorization_endpoint}{joint}{urlencode(asked)}"

    async def require_from_here(self, issuer: str | None) -> None:
        """Refuse an answer that another provider gave, where the answer says which (RFC 9207).

        Raises:
            ProviderError: another did.
        """
        metadata = await self._describe()
        if issuer != metadata.issuer and (issuer is not None or metadata.names_itself):
            raise _lied(f"the answer comes from {issuer!r}")

    async def identify(self, code: str, redirect_uri: str, secrets: Secrets) -> Identity:
        """Exchange the code and return who signed in.

        Raises:
            ProviderError: the provider does not answer, refuses the code, or its token is not what it has to be.
        """
        metadata = await self._describe()
        asked = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": secrets.verifier,
        }
        headers: dict[str, str] = {}
        client_id, secret = self._settings.client_id, self._settings.client_secret
        if secret is None:
            asked["client_id"] = client_id
        elif metadata.takes_basic:
            pair = f"{quote_plus(client_id)}:{quote_plus(secret.reveal())}"  # RFC 6749, section 2.3.1
            headers["Authorization"] = f"Basic {b64encode(pair.encode()).decode()}"
        else:
            asked |= {"client_id": client_id, "client_secret": secret.reveal()}
        answer = await _fetch("POST", metadata.token_endpoint, asked, headers)
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise _lied("no ID token came")
        claims = await self._check(metadata, token, secrets.nonce)
        if not claims.get("email") and metadata.userinfo_endpoint and isinstance(answer.get("access_token"), str):
            claims = await _add_userinfo(metadata.userinfo_endpoint, answer["access_token"], claims)
        return _read_identity(metadata.issuer, claims)

    async def _check(self, metadata: Metadata, token: str, nonce: str) -> dict[str, Any]:
        """The claims of an ID token (OpenID Connect Core 1.0, section 3.1.3.7)."""
        import jwt  # noqa: PLC0415 - only where a provider is set up

        try:
            header = jwt.get_unverified_header(token)
            if header.get("alg") not in SIGNED_BY:
                raise _lied(f"the ID token is signed by {header.get('alg')!r}")
            key = await self._find_key(metadata, header.get("kid"))
            claims = jwt.decode(
                token,
                key,
                algorithms=list(SIGNED_BY),
                audience=self._settings.client_id,
                issuer=metadata.issuer,
                leeway=LEEWAY,
                options={"require": ["exp", "iat", "aud", "iss", "sub"]},
            )
        except jwt.PyJWTError as error:
            raise _lied(f"the ID token is not valid: {error}") from error
        if not compare_digest(str(claims.get("nonce")), nonce):
            raise _lied("the ID token is for another attempt")
        if claims.get("azp", self._settings.client_id) != self._settings.client_id:
            raise _lied("the ID token was made for another client")
        return claims

    async def _find_key(self, metadata: Metadata, key_id: str | None) -> PyJWK:
        """The key with this id. The provider's keys are read again once, as it may have new ones."""
        import jwt  # noqa: PLC0415 - see above

        if key_id not in self._keys:
            keys = jwt.PyJWKSet.from_dict(await _fetch("GET", metadata.jwks_uri)).keys
            signing = [key for key in keys if key.public_key_use in {None, "sig"} and key.algorithm_name in SIGNED_BY]
            self._keys = {key.key_id: key for key in signing}
            if len(signing) == 1:
                self._keys[None] = signing[0]
        if key_id not in self._keys:
            raise _lied("the ID token is signed with a key that the provider does not name")
        return self._keys[key_id]

    async def _describe(self) -> Metadata:
        if self._metadata is not None and time.monotonic() - self._metadata[0] < METADATA_LIFE:
            return self._metadata[1]
        told = await _fetch("GET", f"{self._settings.issuer}/.well-known/openid-configuration")
        issuer, userinfo = str(told.get("issuer")), told.get("userinfo_endpoint")
        if issuer.rstrip("/") != self._settings.issuer:
            raise _lied(f"it says that it is {issuer!r}")
        near = urlsplit(issuer).scheme == "http"  # load_settings admits that on this machine alone
        metadata = Metadata(
            issuer,
            _endpoint(told, "authorization_endpoint", near=near),
            _endpoint(told, "token_endpoint", near=near),
            _endpoint(told, "jwks_uri", near=near),
            None if userinfo is None else _endpoint(told, "userinfo_endpoint", near=near),
            "client_secret_basic" in told.get("token_endpoint_auth_methods_supported", ["client_secret_basic"]),
            told.get("authorization_response_iss_parameter_supported") is True,
        )
        self._metadata = (time.monotonic(), metadata)
        return metadata


@cache
def find_provider(settings: OidcSettings) -> Provider:
    """Return the provider of these settings."""
    return Provider(settings)


def pack(secrets: Secrets) -> dict[str, str]:
    """Return the secrets as what a step keeps (`steps.py`)."""
    return asdict(secrets)


async def _add_userinfo(address: str, access_token: str, claims: dict[str, Any]) -> dict[str, Any]:
    """The claims with those that the provider tells only when it is asked for them."""
    told = await _fetch("GET", address, headers={"Authorization": f"Bearer {access_token}"})
    if told.get("sub") != claims["sub"]:
        raise _lied("it describes another person than the one who signed in")
    return {**told, **claims}


def _read_identity(issuer: str, claims: dict[str, Any]) -> Identity:
    subject, email = claims["sub"], claims.get("email")
    if not isinstance(subject, str) or not 0 < len(subject) <= MAX_SUBJECT:
        raise _lied("the ID token names nobody")
    email = email.strip().lower() if isinstance(email, str) and len(email) <= MAX_EMAIL else ""
    name = claims.get("name") or claims.get("preferred_username") or email.partition("@")[0]
    verified = claims.get("email_verified") in (True, "true")
    return Identity(issuer, subject, email, email != "" and verified, str(name)[:MAX_NAME])


async def _fetch(
    method: str, address: str, form: dict[str, str] | None = None, headers: dict[str, str] | None = None
) -> dict[str, Any]:
    """The JSON object that an address of the provider answers with, at most 1 MB. Redirects are not followed."""
    body = bytearray()
    try:
        async with (
            httpx2.AsyncClient(timeout=TIMEOUT, trust_env=False) as client,
            client.stream(
                method, address, data=form, headers={"Accept": "application/json", **(headers or {})}
            ) as told,
        ):
            async for piece in told.aiter_bytes():
                body += piece
                if len(body) > MAX_ANSWER:
                    raise _lied(f"{address} answers with more than {MAX_ANSWER:,} bytes")
    except httpx2.HTTPError as error:
        raise _fault(ProviderFault.DOWN, f"{address}: {error or type(error).__name__}") from error
    if told.status_code >= 500:
        raise _fault(ProviderFault.DOWN, f"{address} answers with status {told.status_code}")
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise _lied(f"{address} answers with what is no JSON, status {told.status_code}") from error
    if not isinstance(answer, dict):
        raise _lied(f"{address} answers with no object, status {told.status_code}")
    fields = cast("dict[str, Any]", answer)
    if told.status_code != 200:
        raise _fault(ProviderFault.REFUSED, f"{address}: status {told.status_code} {fields.get('error')!r}")
    return fields


def _endpoint(told: dict[str, Any], name: str, *, near: bool) -> str:
    address = told.get(name)
    parts = urlsplit(address if isinstance(address, str) else "")
    if not parts.hostname or parts.scheme not in ({"https", "http"} if near else {"https"}):
        raise _lied(f"its {name} is no https address")
    return str(address)


def _lied(detail: str) -> ProviderError:
    return _fault(ProviderFault.LIED, detail)


def _fault(fault: ProviderFault, detail: str) -> ProviderError:
    _log.warning("sign-in by the provider failed", fault=fault.value, detail=detail)
    return ProviderError(fault, detail)
