"""The middleware of one conversation: the pieces that change its requests, where it differs from the settings.

>>> describe_choices(MiddlewareChoices(user_context=False, redaction=True))
'no text about you, redaction on'
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MiddlewareChoices:
    """A person's choice of middleware for one conversation.

    - `user_context`: the requests carry the text about the person, as far as the settings have one.
    - `redaction`: secrets are redacted; None: as the settings say.
    """

    user_context: bool = True
    redaction: bool | None = None


USUAL_MIDDLEWARE = MiddlewareChoices()


def describe_choices(choices: MiddlewareChoices) -> str:
    """Describe the choices that differ from the settings in a few words, "" if none does."""
    context = "" if choices.user_context else "no text about you"
    redaction = "" if choices.redaction is None else f"redaction {'on' if choices.redaction else 'off'}"
    return ", ".join(filter(None, (context, redaction)))
