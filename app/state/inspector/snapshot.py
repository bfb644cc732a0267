"""The stored request of a pair that failed: its bytes, and its differences from the request that a resend would make.

The resend itself is in another module, because it may have to ask what to do with later pairs.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, replace
from typing import Any, Final, cast

import reflex as rx

from app.domain.errors import ConflictError, InviewError, NotFoundError
from app.runs.app_context import context_for, current
from app.runs.resend.resend import ResendOptions, preview_resend
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.inspector.bodies import BodyView, show_body
from app.state.messages.error_messages import describe_fault
from app.state.tab.inputs import text_in, whole_in
from app.state.tab.tab_watchers import moment_of
from app.state.tab.visit import VisitedState
from app.store.conversation.pairs import load_pair
from app.store.run.snapshots import Snapshot, load_snapshot
from app.views.inspector.request import FactView, RequestWindow
from app.views.inspector.request_changes import ChangesView, show_body_changes
from app.views.usage import figures

MAX_TEXT: Final = 64
TABS: Final = ("sent", "now")
NOT_KEPT: Final = "The request of this reply is not stored. Only the request of the newest failure is kept."
SAME: Final = "No differences: the current request is identical."


@dataclass(frozen=True, slots=True)
class KeptRequestView:
    """The stored request of a failed pair.

    - `at`: the time when it was sent (ISO 8601).
    - `size`: describes the size of its body.
    - `model_name`: the display name of its model.
    """

    model: str
    model_name: str
    target: str
    at: str
    size: str
    headers: tuple[FactView, ...]
    body: BodyView


@dataclass(frozen=True, slots=True)
class _Selection:
    pair_id: str
    tab: str
    page: int
    opened: frozenset[str]


class SnapshotState(VisitedState, rx.State):
    """The dialog with the request that was sent for a failed pair. It is open while `pair`, the id of the pair, is set.

    - `kept`: that request; None: it is not read yet.
    - `changes`: its differences from the request of a resend now.
    - `note`: the text that is shown if there are no differences.
    - `fault`: the reason why the request cannot be shown.
    """

    pair: rx.Field[str] = rx.field("")
    title: rx.Field[str] = rx.field("")
    tab: rx.Field[str] = rx.field("sent")
    kept: rx.Field[KeptRequestView | None] = rx.field(None)
    changes: rx.Field[ChangesView | None] = rx.field(None)
    note: rx.Field[str] = rx.field("")
    fault: rx.Field[str] = rx.field("")
    _page: int = 1
    _opened: frozenset[str] = frozenset()

    @rx.event(background=True)
    async def open(self, pair_id: str) -> None:
        """Open the dialog with the stored request of this pair."""
        valid_id = text_in(pair_id, MAX_TEXT)
        if not valid_id:
            return
        async with self:
            self.reset()
            await self._come()
            self.pair, self.title = valid_id, "Sent request"
        await self._read()

    @rx.event
    async def close(self) -> None:
        self.reset()

    async def _end_visit(self) -> None:
        self.pair = ""

    @rx.event(background=True)
    async def choose_tab(self, tab: str) -> None:
        """Show the sent request, or its comparison with the request of a resend now."""
        chosen = text_in(tab, MAX_TEXT)
        if chosen in TABS:
            async with self:
                self.tab, self.fault = chosen, ""
            await self._read()

    @rx.event(background=True)
    async def show_page(self, number: int) -> None:
        """Show another page of the stored request's body, counted from 1."""
        page = whole_in(number)
        if page is not None:
            async with self:
                self._page = page
            await self._read()

    @rx.event(background=True)
    async def open_piece(self, key: str) -> None:
        """Show the whole text of a message that differs."""
        piece = text_in(key, MAX_TEXT)
        if piece:
            async with self:
                self._opened |= {piece}
            await self._read()

    async def _read(self) -> None:
        async with self:
            selection, moment = self._selection(), moment_of(self)
        if not selection.pair_id:
            return
        ctx = await context_for(current(), selection.pair_id)
        try:
            async with ctx.store.read() as session:
                position = (await load_pair(session, LOCAL_OWNER, selection.pair_id)).position
                kept = await load_snapshot(session, LOCAL_OWNER, selection.pair_id)
            name = ctx.catalogue.name_of(LOCAL_OWNER, kept.model)
            shown = await asyncio.to_thread(_show, kept, name, selection)
            changes: ChangesView | None = None
            if selection.tab == "now" and moment is not None:
                options = replace(moment.options, model=kept.model)
                planned = await preview_resend(ctx, LOCAL_OWNER, selection.pair_id, ResendOptions(options))
                changes = await asyncio.to_thread(
                    _compare, kept, planned.wire.body, planned.wire.url, planned.hashes[-1], selection
                )
        except InviewError as error:
            fault = NOT_KEPT if isinstance(error, NotFoundError) else describe_fault(error)
            async with self:
                if self._selection() == selection:
                    self.fault = fault
            return
        async with self:
            if self._selection() == selection:
                self.title, self.kept, self.fault = f"Sent request of pair {position}", shown, ""
                self.changes = changes
                self.note = SAME if selection.tab == "now" and changes is None and moment is not None else ""

    def _selection(self) -> _Selection:
        return _Selection(self.pair, self.tab, self._page, self._opened)


def _show(kept: Snapshot, model_name: str, selection: _Selection) -> KeptRequestView:
    return KeptRequestView(
        kept.model,
        model_name,
        f"POST {kept.url}",
        kept.created_at.isoformat(),
        f"{figures.number(len(kept.body))} bytes, exactly as sent; keys in headers are masked",
        tuple(FactView(name, value) for name, value in kept.headers),
        show_body(kept.body, selection.page, f"/api/v1/pairs/{kept.pair_id}/snapshot/body"),
    )


def _compare(kept: Snapshot, body: bytes, url: str, content_hash: str, selection: _Selection) -> ChangesView | None:
    """Return the differences from the request of a resend now, or None if there are none."""
    reading = RequestWindow(opened=selection.opened)
    changes = show_body_changes(_read_body(kept), json.loads(body), reading, (kept.url, url))
    is_same = content_hash == kept.content_hash and not changes.heads and not any(row.sign for row in changes.rows)
    return None if is_same else changes


def _read_body(kept: Snapshot) -> dict[str, Any]:
    """Return the body of a stored request as JSON. A request that was imported from a file may have any content.

    Raises:
        ConflictError: the body is not a JSON object.
    """
    try:
        body: object = json.loads(kept.body)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise ConflictError("The stored request is not a JSON object, so it cannot be compared.")
    return cast("dict[str, Any]", body)
