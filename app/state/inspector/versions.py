"""Commands for the versions of a pair: restore one, swap two, compare two word by word.

    await tab.send(VersionsState.restore, pair_id="p1", version=2, standing=3)

Here `standing` is the number of the current version of the pair, which is the one that is sent. The arrows at the pair
send these events.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.conversation.conversation import Pair, Version
from app.domain.conversation.lifecycle import RUNNING, Lifecycle
from app.domain.conversation.parts import plain_text
from app.domain.errors import InviewError
from app.domain.text.differences import SpanView, diff_words
from app.runs.app_context import context_for, current
from app.runs.resend.resend import Seen, restore_version
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.messages.error_messages import describe_fault
from app.state.messages.toasts import Undo, show_fault, show_toast
from app.state.tab.inputs import text_in, whole_in
from app.state.tab.visit import VisitedState
from app.store.conversation.pairs import load_pair
from app.store.conversation.versions import load_versions

MAX_ID: Final = 64
_ENDS: Final = {Lifecycle.CANCELED: "stopped", Lifecycle.ERROR: "failed"} | dict.fromkeys(RUNNING, "running")


@dataclass(frozen=True, slots=True)
class VersionItem:
    """A version in the two menus of the dialog that compares versions.

    - `about`: its model, and how its reply ended.
    - `at`: its time (ISO 8601).
    """

    number: str
    name: str
    about: str
    at: str


@dataclass(frozen=True, slots=True)
class TextDiffView:
    """The differences between two texts: the requests or the replies of two versions.

    `title` is `name`, with a note if there are no differences or no text.
    """

    name: str
    title: str
    spans: tuple[SpanView, ...]


@dataclass(frozen=True, slots=True)
class RestoreItem:
    """A button that restores a version, with its text."""

    version: int
    text: str


@dataclass(frozen=True, slots=True)
class VersionDiffView:
    """A comparison of two versions of a pair, `before` and `after`, which are items of `versions`.

    - `texts`: the differences of the requests and of the replies.
    - `error`: the reason why the reply of the version `after` failed, "" if it did not.
    - `standing`: the number of the current version.
    - `restores`: buttons for the compared versions that are not current.
    """

    versions: tuple[VersionItem, ...]
    before: VersionItem
    after: VersionItem
    standing: int
    texts: tuple[TextDiffView, ...]
    error: str
    restores: tuple[RestoreItem, ...]


class VersionsState(VisitedState, rx.State):
    """The dialog that compares two versions of a pair. It is open while `pair`, the id of the pair, is set.

    `view` is the comparison; None: the versions are not read yet. `fault`: the reason why they cannot be read.
    """

    pair: rx.Field[str] = rx.field("")
    title: rx.Field[str] = rx.field("")
    view: rx.Field[VersionDiffView | None] = rx.field(None)
    fault: rx.Field[str] = rx.field("")
    _before: int = 0
    _after: int = 0
    _swapped: tuple[tuple[str, int], ...] = ()

    @rx.event(background=True)
    async def compare(self, pair_id: str) -> None:
        """Open the dialog that compares a pair's versions: at first the current version with the previous one."""
        valid_id = text_in(pair_id, MAX_ID)
        if not valid_id:
            return
        async with self:
            await self._come()
            self.pair, self.title, self.view, self.fault = valid_id, "Versions of the pair", None, ""
            self._before = self._after = 0
        await self._read()

    @rx.event(background=True)
    async def choose_before(self, number: str) -> None:
        """Choose the first compared version ("From" in the dialog): text that only it has is shown as removed."""
        async with self:
            self._before = _number_in(number) or self._before
        await self._read()

    @rx.event(background=True)
    async def choose_after(self, number: str) -> None:
        """Choose the second compared version ("To" in the dialog): text that only it has is shown as added."""
        async with self:
            self._after = _number_in(number) or self._after
        await self._read()

    @rx.event
    async def close(self) -> None:
        self.pair, self.view = "", None

    async def _end_visit(self) -> None:
        self.pair = ""

    @rx.event(background=True)
    async def restore(self, pair_id: str, version: int, standing: int) -> None:
        """Restore another version of a pair whose current version is `standing`. Undo restores `standing`."""
        valid_id, number, seen = text_in(pair_id, MAX_ID), whole_in(version), whole_in(standing)
        if valid_id is None or number is None or seen is None:
            return
        async with self:
            self.pair, self.view = "", None
        await self._restore(valid_id, number, seen)

    @rx.event(background=True)
    async def swap(self, pair_id: str) -> None:
        """Restore the previous version of a pair. The next swap restores the version that is current now."""
        valid_id = text_in(pair_id, MAX_ID)
        if valid_id is None:
            return
        try:
            ctx = await context_for(current(), valid_id)
            async with ctx.store.read() as session:
                pair = await load_pair(session, LOCAL_OWNER, valid_id)
        except InviewError as error:
            await self._tell_fault(error)
            return
        if pair.versions == 1:
            async with self:
                await show_toast(
                    self,
                    f"Pair {pair.position} has only one version. Edit (e) or regenerate (r) it to get another one.",
                )
            return
        async with self:
            before = dict(self._swapped).get(valid_id, 0)
        usual = pair.version - 1 if pair.version > 1 else 2
        await self._restore(valid_id, before if before not in {0, pair.version} else usual, pair.version)

    @rx.event(background=True)
    async def take_back(self, pair_id: str, version: int, standing: int) -> None:
        """Undo a change of the current version: make `version` current again instead of `standing`.

        Undo sends this event, so no further undo is offered.
        """
        valid_id, number, seen = text_in(pair_id, MAX_ID), whole_in(version), whole_in(standing)
        if valid_id is None or number is None or seen is None:
            return
        try:
            await restore_version(await context_for(current(), valid_id), LOCAL_OWNER, valid_id, number, Seen(seen))
        except InviewError as error:
            await self._tell_fault(error)

    async def _restore(self, pair_id: str, version: int, standing: int) -> None:
        ctx = await context_for(current(), pair_id)
        try:
            await restore_version(ctx, LOCAL_OWNER, pair_id, version, Seen(standing))
            async with ctx.store.read() as session:
                pair = await load_pair(session, LOCAL_OWNER, pair_id)
        except InviewError as error:
            await self._tell_fault(error)
            return
        undo = cast("EventSpec", VersionsState.take_back(pair_id, standing, version))
        async with self:
            self._swapped = (*((known, at) for known, at in self._swapped if known != pair_id), (pair_id, standing))
            done = f"version {version} of {pair.versions} is current"
            await show_toast(self, f"Pair {pair.position}: {done}", undo=Undo(undo, f"pair {pair.position}, {done}"))

    async def _read(self) -> None:
        """Compare the two chosen versions and show the result. The number 0 means the default version."""
        async with self:
            pair_id, before, after = self.pair, self._before, self._after
        if not pair_id:
            return
        try:
            ctx = await context_for(current(), pair_id)
            async with ctx.store.read() as session:
                pair = await load_pair(session, LOCAL_OWNER, pair_id)
                found = await load_versions(session, LOCAL_OWNER, pair)
        except InviewError as error:
            async with self:
                if self.pair == pair_id:
                    self.fault = describe_fault(error)
            return
        names = ctx.catalogue.names_of(LOCAL_OWNER, (one.model for one in found))
        view = await asyncio.to_thread(_compare, pair, found, (before, after), names)
        async with self:
            if (self.pair, self._before, self._after) == (pair_id, before, after):
                self.title, self.view = f"Versions of pair {pair.position}", view
                self._before, self._after = int(view.before.number), int(view.after.number)

    async def _tell_fault(self, error: InviewError) -> None:
        async with self:
            await show_fault(self, error)


def _number_in(value: object) -> int | None:
    text = text_in(value, 6)
    return int(text) if text and text.isascii() and text.isdigit() else None


def _compare(
    pair: Pair, versions: tuple[Version, ...], chosen: tuple[int, int], names: Mapping[str, str]
) -> VersionDiffView:
    (before, after), count = chosen, len(versions)
    to = after if 1 <= after <= count else pair.version
    usual = pair.version - 1 if pair.version > 1 else min(2, count)
    earlier, later = versions[(before if 1 <= before <= count else usual) - 1], versions[to - 1]
    items = tuple(_describe(version, names) for version in versions)
    others = sorted(
        {one.number for one in (earlier, later) if not one.standing}, key=(earlier.number, later.number).index
    )
    return VersionDiffView(
        versions=items,
        before=items[earlier.number - 1],
        after=items[later.number - 1],
        standing=pair.version,
        texts=(
            _diff("Request", plain_text(earlier.request.parts), plain_text(later.request.parts)),
            _diff("Reply", _reply_of(earlier), _reply_of(later)),
        ),
        error="" if later.failure is None else later.failure.message,
        restores=tuple(RestoreItem(number, f"Restore version {number}") for number in others),
    )


def _describe(version: Version, names: Mapping[str, str]) -> VersionItem:
    damaged = "cannot be read whole" if version.damage else ""
    stands = "current" if version.standing else ""
    about = " · ".join(filter(None, (names[version.model], _ENDS.get(version.lifecycle, ""), damaged, stands)))
    name = f"Version {version.number}{' (current)' if version.standing else ''}"
    return VersionItem(str(version.number), name, about, version.created_at.isoformat())


def _diff(name: str, before: str, after: str) -> TextDiffView:
    note = "" if before != after else ": the same" if after else ": none"
    return TextDiffView(name, f"{name}{note}", diff_words(before, after))


def _reply_of(version: Version) -> str:
    return "" if version.reply is None else plain_text(version.reply.parts)
