"""Checks every request before everything else: which hosts and origins may talk to this server, and the headers of
every answer. Plain ASGI.

Not authentication. It stops other web pages: DNS rebinding (a foreign name that resolves to us: its Host is refused)
and cross-site requests and sockets (a foreign Origin is refused). Browsers leave out the Origin of many requests, such
as those of an `<img>`, but say with each which site it is from (Fetch Metadata): from another one, only following a
link is admitted. Programs send neither and pass.

    >>> gate = GateRules.of(Settings(host="127.0.0.1", public_url="https://chat.example.org"))
    >>> gate.admits("chat.example.org", "https://chat.example.org"), gate.admits("evil.example", None)
    (True, False)
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.settings import Settings

_ALWAYS_OURS: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_EVERYWHERE: Final = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared with, never bound to
_HOST: Final = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::[0-9]{1,5})?")

_UNUSED: Final = (
    "accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "hid", "magnetometer", "microphone",
    "midi", "payment", "serial", "usb", "xr-spatial-tracking",
)  # fmt: skip

# Sent with every answer; a route that needs another value sets its own, and that one stays.
COMMON_HEADERS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", ", ".join(f"{feature}=()" for feature in _UNUSED).encode()),
    # For what is no page: opened as one, it runs and loads nothing.
    (b"content-security-policy", b"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
)
_OWN_SITE: Final = frozenset({"same-origin", "none"})
"""`none`: a person typed the address, or opened a bookmark."""
_REFUSAL: Final = b"This address is not known to this Inview. Set INVIEW_PUBLIC_URL to the address you use.\n"


@dataclass(frozen=True)
class GateRules:
    """Which Host names are ours and which Origins besides the Host's own may ask."""

    hosts: frozenset[str]
    any_address: bool
    public_origin: str | None

    @classmethod
    def of(cls, settings: Settings) -> GateRules:
        public = urlsplit(settings.public_url) if settings.public_url else None
        names = {settings.host, (public.hostname if public else None) or settings.host}
        return cls(
            hosts=_ALWAYS_OURS | {name.lower() for name in names if name not in _EVERYWHERE},
            any_address=settings.host in _EVERYWHERE,
            public_origin=_origin(settings.public_url) if settings.public_url else None,
        )

    def admits(self, host: str | None, origin: str | None) -> bool:
        """Whether a request with these two headers may pass; None is a header not sent."""
        if host is None or not self._is_ours(_host_name(host)):
            return False
        if origin is None:
            return True
        asked = _origin(origin)
        # Behind a proxy that ends TLS the browser's scheme is not ours: the Host is read under the Origin's scheme.
        return asked is not None and asked in {self.public_origin, _origin(f"{urlsplit(origin).scheme}://{host}")}

    def _is_ours(self, name: str | None) -> bool:
        return name is not None and (name in self.hosts or (self.any_address and _is_address(name)))


def guarded(app: ASGIApp, rules: GateRules) -> ASGIApp:
    """Put the gate before `app`: refused requests and sockets get 403, answers to admitted ones the common headers."""

    async def gate(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return
        if not rules.admits(_only(scope, b"host"), _only(scope, b"origin")) or not _is_from_our_site(scope):
            await _refuse(scope, send)
            return
        if scope["type"] == "websocket":
            await app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = _with_common(message.get("headers", ()))
            await send(message)

        await app(scope, receive, send_with_headers)

    return gate


def _only(scope: Scope, name: bytes) -> str | None:
    """The header's one value. Two of them are an attempt to say one thing here and another elsewhere: refused."""
    values = [value for key, value in scope["headers"] if key == name]
    return values[0].decode("latin-1") if len(values) == 1 else ("" if values else None)


def _is_from_our_site(scope: Scope) -> bool:
    """Whether our own page asks, or a program, or somebody who follows a link to a page of ours."""
    site = _only(scope, b"sec-fetch-site")
    if site is None or site in _OWN_SITE:
        return True
    follows = (_only(scope, b"sec-fetch-mode"), _only(scope, b"sec-fetch-dest")) == ("navigate", "document")
    return follows and scope.get("method") in {"GET", "HEAD"}


async def _refuse(scope: Scope, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": "origin"})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"%d" % len(_REFUSAL))]
    await send({"type": "http.response.start", "status": 403, "headers": [*headers, *COMMON_HEADERS]})
    await send({"type": "http.response.body", "body": _REFUSAL})


def _with_common(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    own = list(headers)
    named = {name.lower() for name, _ in own}
    return own + [header for header in COMMON_HEADERS if header[0] not in named]


def _origin(text: str) -> str | None:
    """`scheme://host:port` with the scheme's own port written out, or None for "null" and the like."""
    try:
        parts = urlsplit(text)
        port = parts.port or {"http": 80, "https": 443}[parts.scheme]
    except (ValueError, KeyError):
        return None
    return f"{parts.scheme}://{parts.hostname}:{port}" if parts.hostname else None


def _host_name(host: str) -> str | None:
    found = _HOST.fullmatch(host.lower())
    return found and (found["name"] or found["address"])


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
