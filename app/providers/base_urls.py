"""Normalises base URLs that users enter, so that paths can be appended.

    >>> normalise_base_url("http://127.0.0.1:8080/", versioned=False)
    'http://127.0.0.1:8080/v1'
    >>> normalise_base_url("https://openrouter.ai/api/v1/chat/completions", versioned=False)
    'https://openrouter.ai/api/v1'

This module does not connect to the address.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from app.domain.errors import InputError

ENDPOINTS = ("/chat/completions", "/completions", "/responses", "/messages", "/models")
"""Paths of endpoints, which users often paste together with a base URL."""


def normalise_base_url(url: str, *, versioned: bool) -> str:
    """Remove a trailing slash or endpoint, and add `/v1` if a URL has no path (or always, if `versioned`).

    Raises:
        InputError: the text is not the URL of an HTTP server, or has a part that a base URL must not have.
    """
    parts = urlsplit(url.strip())
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise InputError("base_url", f"{url!r} is not a base URL. Write it like http://127.0.0.1:8080/v1.")
    if parts.username or parts.password or "@" in parts.netloc:
        raise InputError(
            "base_url", "A base URL must not have a user name or password. Enter the key in its own field."
        )
    if parts.query or parts.fragment:
        raise InputError(
            "base_url", f"{parts.hostname}: a base URL must not have '?' or '#'. Remove it and what follows it."
        )
    try:
        parts.port  # noqa: B018 - reading the port checks it
    except ValueError:
        raise InputError("base_url", f"{url!r} has a port that is not a number from 0 to 65535.") from None
    path = parts.path.rstrip("/")
    for endpoint in ENDPOINTS:
        path = path.removesuffix(endpoint)
    if not path or (versioned and not path.endswith("/v1")):
        path += "/v1"
    return f"{parts.scheme}://{parts.netloc}{path}"
