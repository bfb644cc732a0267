"""Settings → Account: the own name, password and sessions.

Signing out is a form that is posted over HTTP, as it takes the cookie away.

    await tab.send(SessionState.rename, form={"name": "Ann"})
    await tab.send(SessionState.end, session_id="s1")
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import reflex as rx

from app.domain.errors import InputError, InviewError
from app.domain.people.people import OpenSession
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.people.own_account import change_password, end_other_sessions, end_session, list_own_sessions, rename
from app.runs.people.sessions import SESSION_HEADER, WrongPasswordError, read_session
from app.runs.people.throttle import TooManyAttemptsError
from app.runs.workbench import current
from app.state.faults import describe_fault
from app.state.inputs import text_in
from app.views.user_agent import describe_agent

_MAX_FIELD: Final = 2_000


@dataclass(frozen=True)
class SessionItem:
    """A session: browser and system, network address, when it was last used (ISO), and whether it is this page's."""

    id: str
    agent: str
    address: str
    used_at: str
    mine: bool


class SessionState(rx.State):
    """Name and address of who is signed in; both "" where accounts are off. `sessions`: the one used last first.

    `said` is what came of the last change of the name, `password_said` of the password, `sessions_said` of a session.
    """

    name: rx.Field[str] = rx.field("")
    email: rx.Field[str] = rx.field("")
    sessions: rx.Field[tuple[SessionItem, ...]] = rx.field(())
    said: rx.Field[str] = rx.field("")
    password_said: rx.Field[str] = rx.field("")
    sessions_said: rx.Field[str] = rx.field("")

    @rx.event
    async def load(self) -> None:
        """Read whose session this is, and what others this person has."""
        self.said = self.password_said = self.sessions_said = ""
        await self._read()

    @rx.event
    async def rename(self, form: dict[str, Any]) -> None:
        """Take another name."""
        if self._session_id() is None:
            return
        try:
            self.name = await rename(current(), caller(), text_in(form.get("name"), _MAX_FIELD) or "")
        except InputError:
            self.said = translate("sign_in.bad_name")
        else:
            self.said = translate("common.saved")

    @rx.event
    async def change_password(self, form: dict[str, Any]) -> None:
        """Replace the password; the other sessions end."""
        session_id = self._session_id()
        if session_id is None:
            return
        old, new = (text_in(form.get(field), _MAX_FIELD) or "" for field in ("old", "new"))
        try:
            await change_password(current(), session_id, old, new)
        except InputError:
            self.password_said = translate("sign_in.bad_password")
        except WrongPasswordError:
            self.password_said = translate("settings.account.wrong_password")
        except TooManyAttemptsError:
            self.password_said = translate("sign_in.too_many")
        except InviewError as fault:
            self.password_said = describe_fault(fault)
        else:
            self.password_said = translate("settings.account.password_changed")
            await self._read()

    @rx.event
    async def end(self, session_id: str) -> None:
        """Sign another session out; what it has open ends within a second."""
        if session_id == self._session_id():
            return  # that one has a page of its own, which takes the cookie away
        await end_session(current(), caller(), str(session_id))
        self.sessions_said = translate("settings.account.signed_out")
        await self._read()

    @rx.event
    async def end_others(self) -> None:
        """Sign all sessions out but this one."""
        session_id = self._session_id()
        if session_id is None:
            return
        await end_other_sessions(current(), caller(), session_id)
        self.sessions_said = translate("settings.account.others_signed_out")
        await self._read()

    def _session_id(self) -> str | None:
        return self.router.headers.raw_headers.get(SESSION_HEADER)

    async def _read(self) -> None:
        session_id = self._session_id()
        signed_in = None if session_id is None else await read_session(current(), session_id)
        if signed_in is None:
            self.name, self.email, self.sessions = "", "", ()
            return
        self.name, self.email = signed_in.person.name, signed_in.person.email
        own = await list_own_sessions(current(), signed_in.person.id)
        self.sessions = tuple(_describe(one, signed_in.session_id) for one in own)


def _describe(one: OpenSession, mine: str) -> SessionItem:
    agent = describe_agent(one.device.agent) or translate("settings.account.unknown_browser")
    return SessionItem(one.id, agent, one.device.address, one.used_at.isoformat(), one.id == mine)
