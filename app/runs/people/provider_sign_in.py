"""Signs in with a provider: which account is linked, who becomes a member, and how an account is linked.

address, token = await begin(wb, Purpose())                     # the browser goes there, with the token as a cookie
came = await come_back(wb, token, Answer(code=…, state=…), device, None)

A person is found by issuer and subject alone. An e-mail address only decides whether somebody new may come, and never
opens an account that exists.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from hmac import compare_digest
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import ConflictError, InputError, InviewError
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.domain.people.people import (
    Device,
    Identity,
    LinkedIdentity,
    Person,
    Role,
    clean_email,
    clean_name,
)
from app.runs.people.audit import enter
from app.runs.people.oidc import ProviderError, ProviderFault, Secrets, find_provider, make_secrets, pack
from app.runs.people.sessions import begin_session
from app.runs.people.steps import Step, StepKind, open_step, take_step
from app.runs.people.welcome import insert_invited, read_invitation, require_free
from app.runs.process.ids import new_id, now
from app.runs.process.shielded import shielded
from app.runs.workbench import Workbench
from app.settings import OidcSettings
from app.store.people import identities, people

BACK: Final = "/sign-in/provider/back"


class Refusal(StrEnum):
    """Why a person known to the provider was refused."""

    LATE = "late"
    UNKNOWN = "unknown"
    UNCONFIRMED = "unconfirmed"
    DISABLED = "disabled"
    TAKEN = "taken"
    """Somebody has this e-mail address, and nothing says that it is the same person."""
    LINKED_ELSEWHERE = "linked_elsewhere"
    ONLY_WAY = "only_way"


class RefusedError(InviewError):
    """Somebody was not let in, or an account was not linked or unlinked."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal)
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class Purpose:
    """What the sign-in at the provider is for: an invitation, or linking an account to a person; else to sign in."""

    invitation: str = field(default="", repr=False)
    link_to: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What the browser brings back in the address."""

    state: str = field(default="", repr=False)
    code: str = field(default="", repr=False)
    issuer: str | None = None


@dataclass(frozen=True, slots=True)
class Came:
    """Who came back. `token` is for the cookie of a new session; None: an account was linked."""

    token: str | None = field(repr=False)


def required(wb: Workbench) -> OidcSettings:
    """Return the settings of the provider.

    Raises:
        RefusedError: none is set up.
    """
    if wb.settings.oidc is None:
        raise RefusedError(Refusal.UNKNOWN)
    return wb.settings.oidc


async def begin(wb: Workbench, purpose: Purpose) -> tuple[str, str]:
    """Return where the browser goes, and the token of the step that it comes back to.

    Raises:
        ProviderError: the provider does not answer.
    """
    secrets = make_secrets()
    address = await find_provider(required(wb)).build_address(_back(wb), secrets)
    data = {**pack(secrets), "invitation": purpose.invitation}
    return address, await open_step(wb, StepKind.PROVIDER, data, purpose.link_to)


@shielded
async def come_back(wb: Workbench, token: str, answer: Answer, device: Device, person_id: str | None) -> Came:
    """Let in who signed in at the provider, or link the account. `person_id` is who is signed in here.

    Raises:
        ProviderError: the provider did not identify the person.
        RefusedError: it did, and this person has no access.
        NotFoundError: the invitation was used or has expired.
    """
    step = await take_step(wb, StepKind.PROVIDER, token)
    if step is None or not compare_digest(step.data["state"], answer.state):
        raise RefusedError(Refusal.LATE)
    provider = find_provider(required(wb))
    await provider.require_from_here(answer.issuer)
    if not answer.code:
        raise ProviderError(ProviderFault.REFUSED, "code")
    secrets = Secrets(step.data["state"], step.data["nonce"], step.data["verifier"])
    identity = await provider.identify(answer.code, _back(wb), secrets)
    if step.person_id is not None:
        if step.person_id != person_id:
            raise RefusedError(Refusal.LATE)
        await _link(wb, step.person_id, identity)
        return Came(None)
    person = await _find_or_admit(wb, identity, step)
    if person.disabled:
        raise RefusedError(Refusal.DISABLED)
    return Came(await begin_session(wb, person, device))


async def list_linked(wb: Workbench, person: Person) -> tuple[LinkedIdentity, ...]:
    """The accounts at providers that sign a person in."""
    async with wb.store.read() as session:
        return await identities.load_linked(session, person.id)


@shielded
async def unlink(wb: Workbench, person: Person, issuer: str, subject: str) -> None:
    """Have an account sign this person in no more.

    Raises:
        RefusedError: they could not sign in at all then.
    """
    async with wb.store.write() as session:
        linked = await identities.load_linked(session, person.id)
        found = await people.find_by_email(session, person.email)
        if len(linked) < 2 and (found is None or found[1] == ""):
            raise RefusedError(Refusal.ONLY_WAY)
        await identities.delete_linked(session, person.id, issuer, subject)
        if any((one.issuer, one.subject) == (issuer, subject) for one in linked):
            await enter(session, AuditAction.ACCOUNT_UNLINKED, ObjectKind.PERSON, person.id)


async def _link(wb: Workbench, person_id: str, identity: Identity) -> None:
    async with wb.store.write() as session:
        whose = await identities.find_linked(session, identity.issuer, identity.subject)
        if whose is None:
            await identities.insert_linked(session, person_id, identity, now())
            await enter(session, AuditAction.ACCOUNT_LINKED, ObjectKind.PERSON, person_id)
        elif whose != person_id:
            raise RefusedError(Refusal.LINKED_ELSEWHERE)


async def _find_or_admit(wb: Workbench, identity: Identity, step: Step) -> Person:
    async with wb.store.read() as session:
        whose = await identities.find_linked(session, identity.issuer, identity.subject)
        if whose is not None:
            return await people.load_person(session, whose)
    if invitation := step.data["invitation"]:
        found = await read_invitation(wb, invitation)
        if found.person_id is not None:
            raise RefusedError(Refusal.UNKNOWN)  # a reset link sets a password
        person = _make_person(identity, found.role)
        try:
            async with wb.store.write() as session:
                return await _keep_linked(session, await insert_invited(session, found, person, ""), identity)
        except ConflictError as fault:
            raise RefusedError(Refusal.TAKEN) from fault
    if not _is_admitted(required(wb), identity):
        raise RefusedError(Refusal.UNKNOWN)
    person = _make_person(identity, Role.MEMBER)
    try:
        async with wb.store.write() as session:
            await require_free(session, person.email)
            await people.insert_person(session, person, "")
            await enter(
                session, AuditAction.PERSON_JOINED, ObjectKind.PERSON, person.id, role=person.role, why="admitted"
            )
            return await _keep_linked(session, person, identity)
    except ConflictError as fault:
        raise RefusedError(Refusal.TAKEN) from fault


async def _keep_linked(session: AsyncSession, person: Person, identity: Identity) -> Person:
    await identities.insert_linked(session, person.id, identity, now())
    await enter(session, AuditAction.ACCOUNT_LINKED, ObjectKind.PERSON, person.id)
    return person


def _is_admitted(oidc: OidcSettings, identity: Identity) -> bool:
    return oidc.everybody or identity.email.rpartition("@")[2] in oidc.domains


def _make_person(identity: Identity, role: Role) -> Person:
    """Somebody new, without a password. The provider has to have confirmed the address, which nobody else gets then."""
    if not identity.email_verified:
        raise RefusedError(Refusal.UNCONFIRMED)
    try:
        email = clean_email(identity.email)
    except InputError as fault:
        raise RefusedError(Refusal.UNCONFIRMED) from fault
    try:
        name = clean_name(identity.name)
    except InputError:
        name = clean_name(email[:50])  # a name that does not show is no name
    return Person(new_id(), name, email, role, disabled=False, created_at=now())


def _back(wb: Workbench) -> str:
    return f"{wb.settings.address}{BACK}"
