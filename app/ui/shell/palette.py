"""The palette: a dialog with one field above the list of what is found."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.shell.palette import PaletteState
from app.ui.kit.dialog import Dialog
from app.ui.kit.option_list import OptionList
from app.ui.phrase import phrase

SEARCH_REST_MS: Final = 40
"""Without another key, until what was typed is searched for."""
_NAME: Final = phrase("shell.search_and_commands")
_SEARCH: Any = PaletteState.search


@rx.memo
def palette_dialog() -> rx.Component:
    """Open while `PaletteState.open`."""
    return Dialog.create(
        OptionList.create(
            rows=PaletteState.rows,
            answers=PaletteState.answers,
            label=_NAME,
            list_label=phrase("shell.found"),
            placeholder=phrase("shell.palette_input"),
            none=rx.cond(PaletteState.answers != "", phrase("shell.nothing_has_these_words"), ""),
            closes=True,
            on_type=_SEARCH.debounce(SEARCH_REST_MS),
            on_choose=PaletteState.choose,
        ),
        rx.el.p(PaletteState.said, role="status", class_name="unseen"),
        rx.el.p(
            phrase("shell.palette_hint"),
            class_name="picker-legend",
        ),
        label=_NAME,
        on_close=PaletteState.close,
        class_name="modal palette",
    )
