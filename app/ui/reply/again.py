"""The buttons below a pair that send it again."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.compare.answer_again import AnswerAgainState
from app.state.reply.edit import EditState
from app.ui.kit.controls.icon import line_icon
from app.views.reply.pair import ScreenPairView

_PEN: Final = "m3 13 .6-2.9 7-7 2.3 2.3-7 7zM9.2 4.5l2.3 2.3"
_AROUND: Final = "M13 3.2v3.3H9.7M12.7 6.3A5.2 5.2 0 1 0 13.2 9"


def again(pair: rx.vars.ObjectVar[ScreenPairView]) -> rx.Component:
    """Draw two buttons below a pair: one edits its request and sends it again, the other requests another reply."""
    return rx.el.span(
        _button("Edit and resend", "Edit and resend (e)", _PEN, EditState.begin(pair.id)),
        _button("Regenerate", "Regenerate with this or another model (r)", _AROUND, AnswerAgainState.ask(pair.id)),
        id=again_id(pair.id),
        class_name="marks again",
    )


def again_id(pair_id: Any) -> rx.Var[str]:
    """Return the id of the element with the two buttons of a pair. The menu of models opens next to this element."""
    return "again-" + pair_id.to(str)


def _button(label: str, title: str, path: str, on_click: Any) -> rx.Component:
    return rx.el.button(
        line_icon(path),
        type="button",
        aria_label=label,
        title=title,
        on_click=on_click,
        class_name="mark",
    )
