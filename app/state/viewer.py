"""The viewer of pictures: one picture, fitted or enlarged, and its neighbours, by buttons and keys.

await tab.send(ViewerState.open, address="/api/v1/attachments/…", name="photo.jpg", width=800, height=600)
await tab.send(ViewerState.press, key="+")
tab.shows(ViewerState, "percent")            # 100
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import reflex as rx

from app.language.translation import translate
from app.state.inputs import text_in, whole_in
from app.state.transcript import TranscriptState
from app.views.parts import ImageView
from app.views.screen.attachment import address_of
from app.views.screen.pair import ScreenPairView

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

    `wide` is the width in CSS that this comes to, "" where it fits. `said` tells it in words. `place` says which of the
    conversation's pictures it is, "" where it is the only one.
    """

    picture: rx.Field[ViewedPicture | None] = rx.field(None)
    percent: rx.Field[int] = rx.field(0)
    wide: rx.Field[str] = rx.field("")
    said: rx.Field[str] = rx.field("")
    place: rx.Field[str] = rx.field("")
    _pictures: tuple[ViewedPicture, ...] = ()
    _at: int = 0

    @rx.event
    async def open(self, address: str, name: str, width: int, height: int) -> None:
        """Look at a picture."""
        if not _ADDRESS.fullmatch(text_in(address, _MAX_NAME) or ""):
            return
        across, down = (_read_side(side) for side in (width, height))
        opened = ViewedPicture(address, text_in(name, _MAX_NAME) or translate("common.picture"), across, down)
        found = list_pictures((await self.get_state(TranscriptState)).pairs)
        at = next((at for at, one in enumerate(found) if one.address == address), None)
        self._pictures, self._at = ((opened,), 0) if at is None else (found, at)
        self._step(0)

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
        """A key in the viewer: plus and minus change its size, 0 shows all of it, arrows lead to the picture beside it.

        In a picture that is enlarged the arrows scroll.
        """
        match key:
            case "ArrowLeft" | "ArrowRight" if not self.percent:
                self._step(-1 if key == "ArrowLeft" else 1)
            case "+" | "=":
                self._show(next((level for level in LEVELS[1:] if level > self.percent), LEVELS[-1]))
            case "-" | "_":
                self._show(next((level for level in reversed(LEVELS) if level < self.percent), 0))
            case "0":
                self._show(0)
            case _:
                pass

    @rx.event
    async def show_previous(self) -> None:
        """Look at the picture before this one."""
        self._step(-1)

    @rx.event
    async def show_next(self) -> None:
        """Look at the picture after this one."""
        self._step(1)

    def _step(self, by: int) -> None:
        last = len(self._pictures) - 1
        if last < 0:
            return
        self._at = min(max(self._at + by, 0), last)
        self.picture = self._pictures[self._at]
        self.place = translate("viewer.place", at=self._at + 1, count=last + 1) if last else ""
        self._show(0)

    def _show(self, percent: int) -> None:
        self.percent = percent
        if self.picture is None:
            return
        self.wide = f"{self.picture.width * percent // 100}px" if percent else ""
        self.said = f"{percent} %" if percent else translate("viewer.fitted")


def list_pictures(pairs: Sequence[ScreenPairView]) -> tuple[ViewedPicture, ...]:
    """The pictures of these pairs' requests and replies, in their order, each once."""
    found: dict[str, ViewedPicture] = {}
    for pair in pairs:
        for one in pair.attached:
            if one.kind == "image":
                found.setdefault(one.address, ViewedPicture(one.address, one.name, one.width, one.height))
        for part in pair.parts:
            if isinstance(part, ImageView):
                address, name = address_of(part), translate("common.picture")
                found.setdefault(address, ViewedPicture(address, name, part.width, part.height))
    return tuple(found.values())


def _read_side(side: object) -> int:
    read = whole_in(side) or 0
    return read if 0 < read <= _MAX_SIDE else _UNKNOWN
