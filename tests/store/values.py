"""Hypothesis strategies and builders of stored values."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from app.domain.conversation.conversation import Conversation, Pair
from app.domain.conversation.parts import File, Image, Part, Text, Thinking, ToolCall, ToolResult
from app.store.conversation.conversations import insert_conversation, next_revision
from app.store.conversation.pairs import insert_pair
from app.store.database.database import Store
from tests.builders import a_pair

OWNER = "ann"
START = datetime(2026, 1, 1, tzinfo=UTC)

words = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)
texts = st.builds(Text, words)
images = st.builds(Image, words, words, st.integers(0, 9000), st.integers(0, 9000))
parts: st.SearchStrategy[Part] = st.one_of(
    texts,
    st.builds(Thinking, words, st.none() | words, st.none() | words, st.booleans()),
    images,
    st.builds(File, words, words, words),
    st.builds(ToolCall, words, words, words, st.booleans()),
    st.builds(ToolResult, words, st.lists(texts | images, max_size=3).map(tuple), st.booleans()),
)


def a_conversation(
    conversation_id: str = "c1", *, owner: str = OWNER, minute: int = 0, title: str = ""
) -> Conversation:
    at = START + timedelta(minutes=minute)
    return Conversation(id=conversation_id, owner=owner, created_at=at, updated_at=at, title=title)


def a_pair_of(conversation_id: str, position: int, request: str = "Hello?", reply: str | None = "Hello.") -> Pair:
    """Build a pair whose ids show where it belongs."""
    pair = a_pair(request, reply, position=position)
    name = f"{conversation_id}-{position}"
    return replace(
        pair,
        id=name,
        conversation_id=conversation_id,
        request=replace(pair.request, id=f"{name}-asked"),
        reply=replace(pair.reply, id=f"{name}-answered") if pair.reply else None,
    )


async def save_conversation(store: Store, conversation: Conversation, *pairs: Pair) -> None:
    """Store a conversation with these pairs, each in a separate revision."""
    async with store.write() as session:
        await insert_conversation(session, conversation)
        for pair in pairs:
            revision = await next_revision(session, conversation.id, conversation.updated_at)
            await insert_pair(session, conversation.owner, pair, revision)
