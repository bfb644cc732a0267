"""The viewer of pictures: one picture, as large as fits or enlarged, by buttons and keys.

await tab.send(ViewerState.open, address="/api/v1/attachments/…", name="photo.jpg", width=800, height=600)
await tab.send(ViewerState.press, key="+")
tab.shows(ViewerState, "percent")            # 100
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import reflex as rx

from app.state.inputs import text_in, whole_in

LEVELS: Final = (0, 50, 100, 200, 400)
"""Per cent of the picture's own size; 0: as large as fits."""
_ADDRESS: Final = re.compile("/api/v1/attachments/[0-9a-f]{64}")
_MAX_NAME: Final = 200
_UNKNOWN: Final = 1_000
"""Pixels taken for a side that is not known."""
_MAX_SIDE: Final = 100_000


@dataclass(frozen=True)
class ViewedPicture:
    """The picture in the viewer. Sizes are pixels."""

    address: str
    name: str
    width: int
    height: int


class ViewerState(rx.State):
    """`picture` is what the viewer shows, None while it is closed. `percent` of its own size; 0: as large as fits.

    `wide` is the width in CSS that this comes to, "" where it fits. `said` tells it in words.
    """

    picture: rx.Field[ViewedPicture | None] = rx.field(None)
    percent: rx.Field[int] = rx.field(0)
    wide: rx.Field[str] = rx.field("")
    said: rx.Field[str] = rx.field("")

    @rx.event
    async def open(self, address: str, name: str, width: int, height: int) -> None:
        """Look at a picture."""
        if not _ADDRESS.fullmatch(text_in(address, _MAX_NAME) or ""):
            return
        across, down = (_read_side(side) for side in (width, height))
        self.picture = ViewedPicture(address, text_in(name, _MAX_NAME) or "Picture", across, down)
        self._show(0)

    @rx.event
    async def close(self) -> None:
        """Go back to where it was opened."""
        self.picture = None

    @rx.event
    async def magnify(self) -> None:
        """Show it larger."""
        self._show(next((level for level in LEVELS[1:] if level > self.percent), LEVELS[-1]))

    @rx.event
    async def reduce(self) -> None:
        """Show it smaller; from the smallest, as large as fits."""
        self._show(next((level for level in reversed(LEVELS) if level < self.percent), 0))

    @rx.event
    async def fit(self) -> None:
        """Show all of it."""
        self._show(0)

    @rx.event
    async def press(self, key: str) -> None:
        """A key in the viewer: plus and minus change its size, 0 shows all of it."""
        match key:
            case "+" | "=":
                self._show(next((level for level in LEVELS[1:] if level > self.percent), LEVELS[-1]))
            case "-" | "_":
                self._show(next((level for level in reversed(LEVELS) if level < self.percent), 0))
            case "0":
                self._show(0)
            case _:
                pass

    def _show(self, percent: int) -> None:
        self.percent = percent
        if self.picture is None:
            return
        self.wide = f"{self.picture.width * percent // 100}px" if percent else ""
        self.said = f"{percent} %" if percent else "Fitted"


def _read_side(side: object) -> int:
    read = whole_in(side) or 0
    return read if 0 < read <= _MAX_SIDE else _UNKNOWN
