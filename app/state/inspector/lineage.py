"""The lineage of the conversation on screen: its parent, its forks and its child conversations.

The tree of forks with all generations is in `branches.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import reflex as rx

from app.domain.errors import InviewError
from app.runs.app_context import context_for, current
from app.runs.conversation.lineage import read_lineage
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.messages.error_messages import describe_fault
from app.state.tab.address import conversation_in, conversation_path
from app.views.conversation.lineage import AncestorView, DescendantView
from app.views.usage.figures import number, plural

_KINDS: Final = {
    "fork": "Fork",
    "title": "Title",
    "summary": "Summary",
    "delegated": "Delegated work",
    "compared": "Compared reply",
    "keep_warm": "Cache keep-alive",
    "other": "Child call",
}
_STATUSES: Final = {"pending": "Waiting", "streaming": "Running", "completed": "Done", "failed": "Failed"}
_UNFINISHED: Final = frozenset({"pending", "streaming"})


@dataclass(frozen=True)
class OriginItem:
    """The parent of the conversation. `place` is for example " at pair 3", "" if the position of the pair is not
    stored.
    """

    path: str
    title: str
    place: str


@dataclass(frozen=True)
class DerivedItem:
    """A fork or a child conversation.

    - `status`: the status for the stylesheet.
    - `state`: the status as text ("" for a fork).
    - `facts`: short texts such as "pair 3".
    - `at`: the time of its last chunk or, if it has none, of its creation (ISO 8601).
    """

    id: str
    path: str
    title: str
    kind: str
    status: str
    state: str
    facts: tuple[str, ...]
    at: str


class LineageState(rx.State):
    """The lineage of the conversation with the id `conversation`.

    - `origin`: its parent.
    - `items`: its forks and child conversations.
    - `unfinished`: a child conversation is still running.
    - `fault`: the reason why the lineage cannot be read.
    """

    conversation: rx.Field[str] = rx.field("")
    origin: rx.Field[OriginItem | None] = rx.field(None)
    items: rx.Field[tuple[DerivedItem, ...]] = rx.field(())
    unfinished: rx.Field[bool] = rx.field(default=False)
    fault: rx.Field[str] = rx.field("")

    @rx.event(background=True)
    async def keep_current(self) -> None:
        """Read the current lineage of the conversation on screen."""
        async with self:
            conversation_id = conversation_in(self.router.url.path)
        if not conversation_id:
            return
        try:
            lineage = await read_lineage(await context_for(current(), conversation_id), LOCAL_OWNER, conversation_id)
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


def _describe_origin(origin: AncestorView) -> OriginItem:
    place = f" at pair {origin.position}" if origin.position else ""
    return OriginItem(conversation_path(origin.conversation_id), origin.title or "Untitled conversation", place)


def _describe(one: DescendantView) -> DerivedItem:
    facts = (
        f"pair {one.position}" if one.position else "",
        f"{number(one.characters)} characters" if one.characters else "",
        "" if one.chunk_count is None else plural(one.chunk_count, "chunk"),
    )
    return DerivedItem(
        id=one.conversation_id,
        path=conversation_path(one.conversation_id),
        title=one.title or _KINDS[one.kind],
        kind=_KINDS[one.kind],
        status=one.status,
        state="" if one.kind == "fork" else _STATUSES[one.status],
        facts=tuple(filter(None, facts)),
        at=(one.last_chunk_at or one.created_at).isoformat(),
    )
