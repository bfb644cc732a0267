"""Settings → Tools: which of one's own servers are shared, and the servers that others share.

A server is shared after a dialog that says what others can do with it. Not here: how a server is set up (`servers.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import reflex as rx

from app.domain.errors import InviewError
from app.domain.preferences import Preferences
from app.domain.tools.tool_servers import OverStdio
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.library.preference_commands import read_preferences
from app.runs.library.sharing import Sharing, read_sharing
from app.runs.tools.lent_servers import list_lent, share_server
from app.runs.tools.server_commands import list_servers, read_server
from app.runs.workbench import current
from app.state.faults import describe_fault
from app.state.settings.preferences import prefer
from app.state.settings.server_items import OfferItem, describe_offers
from app.views.server import SharedServerView, describe_shared_server


@dataclass(frozen=True)
class SharedServerItem:
    """A server that another person shares. `used`: models are told of its tools."""

    id: str
    name: str
    by: str
    used: bool
    tools: tuple[OfferItem, ...]
    resources: tuple[OfferItem, ...]
    prompts: tuple[OfferItem, ...]


@dataclass(frozen=True)
class ShareServerView:
    """What the dialog asks about. `program`: it is a program on this machine."""

    id: str
    name: str
    program: bool


class SharedServersState(rx.State):
    """`own` are the ids of one's own servers that are shared, `items` those that others share.

    `offered`: there are others to share with. `administers`: the person may end the sharing of others.
    """

    own: rx.Field[tuple[str, ...]] = rx.field(())
    items: rx.Field[tuple[SharedServerItem, ...]] = rx.field(())
    offered: rx.Field[bool] = rx.field(default=False)
    administers: rx.Field[bool] = rx.field(default=False)
    asked: rx.Field[ShareServerView | None] = rx.field(None)
    said: rx.Field[str] = rx.field("")

    @rx.event
    async def load(self) -> None:
        """Show what is shared."""
        self.asked, self.said = None, ""
        await self._read()

    @rx.event
    async def ask(self, server_id: str) -> None:
        """Open the dialog that says what it means to share a server."""
        try:
            server = (await read_server(current(), caller(), str(server_id))).server
        except InviewError as error:
            self.said = describe_fault(error)
            return
        self.asked = ShareServerView(server.id, server.name, isinstance(server.way, OverStdio))

    @rx.event
    async def end_ask(self) -> None:
        self.asked = None

    @rx.event
    async def share(self) -> None:
        """Share the server that the dialog asks about with everybody of the installation."""
        asked, self.asked = self.asked, None
        if asked is not None:
            await self._share(asked.id, shared=True, said=translate("settings.sharing.shared_name", name=asked.name))

    @rx.event
    async def end_share(self, server_id: str) -> None:
        """Let its owner alone use a server again."""
        await self._share(str(server_id), shared=False, said=translate("settings.sharing.unshared"))

    @rx.event
    async def use(self, server_id: str, on: bool) -> None:
        """Tell models of the tools of a server that another person shares, or stop that."""
        if server_id not in {item.id for item in self.items}:
            return

        def change(known: Preferences) -> Preferences:
            others = {one for one in known.shared_servers if one != server_id}
            return replace(known, shared_servers=tuple(sorted({*others, server_id} if on is True else others)))

        await prefer(self, change)
        self.said = translate("common.saved")
        await self._read()

    async def _share(self, server_id: str, *, shared: bool, said: str) -> None:
        try:
            await share_server(current(), caller(), server_id, shared=shared)
        except InviewError as error:
            self.said = describe_fault(error)
        else:
            self.said = said
        await self._read()

    async def _read(self) -> None:
        wb, person = current(), caller()
        sharing = await read_sharing(wb, person)
        used = (await read_preferences(wb, person)).shared_servers
        own = await list_servers(wb, person)
        self.own = tuple(seen.server.id for seen in own if seen.server.shared_at is not None)
        lent = (describe_shared_server(one, used=one.id in used) for one in list_lent(wb, person))
        self.items = tuple(_describe(view, sharing) for view in lent)
        self.offered, self.administers = sharing.offered, sharing.administers


def _describe(view: SharedServerView, sharing: Sharing) -> SharedServerItem:
    by = sharing.names.get(view.owner, translate("agents.somebody"))
    return SharedServerItem(view.id, view.name, by, view.used, *describe_offers(view))
