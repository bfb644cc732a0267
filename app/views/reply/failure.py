"""The failure of a reply on the page: the reason, and the next steps, which are buttons of the pair.

>>> shown = show_failure(Failure(ErrorClass.CONTEXT_LENGTH, "Too long.", "Shorten the message."))
>>> shown.label, shown.steps[0].value
('Error: context length', 'fit')
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import ceil
from types import MappingProxyType
from typing import Final

from app.domain.errors import RETRYABLE, ErrorClass, Failure
from app.views.input_errors import describe_stored


class FailureStep(StrEnum):
    """A possible step after a failure. The pair has a button for it."""

    SETTINGS = "settings"
    RETRY = "retry"
    FIT = "fit"
    EDIT = "edit"
    OTHER_MODEL = "other_model"
    INCLUDE = "include"
    SNAPSHOT = "snapshot"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class FailureNote:
    """A failure: `message` is the reason and `next_step` the advice, as sentences; `steps` are the buttons, best first.

    - `label`: the accessible name of the box, which contains the error class in words.
    - `recovered`: a part of the reply was sent back by an open page after a crash of the server.
    """

    error_class: str
    label: str
    message: str
    next_step: str
    steps: tuple[FailureStep, ...]
    recovered: bool = False


_IN_SECONDS: Final = 120
"""Maximum wait that is written in seconds."""
_MAX_WAIT: Final = 24 * 60 * 60
_CLASS: Final = re.compile(r"^\[error: [a-z_]+\] ")
_USUAL: Final = (FailureStep.RETRY, FailureStep.OTHER_MODEL)
_ALWAYS: Final = (FailureStep.EDIT, FailureStep.DELETE)
"""The steps that every failure offers. An error class has one of them in `_STEPS` only as its best step."""
_STEPS: Final[Mapping[ErrorClass, tuple[FailureStep, ...]]] = MappingProxyType({
    ErrorClass.AUTH: (FailureStep.SETTINGS, FailureStep.RETRY, FailureStep.OTHER_MODEL),
    ErrorClass.NETWORK: (FailureStep.RETRY, FailureStep.SETTINGS),
    ErrorClass.CONTENT_FILTER: (FailureStep.EDIT, FailureStep.OTHER_MODEL),
    ErrorClass.CONTEXT_LENGTH: (FailureStep.FIT, FailureStep.OTHER_MODEL),
    ErrorClass.MODEL: (FailureStep.OTHER_MODEL,),
})  # fmt: skip


def plain_message(message: str) -> str:
    """Return the message of a failure without its beginning for programs: the error class, or the name of a field.

    >>> plain_message("[error: auth] The key was refused."), plain_message("text: is empty.")
    ('The key was refused.', 'The message is empty.')
    """
    return describe_stored(_CLASS.sub("", message))


def show_failure(failure: Failure, *, partial: bool = False) -> FailureNote:
    """Describe a failure for the page. `partial`: a part of the reply arrived, which the next message can include."""
    include = (FailureStep.INCLUDE,) if partial else ()
    best = _STEPS.get(failure.error_class, _USUAL)
    steps = tuple(dict.fromkeys((*best, *include, *_ALWAYS, FailureStep.SNAPSHOT)))
    name = failure.error_class.value
    label = f"Error: {name.replace('_', ' ')}"
    return FailureNote(name, label, failure.message, advise(failure), steps, failure.recovered > 0)


def advise(failure: Failure) -> str:
    """Return the next step as a sentence. If the provider asked for a wait, the sentence says how long.

    >>> advise(Failure(ErrorClass.RATE, "Too many.", "Wait a moment.", retry_after=29.2))
    'Wait 30 s, then try again, or choose another model.'
    """
    wait = failure.retry_after or 0.0
    if failure.error_class not in RETRYABLE or not 0 < wait <= _MAX_WAIT:
        return failure.next_step
    length = f"{ceil(wait)} s" if wait <= _IN_SECONDS else f"{ceil(wait / 60)} min"
    return f"Wait {length}, then try again, or choose another model."
