"""Commands of owners and admins on people: invite, change a role, disable, reset, sign out, delete.

    path = await invite_person(wb, caller(), Role.MEMBER)          # "/welcome?key=…", told once
    await change_role(wb, caller(), person_id, Role.ADMIN)
    await delete_person(wb, caller(), person_id, confirmed="Ann")

The role of the person who asks is read in the same transaction as the change: a demoted admin is refused at once.
`actor_id` None is the command line: who can run it has the machine, and only an owner has to stay.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import ConflictError, InputError
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.domain.people.people import Invitation, Member, Person, Role
from app.domain.people.rights import (
    list_grantable,
    require_administers,
    require_may_grant,
    require_may_manage,
    require_other,
    require_owner_left,
)
from app.runs.people.audit import enter
from app.runs.people.welcome import insert_link
from app.runs.process.ids import now
from app.runs.process.old_files import delete_files_of
from app.runs.process.shielded import shielded
from app.runs.send.commands import LOCAL_OWNER, stop_run
from app.runs.workbench import Workbench
from app.store.audit.entries import list_subjects
from app.store.database.database import Store
from app.store.people import belongings, people


@dataclass(frozen=True, slots=True)
class Everybody:
    """Who can sign in and which invitations are open, as `actor` sees them. `grantable`: the roles they can give."""

    actor: Person
    members: tuple[Member, ...]
    invitations: tuple[Invitation, ...]
    grantable: tuple[Role, ...]


async def is_administrator(wb: Workbench, person_id: str) -> bool:
    """Return whether a person may administer the installation: the stored role decides; the local owner may do all."""
    return person_id in await list_administrators(wb)


async def list_administrators(wb: Workbench) -> frozenset[str]:
    """The ids of those who may do what concerns the installation."""
    if not wb.settings.accounts:
        return frozenset({LOCAL_OWNER})
    async with wb.store.read() as session:
        return await people.load_administrators(session)


async def list_everybody(wb: Workbench, actor_id: str) -> Everybody:
    """Everybody and every open invitation.

    Raises:
        ForbiddenError: the person who asks is a member.
    """
    async with wb.store.read() as session:
        actor = await people.load_person(session, actor_id)
        require_administers(actor)
        members = await people.load_members(session)
        invitations = await people.load_open_invitations(session, now())
    return Everybody(actor, members, invitations, list_grantable(actor.role))


@shielded
async def invite_person(wb: Workbench, actor_id: str, role: Role) -> str:
    """Make a one-time link for a new person with this role; return its path.

    Raises:
        ForbiddenError: the person who asks cannot give this role.
    """
    async with wb.store.write() as session:
        require_may_grant(await people.load_person(session, actor_id), role)
        return await insert_link(session, role)


@shielded
async def withdraw_invitation(wb: Workbench, actor_id: str, invitation_id: str) -> None:
    """Delete an open invitation: its link opens nothing any more.

    Raises:
        ForbiddenError: the person who asks cannot give its role.
        ConflictError: it was used, withdrawn or has expired meanwhile.
    """
    async with wb.store.write() as session:
        actor = await people.load_person(session, actor_id)
        require_administers(actor)
        found = {one.id: one for one in await people.load_open_invitations(session, now())}.get(invitation_id)
        if found is None:
            raise ConflictError("This invitation is not open any more.")
        require_may_grant(actor, found.role)
        await people.take_invitation(session, found.id)
        await enter(session, AuditAction.INVITATION_WITHDRAWN, ObjectKind.INVITATION, found.id)


@shielded
async def change_role(store: Store, actor_id: str | None, person_id: str, role: Role) -> Person:
    """Give a person another role; it counts from their next event on. Who may grant less now loses the links they made.

    Raises:
        NotFoundError: no such person.
        ForbiddenError: the person who asks may not.
        ConflictError: it is the last owner.
    """
    async with store.write() as session:
        person = await _find(session, actor_id, person_id)
        if actor_id is not None:
            require_may_grant(await people.load_person(session, actor_id), role)
        if role is not Role.OWNER:
            require_owner_left(await people.load_people(session), person)
        await people.set_role(session, person_id, role)
        if not set(list_grantable(person.role)) <= set(list_grantable(role)):
            await _void_links_of(session, person_id)
        await enter(session, AuditAction.PERSON_ROLE_CHANGED, ObjectKind.PERSON, person_id, role=role)
    return person


@shielded
async def set_disabled(store: Store, actor_id: str | None, person_id: str, *, disabled: bool) -> Person:
    """Keep a person from using the installation, or let them in again.

    What they have open ends within a second, and links that they made open nothing any more.

    Raises:
        NotFoundError: no such person.
        ForbiddenError: the person who asks may not.
        ConflictError: it is the last owner, or the person who asks.
    """
    async with store.write() as session:
        person = await _find(session, actor_id, person_id)
        if disabled:
            await _require_dispensable(session, actor_id, person)
        await people.set_disabled(session, person_id, disabled=disabled)
        if disabled:
            await _void_links_of(session, person_id)
        done = AuditAction.PERSON_DISABLED if disabled else AuditAction.PERSON_ENABLED
        await enter(session, done, ObjectKind.PERSON, person_id)
    return person


async def _void_links_of(session: AsyncSession, person_id: str) -> None:
    """Delete the one-time links that a person made: the audit trail knows which."""
    invitations = await list_subjects(session, person_id, AuditAction.PERSON_INVITED)
    await people.delete_links(session, invitations, await list_subjects(session, person_id, AuditAction.PERSON_RESET))


@shielded
async def make_reset(wb: Workbench, actor_id: str, person_id: str) -> str:
    """Make a one-time link that sets a person's password; return its path.

    Raises:
        NotFoundError: no such person.
        ForbiddenError: the person who asks may not.
    """
    async with wb.store.write() as session:
        person = await _find(session, actor_id, person_id)
        return await insert_link(session, person.role, person.id)


@shielded
async def sign_out_everywhere(wb: Workbench, actor_id: str, person_id: str) -> Person:
    """End all sessions of a person.

    Raises:
        NotFoundError: no such person.
        ForbiddenError: the person who asks may not.
    """
    async with wb.store.write() as session:
        person = await _find(session, actor_id, person_id)
        await people.revoke_sessions_of(session, person_id, now())
        await enter(session, AuditAction.PERSON_SIGNED_OUT, ObjectKind.PERSON, person_id)
    return person


@shielded
async def delete_person(wb: Workbench, actor_id: str, person_id: str, confirmed: str) -> Person:
    """Delete a person and all that is theirs but the ledger, their running replies stopped. `confirmed`: their name.

    Raises:
        NotFoundError: no such person.
        ForbiddenError: the person who asks may not.
        ConflictError: it is the last owner, or the person who asks, or another process runs a reply of theirs.
        InputError: another name was typed.
    """
    async with wb.store.write() as session:
        person = await _find(session, actor_id, person_id)
        if " ".join(confirmed.split()) != person.name:
            raise InputError("confirmed", "is not the person's name. Type it as it is shown.")
        await _require_dispensable(session, actor_id, person)
        await people.set_disabled(session, person_id, disabled=True)  # nothing new begins
        await _void_links_of(session, person_id)
    temporary = wb.beside.bench
    for bench in (wb,) if temporary is None else (wb, temporary):
        for run_id, run in tuple(bench.engine.runs.items()):
            if run.place.owner == person_id:
                await stop_run(bench, run_id)
    if temporary is not None:
        await _delete_conversations(temporary.store, person_id)
    await delete_with_belongings(wb.store, wb.settings.data_dir, None, person)
    return person


async def delete_with_belongings(store: Store, data_dir: Path, actor_id: str | None, person: Person) -> None:
    """Delete a person without running replies in this process, with everything they own but the ledger, files too.

    Raises:
        ConflictError: it is the last owner, or a process runs a reply of theirs.
    """
    async with store.write() as session:
        await _require_dispensable(session, actor_id, person)
        if await belongings.count_running(session, person.id):
            raise ConflictError(f"A reply of {person.email} is running. Disable the account, and delete it afterwards.")
        await people.set_disabled(session, person.id, disabled=True)
    await _delete_conversations(store, person.id)
    await asyncio.to_thread(delete_files_of, data_dir, person.id)
    async with store.write() as session:
        await belongings.delete_the_rest(session, person.id, now())
        await people.delete_person(session, person.id)
        await enter(session, AuditAction.PERSON_DELETED, ObjectKind.PERSON, person.id)


async def _delete_conversations(store: Store, owner: str) -> None:
    some = 1
    while some:
        async with store.write() as session:
            some = await belongings.delete_some_conversations(session, owner)


async def _find(session: AsyncSession, actor_id: str | None, person_id: str) -> Person:
    """The person to change, if the person who asks may."""
    if actor_id is not None:
        actor = await people.load_person(session, actor_id)
        require_administers(actor)  # first: a member does not learn who exists
        person = await people.load_person(session, person_id)
        require_may_manage(actor, person)
        return person
    return await people.load_person(session, person_id)


async def _require_dispensable(session: AsyncSession, actor_id: str | None, person: Person) -> None:
    if actor_id is not None:
        require_other(await people.load_person(session, actor_id), person)
    require_owner_left(await people.load_people(session), person)
