"""Conversations that are shared with persons: give and end access, read what others share, continue it in a copy.

    grant = await give_access(wb, ann.id, conversation_id, ben.id, Access.READ)
    (granted,) = await list_granted(wb, ben.id)                 # "Shared with me"
    page = (await read_granted(wb, ben.id, grant.id)).page      # drawn now, as a share would be

A copy is an ordinary conversation of the person who makes it: it is sent with their keys, agents and tools, and their
ledger has what that costs (docs/decisions/0128-continue-a-conversation-of-another-in-a-copy.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from app.domain.conversation.attachments import list_named
from app.domain.conversation.conversation import Message, Pair
from app.domain.conversation.lifecycle import RUNNING
from app.domain.conversation.parts import plain_text
from app.domain.errors import ConflictError, ForbiddenError, InputError, NotFoundError
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.domain.privacy.redaction import redact_text
from app.domain.sharing.grants import WHOLE, Access, Grant, Granted
from app.domain.sharing.shares import shared_parts, shared_title
from app.runs.people.audit import enter, note
from app.runs.process.ids import new_id, now
from app.runs.process.shielded import shielded
from app.runs.send.context_selection import ViewOptions
from app.runs.transfer.exports.attachments import pack, write_attachments
from app.runs.transfer.exports.own_json import FORMAT, MAX_FILE_BYTES, VERSION
from app.runs.transfer.exports.sharing import PreparedShare, prepare_share
from app.runs.transfer.imports.storing import ImportedOne, import_file
from app.runs.workbench import Workbench, current
from app.store.archive import load_places
from app.store.conversation.conversations import load_conversation
from app.store.conversation.pairs import load_pairs_by_id
from app.store.database.parts_json import encode_parts
from app.store.organise import grants
from app.store.people.people import load_people, load_person
from app.views.encode import to_json

_PAIRS_AT_ONCE: Final = 100


@dataclass(frozen=True, slots=True)
class Reading:
    """A conversation that another shares. `shown` has its page; `by` is the name of its owner."""

    granted: Granted
    by: str
    shown: PreparedShare


async def list_people(wb: Workbench, actor_id: str) -> dict[str, str]:
    """The names of those with whom a person can share, by id. Nobody where accounts are off."""
    if not wb.settings.accounts:
        return {}
    async with wb.store.read() as session:
        people = await load_people(session)
    return {one.id: one.name for one in people if one.id != actor_id and not one.disabled}


async def read_names(wb: Workbench) -> dict[str, str]:
    """The names of all persons, by id."""
    async with wb.store.read() as session:
        return {one.id: one.name for one in await load_people(session)}


@shielded
async def give_access(wb: Workbench, owner: str, conversation_id: str, person_id: str, access: Access) -> Grant:
    """Let a person read a conversation, or continue it in a copy. Given again, the access is replaced.

    Raises:
        NotFoundError: no such conversation of this owner.
        InputError: there is no such person, or it is the owner.
        ConflictError: the conversation is temporary.
    """
    if wb is not current():
        raise ConflictError("A temporary conversation is not stored, so it cannot be shared. Save it first.")
    if person_id not in await list_people(wb, owner):
        raise InputError("person_id", "names nobody to share with. Choose a person of this installation.")
    async with wb.store.write() as session:
        await load_conversation(session, owner, conversation_id)
        given = Grant(new_id(), owner, conversation_id, person_id, access, now())
        grant = await grants.save_grant(session, given)
        what = AuditAction.GRANT_MADE, ObjectKind.CONVERSATION, conversation_id
        await enter(session, *what, person_id=person_id, scope=access.value)
        return grant


@shielded
async def end_access(wb: Workbench, actor_id: str, grant_id: str) -> Grant:
    """End a grant: its owner takes it back, or the person who has it lets it go. A copy stays where it is.

    Raises:
        NotFoundError: no such grant of or for this person.
    """
    async with wb.store.write() as session:
        ended = await grants.delete_grant(session, actor_id, grant_id)
        conversation_id, person_id = ended.conversation_id, ended.person_id
        await enter(session, AuditAction.GRANT_REVOKED, ObjectKind.CONVERSATION, conversation_id, person_id=person_id)
        return ended


async def list_access(wb: Workbench, owner: str, conversation_id: str) -> tuple[Grant, ...]:
    """Who has access to a conversation.

    Raises:
        NotFoundError: no such conversation of this owner.
    """
    async with wb.store.read() as session:
        await load_conversation(session, owner, conversation_id)
        return await grants.load_grants_of(session, owner, conversation_id)


async def list_granted(wb: Workbench, person_id: str) -> tuple[Granted, ...]:
    """What others share with a person, changed last first."""
    async with wb.store.read() as session:
        return await grants.load_granted(session, person_id)


async def read_granted(wb: Workbench, person_id: str, grant_id: str) -> Reading:
    """Draw the page of a conversation that another shares, as it is stored now.

    Raises:
        NotFoundError: no such grant for this person, or its conversation is in the trash.
        InputError: the page would be too large.
    """
    async with wb.store.read() as session:
        granted = await grants.load_grant(session, person_id, grant_id)
        by = (await load_person(session, granted.grant.owner)).name
    grant = granted.grant
    note(AuditAction.CONVERSATION_READ, ObjectKind.CONVERSATION, grant.conversation_id)
    try:
        shown = await prepare_share(wb, grant.owner, grant.conversation_id, ViewOptions(), replace(WHOLE, author=by))
    except NotFoundError:  # its owner deleted it in this moment: for others there is a grant, and then none
        raise NotFoundError("grant", grant_id) from None
    return Reading(granted, by, shown)


@shielded
async def copy_granted(wb: Workbench, person_id: str, grant_id: str) -> ImportedOne:
    """Copy a conversation that another lets a person continue, for that person.

    Raises:
        NotFoundError: no such grant for this person, or its conversation is in the trash.
        ForbiddenError: it can only be read.
        ConflictError: it has images or files for which a copy has no room.
    """
    async with wb.store.read() as session:
        granted = await grants.load_grant(session, person_id, grant_id)
        grant = granted.grant
        if grant.access is not Access.CONTINUE:
            raise ForbiddenError("It is shared for reading. Ask its owner to let you continue it.")
        conversation = await load_conversation(session, grant.owner, grant.conversation_id)
        ids = [place.pair_id for place in await load_places(session, grant.owner, grant.conversation_id)]
        pairs: list[Pair] = []
        for start in range(0, len(ids), _PAIRS_AT_ONCE):
            pairs += await load_pairs_by_id(session, grant.owner, tuple(ids[start : start + _PAIRS_AT_ONCE]))
        shared = [_share(pair) for pair in pairs if pair.lifecycle not in RUNNING]
        named = [each for pair in shared for message in _messages(pair) for each in list_named(message.parts)]
        luggage = await pack(session, grant.owner, named, room=MAX_FILE_BYTES // 2)
        if luggage.left_out:
            raise ConflictError(f"It has {luggage.left_out} too many for a copy. Ask its owner for a part of it.")
        files = [written async for written in write_attachments(session, grant.owner, luggage.ids)]
    head: dict[str, Any] = {
        "title": shared_title(conversation.title),
        "model": conversation.model,
        "system_prompt": redact_text(conversation.system_prompt).text,
        "pairs": list(map(_write, shared)),
    }
    body = to_json({"format": FORMAT, "version": VERSION, "conversations": [head]})[:-1]
    (copied,) = await import_file(wb, person_id, body + b',"attachments":[' + b",".join(files) + b"]}")
    note(AuditAction.GRANT_COPIED, ObjectKind.CONVERSATION, grant.conversation_id)
    return copied


def _share(pair: Pair) -> Pair:
    reply = pair.reply and replace(pair.reply, parts=shared_parts(pair.reply.parts, WHOLE))
    return replace(pair, request=replace(pair.request, parts=shared_parts(pair.request.parts, WHOLE)), reply=reply)


def _messages(pair: Pair) -> Sequence[Message]:
    return (pair.request,) if pair.reply is None else (pair.request, pair.reply)


def _write(pair: Pair) -> dict[str, Any]:
    """A pair as a file of Inview's own format has it that somebody wrote by hand: no run, no version, no mark."""
    return {
        "model": pair.model,
        "user_text": plain_text(pair.request.parts),
        "reply_text": None if pair.reply is None else plain_text(pair.reply.parts),
        "request": {"parts": encode_parts(pair.request.parts)},
        "reply": None if pair.reply is None else {"parts": encode_parts(pair.reply.parts)},
        "created_at": pair.created_at,
    }
