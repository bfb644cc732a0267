"""A list with a search field, to choose one option by keys or with a pointer."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island
from app.views.composer.options import OptionRow


class OptionList(Island):
    """A search field with the accessible name `label`, and the `rows` that contain all typed words.

    - `none`: the text that is shown if no row contains all typed words.
    - `chosen`: the value of the row that is highlighted at first. If no row has this value, the first row is
      highlighted. Choosing the row `chosen` again sends no event.
    - `closes`: a choice closes the dialog around the list.
    - `most`, `more`: if more rows than `most` match, only the first ones are shown, and the text `more`, where
      `{count}` is the number of all matching rows.

    The children are below the rows and are scrolled with them. The field gets the focus when the dialog or menu around
    it opens.
    """

    library = island("kit/controls/option_list.tsx")
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
