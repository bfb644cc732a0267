"""API tokens: what a program sends instead of a cookie, what each may do, and which scope a request needs.

>>> needed_scope("GET", "/api/v1/conversations")
<TokenScope.READ: 'read'>
>>> needed_scope("POST", "/v1/messages")
<TokenScope.GATEWAY: 'gateway'>
>>> needed_scope("POST", "/api/v1/tokens") is None
True
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from app.domain.errors import InputError

PREFIX: Final = "inv_"
"""What the text of every token begins with, so that searches for leaked secrets find it."""
DEFAULT_DAYS: Final = 90
MAX_DAYS: Final = 3_650
MAX_TOKEN_NAME: Final = 100
MAX_TOKENS: Final = 100
"""Tokens of a person that are not revoked."""


class TokenScope(StrEnum):
    """What a token may be used for."""

    READ = "read"
    WRITE = "write"
    SETTINGS = "settings"
    GATEWAY = "gateway"


@dataclass(frozen=True, slots=True)
class ApiToken:
    """A token as its list shows it. `expires_at` None: it does not expire. `hint`: the end of its text."""

    id: str
    owner: str
    name: str
    scopes: tuple[TokenScope, ...]
    hint: str
    created_at: datetime
    expires_at: datetime | None
    used_at: datetime | None


_API: Final = "/api/v1/"
_GATEWAY: Final = "/v1/"
METRICS: Final = "/metrics"
"""What Prometheus reads."""
_READING: Final = frozenset({"GET", "HEAD"})
_CHANGES: Final[Mapping[str, TokenScope]] = MappingProxyType(
    {
        "agents": TokenScope.SETTINGS,
        "allowances": TokenScope.SETTINGS,
        "attachments": TokenScope.WRITE,
        "audit": TokenScope.SETTINGS,
        "budgets": TokenScope.SETTINGS,
        "calls": TokenScope.READ,
        "conversations": TokenScope.WRITE,
        "docs": TokenScope.READ,
        "docs.css": TokenScope.READ,
        "exports": TokenScope.READ,
        "filters": TokenScope.WRITE,
        "folders": TokenScope.WRITE,
        "grants": TokenScope.WRITE,
        "health": TokenScope.READ,
        "import": TokenScope.WRITE,
        "imports": TokenScope.WRITE,
        "mcp-servers": TokenScope.SETTINGS,
        "models": TokenScope.WRITE,
        "openapi.json": TokenScope.READ,
        "pairs": TokenScope.WRITE,
        "permission-rules": TokenScope.SETTINGS,
        "permissions": TokenScope.SETTINGS,
        "preferences": TokenScope.SETTINGS,
        "prices": TokenScope.SETTINGS,
        "prompts": TokenScope.WRITE,
        "ready": TokenScope.READ,
        "retention": TokenScope.WRITE,
        "runs": TokenScope.WRITE,
        "schemas": TokenScope.READ,
        "send": TokenScope.WRITE,
        "shares": TokenScope.WRITE,
        "topics": TokenScope.WRITE,
        "trash": TokenScope.WRITE,
        "usage": TokenScope.READ,
    }
)
"""The scope that changing a resource needs, by the first part of its address; reading each needs `read`.

What is not here is open to no token. Agents and permissions are settings: they decide which tools run unasked.
"""
_POSTS_THAT_READ: Final = frozenset({"preview", "count"})
"""Last parts of addresses below conversations and pairs whose POST changes nothing."""


def needed_scope(method: str, path: str) -> TokenScope | None:
    """Return the scope that a request needs; None: no token may make it."""
    if path.startswith(_GATEWAY):
        return TokenScope.GATEWAY
    if path == METRICS:
        return TokenScope.READ if method in _READING else None
    if not path.startswith(_API):
        return None
    parts = path.removeprefix(_API).split("/")
    change = _CHANGES.get(parts[0])
    if change is None:
        return None
    previews = method == "POST" and parts[0] in {"conversations", "pairs"} and parts[-1] in _POSTS_THAT_READ
    return TokenScope.READ if method in _READING or previews else change


def clean_token_name(text: str) -> str:
    """Return the name as it is stored: one line, with "�" for each character that does not show.

    Raises:
        InputError: it is empty or too long.
    """
    name = "".join(one if one.isprintable() else "\ufffd" for one in " ".join(text.split()))
    if not 1 <= len(name) <= MAX_TOKEN_NAME:
        raise InputError("name", f"has to have 1 to {MAX_TOKEN_NAME} characters.")
    return name


def clean_scopes(scopes: Collection[str]) -> tuple[TokenScope, ...]:
    """Return the scopes in their order, each once.

    Raises:
        InputError: there is none, or one that does not exist.
    """
    unknown = sorted(set(scopes) - set(TokenScope))
    if unknown or not scopes:
        raise InputError("scopes", f"has to name one or more of {', '.join(TokenScope)}.")
    return tuple(scope for scope in TokenScope if scope in scopes)


def require_days(days: int | None) -> None:
    """Refuse a life that is too short or too long; None: for ever.

    Raises:
        InputError: it is.
    """
    if days is not None and not 1 <= days <= MAX_DAYS:
        raise InputError("days", f"has to be 1 to {MAX_DAYS:,}, or null for a token that does not expire.")
