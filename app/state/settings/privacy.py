"""Settings → Privacy: the information about the user that is sent to models, and the redaction of secrets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import reflex as rx

from app.domain.errors import InputError
from app.domain.settings.preferences import Preferences
from app.runs.app_context import current
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.preference_commands import read_prelude
from app.state.messages.error_messages import describe_fault
from app.state.settings.preferences import prefer
from app.state.tab.visit import VisitedState


class PrivacyState(VisitedState, rx.State):
    """The section Privacy of the settings. Its values are preferences.

    - `prelude`: the text that every send has in front of its pairs, "" for none.
    - `said`: the message after the last change.
    - `opened`: the number of visits to the page, without reconnects. Each visit shows the stored text again.
    """

    prelude: rx.Field[str] = rx.field("")
    said: rx.Field[str] = rx.field("")
    opened: rx.Field[int] = rx.field(0)

    @rx.event
    async def load(self) -> None:
        """Read and show the text that every send has in front of its pairs."""
        self.prelude = await read_prelude(current(), LOCAL_OWNER) or ""
        if self._visit is None:
            self.said = ""
            self.opened += 1
            await self._come()

    @rx.event
    async def save_about(self, form: dict[str, str]) -> None:
        """Store the user's text about themselves, and their name or id."""
        about, name = form.get("about_me"), form.get("user_name")
        if isinstance(about, str) and isinstance(name, str):
            await self._change(
                lambda known: replace(known, about_me=about.replace("\r\n", "\n"), user_name=name.strip())
            )

    @rx.event
    async def tell_about_me(self, on: bool) -> None:
        """Send the user's text about themselves to models, or stop sending it."""
        await self._change(lambda known: replace(known, tell_about_me=on is True))

    @rx.event
    async def tell_day(self, on: bool, zone: str) -> None:
        """Send the date in this time zone to models, or stop sending it."""
        await self._change(lambda known: replace(known, date_zone=str(zone)[:60] if on is True else None))

    @rx.event
    async def tell_time(self, on: bool) -> None:
        """Send the time of day with the date, or stop sending it."""
        await self._change(lambda known: replace(known, tell_time=on is True))

    @rx.event
    async def tell_project(self, on: bool) -> None:
        """Send the name of the folder of a conversation to models, or stop sending it."""
        await self._change(lambda known: replace(known, tell_project=on is True))

    @rx.event
    async def tell_first_request(self, on: bool) -> None:
        """Send the first request of a conversation with each later one, or stop sending it."""
        await self._change(lambda known: replace(known, tell_first_request=on is True))

    @rx.event
    async def redact(self, on: bool) -> None:
        """Switch the redaction of secrets on or off. If it is off, secrets are sent unchanged."""
        await self._change(lambda known: replace(known, redact=on is True))

    async def _end_visit(self) -> None:
        """Do nothing: on the next visit, `load` reads the stored text and resets the section."""

    async def _change(self, change: Callable[[Preferences], Preferences]) -> None:
        try:
            await prefer(self, change)
        except InputError as error:
            self.said = describe_fault(error)
            return
        self.said = "Saved. It applies from the next send."
        self.prelude = await read_prelude(current(), LOCAL_OWNER) or ""
