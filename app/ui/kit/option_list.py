"""A list from which one option is chosen: by typing, by arrows or by pointer."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island
from app.views.screen.options import OptionRow


class OptionList(Island):
    """A search field called `label`, and below it the `rows` that have all words typed, `none` where no row has.

    The one that is `chosen` is pointed at first, else the first one; to choose it again changes nothing. `closes`: a
    choice closes the dialog around the list. Of more than `most` rows the first ones are shown,
    and `more` says so, with `{count}` for how many there are. The field has the focus when the dialog or menu around it
    opens.

    With `answers`, the rows are found elsewhere: `on_type` has what is typed, and `answers` is the text that these rows
    are for. Enter waits for the rows of what is typed. A row with an address (`to`) is a link; Ctrl opens it in a new
    tab.
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
    answers: rx.Var[str] | None = None
    on_type: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_choose: rx.EventHandler[rx.event.passthrough_event_spec(str)]
