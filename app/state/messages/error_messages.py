"""Messages about errors that a person can correct, shown next to the failed command."""

from __future__ import annotations

from app.domain.errors import InputError, InviewError, NoKeyError, ProviderError, add_next_step


def describe_fault(error: InviewError) -> str:
    """Return a message that says what happened and what to do about it."""
    if isinstance(error, ProviderError):
        return add_next_step(error.failure.message, error.failure.next_step)
    if isinstance(error, InputError) and error.field.startswith("parameters."):
        return error.reason  # it names the parameter
    return str(error)


def provider_of(error: InviewError) -> str:
    """Return the provider whose settings must be changed to avoid the error; "" if none is known."""
    return error.provider if isinstance(error, NoKeyError) else ""
