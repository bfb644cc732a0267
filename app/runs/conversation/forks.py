"""Forks: a new conversation with copies of pairs of another, and the tree of branches that forks make.

    fork = await fork_from(ctx, LOCAL_OWNER, conversation_id, up_to=pair_id)        # all pairs up to this one
    fork = await fork_from(ctx, LOCAL_OWNER, conversation_id, ViewOptions(filter="s>=2"))  # only the pairs in view

Marks, topics, texts and versions are copied. Attachments are not copied: a message names its attachments by the hash of
their bytes, and the copy of the message has the same hashes. The ledger does not change, because no provider is called.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from app.domain.audit import AuditAction
from app.domain.conversation.branches import MAX_TITLE, Placed, name_fork, order_branches
from app.domain.conversation.conversation import Conversation
from app.domain.conversation.damage import require_settings
from app.domain.conversation.lifecycle import RUNNING
from app.domain.errors import ConflictError, InputError, NotFoundError
from app.domain.privacy.secrets import cut_outside_secrets
from app.domain.transfer.records import NewIds, PairRecord, forget_sent, renew
from app.runs.app_context import AppContext
from app.runs.audit.audit import audit
from app.runs.runtime.event_bus import ConversationChanged
from app.runs.runtime.ids import new_id, now
from app.runs.runtime.shielded import shielded
from app.runs.send.composition import compose_view
from app.runs.send.context_selection import ViewOptions
from app.store.conversation.branches import list_titles, load_branches
from app.store.conversation.conversations import insert_conversation, load_conversation, next_revision
from app.store.conversation.lists import Listed, describe_listed
from app.store.conversation.pairs import load_pair
from app.store.transfer.pair_records import BATCH, RecordTarget, insert_records, load_places, load_records
from app.views.conversation.conversation import cut_opening

_MAX_ORIGIN = MAX_TITLE - len("Fork 9999 of ")
"""Maximum number of characters of the name of the original in the title of a fork."""


async def fork_from(
    ctx: AppContext, owner: str, conversation_id: str, options: ViewOptions | None = None, up_to: str | None = None
) -> Listed:
    """Create a conversation with copies of pairs of this one. Return the new entry in the list of conversations.

    `options`: copy only the pairs that are in view under these options; None: all pairs. `up_to`: copy only the pairs
    up to the one with this id; None: up to the newest.

    Raises:
        NotFoundError: this owner has no such conversation, or it has no such pair.
        FilterError: the filter cannot be used.
        InputError: no pair is selected, or the model or the time zone cannot be used.
        ConflictError: the reply of one of the pairs is still running.
    """
    async with ctx.store.read() as session:
        await load_conversation(session, owner, conversation_id)
        places = await load_places(session, owner, conversation_id)
        last = None if up_to is None else await load_pair(session, owner, up_to)
    if last is not None and last.conversation_id != conversation_id:
        raise NotFoundError("pair", last.id)
    pair_ids = [place.pair_id for place in places if last is None or place.position <= last.position]
    if options is not None:
        composed = await compose_view(ctx, owner, conversation_id, options)
        seen = {pair.pair_id for pair in composed.composition.visible.pairs}
        pair_ids = [pair_id for pair_id in pair_ids if pair_id in seen]
    if not pair_ids:
        raise InputError("filter", "selects no pairs to fork. Remove the filter, or choose another pair.")
    fork_id = await fork_conversation(ctx, owner, conversation_id, pair_ids)
    async with ctx.store.read() as session:
        return await describe_listed(session, owner, fork_id)


@shielded
async def fork_conversation(ctx: AppContext, owner: str, conversation_id: str, pair_ids: Sequence[str]) -> str:
    """Create a conversation with copies of these pairs in this order, and return the id of the new conversation.

    The new conversation stores the id of the last copied pair as the point of the fork (`fork_pair_id`).

    Raises:
        NotFoundError: this owner has no such conversation.
        DamagedSettingError: a setting that the copy would have cannot be read.
        ConflictError: the reply of one of the pairs is still running.
    """
    at = now()
    async with ctx.store.read() as session:  # one consistent read, which delays no write
        listed = await describe_listed(session, owner, conversation_id)
        require_settings(listed.conversation.damage)
        relatives = await list_titles(session, owner, conversation_id)
        records = [
            record
            for start in range(0, len(pair_ids), BATCH)
            for record in await load_records(session, owner, pair_ids[start : start + BATCH])
        ]
    fork = _make_fork(listed.conversation, cut_opening(listed.opening), relatives)
    fork = replace(fork, fork_pair_id=records[-1].pair.id if records else None, created_at=at, updated_at=at)
    copies = _copy(records, fork.id)
    async with ctx.store.write() as session:
        await insert_conversation(session, fork)
        revision = await next_revision(session, fork.id, None)
        await insert_records(session, RecordTarget(owner, fork.id, revision, ctx.process_id), copies)
        await audit(session, owner, fork.id, AuditAction.CREATED, branch_of=conversation_id)
    ctx.event_bus.publish(owner, conversation_id, ConversationChanged())
    return fork.id


async def read_tree(ctx: AppContext, owner: str, conversation_id: str) -> tuple[Placed, ...]:
    """Return the tree of branches of a conversation as a list: each parent, followed by its forks.

    Raises:
        NotFoundError: this owner has no such conversation.
    """
    async with ctx.store.read() as session:
        return order_branches(await load_branches(session, owner, conversation_id))


def _make_fork(origin: Conversation, opening: str, relatives: Collection[str]) -> Conversation:
    """Build the conversation of a fork. It has the settings of `origin`, except the checkpoint and the filter.

    The filter is not copied, because it has already selected the pairs.
    """
    # The title may be sent, and a part of a secret would not be replaced.
    title = name_fork(cut_outside_secrets(origin.title or opening, _MAX_ORIGIN), relatives)
    own = replace(origin, id=new_id(), title=title, parent_id=origin.id)
    return replace(own, filter="", trigger_message_id=None, checkpoint=None)


def _copy(records: Sequence[PairRecord], conversation_id: str) -> list[PairRecord]:
    running = [record.pair.id for record in records if record.pair.lifecycle in RUNNING]
    if running:
        raise ConflictError(f"The reply of pair {running[0]!r} is still running. Stop it or wait for it, then fork.")
    fresh = NewIds(new_id)
    copies = [forget_sent(renew(record, conversation_id, fresh)) for record in records]
    return [replace(copy, pair=replace(copy.pair, position=position)) for position, copy in enumerate(copies, start=1)]
