"""What is offered in the box of a failed reply."""

from __future__ import annotations

import pytest

from app.domain.errors import ErrorClass, Failure
from app.views.screen.failure import FailureStep, show_failure


@pytest.mark.parametrize("error_class", ErrorClass)
@pytest.mark.parametrize("partial", [False, True])
def test_every_failed_reply_can_be_edited_and_sent_again_or_deleted(error_class: ErrorClass, partial: bool) -> None:
    note = show_failure(Failure(error_class, "It failed.", "Try again."), partial=partial)

    assert note.steps.count(FailureStep.EDIT) == 1
    assert note.steps[-1] is FailureStep.DELETE
    assert (FailureStep.INCLUDE in note.steps) is partial
