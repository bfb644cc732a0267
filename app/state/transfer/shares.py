"""The page of shares: the active links, and revoking one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import reflex as rx

from app.domain.errors import InviewError
from app.domain.sharing.shares import Share
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.transfer.exports.sharing import list_shares, revoke_share
from app.runs.workbench import current
from app.state.address import conversation_path
from app.state.titles import UNNAMED
from app.state.toasts import show_fault, show_toast

_SHOWN: Final = {"system_prompt": "shares.system_prompt", "thinking": "shares.thinking", "tools": "shares.tools"}


@dataclass(frozen=True)
class ShareItem:
    """A link. `about` says what its page shows; the times are ISO, `path` is that of its conversation."""

    id: str
    name: str
    path: str
    about: str
    views: str
    created_at: str
    expires_at: str


class SharesState(rx.State):
    """`items` are the newest first."""

    items: rx.Field[tuple[ShareItem, ...]] = rx.field(())
    loaded: rx.Field[bool] = rx.field(default=False)

    @rx.event
    async def load(self) -> None:
        """Show the links that open something."""
        await self._read()

    @rx.event
    async def revoke(self, share_id: str) -> None:
        """Let a link open nothing any more."""
        name = next((item.name for item in self.items if item.id == share_id), translate(UNNAMED))
        try:
            await revoke_share(current(), caller(), str(share_id))
        except InviewError as error:
            await show_fault(self, error)
        else:
            await show_toast(self, translate("shares.revoked", name=name))
        await self._read()

    async def _read(self) -> None:
        self.items = tuple(map(_describe, await list_shares(current(), caller())))
        self.loaded = True


def _describe(share: Share) -> ShareItem:
    also = [translate(key) for part, key in _SHOWN.items() if getattr(share.choice, part)]
    by = [translate("shares.by", name=share.choice.author)] if share.choice.author else []
    return ShareItem(
        id=share.id,
        name=share.title or translate(UNNAMED),
        path=conversation_path(share.conversation_id),
        about=" · ".join((translate("share.pairs", count=share.pairs), *also, *by)),
        views=translate("shares.views", count=share.views),
        created_at=share.created_at.isoformat(),
        expires_at=share.expires_at.isoformat(),
    )
