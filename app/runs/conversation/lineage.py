"""Lineage: the parent of a conversation, and its child conversations and forks with their status.

lineage = await read_lineage(ctx, owner, conversation_id)
lineage.items[0].status
"""

from __future__ import annotations

from app.domain.conversation.conversation import Conversation, ConversationKind, ConversationStatus, Role
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import plain_text
from app.runs.app_context import AppContext
from app.runs.engine.live import LiveRun
from app.store.conversation.conversations import load_conversation
from app.store.conversation.lineage import Ancestor, Descendant, load_ancestor, load_descendants
from app.views.conversation.conversation import cut_opening
from app.views.conversation.lineage import AncestorView, DescendantView, LineageKind, LineageStatus, LineageView

_MADE: dict[Role, LineageKind] = {
    Role.SYSTEM_TITLE: "title",
    Role.SYSTEM_SUMMARY: "summary",
    Role.KEEP_WARM: "keep_warm",
}

_PROGRESS: dict[LineageStatus, int] = {"pending": 0, "completed": 100}
"""The progress of a conversation by status, in percent.

A status that is missing here has an unknown progress: a model does not report how long its reply will be.
"""


async def read_lineage(ctx: AppContext, owner: str, conversation_id: str) -> LineageView:
    """Return the parent, the child conversations and the forks of a conversation.

    More distant relatives are not included.

    Raises:
        NotFoundError: this owner has no such conversation.
    """
    async with ctx.store.read() as session:
        conversation: Conversation = await load_conversation(session, owner, conversation_id)
        ancestor = await load_ancestor(session, owner, conversation)
        descendants = await load_descendants(session, owner, conversation_id)
    return LineageView(
        None if ancestor is None else _describe_ancestor(ancestor),
        tuple(_describe(one, ctx.engine.runs.get(one.run_id or "")) for one in descendants),
    )


def _describe_ancestor(one: Ancestor) -> AncestorView:
    return AncestorView(one.id, one.title or cut_opening(one.opening), one.trigger_position)


def _describe(one: Descendant, run: LiveRun | None) -> DescendantView:
    parts = () if run is None else run.shown.parts
    status = _status_of(one, begun=bool(parts) or one.characters > 0)
    return DescendantView(
        conversation_id=one.id,
        kind=_kind_of(one),
        status=status,
        title=one.title,
        model=one.model,
        agent_id=one.agent_id,
        position=one.trigger_position,
        characters=one.characters if run is None else len(plain_text(parts)),
        chunk_count=one.chunk_count if run is None else run.chunks,
        last_chunk_at=one.last_chunk_at or one.ended_at or one.heard_at if run is None else run.heard_at,
        progress_percentage=_PROGRESS.get(status),
        created_at=one.created_at,
        ended_at=one.ended_at,
    )


def _kind_of(one: Descendant) -> LineageKind:
    if one.kind is ConversationKind.AGENT:
        return "fork"
    if one.role is not None and one.role in _MADE:
        return _MADE[one.role]
    if one.purpose == "comparison":
        return "compared"
    return "delegated" if one.agent_id is not None else "other"


def _status_of(one: Descendant, *, begun: bool) -> LineageStatus:
    if one.kind is ConversationKind.AGENT:
        return "completed"
    if one.status is ConversationStatus.FAILED:
        return "failed"
    match one.lifecycle:
        case Lifecycle.SUCCEEDED:
            return "completed"
        case Lifecycle.ERROR | Lifecycle.CANCELED:
            return "failed"
        case _:
            return "streaming" if begun else "pending"
