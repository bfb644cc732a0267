"""A failed reply: the reason, and the steps that its pair offers.

>>> show_failure(Failure(ErrorClass.MODEL, "No such model.", "Choose another one.")).steps[0].value
'other_model'
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from app.domain.errors import ADD_CREDIT, CHECK_BASE_URL, NEXT_STEP, ErrorClass, Failure
from app.language.faults import translate_fault
from app.language.translation import translate


class FailureStep(StrEnum):
    """Something to do about a failure: a button in the pair."""

    SETTINGS = "settings"
    RETRY = "retry"
    FIT = "fit"
    EDIT = "edit"
    OTHER_MODEL = "other_model"
    INCLUDE = "include"
    DELETE = "delete"
    SNAPSHOT = "snapshot"


@dataclass(frozen=True, slots=True)
class FailureNote:
    """Why a reply failed and what to do about it: as a sentence, and the `steps` that are offered, best first.

    `recovered`: an open page gave back a part of the reply.
    """

    error_class: str
    message: str
    next_step: str
    steps: tuple[FailureStep, ...]
    recovered: bool = False


_NEXT_STEPS: Final[Mapping[str, str]] = MappingProxyType({
    CHECK_BASE_URL: "screen.next_step.check_base_url",
    ADD_CREDIT: "screen.next_step.add_credit",
    **{sentence: f"screen.next_step.{error_class.value}" for error_class, sentence in NEXT_STEP.items()},
})  # fmt: skip
_CLASS: Final = re.compile(r"^\[error: [a-z_]+\] ")
_USUAL: Final = (FailureStep.RETRY, FailureStep.OTHER_MODEL)
_STEPS: Final[Mapping[ErrorClass, tuple[FailureStep, ...]]] = MappingProxyType({
    ErrorClass.AUTH: (FailureStep.SETTINGS, FailureStep.RETRY, FailureStep.OTHER_MODEL),
    ErrorClass.NETWORK: (FailureStep.RETRY, FailureStep.SETTINGS),
    ErrorClass.CONTENT_FILTER: (FailureStep.EDIT, FailureStep.OTHER_MODEL),
    ErrorClass.CONTEXT_LENGTH: (FailureStep.FIT, FailureStep.OTHER_MODEL),
    ErrorClass.MODEL: (FailureStep.OTHER_MODEL,),
})  # fmt: skip


def plain_message(message: str) -> str:
    """Return the message of a failure without the class that programs read at its beginning.

    >>> plain_message("[error: auth] The key was refused."), plain_message("It is empty.")
    ('The key was refused.', 'It is empty.')
    """
    return _CLASS.sub("", message)


def translate_next_step(sentence: str) -> str:
    """Return what to do about a failure in the reader's language; a sentence of another kind as it is."""
    key = _NEXT_STEPS.get(sentence)
    return sentence if key is None else translate(key)


def show_failure(failure: Failure, *, partial: bool = False) -> FailureNote:
    """The failure as the page draws it: every one can be edited and sent again, or deleted.

    `partial`: some text of the reply arrived, and can go into the next message.
    """
    include = (FailureStep.INCLUDE,) if partial else ()
    best = (*_STEPS.get(failure.error_class, _USUAL), FailureStep.EDIT, *include)
    steps = (*dict.fromkeys(best), FailureStep.SNAPSHOT, FailureStep.DELETE)
    recovered = failure.recovered > 0
    next_step = translate_next_step(failure.next_step)
    return FailureNote(failure.error_class.value, translate_fault(failure.message), next_step, steps, recovered)
