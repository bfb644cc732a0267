"""What to say of an error that a person can do something about, next to what they asked for."""

from __future__ import annotations

from app.domain.errors import InputError, InviewError, NoKeyError, ProviderError, add_next_step


def describe_fault(error: InviewError) -> str:
    """What happened, then what to do about it."""
    if isinstance(error, ProviderError):
        return add_next_step(error.failure.message, error.failure.next_step)
    if isinstance(error, InputError) and error.field.startswith("parameters."):
        return error.reason  # it names the parameter in words
    return str(error)


def provider_of(error: InviewError) -> str:
    """The provider whose settings have to be changed; "" where none is known."""
    return error.provider if isinstance(error, NoKeyError) else ""
