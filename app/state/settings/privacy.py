"""Settings → Privacy: what models are told about the person, and whether secrets are replaced before sending."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import reflex as rx

from app.domain.errors import InputError
from app.domain.preferences import Preferences
from app.runs.library.preference_commands import read_prelude
from app.runs.send.commands import LOCAL_OWNER
from app.runs.workbench import current
from app.state.settings.preferences import prefer
from app.state.visit import VisitedState


class PrivacyState(VisitedState, rx.State):
    """`prelude` is the text that is sent before every conversation, "" for none. The settings are preferences.

    `opened` counts the visits of the page, not the reconnects: each time the text begins anew with what is stored.
    """

    prelude: rx.Field[str] = rx.field("")
    said: rx.Field[str] = rx.field("")
    opened: rx.Field[int] = rx.field(0)

    @rx.event
    async def load(self) -> None:
        """Show the text that is sent before conversations."""
        self.prelude = await read_prelude(current(), LOCAL_OWNER) or ""
        if self._visit is None:
            self.said = ""
            self.opened += 1
            await self._come()

    @rx.event
    async def save_about(self, form: dict[str, str]) -> None:
        """Store what the person wrote about themselves."""
        about = form.get("about_me")
        if isinstance(about, str):
            await self._change(lambda known: replace(known, about_me=about.replace("\r\n", "\n")))

    @rx.event
    async def tell_about_me(self, on: bool) -> None:
        """Send the person's own words to models, or stop sending them."""
        await self._change(lambda known: replace(known, tell_about_me=on is True))

    @rx.event
    async def tell_day(self, on: bool, zone: str) -> None:
        """Send the date to models as it is in this time zone, or stop sending it."""
        await self._change(lambda known: replace(known, date_zone=str(zone)[:60] if on is True else None))

    @rx.event
    async def redact(self, on: bool) -> None:
        """Replace secrets before sending, or send them as they are."""
        await self._change(lambda known: replace(known, redact=on is True))

    async def _end_visit(self) -> None:
        """What is to be shown then has to be read: see `load`."""

    async def _change(self, change: Callable[[Preferences], Preferences]) -> None:
        try:
            await prefer(self, change)
        except InputError as error:
            self.said = str(error)
            return
        self.said = "Saved. It applies from the next send."
        self.prelude = await read_prelude(current(), LOCAL_OWNER) or ""
