"""Passkeys (W3C Web Authentication): where they can be used, and what is kept of one.

>>> find_relying_party("https://Chat.example.org", "0.0.0.0", 3000)
RelyingParty(id='chat.example.org', origin='https://chat.example.org')
>>> find_relying_party(None, "127.0.0.1", 3000)
RelyingParty(id='localhost', origin='http://localhost:3000')
>>> find_relying_party("http://chat.example.org", "127.0.0.1", 3000) is None
True
>>> find_relying_party("https://192.0.2.1", "127.0.0.1", 3000) is None
True
>>> find_relying_party(None, "192.0.2.1", 3000) is None
True
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

MAX_PASSKEYS: Final = 20
"""Passkeys of one person."""
_LOCALHOST: Final = "localhost"
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class RelyingParty:
    """The one address whose pages browsers give passkeys to. `id` is its host name, to which passkeys are bound."""

    id: str
    origin: str


@dataclass(frozen=True, slots=True)
class Passkey:
    """A key pair of a person, of which this is the public half. Ids and keys are base64url; `used_at` None: never."""

    id: str
    person_id: str
    name: str
    credential_id: str
    public_key: str
    sign_count: int
    transports: tuple[str, ...]
    created_at: datetime
    used_at: datetime | None


def find_relying_party(public_url: str | None, host: str, port: int) -> RelyingParty | None:
    """Return where passkeys can be used; None: browsers give none to this address.

    They give them to `https` with a name, and to this machine's own pages at `localhost`. Plain HTTP could be read and
    changed on its way, and a number is no name that a passkey could be bound to.
    """
    if public_url is None:
        return RelyingParty(_LOCALHOST, f"http://{_LOCALHOST}:{port}") if _is_loopback(host) else None
    parts = urlsplit(public_url)
    name = parts.hostname or ""
    if _is_number(name) or not (parts.scheme == "https" or name == _LOCALHOST):
        return None
    given = "" if parts.port in {None, _DEFAULT_PORTS[parts.scheme]} else f":{parts.port}"
    return RelyingParty(name, f"{parts.scheme}://{name}{given}")


def _is_loopback(host: str) -> bool:
    return host == _LOCALHOST or (_is_number(host) and ipaddress.ip_address(host).is_loopback)


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
