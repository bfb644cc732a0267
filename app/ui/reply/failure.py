"""The buttons of a pair whose reply failed, and the mark of a recovered reply."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.compare.answer_again import AnswerAgainState
from app.state.inspector.snapshot import SnapshotState
from app.state.reply.edit import EditState
from app.state.reply.partial import PartialReplyState
from app.state.reply.resend import ResendState
from app.ui.kit.controls.provider_link import provider_address, vendor_of
from app.ui.kit.vars import PairVar
from app.views.reply.failure import FailureNote, FailureStep

_NAMES: Final = {
    FailureStep.SETTINGS: "Open Settings",
    FailureStep.RETRY: "Try again",
    FailureStep.FIT: "Make it fit…",
    FailureStep.EDIT: "Edit",
    FailureStep.OTHER_MODEL: "Another model…",
    FailureStep.INCLUDE: "Include in the next message",
    FailureStep.SNAPSHOT: "Show sent request",
}


def failure_steps(pair: PairVar) -> rx.Component:
    """Draw a button for each next step in the pair's `error`, the best step first."""
    acts = {
        FailureStep.SETTINGS: rx.redirect(provider_address(vendor_of(pair.model.to(str)))),
        FailureStep.RETRY: ResendState.answer_again(pair.id, ""),
        FailureStep.FIT: ResendState.answer_again(pair.id, ""),  # a dialog asks how to fit, before anything is sent
        FailureStep.EDIT: EditState.begin(pair.id),
        FailureStep.OTHER_MODEL: AnswerAgainState.ask(pair.id),
        FailureStep.INCLUDE: PartialReplyState.include(pair.id),
        FailureStep.SNAPSHOT: SnapshotState.open(pair.id),
    }
    buttons = [(step.value, rx.el.button(name, type="button", on_click=acts[step])) for step, name in _NAMES.items()]
    return rx.el.div(
        rx.foreach(pair.error.to(FailureNote).steps, lambda step: rx.match(step, *buttons, rx.fragment())),
        role="group",
        aria_label="Next steps",
        class_name="failure-ways",
    )


def recovered_mark(recovered: rx.Var[Any]) -> rx.Component | rx.Var[Any]:
    """Draw the mark "recovered" after the message of a failure, if an open page sent back a part of the reply."""
    return rx.cond(recovered, rx.fragment(" ", rx.el.span("recovered", class_name="recovered-mark")))
