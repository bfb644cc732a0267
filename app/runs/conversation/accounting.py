"""Accounting nodes: records of the usage so far, written when messages are removed from a conversation or restored."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.accounting import Accounting, RemovalReason
from app.domain.usage import Usage
from app.runs.runtime.ids import new_id, now
from app.store.conversation.nodes import insert_accounting
from app.store.conversation.pairs import count_messages
from app.store.ledger.ledger import count_calls, sum_usage_by_model


async def note_departure(  # noqa: PLR0913, PLR0917 - the messages, their conversation and the reason
    session: AsyncSession, owner: str, conversation_id: str, after_position: int, reason: RemovalReason, messages: int
) -> None:
    """Store an accounting node with the usage so far, because messages are removed from a conversation.

    The node is placed after the pair at `after_position`. `messages` is the number of removed messages. The caller
    removes the messages in the same transaction.
    """
    spent = await sum_usage_by_model(session, owner, conversation_id=conversation_id)
    usage = sum(spent.values(), start=Usage())
    calls = await count_calls(session, owner, conversation_id)
    node = Accounting(new_id(), after_position, reason, messages, usage, now(), calls)
    await insert_accounting(session, owner, conversation_id, node)


async def note_pairs(
    session: AsyncSession, owner: str, conversation_id: str, pair_ids: Sequence[str], reason: RemovalReason
) -> None:
    """Store an accounting node for pairs that are removed or restored, in front of the oldest of these pairs."""
    messages, position = await count_messages(session, pair_ids)
    await note_departure(session, owner, conversation_id, position - 1, reason, messages)
