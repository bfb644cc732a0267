"""Settings → Account: the archive of everything about the person: its progress and its download."""

from __future__ import annotations

import asyncio
from typing import Final

import reflex as rx

from app.domain.errors import InviewError
from app.runs.caller import caller
from app.runs.transfer.exports.person_archive import write_person_export
from app.runs.workbench import current
from app.state.toasts import show_fault

TELL_SECONDS: Final = 0.4
"""Between two times that the page is told how far it is."""


class EverythingState(rx.State):
    """`running`: an archive is being written; `done` of `total` conversations are in it."""

    running: rx.Field[bool] = rx.field(default=False)
    done: rx.Field[int] = rx.field(0)
    total: rx.Field[int] = rx.field(0)

    @rx.event(background=True)
    async def export(self) -> rx.event.EventType[()] | None:
        """Write everything about the person to an archive, and let the browser download it."""
        async with self:
            if self.running:
                return None
            self.running, self.done, self.total = True, 0, 0
        written = (0, 0)

        def note(done: int, total: int) -> None:
            nonlocal written
            written = done, total

        writing = asyncio.create_task(write_person_export(current(), caller(), note))
        try:
            while not (await asyncio.wait({writing}, timeout=TELL_SECONDS))[0]:
                async with self:
                    self.done, self.total = written
            made_id = await writing
        except asyncio.CancelledError:  # the page is left: nobody would download it
            writing.cancel()
            raise
        except InviewError as error:
            async with self:
                await show_fault(self, error)
            return None
        finally:
            async with self:
                self.running = False
        return rx.download(url=f"/api/v1/exports/{made_id}", filename="inview-everything.zip")
