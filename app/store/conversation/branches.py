"""Queries of branches: conversations that were forked from each other, which form a tree.

Searches for ancestors and descendants also end if conversations are ancestors of each other: an imported file that was
edited by hand can contain such a cycle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, and_, or_, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.branches import Branch, ForkPoint
from app.domain.conversation.conversation import Conversation, ConversationKind
from app.store.conversation.conversations import IN_VIEW, load_conversation, not_in_trash
from app.store.conversation.lists import SNIPPET_LENGTH, count_pairs, has_id, select_words
from app.store.conversation.rows import CONVERSATION, IS_RUNNING_PAIR, MESSAGE, PAIR, first_words
from app.store.database.mapping import decode_conversation


async def load_branches(session: AsyncSession, owner: str, conversation_id: str) -> tuple[Branch, ...]:
    """Return all conversations that are connected with this one by forks, unordered, including this one.

    Forks of a deleted parent stay connected.

    Raises:
        NotFoundError: no conversation of this owner has that id.
    """
    await load_conversation(session, owner, conversation_id)
    tree = _select_tree(owner, await _find_top(session, owner, conversation_id))
    count = count_pairs(CONVERSATION.c.id).correlate(CONVERSATION).scalar_subquery()
    opening = select_words(CONVERSATION.c.id, PAIR.c.position).correlate(CONVERSATION).scalar_subquery()
    snippet = select_words(CONVERSATION.c.id, PAIR.c.position.desc()).correlate(CONVERSATION).scalar_subquery()
    forked = PAIR.alias("forked")
    request = MESSAGE.alias("asked")
    running = select(PAIR.c.id).where(PAIR.c.conversation_id == CONVERSATION.c.id, text(IS_RUNNING_PAIR)).exists()
    query = (
        select(
            CONVERSATION,
            count.label("pair_count"),
            opening.label("opening"),
            snippet.label("snippet"),
            running.label("running"),
            forked.c.position.label("fork_position"),
            first_words(request.c.parts, SNIPPET_LENGTH).label("fork_words"),
        )
        .outerjoin(forked, and_(forked.c.id == CONVERSATION.c.fork_pair_id, not_in_trash(forked.c.conversation_id)))
        .outerjoin(request, request.c.id == forked.c.request_id)
        .where(CONVERSATION.c.id.in_(tree), IN_VIEW)
    )
    rows = (await session.execute(query)).mappings()
    return tuple(_decode(row) for row in rows if has_id(CONVERSATION, row))


@dataclass(frozen=True, slots=True)
class Origin:
    """The conversation that a fork was made from. `opening` is the beginning of its first request.

    `position` is the position of the last copied pair; 0 if it is unknown, or if no pair was copied.
    """

    conversation_id: str
    title: str
    opening: str
    position: int


async def load_origin(session: AsyncSession, owner: str, conversation: Conversation) -> Origin | None:
    """Return the conversation that this one was forked from, or None if it is no fork, or its parent was deleted."""
    if conversation.parent_id is None or conversation.kind is not ConversationKind.AGENT:
        return None
    position = select(PAIR.c.position).where(PAIR.c.id == conversation.fork_pair_id).scalar_subquery()
    opening = select_words(conversation.parent_id, PAIR.c.position).scalar_subquery()
    query = select(CONVERSATION.c.id, CONVERSATION.c.title, opening, position)
    query = query.where(CONVERSATION.c.id == conversation.parent_id, CONVERSATION.c.owner == owner, IN_VIEW)
    found = (await session.execute(query)).one_or_none()
    if found is None:
        return None
    title, opening = (one if isinstance(one, str) else "" for one in found[1:3])
    return Origin(found[0], title, opening, found[3] if isinstance(found[3], int) else 0)


async def list_titles(session: AsyncSession, owner: str, conversation_id: str) -> frozenset[str]:
    """Return the titles of this conversation and of all conversations that are connected with it by forks."""
    tree = _select_tree(owner, await _find_top(session, owner, conversation_id))
    titles = (await session.execute(select(CONVERSATION.c.title).where(CONVERSATION.c.id.in_(tree)))).scalars()
    return frozenset(title for title in titles if isinstance(title, str))


async def _find_top(session: AsyncSession, owner: str, conversation_id: str) -> str:
    """Return the id of the oldest ancestor. It can be the id of a parent that was deleted."""
    columns = (CONVERSATION.c.id, CONVERSATION.c.parent_id)
    up = select(*columns).where(CONVERSATION.c.id == conversation_id).cte("up", recursive=True)
    up = up.union(select(*columns).where(CONVERSATION.c.id == up.c.parent_id, CONVERSATION.c.owner == owner))
    parents = {row.id: row.parent_id for row in await session.execute(select(up))}
    top, seen = conversation_id, set[str]()
    while top not in seen and parents.get(top) is not None:
        seen.add(top)
        top = parents[top]
    return top


def _select_tree(owner: str, top: str) -> Select[str]:
    """Select the ids of all conversations that descend from the top one, and the top one if it exists."""
    here = (CONVERSATION.c.owner == owner, CONVERSATION.c.kind == ConversationKind.AGENT)
    begins = or_(CONVERSATION.c.id == top, CONVERSATION.c.parent_id == top)
    tree = select(CONVERSATION.c.id).where(*here, begins).cte("tree", recursive=True)
    tree = tree.union(select(CONVERSATION.c.id).where(*here, CONVERSATION.c.parent_id == tree.c.id))
    return select(tree.c.id)


def _decode(row: Any) -> Branch:
    conversation = decode_conversation(row)
    opening, snippet, words = (
        row[name] if isinstance(row[name], str) else "" for name in ("opening", "snippet", "fork_words")
    )
    fork = None
    if isinstance(row["fork_position"], int):
        fork = ForkPoint(row["fork_pair_id"], row["fork_position"], words)
    return Branch(
        id=conversation.id,
        parent_id=conversation.parent_id,
        title=conversation.title,
        opening=opening,
        snippet=snippet,
        pair_count=row["pair_count"],
        running=row["running"],
        fork=fork,
        created_at=conversation.created_at,
        updated_at=conversation.updated_at,
    )
