"""The rows of the left column: read from the store, as views.

Not which of them a tab lists: that is `sidebar.py`.

    rows, more = await read_rows(current(), Wanted(), limit=50)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from app.domain.conversation import ConversationKind, ConversationStatus
from app.runs.commands import LOCAL_OWNER
from app.runs.workbench import Workbench
from app.state.titles import name_of
from app.store.conversations import Listed, Wanted, list_conversations
from app.views.conversation import cut_snippet

MAX_TEMPORARY: Final = 50

_DERIVED: Final = {
    ConversationStatus.ACTIVE: "Derived, under way",
    ConversationStatus.COMPLETED: "Derived",
    ConversationStatus.FAILED: "Derived, failed",
}


@dataclass(frozen=True)
class ConversationItem:
    """A row of the list. `snippet` is empty where it would only repeat the name.

    `derived`: what stands for it not being a chat, and whether it failed; "" for a chat.
    """

    id: str
    name: str
    snippet: str
    updated_at: str
    running: bool
    temporary: bool = False
    derived: str = ""


async def read_rows(wb: Workbench, wanted: Wanted, *, limit: int) -> tuple[tuple[ConversationItem, ...], bool]:
    """Return the conversations that are wanted, the temporary ones first, and whether there are more than `limit`."""
    async with wb.store.read() as session:
        found = await list_conversations(session, LOCAL_OWNER, limit=limit + 1, wanted=wanted)
    running = _running(wb)
    temporary = await _read_temporary(wb, wanted)
    return (*temporary, *(_describe(listed, running) for listed in found[:limit])), len(found) > limit


async def _read_temporary(wb: Workbench, wanted: Wanted) -> tuple[ConversationItem, ...]:
    bench = wb.beside.bench
    if bench is None:
        return ()
    async with bench.store.read() as session:
        found = await list_conversations(session, LOCAL_OWNER, limit=MAX_TEMPORARY, wanted=wanted)
    running = _running(bench)
    return tuple(_describe(listed, running) for listed in found)


def _running(wb: Workbench) -> set[str]:
    """The conversations in which a reply is on."""
    return {run.place.conversation_id for run in wb.engine.runs.values()}


def _describe(listed: Listed, running: set[str]) -> ConversationItem:
    conversation = listed.conversation
    name, words = name_of(conversation.title, cut_snippet(listed.opening)), cut_snippet(listed.snippet)
    return ConversationItem(
        id=conversation.id,
        name=name,
        snippet=words if words != name else "",
        updated_at=conversation.updated_at.isoformat(),
        running=conversation.id in running,
        temporary=conversation.temporary,
        derived="" if conversation.kind is ConversationKind.AGENT else _DERIVED[conversation.status],
    )
