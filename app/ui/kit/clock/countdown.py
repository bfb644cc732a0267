"""Components that depend on the time left until a moment. The moment is a time of the server's clock."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island

_FILE = island("kit/clock/countdown.tsx")


class Countdown(Island):
    """The time that is left until `until`, for example "4:05", updated every second and followed by the text `after`.

    - `until`, `now`: the end, and the server's time when it sends these props (both ISO 8601). So the browser's clock
      need not be right.
    - `hours`: the unit that is shown while at least an hour is left.
    - `seconds`: the unit while less than a minute is left.
    - `late`: the attribute `data-late` is set while less than this number of seconds is left.
    """

    library = _FILE
    tag = "Countdown"
    until: rx.Var[str]
    now: rx.Var[str]
    after: rx.Var[str]
    hours: rx.Var[str]
    seconds: rx.Var[str] | None = None
    late: rx.Var[int] | None = None


class Until(Island):
    """A part that shows its children until the moment `until`. `until` and `now` are as in `Countdown`."""

    library = _FILE
    tag = "Until"
    until: rx.Var[str]
    now: rx.Var[str]
