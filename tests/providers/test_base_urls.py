from __future__ import annotations

import pytest

from app.domain.errors import InputError
from app.providers.base_urls import normalise_base_url


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        (" http://127.0.0.1:8080/v1/ ", "http://127.0.0.1:8080/v1"),
        ("https://openrouter.ai/api/v1/chat/completions", "https://openrouter.ai/api/v1"),
        ("http://localhost:11434/v1/models", "http://localhost:11434/v1"),
        (
            "https://generativelanguage.googleapis.com/v1beta/openai/",
            "https://generativelanguage.googleapis.com/v1beta/openai",
        ),
        ("http://[::1]:8080", "http://[::1]:8080/v1"),
    ],
)
def test_base_urls_are_accepted_as_people_write_them(written: str, meant: str) -> None:
    assert normalise_base_url(written, versioned=False) == meant
    assert normalise_base_url(meant, versioned=False) == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("https://api.anthropic.com", "https://api.anthropic.com/v1"),
        ("https://proxy.example/anthropic", "https://proxy.example/anthropic/v1"),
        ("https://proxy.example/anthropic/v1/messages", "https://proxy.example/anthropic/v1"),
    ],
)
def test_versioned_protocols_always_end_in_v1(written: str, meant: str) -> None:
    assert normalise_base_url(written, versioned=True) == meant


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("127.0.0.1:8080", "is not a base URL"),
        ("", "is not a base URL"),
        ("ftp://host/v1", "is not a base URL"),
        ("http://", "is not a base URL"),
        ("http://me:secret@host/v1", "user name or password"),
        ("http://host/v1?key=secret", "must not have '?'"),
        ("http://host:99999/v1", "port"),
        ("http://host:x/v1", "port"),
    ],
)
def test_what_is_no_base_url_is_refused_with_the_reason(written: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason.replace("?", r"\?")) as raised:
        normalise_base_url(written, versioned=False)

    assert raised.value.field == "base_url"
    assert "secret" not in str(raised.value)
