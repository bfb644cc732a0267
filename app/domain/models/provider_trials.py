"""The trial of a provider: a request for its list of models.

The result says whether the provider can be used. If not, it has the reason and the next step.

    >>> from app.domain.errors import failure
    >>> describe_trial_failure(failure(ErrorClass.AUTH, "Acme refused the key.")).health
    <ProviderHealth.KEY_REJECTED: 'key_rejected'>

Not here: the request (`providers/models/models.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from app.domain.errors import NEXT_STEP, ErrorClass, Failure


class ProviderHealth(StrEnum):
    """The last known state of a provider."""

    NO_KEY = "no_key"
    UNTRIED = "untried"
    TRYING = "trying"
    ANSWERS = "answers"
    KEY_REJECTED = "key_rejected"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of the last trial of a provider.

    - `models`: the number of the provider's models that are for conversations.
    - `reason`: why the request failed.
    """

    health: ProviderHealth
    models: int = 0
    reason: str = ""
    next_step: str = ""


_NEXT_STEP: Mapping[ErrorClass, str] = MappingProxyType(
    {
        ErrorClass.AUTH: "Paste another key and save it.",
        ErrorClass.RATE: "Wait a moment, then try again.",
        ErrorClass.NETWORK: "Start the server or correct its base URL, then try again.",
        ErrorClass.SERVER: "The provider has a problem. Try again later.",
        ErrorClass.OVERLOADED: "The provider is overloaded. Try again later.",
    }
)
_CHECK_BASE_URL = "Check the base URL, then try again."
_CHECK_INTERNET = "Check this server's internet connection, then try again."


def describe_trial_failure(why: Failure, *, own_address: bool = True) -> Trial:
    """Return the result of a trial that failed. Its next step is one that a person can take in Settings.

    `own_address`: True if the base URL was set up in this installation, so that it may be wrong; False if the provider
    has a known vendor's base URL.
    """
    rejected = why.error_class is ErrorClass.AUTH
    health = ProviderHealth.KEY_REJECTED if rejected else ProviderHealth.UNREACHABLE
    usual = why.next_step == NEXT_STEP[why.error_class]
    next_step = _NEXT_STEP.get(why.error_class, _CHECK_BASE_URL) if usual else why.next_step
    if usual and not own_address and why.error_class is ErrorClass.NETWORK:
        next_step = _CHECK_INTERNET
    return Trial(health, reason=why.message, next_step=next_step)
