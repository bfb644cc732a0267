"""All errors of Inview: one tree of exceptions, and one value that is stored and shown.

    InviewError
    ├── InputError          invalid input from a person or a program (names the field)
    │   └── FilterError           a filter or command that cannot be read, and where (in filters/language/errors.py)
    ├── ForbiddenError      the caller lacks the right, or the installation forbids it
    ├── NotFoundError       no such object, or it belongs to another owner
    ├── ConflictError       the state of the object does not allow this
    │   ├── SendLockedError       a reply is already running in the conversation
    │   ├── OverBudgetError       more is in view than may be sent (in over_budget.py); lists the options
    │   ├── SelectionChangedError  the send would carry other pairs than were counted (in seen_selection.py)
    │   ├── DamagedSettingError   a setting of the conversation cannot be read (in damage.py)
    │   ├── DamagedRowError       another row that a send depends on cannot be read (in damage.py)
    │   ├── BudgetSpentError      the send would exceed a budget of money (in budgets.py)
    │   ├── LaterPairsError       pairs follow the pair to send again; the caller must say whether to keep them
    │   ├── PairChangedError      the pair was changed since the caller read it
    │   └── IllegalTransitionError  a pair's lifecycle forbids the step
    ├── RateLimitedError    a rate limit is reached (in settings/rate_limits.py); has the wait in seconds
    ├── SettingsError       the settings of the installation are wrong
    ├── StoreError          the database cannot be used
    ├── ToolFailedError     a tool call gave no result (in tools.py); names the fault
    ├── ProviderError       a provider call failed; has a Failure
    │   └── NoKeyError            the provider has no key, so it was not called
    └── OutOfOrderError     an adapter broke the order of stream events (in run_events.py): a bug of Inview

A `Failure` is the value behind `[error: class] message`: it is stored with the pair and is not an exception.

    >>> failure(ErrorClass.AUTH, 'There is no key for provider "anthropic".').next_step
    'Add or correct the key in Settings → Providers.'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class ErrorClass(StrEnum):
    """The class of a reply's failure, which exports write as `[error: class]`."""

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
"""The classes of failures after which a call may be repeated. It is repeated only if no token was received."""

NEXT_STEP: Mapping[ErrorClass, str] = MappingProxyType(
    {
        ErrorClass.AUTH: "Add or correct the key in Settings → Providers.",
        ErrorClass.RATE: "Wait a moment and send again, or choose another model.",
        ErrorClass.NETWORK: "Check the connection and the provider's base URL, then send again.",
        ErrorClass.SERVER: "The provider has a problem. Send again later, or choose another model.",
        ErrorClass.OVERLOADED: "The provider is overloaded. Send again later, or choose another model.",
        ErrorClass.CONTENT_FILTER: "The provider declined this content. Rephrase the request or choose another model.",
        ErrorClass.CONTEXT_LENGTH: "Shorten the message, show fewer pairs, or choose a model with a larger window.",
        ErrorClass.MODEL: "Choose another model, or correct the request's parameters.",
        ErrorClass.STREAM: "The received part is saved. Send again for a complete reply.",
        ErrorClass.TOO_LONG: "The received part is saved. Ask for a shorter reply, or raise INVIEW_MAX_REPLY_BYTES.",
        ErrorClass.CANCELED: "The received part is saved. Send again for a complete reply.",
        ErrorClass.INTERRUPTED: "The stored part is kept; the end may be missing. Send again for a complete reply.",
        ErrorClass.UNKNOWN: "Send again. If it happens again, the log has the details.",
    }
)
"""The next step for a person, one sentence for each class."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason why a reply failed. It is stored with the pair.

    - `retry_after`: the provider's `Retry-After` in seconds; None if it sent none.
    - `recovered`: the number of characters of an interrupted reply that an open page sent back after the server had
      lost them (`domain/run/recovery.py`).
    """

    error_class: ErrorClass
    message: str
    next_step: str
    retry_after: float | None = None
    recovered: int = 0

    def __str__(self) -> str:
        return f"[error: {self.error_class}] {self.message}"


def failure(error_class: ErrorClass, message: str, retry_after: float | None = None) -> Failure:
    """Make a `Failure` of this error class, with the usual next step of the class."""
    return Failure(error_class, message, NEXT_STEP[error_class], retry_after)


def add_next_step(message: str, next_step: str) -> str:
    """Return a message followed by the next step. A full stop is added to a message that ends without punctuation.

    >>> add_next_step("Acme failed (HTTP 502): bad gateway", "Try again."), add_next_step("No key.", "")
    ('Acme failed (HTTP 502): bad gateway. Try again.', 'No key.')
    """
    ended = message if not message or message.endswith((".", "!", "?", "…")) else f"{message}."
    return f"{ended} {next_step}".strip()


def words_of(error: BaseException, otherwise: str) -> str:
    """Return the first line of the message of any exception, for a person to read.

    `otherwise` is returned if the exception has no message.

    >>> [words_of(error, "it failed") for error in (KeyError("data"), ValueError("7 is odd"), OSError())]
    ["'data' is missing", '7 is odd', 'it failed']
    """
    text = f"{error} is missing" if isinstance(error, KeyError) and error.args else str(error)
    return text.partition("\n")[0].strip().rstrip(".") or otherwise


class InviewError(Exception):
    """The base class of every error that Inview raises on purpose. The message can be shown to a person."""


class InputError(InviewError):
    """Error: an input is invalid. `field` is the dotted path of the invalid field, `reason` describes the error."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class NotFoundError(InviewError):
    """Error: the requested object does not exist, or it belongs to another owner.

    The message does not reveal which of the two is the case.
    """

    def __init__(self, noun: str, object_id: str) -> None:
        super().__init__(f"There is no {noun} {object_id!r}. It may have been deleted.")
        self.noun = noun
        self.object_id = object_id


class ForbiddenError(InviewError):
    """Error: the caller may not do this, or the installation forbids it to everyone."""


class ConflictError(InviewError):
    """Error: the current state of the object does not allow the operation."""


class SendLockedError(ConflictError):
    """Error: a reply is already running in the conversation, which allows only one send at a time."""

    def __init__(self, conversation_id: str) -> None:
        super().__init__(
            f"A reply is still running in conversation {conversation_id!r}. Wait for it or stop it, then send again."
        )
        self.conversation_id = conversation_id


class LaterPairsError(ConflictError):
    """Error: pairs follow the pair that should be sent again, and the caller did not say whether to keep them."""

    def __init__(self, count: int) -> None:
        super().__init__(
            f"{count:,} pair{' follows' if count == 1 else 's follow'} this one. "
            "Say whether to keep them, discard them, or branch into a new conversation."
        )
        self.count = count


class PairChangedError(ConflictError):
    """Error: the pair has changed since the caller read it.

    Replacing it would lose text that the caller has not seen.
    """

    def __init__(self, position: int, version: int, versions: int) -> None:
        super().__init__(
            f"Pair {position} was changed elsewhere: it now shows version {version} of {versions}. Nothing was "
            "overwritten. Check it, then try again."
        )
        self.version = version


class IllegalTransitionError(ConflictError):
    """Error: the lifecycle of a pair does not allow this step."""


class SettingsError(InviewError):
    """Error: the settings of the installation are invalid."""


class StoreError(InviewError):
    """Error: the database cannot be used. `advice` is the consequence for the caller, and the next step."""

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(f"{message} {advice}".rstrip())
        self.advice = advice


class ProviderError(InviewError):
    """Error: a provider call failed. `failure` is the reason, in the form that is stored with the pair."""

    def __init__(self, reason: Failure) -> None:
        super().__init__(str(reason))
        self.failure = reason


class NoKeyError(ProviderError):
    """Error: the provider has no key, so it was not called."""

    def __init__(self, provider: str) -> None:
        super().__init__(failure(ErrorClass.AUTH, f'There is no key for provider "{provider}".'))
        self.provider = provider
