"""What a browser at the live socket sees: how it looks at the conversation, and which pairs are in view of that.

    view = LiveView(LivePairs(wb, owner, send), conversation_id, look)
    running = await view.open()          # the first window
    await view.work_out()                # … and again whenever something may have changed

Not here: what the browser was told of each pair (`live_pairs.py`); when to look again, and the reply that streams
(`live.py`).
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from app.api.live_frames import control, describe_refusal, view_changes, view_fields
from app.api.live_pairs import LivePairs, position_of
from app.domain.composition import Candidate
from app.domain.conversation import Pair
from app.domain.errors import ConflictError, InputError, InviewError
from app.runs.composing import Composed, Look, compose_base, compose_view
from app.runs.workbench import Workbench
from app.store.conversations import load_conversation
from app.store.pairs import WINDOW, load_pairs

PATIENCE_SECONDS = 0.06
"""How long the first window waits to know sizes where it is surely the newest pairs: counting may take longer."""
MOST_ADDED = 2 * WINDOW
"""If more than this come into view at once, the window begins anew."""


@dataclass(frozen=True, slots=True)
class _Worked:
    """How the browser looks from now on, what is in view of that, and why not what it asked for."""

    look: Look
    composed: Composed | None
    refusal: InviewError | None = None


@dataclass(eq=False)
class LiveView:
    """One browser's view. `asked` is how it wants to look, `look` how it does; `answer`: it waits to be told.

    `outdated`: more may have changed than the draft. `pairs` are those it has.
    """

    pairs: LivePairs
    conversation_id: str
    asked: Look
    draft: str = ""
    answer: bool = False
    outdated: bool = True
    look: Look = field(default_factory=Look)
    composed: Composed | None = None
    fields: dict[str, object] = field(default_factory=dict[str, object])
    _first: asyncio.Task[_Worked] | None = None

    @property
    def wb(self) -> Workbench:
        return self.pairs.wb

    @property
    def owner(self) -> str:
        return self.pairs.owner

    # --- the first window ---

    async def open(self) -> Pair | None:
        """Tell the newest pairs in view; the one that is running, to be followed. The view itself comes by `work_out`.

        Raises:
            NotFoundError: no such conversation of this owner.
        """
        async with self.wb.store.read() as session:
            conversation = await load_conversation(session, self.owner, self.conversation_id)
        unfiltered = not (conversation.filter if self.asked.filter is None else self.asked.filter).strip()
        self._first = asyncio.create_task(self._compose())
        await asyncio.wait({self._first}, timeout=PATIENCE_SECONDS if unfiltered else None)
        async with self.pairs.telling:
            if self._first.done() and (composed := self._first.result().composed) is not None:
                return await self._tell_window(composed)
            async with self.wb.store.read() as session:
                found = await load_pairs(session, self.owner, self.conversation_id, limit=WINDOW + 1)
            return await self.pairs.send_window(found[-WINDOW:], older=len(found) > WINDOW)

    def close(self) -> None:
        """Nobody looks any more."""
        if self._first is not None:
            self._first.cancel()

    # --- what is in view ---

    async def work_out(self) -> Pair | None:
        """Work out what is in view and tell what is new of it; a pair that runs and was not known, to be followed.

        Raises:
            NotFoundError: the conversation is gone.
        """
        answer, self.answer = self.answer, False
        if self._first is not None:
            worked, self._first = await self._first, None
        elif self.outdated or self.composed is None:
            self.outdated = False
            worked = await self._compose()
        else:
            worked = _Worked(self.look, await compose_base(self.composed.base, self.draft))
        async with self.pairs.telling:
            if worked.refusal is not None:
                self.asked = worked.look
            self.look = worked.look
            return await self._tell_worked(worked, answer=answer or worked.refusal is not None)

    async def _compose(self) -> _Worked:
        """What is in view as asked; if that cannot be, as it was looked at before, or as can be."""
        refusal: InviewError | None = None
        asked = self.asked
        others = (self.look,) if self.composed else (replace(asked, filter=None), replace(asked, filter="", model=None))
        for look in (asked, *others):
            try:
                composed = await compose_view(self.wb, self.owner, self.conversation_id, look, self.draft)
            except (InputError, ConflictError) as error:
                refusal = refusal or error
            else:
                return _Worked(look, composed, refusal)
        return _Worked(asked, self.composed, refusal)

    async def _tell_worked(self, worked: _Worked, *, answer: bool) -> Pair | None:
        before, composed = self.composed, worked.composed
        error = None if worked.refusal is None else describe_refusal(worked.refusal)
        if composed is None:
            self.fields = {}
            await self.pairs.send(control("view", **NO_VIEW, topic=worked.look.topic, error=error))
            return None
        self.composed = composed
        visible = composed.composition.visible.pairs
        fields = view_fields(composed, worked.look.topic)
        moved = before is None or visible != before.composition.visible.pairs
        if answer or fields != self.fields or (moved and composed.base.ages):
            said = fields if answer or not self.fields else view_changes(self.fields, fields)
            self.fields = fields
            await self.pairs.send(control("view", **said, as_of=composed.base.as_of, error=error))
        if before is not None and before.base.filter != composed.base.filter:
            self.pairs.dismiss_guest()
            return await self._tell_window(composed, replace=True)
        self.pairs.watch_guest(composed.base, visible)
        if moved or self.pairs.parted:
            self.pairs.parted = False
            return await self._tell_moved(composed, visible)
        await self.pairs.tell_heads(composed)
        return None

    async def _tell_moved(self, composed: Composed, visible: Sequence[Candidate]) -> Pair | None:
        """Tell which pairs came into view and which fell out of it."""
        pairs = self.pairs
        ids = {pair.pair_id for pair in visible[bisect_left(visible, pairs.since, key=position_of) :]}
        stays = pairs.unbound()
        added = ids - pairs.told.keys() - stays
        if len(added) > MOST_ADDED:
            return await self._tell_window(composed, replace=True)
        if gone := [pair_id for pair_id in pairs.told if pair_id not in ids and pair_id not in stays]:
            for pair_id in gone:
                del pairs.told[pair_id]
            await pairs.send(control("removed", ids=gone))
        await pairs.tell_heads(composed)
        found = await pairs.load(added)
        pairs.parted = len(found) < len(added)  # taken away since this was composed: if they come back, they are new
        return await pairs.tell_pairs(found)

    async def _tell_window(self, composed: Composed, **fields: object) -> Pair | None:
        """Tell the newest pairs in view, and those that stay whether in view or not."""
        self.pairs.show_as(composed)
        visible = composed.composition.visible.pairs
        ids = {pair.pair_id for pair in visible[-WINDOW:]} | self.pairs.unbound()
        if composed.base.running is not None:
            ids.add(composed.base.running)
        return await self.pairs.send_window(await self.pairs.load(ids), older=len(visible) > WINDOW, **fields)

    def extend(self, position: int) -> None:
        """The browser has read the pairs in view from this position on."""
        if self.composed is not None:
            self.pairs.extend(position, self.composed.base, self.composed.composition.visible.pairs)


_SAID = (
    "filter", "model", "sentence", "notices", "x", "y", "boundary", "boundary_reason", "estimate", "tools", "as_of",
    "prelude", "secrets",
)  # fmt: skip
NO_VIEW: dict[str, object] = {**dict.fromkeys(_SAID)}
"""Of a conversation that cannot be looked at at all: its own model belongs to nobody set up here."""
