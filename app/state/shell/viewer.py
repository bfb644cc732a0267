"""The image viewer: it shows one image, fitted to the screen or enlarged, and has buttons and keys.

await tab.send(ViewerState.open, address="/api/v1/attachments/…", name="photo.jpg", width=800, height=600)
await tab.send(ViewerState.press, key="+")
tab.shows(ViewerState, "percent")            # 100
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import reflex as rx

from app.state.tab.inputs import text_in, whole_in
from app.state.tab.visit import VisitedState

LEVELS: Final = (0, 50, 100, 200, 400)
"""The sizes that the viewer offers, as percentages of the picture's original size; 0: fitted to the screen."""
_ADDRESS: Final = re.compile("/api/v1/attachments/[0-9a-f]{64}")
_MAX_NAME: Final = 200
_UNKNOWN: Final = 1_000
"""Number of pixels that is assumed for a side of unknown length."""
_MAX_SIDE: Final = 100_000


@dataclass(frozen=True)
class ViewedPicture:
    """The picture in the viewer. Sizes are pixels."""

    address: str
    name: str
    width: int
    height: int


class ViewerState(VisitedState, rx.State):
    """The image viewer. `picture` is the picture in it, None while it is closed.

    - `percent`: the percentage of the picture's original size; 0: fitted to the screen.
    - `wide`: the resulting width in CSS, "" if the picture is fitted.
    - `said`: the size as text.
    """

    picture: rx.Field[ViewedPicture | None] = rx.field(None)
    percent: rx.Field[int] = rx.field(0)
    wide: rx.Field[str] = rx.field("")
    said: rx.Field[str] = rx.field("")

    @rx.event
    async def open(self, address: str, name: str, width: int, height: int) -> None:
        """Open a picture in the viewer, fitted to the screen."""
        if not _ADDRESS.fullmatch(text_in(address, _MAX_NAME) or ""):
            return
        await self._come()
        across, down = (_read_side(side) for side in (width, height))
        self.picture = ViewedPicture(address, text_in(name, _MAX_NAME) or "Picture", across, down)
        self._show(0)

    @rx.event
    async def close(self) -> None:
        """Close the viewer."""
        self.picture = None

    @rx.event
    async def magnify(self) -> None:
        """Show the picture one step larger."""
        self._show(next((level for level in LEVELS[1:] if level > self.percent), LEVELS[-1]))

    @rx.event
    async def reduce(self) -> None:
        """Show the picture one step smaller; from the smallest step, fit it to the screen."""
        self._show(next((level for level in reversed(LEVELS) if level < self.percent), 0))

    @rx.event
    async def fit(self) -> None:
        """Fit the picture to the screen."""
        self._show(0)

    @rx.event
    async def press(self, key: str) -> None:
        """Handle a key in the viewer: plus and minus change the size, 0 fits the picture to the screen."""
        match key:
            case "+" | "=":
                self._show(next((level for level in LEVELS[1:] if level > self.percent), LEVELS[-1]))
            case "-" | "_":
                self._show(next((level for level in reversed(LEVELS) if level < self.percent), 0))
            case "0":
                self._show(0)
            case _:
                pass

    async def _end_visit(self) -> None:
        self.picture = None

    def _show(self, percent: int) -> None:
        self.percent = percent
        if self.picture is None:
            return
        self.wide = f"{self.picture.width * percent // 100}px" if percent else ""
        self.said = f"{percent} %" if percent else "Fitted"


def _read_side(side: object) -> int:
    read = whole_in(side) or 0
    return read if 0 < read <= _MAX_SIDE else _UNKNOWN
