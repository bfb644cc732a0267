"""A conversation with all that a send or its page needs besides the pairs, read in one query.

head = await load_head(session, owner, conversation_id)
head.conversation, head.agent
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.agents.agents import Agent, require_readable
from app.domain.conversation.conversation import Conversation, ConversationKind
from app.domain.errors import NotFoundError
from app.store.agents.agents import AGENT_COLUMNS, answers, decode_labelled, load_agent
from app.store.agents.rows_agents import AGENT
from app.store.conversation.conversations import IN_VIEW, explain_missing, require_order, select_order
from app.store.conversation.lists import Listed, decode_listed, select_listed
from app.store.conversation.rows import CONVERSATION
from app.store.database.mapping import decode_conversation
from app.store.settings.preferences import select_preferences
from app.store.settings.provider_settings import select_provider_stamp


@dataclass(frozen=True, slots=True)
class Head:
    """The data of a conversation that a send needs, except the pairs.

    - `revision`: grows with every change of its pairs.
    - `preferences`: the stored preferences as one text, which `decode_preferences` decodes.
    - `providers`: the stamp of the provider settings (`select_provider_stamp`).
    - `agent`: the agent that answers; None if there is none.
    """

    conversation: Conversation
    revision: int
    preferences: str
    providers: str
    agent: Agent | None


@dataclass(frozen=True, slots=True)
class PageHead:
    """The data of a conversation that its page shows around the pairs.

    - `preferences`: the stored text for `decode_preferences`.
    - `providers`: the stamp of the provider settings (`select_provider_stamp`).
    - `is_forked`: other conversations were forked from it.
    """

    listed: Listed
    preferences: str
    providers: str
    is_forked: bool


async def load_head(session: AsyncSession, owner: str, conversation_id: str, agent_id: str | None = None) -> Head:
    """Return a conversation with its revision, its agent and its owner's preferences, in one query.

    `agent_id`: return this agent instead of the conversation's; "": return no agent.

    Raises:
        NotFoundError: this owner has no conversation or no agent with that id.
    """
    values = {"conversation": conversation_id, "of_owner": owner}
    if agent_id is not None:
        values["wanted"] = agent_id
    row = (await session.execute(_select_head(named=agent_id is not None), values)).mappings().one_or_none()
    if row is None:
        raise await explain_missing(session, conversation_id)
    require_order(row)
    agent = decode_labelled(row)
    if agent is None and agent_id:
        raise NotFoundError("agent", agent_id)
    return Head(decode_conversation(row), row["revision"], row["preferences"], row["providers"], agent)


async def load_page_head(session: AsyncSession, owner: str, conversation_id: str) -> PageHead:
    """Return a conversation as its page shows it, and its owner's preferences, in one query.

    Raises:
        NotFoundError: no conversation of this owner has that id.
    """
    values = {"conversation": conversation_id, "of_owner": owner}
    row = (await session.execute(_select_page_head(), values)).mappings().one_or_none()
    if row is None:
        raise NotFoundError("conversation", conversation_id)
    return PageHead(decode_listed(row), row["preferences"], row["providers"], bool(row["is_forked"]))


async def load_first_head(session: AsyncSession, conversation: Conversation) -> Head:
    """Return the data of `Head` for a conversation that is not stored yet.

    Raises:
        NotFoundError: its agent does not exist.
    """
    owner, agent_id = conversation.owner, conversation.agent_id
    agent = await load_agent(session, owner, agent_id) if agent_id else None
    if agent is not None:
        require_readable(agent)
    settings = (await session.execute(select(*_select_settings(owner)))).mappings().one()
    return Head(conversation, 0, settings["preferences"], settings["providers"], agent)


@cache
def _select_page_head() -> Select[Any]:
    """Build the query of `load_page_head` once."""
    owner: ColumnElement[str] = bindparam("of_owner", type_=CONVERSATION.c.owner.type)
    fork = CONVERSATION.alias("fork")
    forks = select(fork.c.id).where(
        fork.c.parent_id == CONVERSATION.c.id,
        fork.c.kind == ConversationKind.AGENT,
        fork.c.owner == owner,
        fork.c.deleted_at.is_(None),
    )
    query = select_listed(CONVERSATION.c.id == bindparam("conversation"), CONVERSATION.c.owner == owner)
    return query.add_columns(
        *_select_settings(owner),
        forks.correlate(CONVERSATION).exists().label("is_forked"),
    )


def _select_settings(owner: str | ColumnElement[str]) -> tuple[ColumnElement[str], ...]:
    """Select the preferences and the stamp of the provider settings of an owner."""
    return (
        select_preferences(owner).scalar_subquery().label("preferences"),
        select_provider_stamp(owner).scalar_subquery().label("providers"),
    )


@cache
def _select_head(*, named: bool) -> Select[Any]:
    """Build the query of `load_head` once: building it takes longer than running it.

    `named`: the caller names an agent.
    """
    owner: ColumnElement[str] = bindparam("of_owner", type_=CONVERSATION.c.owner.type)
    agent_id = bindparam("wanted", type_=CONVERSATION.c.agent_id.type) if named else CONVERSATION.c.agent_id
    query = select(
        CONVERSATION,
        *select_order(CONVERSATION.c.id),
        *_select_settings(owner),
        *AGENT_COLUMNS,
    )
    query = query.outerjoin(AGENT, answers(owner, agent_id))
    return query.where(CONVERSATION.c.id == bindparam("conversation"), CONVERSATION.c.owner == owner, IN_VIEW)
