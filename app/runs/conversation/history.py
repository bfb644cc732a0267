"""The history: the stored messages of a conversation without changes, one page after the other.

page = await read_history(ctx, owner, conversation_id, HistoryRange(MessageFilter(cache_hit=True)), limit=30)
"""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.conversation.conversation import ConversationKind
from app.domain.conversation.message_kinds import StoredMessage, select_messages
from app.domain.conversation.page_bytes import count_fitting
from app.runs.app_context import AppContext
from app.store.conversation.conversations import load_conversation
from app.store.conversation.history import HistoryRange, load_history_bytes
from app.store.conversation.pairs import load_pairs_by_id


@dataclass(frozen=True, slots=True)
class History:
    """A page of messages in the order of its range. `pairs` is the number of pairs that contain them.

    `beyond` is the key after which the next page begins; "": there is none.
    """

    messages: tuple[StoredMessage, ...]
    pairs: int
    beyond: str


async def read_history(ctx: AppContext, owner: str, conversation_id: str, part: HistoryRange, *, limit: int) -> History:
    """Return the first messages of a range: those of at most `limit` pairs, and of fewer pairs if they are long.

    Raises:
        NotFoundError: this owner has no such conversation.
    """
    async with ctx.store.read() as session:
        conversation = await load_conversation(session, owner, conversation_id)
        found = await load_history_bytes(session, owner, conversation_id, part, limit=limit + 1)
        taken = found[: count_fitting(pair.size for pair in found[:limit])]
        pairs = {pair.id: pair for pair in await load_pairs_by_id(session, owner, tuple(one.pair_id for one in taken))}
    beyond = part.key_of(taken[-1]) if len(found) > len(taken) else ""
    messages = [
        StoredMessage(
            message, pair, conversation.kind if pair.conversation_id == conversation_id else ConversationKind.TOOL
        )
        for pair in (pairs[one.pair_id] for one in taken)
        for message in select_messages(pair, part.wanted, newest=part.newest)
    ]
    return History(tuple(messages), len(taken), beyond)
