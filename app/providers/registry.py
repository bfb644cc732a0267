"""Who is on offer: one table of vendors, and how a row, the environment and Settings become a `Provider`.

A vendor that speaks a known protocol is one row here and nothing else. A server that only this installation knows
(`INVIEW_COMPATIBLE`, Settings, or one found on this machine) becomes a row by `compatible_row`.

    >>> PROVIDERS["groq"].base_url
    'https://api.groq.com/openai/v1'
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from app.providers.base import Credentials, Origin, Provider, ProviderRow, load_adapter
from app.providers.base_urls import normalise_base_url

_ROWS = (ProviderRow("offline", "Offline (built in)", "offline", "http://offline.invalid/v1", needs_key=False),)

PROVIDERS: Mapping[str, ProviderRow] = MappingProxyType({row.name: row for row in _ROWS})
"""Every vendor known, in the order in which they are offered."""


def make_provider(row: ProviderRow, credentials: Credentials, origin: Origin = "built in") -> Provider:
    """A row as set up here.

    Raises:
        InputError: the base URL cannot be one.
    """
    adapter = load_adapter(row.protocol)
    base_url = normalise_base_url(credentials.base_url or row.base_url, versioned=adapter.versioned)
    return Provider(row, base_url, credentials.key or None, origin)
