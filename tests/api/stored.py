"""Conversations with a past: pairs stored as if they had been sent earlier, without a provider call."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from app.domain.conversation.conversation import Message, Pair, Role
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Text, Thinking
from app.runs.runtime.ids import new_id
from app.store.conversation.conversations import next_revision
from app.store.conversation.pairs import insert_pair
from tests.api.served import Api


async def store_pairs(api: Api, conversation_id: str, count: int, owner: str = "local") -> list[Pair]:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    pairs = [
        Pair(
            id=new_id(),
            conversation_id=conversation_id,
            position=position,
            request=Message(new_id(), Role.USER, (Text(f"question {position}"),), at),
            reply=Message(
                new_id(), Role.ASSISTANT, (Thinking("hm", "sig", "anthropic"), Text(f"answer {position}")), at
            ),
            model="offline:demo",
            lifecycle=Lifecycle.SUCCEEDED,
            created_at=at + timedelta(minutes=position),
            updated_at=at + timedelta(minutes=position),
        )
        for position in range(1, count + 1)
    ]
    async with api.ctx.store.write() as session:
        revision = await next_revision(session, conversation_id, at)
        for pair in pairs:
            await insert_pair(session, owner, pair, revision)
    return pairs
