"""The menu that chooses the model for another reply to a pair."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.compare.answer_again import AnswerAgainState
from app.ui.kit.containers.dialog import Dialog
from app.ui.kit.controls.option_list import OptionList
from app.ui.reply.again import again_id

_ASKED: Any = AnswerAgainState.asking


@rx.memo
def answer_again_dialog() -> rx.Component:
    """Draw the menu of models that can answer a pair again. It is open while `AnswerAgainState.asking` is set."""
    return Dialog.create(
        OptionList.create(
            rows=AnswerAgainState.rows,
            label=_ASKED.label,
            list_label="Models",
            placeholder="Regenerate with…",
            none="No models found.",
            closes=True,
            on_choose=AnswerAgainState.choose,
        ),
        rx.el.p(AnswerAgainState.said, role="status", class_name="topic-foot"),
        label=_ASKED.label,
        at=again_id(_ASKED.pair_id),
        on_close=AnswerAgainState.close,
        class_name="popup again-menu",
    )
