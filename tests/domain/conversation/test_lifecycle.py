from __future__ import annotations

import itertools

import pytest

from app.domain.conversation.lifecycle import FINAL, RUNNING, TRANSITIONS, Lifecycle, Step, apply_step, describe_diagram
from app.domain.errors import IllegalTransitionError


@pytest.mark.parametrize(("lifecycle", "step"), list(itertools.product(Lifecycle, Step)))
def test_a_step_leads_where_the_table_says_or_is_refused(lifecycle: Lifecycle, step: Step) -> None:
    if (lifecycle, step) in TRANSITIONS:
        assert apply_step(lifecycle, step) is TRANSITIONS[lifecycle, step]
    else:
        with pytest.raises(IllegalTransitionError, match=f"is {lifecycle} cannot {step}"):
            apply_step(lifecycle, step)


def test_every_status_is_idle_running_or_final() -> None:
    assert {Lifecycle.IDLE} | RUNNING | FINAL == set(Lifecycle)


def test_whatever_runs_can_end_and_whatever_ended_can_be_sent_again() -> None:
    for lifecycle in RUNNING:
        assert {apply_step(lifecycle, Step.FAIL), apply_step(lifecycle, Step.CANCEL)} <= FINAL
    for lifecycle in FINAL:
        assert apply_step(lifecycle, Step.SEND) is Lifecycle.SENDING


def test_the_diagram_shows_every_step_once() -> None:
    lines = describe_diagram().splitlines()

    assert len(lines) == len(set(lines)) == len(TRANSITIONS) + 2
    assert "    awaiting --> succeeded: succeed" in lines
