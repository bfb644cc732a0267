"""Settings → People: who can sign in, for owners and admins. A one-time link is shown until the page is left.

    await tab.send(PeopleState.invite, form={"role": "member"})
    tab.shows(PeopleState, "link")               # "https://chat.example.org/welcome?key=…"

The role of who asks is read with each command: a demoted admin is refused, and sees the section no more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import reflex as rx

from app.domain.errors import ForbiddenError, InputError, InviewError
from app.domain.people.people import Invitation, Member, Person, Role
from app.domain.people.rights import may_manage
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.people import administration
from app.runs.people.administration import is_administrator, list_everybody
from app.runs.tools.server_commands import connect_servers_of
from app.runs.workbench import current
from app.state.faults import describe_fault
from app.state.inputs import text_in

ROLES: Final = {
    Role.MEMBER.value: "settings.people.roles.member",
    Role.ADMIN.value: "settings.people.roles.admin",
    Role.OWNER.value: "settings.people.roles.owner",
}
_MAX_NAME: Final = 200


@dataclass(frozen=True)
class PersonItem:
    """A person. `used_at` is ISO, "" for never; `mine`: who looks at it; `manageable`: they may change this one."""

    id: str
    name: str
    email: str
    role: str
    role_name: str
    used_at: str
    disabled: bool
    mine: bool
    manageable: bool


@dataclass(frozen=True)
class InvitationItem:
    """A link that makes a person with this role, and was not used. `expires_at` is ISO."""

    id: str
    role_name: str
    expires_at: str


class PeopleState(rx.State):
    """`shown`: who looks at it administers people. `grantable`: the roles they can give.

    `link` is the one-time link that was made just now, `link_about` what it does. `asked` is the id of the person whose
    deletion is asked about. `said` is what came of the last command.
    """

    shown: rx.Field[bool] = rx.field(default=False)
    items: rx.Field[tuple[PersonItem, ...]] = rx.field(())
    invitations: rx.Field[tuple[InvitationItem, ...]] = rx.field(())
    grantable: rx.Field[tuple[str, ...]] = rx.field(())
    link: rx.Field[str] = rx.field("")
    link_about: rx.Field[str] = rx.field("")
    asked: rx.Field[str] = rx.field("")
    said: rx.Field[str] = rx.field("")

    @rx.event
    async def load(self) -> None:
        """Show everybody, to those who administer people."""
        self.link = self.link_about = self.asked = self.said = ""
        await self._read()

    @rx.event
    async def invite(self, form: dict[str, Any]) -> None:
        """Make a link for a new person."""
        role = _role_in(form.get("role"))
        if role is None:
            return
        try:
            path = await administration.invite_person(current(), caller(), role)
        except InviewError as fault:
            await self._refuse(fault)
            return
        await self._offer(path, translate("settings.people.link_invites", role=translate(ROLES[role.value])))

    @rx.event
    async def withdraw(self, invitation_id: str) -> None:
        """Let an invitation open nothing any more."""
        try:
            await administration.withdraw_invitation(current(), caller(), str(invitation_id))
        except InviewError as fault:
            await self._refuse(fault)
        else:
            self.link = ""
            await self._tell("settings.people.withdrawn")

    @rx.event
    async def change_role(self, person_id: str, role: str) -> None:
        """Give a person another role."""
        chosen = _role_in(role)
        if chosen is None:
            return
        try:
            person = await administration.change_role(current().store, caller(), str(person_id), chosen)
        except InviewError as fault:
            await self._refuse(fault)
        else:
            await connect_servers_of(current(), str(person_id))
            await self._tell("settings.people.role_changed", name=person.name, role=translate(ROLES[chosen.value]))

    @rx.event
    async def disable(self, person_id: str) -> None:
        """Keep a person out; what they have open ends."""
        await self._set_disabled(person_id, disabled=True)

    @rx.event
    async def enable(self, person_id: str) -> None:
        """Let a person in again."""
        await self._set_disabled(person_id, disabled=False)

    @rx.event
    async def make_reset(self, person_id: str) -> None:
        """Make a link that sets a person's password."""
        try:
            path = await administration.make_reset(current(), caller(), str(person_id))
        except InviewError as fault:
            await self._refuse(fault)
            return
        name = next((item.name for item in self.items if item.id == person_id), "")
        await self._offer(path, translate("settings.people.link_resets", name=name))

    @rx.event
    async def sign_out(self, person_id: str) -> None:
        """End all sessions of a person."""
        try:
            person = await administration.sign_out_everywhere(current(), caller(), str(person_id))
        except InviewError as fault:
            await self._refuse(fault)
        else:
            await self._tell("settings.people.signed_out", name=person.name)

    @rx.event
    async def ask(self, person_id: str) -> None:
        """Ask whether a person is to be deleted."""
        self.asked, self.said = str(person_id), ""

    @rx.event
    async def end_ask(self) -> None:
        """Keep them."""
        self.asked = ""

    @rx.event
    async def delete(self, form: dict[str, Any]) -> None:
        """Delete the person that was asked about, if their name was typed."""
        try:
            person = await administration.delete_person(
                current(), caller(), self.asked, text_in(form.get("name"), _MAX_NAME) or ""
            )
        except InputError:
            self.said = translate("settings.people.another_name")
        except InviewError as fault:
            self.asked = ""
            await self._refuse(fault)
        else:
            await connect_servers_of(current(), self.asked)
            self.asked = ""
            await self._tell("settings.people.deleted", name=person.name)

    async def _set_disabled(self, person_id: str, *, disabled: bool) -> None:
        try:
            person = await administration.set_disabled(current().store, caller(), str(person_id), disabled=disabled)
        except InviewError as fault:
            await self._refuse(fault)
        else:
            await connect_servers_of(current(), str(person_id))
            key = "settings.people.disabled_name" if disabled else "settings.people.enabled_name"
            await self._tell(key, name=person.name)

    async def _offer(self, path: str, about: str) -> None:
        origin = current().settings.public_url or self.router.url.origin
        self.link, self.link_about, self.said = f"{origin.rstrip('/')}{path}", about, ""
        await self._read()

    async def _tell(self, key: str, **values: object) -> None:
        self.said = translate(key, **values)
        await self._read()

    async def _refuse(self, fault: InviewError) -> None:
        self.said = describe_fault(fault)
        await self._read()

    async def _read(self) -> None:
        self.shown = current().settings.accounts and await is_administrator(current(), caller())
        try:
            everybody = await list_everybody(current(), caller()) if self.shown else None
        except ForbiddenError:  # demoted meanwhile
            everybody = None
        if everybody is None:
            self.shown, self.items, self.invitations, self.grantable = False, (), (), ()
            self.link = self.link_about = self.asked = ""
            return
        self.items = tuple(_describe(member, everybody.actor) for member in everybody.members)
        self.invitations = tuple(map(_describe_invitation, everybody.invitations))
        self.grantable = tuple(role.value for role in everybody.grantable)


def _role_in(text: object) -> Role | None:
    return Role(text) if isinstance(text, str) and text in ROLES else None


def _describe(member: Member, actor: Person) -> PersonItem:
    person = member.person
    return PersonItem(
        id=person.id,
        name=person.name,
        email=person.email,
        role=person.role.value,
        role_name=translate(ROLES[person.role.value]),
        used_at="" if member.used_at is None else member.used_at.isoformat(),
        disabled=person.disabled,
        mine=person.id == actor.id,
        manageable=may_manage(actor, person),
    )


def _describe_invitation(invitation: Invitation) -> InvitationItem:
    return InvitationItem(invitation.id, translate(ROLES[invitation.role.value]), invitation.expires_at.isoformat())
