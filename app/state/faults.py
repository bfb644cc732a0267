"""The text for an error that a person can do something about, shown beside the control that caused it."""

from __future__ import annotations

from app.domain.errors import InputError, InviewError, ProviderError
from app.language.faults import translate_fault
from app.views.screen.failure import translate_next_step


def describe_fault(error: InviewError) -> str:
    """What happened, then what to do about it, in the reader's language."""
    if isinstance(error, ProviderError):
        return f"{translate_fault(error.failure.message)} {translate_next_step(error.failure.next_step)}".strip()
    if isinstance(error, InputError):
        reason = translate_fault(error.reason)
        return reason if error.field.startswith("parameters.") else f"{error.field}: {reason}"  # or it names the field
    return translate_fault(str(error))


def describe_reason(error: InputError) -> str:
    """Return what is wrong with a field, as a sentence to show beside it."""
    reason = translate_fault(error.reason)
    return reason[:1].upper() + reason[1:]
