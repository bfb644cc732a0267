"""Exporting the conversations that are ticked in the list: the choice of a format, how far it is, and the download.

    await tab.send(BulkExportState.export, format_="json")

Not the export of the conversation on screen (`export_menu.py`).
"""

from __future__ import annotations

import asyncio
from typing import Final

import reflex as rx

from app.domain.errors import InviewError
from app.domain.filters.language.commands import ExportFormat
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.transfer.exports.bulk import write_bulk_export
from app.runs.workbench import current
from app.state.placement import PlacementState
from app.state.toasts import show_fault, show_toast

TELL_SECONDS: Final = 0.4
"""Between two times that the page is told how far it is."""


class BulkExportState(rx.State):
    """`open`: the menu of formats is open.

    While a file is written, `done` of `total` conversations are in it; else both are 0.
    """

    open: rx.Field[bool] = rx.field(default=False)
    done: rx.Field[int] = rx.field(0)
    total: rx.Field[int] = rx.field(0)
    _stopped: bool = False

    @rx.event
    async def ask(self) -> None:
        """Open the menu of formats."""
        self.open = True

    @rx.event
    async def close(self) -> None:
        """Close it."""
        self.open = False

    @rx.event
    async def stop(self) -> None:
        """Write no file after all."""
        self._stopped = True

    @rx.event(background=True)
    async def export(self, format_: str) -> rx.event.EventType[()] | None:
        """Write the ticked conversations to a file, and let the browser download it."""
        async with self:
            ids = (await self.get_state(PlacementState)).selected
            self.open = False
            if self.total or not ids or format_ not in set(ExportFormat):
                return None
            self.done, self.total, self._stopped = 0, len(ids), False
        written = 0

        def note(done: int) -> None:
            nonlocal written
            written = done

        writing = asyncio.create_task(write_bulk_export(current(), caller(), ids, ExportFormat(format_), note))
        try:
            while not (await asyncio.wait({writing}, timeout=TELL_SECONDS))[0]:
                async with self:
                    self.done = written
                    if self._stopped:
                        writing.cancel()
            made = await writing
        except asyncio.CancelledError:
            if not writing.cancelled():  # the page is left: nobody would download it
                writing.cancel()
                raise
            return None
        except InviewError as error:
            async with self:
                await show_fault(self, error)
            return None
        finally:
            async with self:
                self.done, self.total = 0, 0
        async with self:
            await show_toast(self, translate("list.exported", count=made.conversations))
        return rx.download(url=f"/api/v1/exports/{made.id}")
