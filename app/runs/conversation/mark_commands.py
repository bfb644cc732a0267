"""Commands that mark one or many pairs: stars, flag, include or exclude tag, topic, delete and undelete.

    undo = await mark_pairs(ctx, LOCAL_OWNER, conversation_id, [PairMarks(pair_id, Marks(stars=3))])
    await mark_pairs(ctx, LOCAL_OWNER, conversation_id, undo)

A command uses one transaction and one revision for any number of pairs. The conversation keeps its place in the list of
conversations, because it has no new message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.domain.audit import AuditAction
from app.domain.conversation.accounting import RemovalReason
from app.domain.conversation.marks import Marks, PairMarks, plan_change
from app.domain.errors import ConflictError, InputError, NotFoundError
from app.domain.topics.topic_rules import find_topic, read_path
from app.domain.topics.topics import build_topic_tree
from app.runs.app_context import AppContext
from app.runs.audit.audit import audit
from app.runs.conversation.accounting import note_pairs
from app.runs.runtime.event_bus import PairsChanged, PairsRemoved
from app.runs.runtime.ids import now
from app.runs.runtime.shielded import shielded
from app.runs.topics.topic_commands import use_topic
from app.store.conversation.conversations import load_conversation, next_revision
from app.store.conversation.marks import StoredMarks, find_conversation_of, load_marks, write_marks
from app.store.run.deliveries import delete_deliveries
from app.store.topics.topics import load_topics

Undo = tuple[PairMarks, ...]


@shielded
async def mark_pairs(ctx: AppContext, owner: str, conversation_id: str, changes: Sequence[PairMarks]) -> Undo:
    """Change the marks of these pairs, all or none. Return the changes that undo this.

    Raises:
        NotFoundError: this owner has no such conversation, pair or topic, or a pair to mark is deleted.
        InputError: a pair is named twice.
        ConflictError: a pair to delete has a running reply.
    """
    at = now()
    alike: dict[tuple[tuple[str, object], ...], tuple[Marks, list[str]]] = {}
    undo: list[PairMarks] = []
    async with ctx.store.write() as session:
        await load_conversation(session, owner, conversation_id)
        by_pair = _by_pair(changes)
        known = await load_marks(session, owner, conversation_id, tuple(by_pair))
        for pair_id, marks in by_pair.items():
            changed, before = plan_change(_require(known, pair_id, marks).marks, marks)
            if changed:
                alike.setdefault(tuple(changed.items()), (changed, []))[1].append(pair_id)
                undo.append(PairMarks(pair_id, before))
        if undo:
            for topic_id in {marks.get("topic_id") for marks, _ in alike.values()} - {None}:
                await use_topic(session, owner, str(topic_id))
            revision = await next_revision(session, conversation_id, None)
            for marks, pair_ids in alike.values():
                if "deleted" in marks:
                    reason = RemovalReason.DELETE if marks["deleted"] else RemovalReason.RETURN
                    await note_pairs(session, owner, conversation_id, pair_ids, reason)
                    await delete_deliveries(session, conversation_id)
                await write_marks(session, pair_ids, marks, revision, at)
                what = ", ".join(f"{name} removed" if marks[name] is False else name for name in sorted(marks))
                await audit(session, owner, conversation_id, AuditAction.CHANGED, what=what, pairs=len(pair_ids))
    _publish(ctx, owner, conversation_id, list(alike.values()))
    return tuple(undo)


async def mark_pair(ctx: AppContext, owner: str, pair_id: str, marks: Marks) -> Undo:
    """Change the marks of one pair, as `mark_pairs` does. The conversation of the pair is looked up."""
    async with ctx.store.read() as session:
        conversation_id = await find_conversation_of(session, owner, pair_id)
    return await mark_pairs(ctx, owner, conversation_id, [PairMarks(pair_id, marks)])


async def find_topic_by_path(ctx: AppContext, owner: str, path: str) -> str:
    """Return the id of the topic with this path.

    Raises:
        InputError: there is no such topic.
    """
    async with ctx.store.read() as session:
        tree = build_topic_tree(await load_topics(session, owner))
    topic_id = find_topic(tree, read_path(path))
    if topic_id is None:
        raise InputError("topic", f"there is no topic {path!r}. Create it first, or use an existing one.")
    return topic_id


def _by_pair(changes: Sequence[PairMarks]) -> dict[str, Marks]:
    by_pair: dict[str, Marks] = {}
    for change in changes:
        if change.pair_id in by_pair:
            raise InputError("changes", f"pair {change.pair_id!r} is named twice. Combine its changes.")
        by_pair[change.pair_id] = change.marks
    return by_pair


def _require(known: Mapping[str, StoredMarks], pair_id: str, requested: Marks) -> StoredMarks:
    pair = known.get(pair_id)
    if pair is None or (pair.marks.get("deleted") and "deleted" not in requested):
        raise NotFoundError("pair", pair_id)
    if pair.running and requested.get("deleted"):
        raise ConflictError(f"The reply of pair {pair_id!r} is still running. Stop it or wait for it, then delete it.")
    return pair


def _publish(ctx: AppContext, owner: str, conversation_id: str, done: Sequence[tuple[Marks, Sequence[str]]]) -> None:
    removed = tuple(pair_id for marks, pair_ids in done if marks.get("deleted") for pair_id in pair_ids)
    changed = tuple(pair_id for marks, pair_ids in done if not marks.get("deleted") for pair_id in pair_ids)
    if removed:
        ctx.event_bus.publish(owner, conversation_id, PairsRemoved(removed))
    if changed:
        ctx.event_bus.publish(owner, conversation_id, PairsChanged(changed))
