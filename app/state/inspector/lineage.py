"""The lineage of the conversation on screen: where it was derived from, and what was derived from it.

Not the tree of forks (`branches.py`), which has all generations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import reflex as rx

from app.domain.errors import InviewError
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.derived.lineage import read_lineage
from app.runs.workbench import bench_of, current
from app.state.address import conversation_in, conversation_path
from app.state.faults import describe_fault
from app.views.figures import number, plural
from app.views.lineage import AncestorView, DescendantView

_KINDS: Final = {
    "fork": "inspector.fork",
    "title": "common.title",
    "summary": "common.summary",
    "delegated": "common.delegated_work",
    "compared": "inspector.compared_reply",
    "keep_warm": "inspector.kept_warm",
    "other": "inspector.derived",
}
_STATUSES: Final = {
    "pending": "inspector.waiting",
    "streaming": "inspector.being_written",
    "completed": "common.done",
    "failed": "common.failed",
}
_UNFINISHED: Final = frozenset({"pending", "streaming"})


@dataclass(frozen=True)
class OriginItem:
    """Where the conversation comes from. `place` is " at pair 3", "" where nobody noted it."""

    path: str
    title: str
    place: str


@dataclass(frozen=True)
class DerivedItem:
    """Something derived. `status` is for the stylesheet, `state` its words ("" for a fork); `facts` are short words."""

    id: str
    path: str
    title: str
    kind: str
    status: str
    state: str
    facts: tuple[str, ...]
    at: str


@dataclass(frozen=True)
class ChildWork:
    """How much of what a reply handed to agents is done. `percent` of all tasks, and `words` that say so."""

    percent: int
    words: str


class LineageState(rx.State):
    """`conversation` is the one that the rest is about. `unfinished`: something derived is still being made.

    `work`: how far the tasks are that the newest reply with one handed to agents; None if none of them is being done.
    """

    conversation: rx.Field[str] = rx.field("")
    origin: rx.Field[OriginItem | None] = rx.field(None)
    items: rx.Field[tuple[DerivedItem, ...]] = rx.field(())
    unfinished: rx.Field[bool] = rx.field(default=False)
    work: rx.Field[ChildWork | None] = rx.field(None)
    fault: rx.Field[str] = rx.field("")

    @rx.event(background=True)
    async def keep_current(self) -> None:
        """Read the lineage of the conversation on screen as it is now."""
        async with self:
            conversation_id = conversation_in(self.router.url.path)
        if not conversation_id:
            return
        try:
            lineage = await read_lineage(await bench_of(current(), conversation_id), caller(), conversation_id)
        except InviewError as error:
            async with self:
                self.reset()
                self.conversation, self.fault = conversation_id, describe_fault(error)
            return
        async with self:
            if conversation_in(self.router.url.path) != conversation_id:
                return
            self.conversation, self.fault = conversation_id, ""
            self.origin = None if lineage.origin is None else _describe_origin(lineage.origin)
            self.items = tuple(map(_describe, lineage.items))
            self.unfinished = any(item.status in _UNFINISHED for item in lineage.items)
            self.work = _describe_work(lineage.items)


def _describe_work(items: tuple[DescendantView, ...]) -> ChildWork | None:
    """Tasks of one reply are known all at once, and so is their total."""
    tasks = [one for one in items if one.kind == "delegated" and one.position is not None]
    tasks = [one for one in tasks if one.position == tasks[0].position]
    ended = sum(one.status not in _UNFINISHED for one in tasks)
    if len(tasks) < 2 or ended == len(tasks):
        return None
    done = ended + sum(one.share or 0.0 for one in tasks if one.status in _UNFINISHED)
    percent = int(100 * done / len(tasks))
    words = translate("inspector.tasks_done", done=ended, total=len(tasks), percent=percent)
    return ChildWork(percent, words)


def _describe_origin(origin: AncestorView) -> OriginItem:
    place = " " + translate("inspector.at_pair", position=origin.position) if origin.position else ""
    return OriginItem(
        conversation_path(origin.conversation_id), origin.title or translate("common.untitled_conversation"), place
    )


def _describe(one: DescendantView) -> DerivedItem:
    facts = (
        translate("inspector.pair", position=one.position) if one.position else "",
        translate("inspector.characters", characters=number(one.characters)) if one.characters else "",
        plural(one.chunk_count, "chunk") if one.chunk_count else "",
        "" if one.share is None else translate("inspector.percent_of_a_tool", percent=round(100 * one.share)),
    )
    return DerivedItem(
        id=one.conversation_id,
        path=conversation_path(one.conversation_id),
        title=one.title or translate(_KINDS[one.kind]),
        kind=translate(_KINDS[one.kind]),
        status=one.status,
        state="" if one.kind == "fork" else translate(_STATUSES[one.status]),
        facts=tuple(filter(None, facts)),
        at=(one.last_chunk_at or one.created_at).isoformat(),
    )
