"""The buttons of a pair whose reply failed, and the mark of a recovered reply."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.compare.answer_again import AnswerAgainState
from app.state.inspector.snapshot import SnapshotState
from app.state.reply.deletion import PairDeletionState
from app.state.reply.edit import EditState
from app.state.reply.partial import PartialReplyState
from app.state.reply.resend import ResendState
from app.state.settings.preferences import PreferencesState
from app.ui.kit.controls.provider_link import provider_address, vendor_of
from app.ui.kit.keys.place import Place, go_to
from app.views.reply.failure import FailureNote, FailureStep
from app.views.reply.pair import ScreenPairView

_NAMES: Final = {
    FailureStep.SETTINGS: "Open Settings",
    FailureStep.RETRY: "Try again",
    FailureStep.FIT: "Make it fit…",
    FailureStep.EDIT: "Edit & resend",
    FailureStep.OTHER_MODEL: "Another model…",
    FailureStep.INCLUDE: "Include in the next message",
    FailureStep.SNAPSHOT: "Show request",
    FailureStep.DELETE: "Delete",
}
_KEYS: Final = {
    FailureStep.EDIT: PreferencesState.preferred.edit_key,
    FailureStep.DELETE: PreferencesState.preferred.delete_key,
}
"""The keyboard shortcuts of those steps that have one. They act while single keys are on."""


@rx.memo
def failure_steps(pair: rx.vars.ObjectVar[ScreenPairView]) -> rx.Component:
    """Draw a button for each next step in the pair's `error`, the best step first."""
    acts = {
        FailureStep.SETTINGS: rx.redirect(provider_address(vendor_of(pair.model.to(str)))),
        FailureStep.RETRY: ResendState.answer_again(pair.id, ""),
        FailureStep.FIT: ResendState.answer_again(pair.id, ""),  # a dialog asks how to fit, before anything is sent
        FailureStep.EDIT: EditState.begin(pair.id),
        FailureStep.OTHER_MODEL: AnswerAgainState.ask(pair.id),
        FailureStep.INCLUDE: PartialReplyState.include(pair.id),
        FailureStep.SNAPSHOT: SnapshotState.open(pair.id),
        FailureStep.DELETE: [PairDeletionState.ask(pair.id), go_to(Place.DELETE, pair.id.to(str))],
    }
    buttons = [(step.value, _button(step, acts[step])) for step in _NAMES]
    return rx.el.div(
        rx.foreach(pair.error.to(FailureNote).steps, lambda step: rx.match(step, *buttons, rx.fragment())),
        role="group",
        aria_label="Next steps",
        class_name="failure-ways",
    )


def _button(step: FailureStep, event: Any) -> rx.Component:
    key = _KEYS.get(step)
    if key is None:
        return rx.el.button(_NAMES[step], type="button", on_click=event)
    return rx.el.button(
        _NAMES[step],
        rx.cond(key != "", rx.el.kbd(key, aria_hidden="true")),
        type="button",
        title=rx.cond(key != "", f"{_NAMES[step]} (" + key.to(str) + ")", _NAMES[step]),
        on_click=event,
    )


def recovered_mark(recovered: rx.Var[Any]) -> rx.Component | rx.Var[Any]:
    """Draw the mark "recovered" after the message of a failure, if an open page sent back a part of the reply."""
    return rx.cond(recovered, rx.fragment(" ", rx.el.span("recovered", class_name="recovered-mark")))
