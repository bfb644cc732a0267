"""A button that is also pressed by keys and by other regions of the page."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island
from app.ui.kit.keys.place import Place


class PlaceButton(Island):
    """A button that is also pressed by keys and by other regions of the page, as the action `place` (`places.ts`).

    `opens_dialog`: screen readers say that the button opens a dialog.
    """

    library = island("kit/keys/place_button.tsx")
    tag = "PlaceButton"
    place: rx.Var[Place]
    label: rx.Var[str]
    title: rx.Var[str]
    disabled: rx.Var[bool] | None = None
    opens_dialog: rx.Var[bool] | None = None
    on_press: rx.EventHandler[rx.event.no_args_event_spec]
