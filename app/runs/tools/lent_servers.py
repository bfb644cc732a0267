"""Servers that are shared within the installation: who shares each, and who may use it.

    await share_server(wb, "ada", server_id, shared=True)
    lent = list_lent(wb, "max")                             # what others share: names, owners and tools

Others use a server with its secrets and never see them. Each has a connection of their own to it, and permissions of
their own: what its owner allowed unasked was allowed for the owner. Models are told of its tools once a person
switched it on for themselves (`Preferences.shared_servers`), or through an agent that names it.

Not here: the connections (`app/tools/toolbox.py`), and setting up a server (`server_commands.py`).
"""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import ConflictError, ForbiddenError, NotFoundError
from app.domain.people.audit import AuditEntry
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.domain.tools.permission_requests import Ending
from app.domain.tools.tool_servers import LentServer
from app.domain.tools.tools import ToolFailedError, ToolFault
from app.runs.caller import actor_for
from app.runs.cluster.server_changes import ServerChange
from app.runs.process.ids import now
from app.runs.process.shielded import shielded
from app.runs.tools.permission_commands import forget_server
from app.runs.tools.server_commands import lend_server, tell_change
from app.runs.workbench import Workbench
from app.store.audit.entries import insert_entry
from app.store.people.people import load_administrators
from app.store.tools import mcp_servers
from app.store.tools.mcp_servers import StoredServer
from app.tools.toolbox import UNSHARED


@shielded
async def share_server(wb: Workbench, actor_id: str, server_id: str, *, shared: bool) -> None:
    """Let everybody of the installation use a server, or its owner alone again.

    Once it is not shared, calls of others fail at once, and what they had allowed of it is forgotten.

    Raises:
        NotFoundError: no such server of this person, nor one that another shares.
        ForbiddenError: another person shares it; admins may end that, and nothing else.
        ConflictError: this installation has one person.
    """
    if not wb.settings.accounts:
        raise ConflictError("This installation has one person: there is nobody to share with.")
    async with wb.store.write() as session:
        stored = await _load_changeable(session, actor_id, server_id, shared=shared)
        at = (stored.server.shared_at or now()) if shared else None
        await mcp_servers.set_server_shared(session, server_id, at)
        action = AuditAction.SERVER_SHARED if shared else AuditAction.SERVER_UNSHARED
        data = {"server": stored.server.name, "person_id": stored.owner}
        entry = AuditEntry(now(), actor_for(actor_id), action, ObjectKind.SERVER, server_id, None, data)
        await insert_entry(session, entry)
    tell_change(wb, ServerChange(stored.owner, server_id, sharing=True))
    if shared:
        await lend_server(wb, replace(stored, server=replace(stored.server, shared_at=at)))
        return
    await wb.toolbox.take_back(server_id, UNSHARED)
    await forget_server(wb, server_id, but=stored.owner, ending=Ending.UNSHARED)


def list_lent(wb: Workbench, person: str) -> tuple[LentServer, ...]:
    """The servers that others share and that are switched on, by name."""
    owners = {server_id: lending.owner for server_id, lending in wb.toolbox.lendings.items()}
    found = (
        LentServer(server_id, owners[server_id], session.server.name, session.known)
        for server_id, session in wb.toolbox.borrow(person).items()
    )
    return tuple(sorted(found, key=lambda one: (one.name.lower(), one.id)))


async def require_lent(wb: Workbench, person: str, server_id: str) -> None:
    """See that a server of another person is still lent, also where another process ended that.

    Raises:
        ToolFailedError: it is not.
    """
    session = wb.toolbox.borrow(person).get(server_id)
    if session is None:
        return
    async with wb.store.read() as read:
        if await mcp_servers.is_lent(read, server_id):
            return
    await wb.toolbox.take_back(server_id, UNSHARED)
    raise ToolFailedError(ToolFault.GONE, UNSHARED.format(name=session.server.name), "Ask the person who shared it.")


async def _load_changeable(session: AsyncSession, actor_id: str, server_id: str, *, shared: bool) -> StoredServer:
    """The server, if this person may share it, or stop that."""
    try:
        return await mcp_servers.load_server(session, actor_id, server_id)
    except NotFoundError:
        stored = await mcp_servers.load_shared_server(session, server_id)
    if shared or actor_id not in await load_administrators(session):
        raise ForbiddenError("Only its owner can share a tool server; its owner and admins can stop that.")
    return stored
