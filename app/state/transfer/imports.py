"""The page of imports: choose a file, see what it would bring, import it.

The browser uploads the file over HTTP (`POST /imports`), under an id that this state gave, so that the progress can be
read meanwhile. An import that has begun continues when the page is closed.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode

import reflex as rx

from app.domain.errors import InviewError, NotFoundError
from app.domain.transfer.foreign import object_of, text_of
from app.domain.transfer.formats import NAMES
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.process.ids import new_id
from app.runs.transfer.imports.staging import carry_out_import, find_interrupted, read_import, undo_import
from app.runs.workbench import current
from app.state.address import conversation_path
from app.state.faults import describe_fault
from app.state.titles import name_of
from app.views.imports import MOVING, ImportStatus, ImportView

LOOK_SECONDS: Final = 0.4
"""Between two looks at how far an import is."""
ARRIVAL_SECONDS: Final = 20.0
"""How long a file may take until its first byte is here."""
MAX_LOOKS: Final = 18_000

_OVER: Final = frozenset({ImportStatus.DONE, ImportStatus.FAILED})
"""Something may have been imported."""
_HEADINGS: Final = {
    ImportStatus.RECEIVING: "imports.receiving",
    ImportStatus.READING: "imports.reading",
    ImportStatus.READY: "imports.ready",
    ImportStatus.IMPORTING: "imports.importing",
    ImportStatus.DONE: "imports.done",
    ImportStatus.FAILED: "imports.failed",
    ImportStatus.UNDONE: "imports.undone",
}


@dataclass(frozen=True)
class BroughtItem:
    """A conversation that came."""

    path: str
    name: str
    about: str


@dataclass(frozen=True)
class FaultItem:
    """A conversation that cannot be taken."""

    name: str
    reason: str


@dataclass(frozen=True)
class ImportPageView:
    """What the page shows of an import. `percent` is 0 where nothing is `moving`."""

    status: str
    heading: str
    message: str
    moving: bool
    percent: int
    facts: tuple[str, ...]
    titles: tuple[str, ...]
    left_out: tuple[str, ...]
    faults: tuple[FaultItem, ...]
    brought: tuple[BroughtItem, ...]
    can_import: bool
    can_undo: bool


class ImportState(rx.State):
    """`view` is None until a file is chosen; `address` is where the next one is uploaded to."""

    view: rx.Field[ImportPageView | None] = rx.field(None)
    address: rx.Field[str] = rx.field("")
    _id: str = ""

    @rx.event
    async def load(self) -> None:
        """Show the import that this tab knows of or one that lost its process, else the field that takes a file."""
        try:
            found = await read_import(current(), caller(), self._id) if self._id else None
        except NotFoundError:
            found = None
        found = found or await find_interrupted(current(), caller())
        if found is None:
            self._begin_anew()
        else:
            self._id, self.view = found.id, show(found)

    @rx.event
    async def choose_again(self) -> None:
        """Take another file."""
        self._begin_anew()

    @rx.event(background=True)
    async def follow(self) -> None:
        """Show the progress of the upload, until the file is read."""
        async with self:
            import_id = self._id
            self.view = show(ImportView(import_id))
        waited = 0.0
        for _ in range(MAX_LOOKS):
            await asyncio.sleep(LOOK_SECONDS)
            try:
                found = await read_import(current(), caller(), import_id)
            except NotFoundError:
                waited += LOOK_SECONDS
                if waited > ARRIVAL_SECONDS:
                    return
                continue
            async with self:
                if self._id != import_id:
                    return
                self.view = show(found)
            if found.status not in MOVING:
                return

    @rx.event
    async def finish(self, _name: str, answer: str) -> None:
        """Take the answer to an upload; `answer` is the JSON that came back, "" if none did."""
        try:
            self.view = show(await read_import(current(), caller(), self._id))
        except NotFoundError:
            self.view = show(ImportView(self._id, status=ImportStatus.FAILED, message=_refusal(answer)))

    @rx.event(background=True)
    async def start(self) -> None:
        """Import what the file brings, and show the progress."""
        async with self:
            import_id = self._id
        working = asyncio.ensure_future(carry_out_import(current(), caller(), import_id))
        while not working.done():
            await asyncio.wait({working}, timeout=LOOK_SECONDS)
            if not working.done():
                found = await read_import(current(), caller(), import_id)
                async with self:
                    self.view = show(found)
        try:
            view = working.result()
        except InviewError as error:
            view = ImportView(import_id, status=ImportStatus.FAILED, message=describe_fault(error))
        async with self:
            self.view = show(view)

    @rx.event
    async def undo(self) -> None:
        """Move what came to the trash."""
        try:
            self.view = show(await undo_import(current(), caller(), self._id))
        except InviewError as error:
            self.view = show(ImportView(self._id, status=ImportStatus.FAILED, message=describe_fault(error)))

    def _begin_anew(self) -> None:
        self._id, self.view = new_id(), None
        self.address = f"/api/v1/imports?{urlencode({'id': self._id})}"


def show(view: ImportView) -> ImportPageView:
    """What the page shows of an import."""
    moving = view.status in MOVING
    percent = min(100, view.done * 100 // view.total) if view.total else 0
    fresh = view.conversations - view.known - view.kept
    broke_off = view.status is ImportStatus.FAILED and view.brought_count > 0
    return ImportPageView(
        status=view.status.value,
        heading=translate("imports.broke_off" if broke_off else _HEADINGS[view.status]),
        message=view.message,
        moving=moving,
        percent=percent if moving else 0,
        facts=tuple(_facts(view)),
        titles=tuple(name_of(title, "") for title in view.titles) if view.status is ImportStatus.READY else (),
        left_out=tuple(f"{one.count:,} {one.what}" for one in view.left_out),
        faults=tuple(FaultItem(name_of(one.name, ""), one.reason) for one in view.faults),
        brought=tuple(
            BroughtItem(
                conversation_path(one.id), name_of(one.title, ""), translate("imports.pairs", count=one.pair_count)
            )
            for one in view.brought
        )
        if view.status in _OVER
        else (),
        can_import=view.status is ImportStatus.READY and fresh > 0,
        can_undo=view.status in _OVER and view.brought_count > 0,
    )


def _facts(view: ImportView) -> list[str]:
    facts: list[str] = []
    if view.format:
        facts.append(translate("imports.from", name=NAMES.get(view.format, view.format)))
    if view.brought_count or view.status in {ImportStatus.DONE, ImportStatus.IMPORTING}:
        facts += [
            translate("imports.brought", count=view.brought_count),
            translate("imports.pairs", count=view.brought_pairs),
        ]
    elif view.conversations:
        facts += [
            translate("imports.conversations", count=view.conversations),
            translate("imports.pairs", count=view.pairs),
        ]
    if view.first_at is not None and view.last_at is not None:
        facts.append(translate("imports.span", first=_day(view.first_at), last=_day(view.last_at)))
    for key, count in (("known", view.known), ("changed", view.changed), ("kept", view.kept)):
        if count:
            facts.append(translate(f"imports.{key}", count=count))
    if view.fault_count:
        facts.append(translate("imports.faults", count=view.fault_count))
    return facts


def _day(at: datetime) -> str:
    return f"{at:%Y-%m-%d}"


def _refusal(answer: object) -> str:
    """Say why an upload came to nothing."""
    try:
        read: Any = json.loads(answer) if isinstance(answer, str) else {}
    except ValueError:
        read = {}
    return text_of(object_of(read).get("detail")) or translate("imports.not_reached")
