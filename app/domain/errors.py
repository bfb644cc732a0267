"""Everything that can go wrong, as one tree of exceptions and one value that is stored and shown.

    InviewError
    ├── InputError          unusable input from a person or a program (names the field)
    │   └── FilterError           a filter or command that cannot be read, and where (in filters/errors.py)
    ├── ForbiddenError      the caller lacks the right, or the installation forbids it
    ├── NotFoundError       no such object, or not this owner's
    ├── ConflictError       the object is not in a state that allows this
    │   ├── SendLockedError       a reply is already running in the conversation
    │   ├── OverBudgetError       more is in view than may be sent (in over_budget.py); carries the ways out
    │   ├── SelectionChangedError  other pairs would be sent than were counted (in selection.py)
    │   ├── DamagedSettingError   a setting of the conversation cannot be read (in damage.py)
    │   ├── DamagedRowError       another row that a send depends on cannot be read (in damage.py)
    │   ├── BudgetSpentError      it would go beyond a budget of money (in budgets.py)
    │   └── IllegalTransitionError  a pair's lifecycle forbids the step
    ├── SettingsError       the installation is set up wrongly
    ├── StoreError          the database cannot be used
    ├── ToolFailedError     a tool gave nothing (in tools.py); names the fault
    ├── ProviderError       a provider call failed; carries a Failure
    │   └── NoKeyError            its provider has no key, so it was not asked
    └── OutOfOrderError     an adapter broke the order of stream events (in run.py): a fault of ours

A `Failure` is the value behind `[error: class] message`: it is kept with the pair and never raised itself.

    >>> failure(ErrorClass.AUTH, 'No key for provider "anthropic".').next_step
    'Add or correct the key in Settings → Providers.'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class ErrorClass(StrEnum):
    """Why a reply failed, in the words of `context.md`; shown as `[error: class]`."""

    AUTH = "auth"
    RATE = "rate"
    NETWORK = "network"
    SERVER = "server"
    OVERLOADED = "overloaded"
    CONTENT_FILTER = "content_filter"
    CONTEXT_LENGTH = "context_length"
    MODEL = "model"
    STREAM = "stream"
    TOO_LONG = "too_long"
    CANCELED = "canceled"
    INTERRUPTED = "interrupted"
    UNKNOWN = "unknown"


RETRYABLE = frozenset({ErrorClass.RATE, ErrorClass.NETWORK, ErrorClass.SERVER, ErrorClass.OVERLOADED})
"""Classes that may be retried, and only before the first token."""

NEXT_STEP: Mapping[ErrorClass, str] = MappingProxyType(
    {
        ErrorClass.AUTH: "Add or correct the key in Settings → Providers.",
        ErrorClass.RATE: "Wait a moment and send again, or choose another model.",
        ErrorClass.NETWORK: "Check the connection and the provider's base URL, then send again.",
        ErrorClass.SERVER: "The fault is at the provider. Send again in a while, or choose another model.",
        ErrorClass.OVERLOADED: "The provider is overloaded. Send again in a while, or choose another model.",
        ErrorClass.CONTENT_FILTER: "The provider declined this content. Rephrase the request or choose another model.",
        ErrorClass.CONTEXT_LENGTH: "Bring fewer pairs into view, or choose a model with a larger window.",
        ErrorClass.MODEL: "Choose another model, or correct the request's parameters.",
        ErrorClass.STREAM: "What was received is kept. Send again for a complete reply.",
        ErrorClass.TOO_LONG: "What was received is kept. Ask for less at once, or raise INVIEW_MAX_REPLY_BYTES.",
        ErrorClass.CANCELED: "What was received is kept. Send again for a complete reply.",
        ErrorClass.INTERRUPTED: "What was stored is kept; the last moment may be missing. Send again for all of it.",
        ErrorClass.UNKNOWN: "Send again. If it happens again, the log has the details.",
    }
)
"""The next step for a person, one sentence for each class."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a reply failed, as stored with its pair.

    `retry_after` is the provider's own wish in seconds (its `Retry-After`), None when it said nothing. `recovered` is
    how many characters of an interrupted reply an open page gave back (`domain/run/recovery.py`).
    """

    error_class: ErrorClass
    message: str
    next_step: str
    retry_after: float | None = None
    recovered: int = 0

    def __str__(self) -> str:
        return f"[error: {self.error_class}] {self.message}"


def failure(error_class: ErrorClass, message: str, retry_after: float | None = None) -> Failure:
    """A failure with the usual next step of its class."""
    return Failure(error_class, message, NEXT_STEP[error_class], retry_after)


def add_next_step(message: str, next_step: str) -> str:
    """Join what happened and what to do about it. A provider's text may end without a full stop: it gets one.

    >>> add_next_step("Acme failed (HTTP 502): bad gateway", "Try again."), add_next_step("No key.", "")
    ('Acme failed (HTTP 502): bad gateway. Try again.', 'No key.')
    """
    ended = message if not message or message.endswith((".", "!", "?", "…")) else f"{message}."
    return f"{ended} {next_step}".strip()


def words_of(error: BaseException, otherwise: str) -> str:
    """Return the text of an exception of a library or of Python for a person, without the name of its class.

    `otherwise`: the text for an exception without one.

    >>> [words_of(error, "it failed") for error in (KeyError("data"), ValueError("7 is odd"), OSError())]
    ["'data' is missing", '7 is odd', 'it failed']
    """
    said = f"{error} is missing" if isinstance(error, KeyError) and error.args else str(error)
    return said.partition("\n")[0].strip().rstrip(".") or otherwise


class InviewError(Exception):
    """Base of every error that Inview raises on purpose. Its text is fit to be shown to a person."""


class InputError(InviewError):
    """Input that cannot be used. `field` names the place, as a dotted path."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class NotFoundError(InviewError):
    """No such object, or it belongs to another owner. The error does not say which."""

    def __init__(self, noun: str, object_id: str) -> None:
        super().__init__(f"No {noun} {object_id!r} here. It may have been deleted.")
        self.noun = noun
        self.object_id = object_id


class ForbiddenError(InviewError):
    """The caller may not do this, or the installation forbids it to everyone."""


class ConflictError(InviewError):
    """The object is not in a state that allows this."""


class SendLockedError(ConflictError):
    """A reply is already running in the conversation: one send at a time."""

    def __init__(self, conversation_id: str) -> None:
        super().__init__(
            f"A reply is still running in conversation {conversation_id!r}. Wait for it or stop it, then send again."
        )
        self.conversation_id = conversation_id


class LaterPairsError(ConflictError):
    """There are pairs after the one to send again, and the caller did not say whether to keep them."""

    def __init__(self, count: int) -> None:
        super().__init__(
            f"{count:,} pair{' stands' if count == 1 else 's stand'} after this one. "
            "Say whether to keep them, discard them, or branch into a new conversation."
        )
        self.count = count


class PairChangedError(ConflictError):
    """The pair has another current version than the caller saw. Replacing it would lose words unseen."""

    def __init__(self, position: int, version: int, versions: int) -> None:
        super().__init__(
            f"Pair {position} was changed elsewhere: version {version} of {versions} stands there now. "
            "Nothing was overwritten. Look at it, then try again."
        )
        self.version = version


class IllegalTransitionError(ConflictError):
    """A pair's lifecycle forbids the step."""


class SettingsError(InviewError):
    """The installation is set up in a way that cannot work."""


class StoreError(InviewError):
    """The database cannot be used. `advice`: the consequence for the caller, and the next step."""

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(f"{message} {advice}".rstrip())
        self.advice = advice


class ProviderError(InviewError):
    """A provider call failed. `failure` says why, in stored form."""

    def __init__(self, reason: Failure) -> None:
        super().__init__(str(reason))
        self.failure = reason


class NoKeyError(ProviderError):
    """The provider of that name has no key, so it was not asked."""

    def __init__(self, provider: str) -> None:
        super().__init__(failure(ErrorClass.AUTH, f'No key for provider "{provider}".'))
        self.provider = provider
