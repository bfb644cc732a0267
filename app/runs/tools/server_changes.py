"""Changes of MCP servers over all processes of the installation: the connections of each follow.

    tell_change(wb, ServerChange("ada", server_id))      # once the change is stored
    await follow_change(wb, change)                      # in every other process

Each process has connections of its own to every server. What is set up is in the database alone.
"""

from __future__ import annotations

from app.domain.errors import NotFoundError
from app.runs.cluster.server_changes import ServerChange
from app.runs.tools.server_commands import drop_server, have_server, have_servers_of, lend_server, session_of
from app.runs.workbench import Workbench
from app.store.tools import mcp_servers
from app.store.tools.mcp_servers import StoredServer
from app.tools.toolbox import UNSHARED


async def follow_change(wb: Workbench, change: ServerChange) -> None:
    """Have what the database has, after another process changed it.

    Raises:
        StoreError: it cannot be read.
    """
    if change.owner is None:
        await _follow_all(wb)
    elif change.server_id is None:
        await have_servers_of(wb, change.owner)
    else:
        await _follow_one(wb, change.owner, change.server_id, sharing=change.sharing)


async def _follow_one(wb: Workbench, owner: str, server_id: str, *, sharing: bool) -> None:
    try:
        async with wb.store.read() as session:
            stored = await mcp_servers.load_server(session, owner, server_id)
    except NotFoundError:
        await drop_server(wb, owner, server_id)
        return
    if sharing:
        await _follow_sharing(wb, stored)
    else:
        await have_server(wb, stored)


async def _follow_all(wb: Workbench) -> None:
    """Have every server as it is stored, where it is another one here: messages may have been missed."""
    async with wb.store.read() as session:
        every = await mcp_servers.load_every_server(session)
    known = {(stored.owner, stored.server.id) for stored in every}
    here = [(owner, server_id) for owner, of_owner in wb.toolbox.sessions.items() for server_id in of_owner]
    for owner, server_id in here:
        if (owner, server_id) not in known:
            await drop_server(wb, owner, server_id)
    for stored in every:
        if _is_current(wb, stored):
            await _follow_sharing(wb, stored)
        else:
            await have_server(wb, stored)


async def _follow_sharing(wb: Workbench, stored: StoredServer) -> None:
    if stored.server.shared_at is None:
        await wb.toolbox.take_back(stored.server.id, UNSHARED)
    elif not wb.toolbox.is_lent_by(stored.owner, stored.server.id):
        await lend_server(wb, stored)


def _is_current(wb: Workbench, stored: StoredServer) -> bool:
    running, server = session_of(wb, stored.owner, stored.server.id), stored.server
    if running is None:
        return not server.enabled
    here = running.server
    return (server.enabled, server.updated_at, server.signed_in) == (True, here.updated_at, here.signed_in)
