"""A list to choose one option from by typing, arrow keys or pointer."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island
from app.views.screen.options import OptionRow


class OptionList(Island):
    """A search field called `label`, and the `rows` that contain all words typed; the text `none` if no row does.

    The `chosen` row is highlighted at first, else the first one; choosing it again changes nothing. `closes`: a choice
    closes the dialog around the list. If there are more than `most` rows, only the first ones are shown with the text
    `more`, where `{count}` is their number. The field has the focus when the dialog or menu around it opens.
    """

    library = island("kit/option_list.tsx")
    tag = "OptionList"
    rows: rx.Var[tuple[OptionRow, ...]]
    label: rx.Var[str]
    list_label: rx.Var[str]
    placeholder: rx.Var[str]
    none: rx.Var[str]
    chosen: rx.Var[str] | None = None
    closes: rx.Var[bool] | None = None
    most: rx.Var[int] | None = None
    more: rx.Var[str] | None = None
    on_choose: rx.EventHandler[rx.event.passthrough_event_spec(str)]
