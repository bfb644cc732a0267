"""Saved filters, the history of applied filters, and the filter of a conversation.

    await save_filter(ctx, LOCAL_OWNER, "good", "s>=2 !e")
    await apply_filter(ctx, LOCAL_OWNER, conversation_id, "@good r20")

Not here: the pairs that a filter selects (`runs/send/context_selection.py`) and command lines (`line_commands.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.audit import AuditAction
from app.domain.errors import ConflictError, NotFoundError
from app.domain.filters.language.parser import parse_filter
from app.domain.filters.saved import UNREADABLE, expand_saved
from app.domain.filters.saved_rules import (
    AppliedFilter,
    SavedFilter,
    list_users,
    read_savable,
    rename_use,
    require_name,
    uses,
)
from app.runs.app_context import AppContext
from app.runs.audit.audit import audit
from app.runs.runtime.event_bus import ConversationChanged
from app.runs.runtime.ids import now
from app.runs.runtime.shielded import shielded
from app.store.conversation import conversations
from app.store.filters import filters

_FEW = 3
"""Maximum number of conversations that an error names."""


@dataclass(frozen=True, slots=True)
class KnownFilters:
    """The saved filters and the filter history of an owner.

    - `saved`: the text of each saved filter, by name.
    - `history`: the applied filters, newest first.
    - `rows`: all saved filters, including those that cannot be read.
    - `damaged`: the entries of the history that cannot be read.
    """

    saved: dict[str, str]
    history: tuple[str, ...]
    rows: tuple[SavedFilter, ...] = ()
    damaged: tuple[AppliedFilter, ...] = ()


async def list_filters(ctx: AppContext, owner: str) -> KnownFilters:
    """List the owner's saved and applied filters for the filter bar."""
    async with ctx.store.read() as session:
        saved = await filters.load_saved_filters(session, owner)
        rows = await filters.list_saved_filters(session, owner)
        applied = await filters.list_applied(session, owner)
    history = tuple(one.filter for one in applied if not one.damage)
    return KnownFilters(saved, history, rows, tuple(one for one in applied if one.damage))


async def find_filter(ctx: AppContext, owner: str, name: str) -> str:
    """Return the text of the filter that is saved under this name.

    Raises:
        NotFoundError: there is no filter with this name.
    """
    async with ctx.store.read() as session:
        saved = await filters.load_saved_filters(session, owner)
    if name not in saved:
        raise NotFoundError("saved filter", name)
    return saved[name]


@shielded
async def save_filter(ctx: AppContext, owner: str, name: str, line: str) -> None:
    """Save a filter under a name. An earlier filter of this name is replaced.

    Raises:
        FilterError: the filter cannot be parsed or used, or refers to itself. The error has the place of the fault.
        InputError: the name is invalid, or another filter that uses this one would become invalid.
        ConflictError: there are too many saved filters.
    """
    async with ctx.store.write() as session:
        read_savable(name, line, await filters.load_saved_filters(session, owner))
        await filters.write_saved_filters(session, owner, {name: line}, now())


@shielded
async def rename_filter(ctx: AppContext, owner: str, name: str, new_name: str) -> None:
    """Rename a saved filter, also in the filters and conversations that use it.

    Raises:
        NotFoundError: there is no filter with this name.
        InputError: the new name is invalid.
        ConflictError: another filter has this name, or the filter's text cannot be read.
    """
    require_name(new_name)
    async with ctx.store.write() as session:
        saved = await filters.load_saved_filters(session, owner)
        if name not in saved:
            raise NotFoundError("saved filter", name)
        if new_name == name:
            return
        if new_name in saved:
            raise ConflictError(
                f"A filter named @{new_name} already exists. Choose another name, or delete that filter."
            )
        if saved[name] == UNREADABLE:  # a rename would overwrite the stored text
            raise ConflictError(f"The text of @{name} cannot be read. Export it raw, or delete it.")
        lines = {other: rename_use(line, name, new_name) for other, line in saved.items() if uses(line, name)}
        in_use = [one for one in await filters.load_filters_in_use(session, owner) if uses(one.filter, name)]
        kept = {one.conversation_id: rename_use(one.filter, name, new_name) for one in in_use}
        await filters.delete_saved_filter(session, owner, name)
        await filters.write_saved_filters(session, owner, {**lines, new_name: saved[name]}, now())
        await filters.set_conversation_filters(session, kept)
        for conversation_id in kept:
            await audit(session, owner, conversation_id, AuditAction.CHANGED, what="filter")
    for conversation_id in kept:
        ctx.event_bus.publish(owner, conversation_id, ConversationChanged())


@shielded
async def delete_filter(ctx: AppContext, owner: str, name: str) -> None:
    """Delete a saved filter that nothing uses.

    Raises:
        NotFoundError: there is no filter with this name.
        ConflictError: other filters, or conversations, use it.
    """
    async with ctx.store.write() as session:
        await _delete_by_name(session, owner, name)


@shielded
async def delete_damaged_filter(ctx: AppContext, owner: str, number: int) -> None:
    """Delete a saved filter whose row cannot be read.

    Raises:
        NotFoundError: there is no damaged row with this number.
        ConflictError: other filters, or conversations, use it.
    """
    async with ctx.store.write() as session:
        rows = await filters.list_saved_filters(session, owner)
        found = next((one for one in rows if one.number == number and one.damage), None)
        if found is None:
            raise NotFoundError("damaged saved filter", str(number))
        if any(one.column == "name" for one in found.damage):  # no filter can use one whose name cannot be read
            await filters.delete_saved_row(session, owner, number)
        else:
            await _delete_by_name(session, owner, found.name)


@shielded
async def delete_damaged_entry(ctx: AppContext, owner: str, number: int) -> None:
    """Delete an entry of the filter history whose row cannot be read.

    Raises:
        NotFoundError: there is no damaged entry with this number.
    """
    async with ctx.store.write() as session:
        applied = await filters.list_applied(session, owner)
        if not any(one.number == number and one.damage for one in applied):
            raise NotFoundError("damaged entry of the filter history", str(number))
        await filters.delete_applied_row(session, owner, number)


async def _delete_by_name(session: AsyncSession, owner: str, name: str) -> None:
    saved = await filters.load_saved_filters(session, owner)
    if name not in saved:
        raise NotFoundError("saved filter", name)
    users = [f"@{other}" for other in list_users(name, saved) if uses(saved[other], name)]
    titles = [
        f'the conversation "{one.title}"' if one.title else "a conversation without a title"
        for one in await filters.load_filters_in_use(session, owner)
        if uses(one.filter, name)
    ]
    users += titles[:_FEW]
    if len(titles) > _FEW:
        users.append(f"{len(titles) - _FEW} more conversations")
    if users:
        raise ConflictError(f"@{name} is used by {', '.join(users)}. Remove it there first, then delete it.")
    await filters.delete_saved_filter(session, owner, name)


@shielded
async def apply_filter(ctx: AppContext, owner: str, conversation_id: str, line: str) -> None:
    """Set the filter of a conversation and, unless the conversation is temporary, add the filter to the history.

    Raises:
        NotFoundError: this owner has no such conversation.
        FilterError: the filter cannot be used. The error has the place of the fault.
    """
    tree = parse_filter(line)
    async with ctx.store.write() as session:
        conversation = await conversations.load_conversation(session, owner, conversation_id)
        expand_saved(tree, await filters.load_saved_filters(session, owner))
        if line.strip() and not conversation.temporary:
            await filters.keep_applied(session, owner, line, now())
        if line == conversation.filter and not any(one.column == "filter" for one in conversation.damage):
            return
        await conversations.update_conversation(session, owner, conversation_id, {"filter": line})
        await audit(session, owner, conversation_id, AuditAction.CHANGED, what="filter")
    ctx.event_bus.publish(owner, conversation_id, ConversationChanged())
