"""What to say of an error that a person can do something about, next to what they asked for."""

from __future__ import annotations

from app.domain.errors import InviewError, ProviderError


def describe_fault(error: InviewError) -> str:
    """What happened, then what to do about it."""
    if isinstance(error, ProviderError):
        return f"{error.failure.message} {error.failure.next_step}".strip()
    return str(error)
