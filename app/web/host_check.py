"""The gate, the outermost ASGI layer: refuses requests of other web pages, and adds common headers to every answer.

The gate is not authentication. It stops attacks by other web pages. In DNS rebinding, a foreign name resolves to this
server: requests with a foreign Host are refused. Cross-site requests and sockets have a foreign Origin: they are
refused too. Programs send no Origin, so only their Host is checked.

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

from app.config.settings import Settings

_ALWAYS_OURS: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_EVERYWHERE: Final = frozenset({"0.0.0.0", "::"})  # noqa: S104 - only compared, never used to listen
_NAME: Final = r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))"
_HOST: Final = re.compile(_NAME + r"(?::[0-9]{1,5})?")
# The exact form that a browser writes. `urlsplit` would accept userinfo before the host, and ignore a path.
_ORIGIN: Final = re.compile(r"(?P<scheme>https?)://" + _NAME + r"(?::(?P<port>[1-9][0-9]{0,4}))?")
_PORTS: Final = {"http": 80, "https": 443}
_MAX_PORT: Final = 65_535

# Headers that are sent with every answer. If a route sets another value for a header, that value applies.
COMMON_HEADERS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_REFUSAL: Final = b"This address is not known to this Inview. Set INVIEW_PUBLIC_URL to the address you use.\n"


@dataclass(frozen=True)
class GateRules:
    """The rules of the gate: the Host and Origin headers that a request may have.

    - `hosts`: the names of this server.
    - `any_address`: a Host header may also be any IP address.
    - `public_origin`: an Origin that may send requests. The Origin that equals the Host of its request is always
      allowed.
    """

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
            public_origin=_origin(f"{public.scheme}://{public.netloc}".lower()) if public else None,
        )

    def admits(self, host: str | None, origin: str | None) -> bool:
        """Return true if a request with these two headers may pass. A header of None was not sent."""
        if host is None or not self._is_ours(_host_name(host)):
            return False
        if origin is None:
            return True
        requested = _origin(origin)
        # Behind a proxy that ends TLS, the browser's scheme differs from the server's. So the Host is read with the
        # Origin's scheme.
        own = requested and _origin(f"{requested.partition(':')[0]}://{host.lower()}")
        return requested is not None and requested in {self.public_origin, own}

    def _is_ours(self, name: str | None) -> bool:
        return name is not None and (name in self.hosts or (self.any_address and _is_address(name)))


def guarded(app: ASGIApp, rules: GateRules) -> ASGIApp:
    """Return an ASGI app that passes to `app` only what the rules of the gate admit.

    Refused requests and sockets get 403. Every answer to a request has the common headers, even a refusal.
    """

    async def gate(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return
        if not rules.admits(_only(scope, b"host"), _only(scope, b"origin")):
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
    """Return the value of a header; None if it was not sent.

    Return "" if it was sent more than once: its meaning is then unclear, and "" is always refused.
    """
    values = [value for key, value in scope["headers"] if key == name]
    return values[0].decode("latin-1") if len(values) == 1 else ("" if values else None)


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
    """Return an origin as `scheme://host:port`, always with a port.

    Return None if it is "null", or has userinfo or a path.
    """
    found = _ORIGIN.fullmatch(text)
    if found is None:
        return None
    port = int(found["port"] or _PORTS[found["scheme"]])
    return f"{found['scheme']}://{found['name'] or found['address']}:{port}" if port <= _MAX_PORT else None


def _host_name(host: str) -> str | None:
    found = _HOST.fullmatch(host.lower())
    return found and (found["name"] or found["address"])


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
