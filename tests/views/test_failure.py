"""The box of a failed reply: its name and the steps that it offers."""

from __future__ import annotations

import pytest

from app.domain.errors import ErrorClass, failure
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
