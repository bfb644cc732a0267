"""The box of a failed reply: its name and the steps that it offers."""

from __future__ import annotations

import pytest

from app.domain.errors import NEXT_STEP, ErrorClass, failure
from app.views.reply.failure import FailureStep, show_failure


@pytest.mark.parametrize("error_class", ErrorClass)
def test_every_failure_can_be_edited_and_deleted_and_its_class_is_in_the_name_of_its_box(
    error_class: ErrorClass,
) -> None:
    for partial in (False, True):
        shown = show_failure(failure(error_class, "It failed."), partial=partial)

        assert shown.label == f"Error: {error_class.value.replace('_', ' ')}"
        assert {FailureStep.EDIT, FailureStep.DELETE} < set(shown.steps)
        assert len(set(shown.steps)) == len(shown.steps)
        assert shown.steps[0] is not FailureStep.DELETE


@pytest.mark.parametrize(
    ("error_class", "first"),
    [
        (ErrorClass.AUTH, FailureStep.SETTINGS),
        (ErrorClass.RATE, FailureStep.RETRY),
        (ErrorClass.NETWORK, FailureStep.RETRY),
        (ErrorClass.CONTENT_FILTER, FailureStep.EDIT),
        (ErrorClass.CONTEXT_LENGTH, FailureStep.FIT),
        (ErrorClass.MODEL, FailureStep.OTHER_MODEL),
        (ErrorClass.INTERRUPTED, FailureStep.RETRY),
    ],
)
def test_the_first_step_fits_the_class(error_class: ErrorClass, first: FailureStep) -> None:
    assert show_failure(failure(error_class, "It failed.")).steps[0] is first


@pytest.mark.parametrize(
    ("error_class", "wait", "told"),
    [
        (ErrorClass.RATE, 30.0, "Wait 30 s, then try again, or choose another model."),
        (ErrorClass.OVERLOADED, 120.5, "Wait 3 min, then try again, or choose another model."),
        (ErrorClass.RATE, None, NEXT_STEP[ErrorClass.RATE]),
        (ErrorClass.RATE, 0.0, NEXT_STEP[ErrorClass.RATE]),
        (ErrorClass.RATE, 1e9, NEXT_STEP[ErrorClass.RATE]),
        (ErrorClass.AUTH, 30.0, NEXT_STEP[ErrorClass.AUTH]),
    ],
)
def test_the_wait_that_a_provider_asked_for_is_in_the_next_step(
    error_class: ErrorClass, wait: float | None, told: str
) -> None:
    assert show_failure(failure(error_class, "It failed.", wait)).next_step == told
