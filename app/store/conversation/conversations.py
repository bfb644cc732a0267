"""Queries of conversations: find, list, write, delete. A caller finds only conversations of the given owner.

Every query takes a session of `database.Store`, so that several queries can share a transaction:

    conversation = await load_conversation(session, owner, conversation_id)
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any

import structlog
from sqlalchemy import (
    ColumnElement,
    Select,
    Table,
    bindparam,
    case,
    delete,
    func,
    insert,
    select,
    tuple_,
    type_coerce,
    update,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.sql.dml import ReturningUpdate
from sqlalchemy.types import NullType

from app.domain.agents.agents import Agent, require_readable
from app.domain.conversation.conversation import Conversation, ConversationKind, ConversationStatus
from app.domain.conversation.damage import DamagedRowError
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import NotFoundError
from app.store.agents.agents import AGENT_COLUMNS, answers, decode_labelled, load_agent
from app.store.agents.rows_agents import AGENT
from app.store.attachments.attachments import delete_taken, list_used
from app.store.conversation.rows import CONVERSATION, MESSAGE, PAIR, first_text, first_words
from app.store.conversation.rows_comparison import COMPARISON
from app.store.conversation.rows_folders import FOLDER
from app.store.database.damage import Reading, a_number, a_text
from app.store.database.mapping import decode_conversation, encode_conversation
from app.store.database.row_names import show_id
from app.store.settings.preferences import select_preferences
from app.store.settings.provider_settings import select_provider_stamp

log = structlog.get_logger()

SNIPPET_LENGTH = 700
"""Maximum characters of a snippet in a list. No list shows more."""

MAX_IDS = 10_000
"""Maximum number of ids in one SQL statement."""


IN_VIEW = CONVERSATION.c.deleted_at.is_(None)
"""The condition that a conversation is not in the trash."""


def not_in_trash(conversation_id: ColumnElement[str]) -> ColumnElement[bool]:
    """Return the condition that this conversation is not in the trash."""
    return conversation_id.not_in(select(CONVERSATION.c.id).where(CONVERSATION.c.deleted_at.is_not(None)))


@dataclass(frozen=True, slots=True)
class Listed:
    """A conversation as an entry of a list.

    - `snippet`, `opening`: the beginnings of its newest and its oldest request. The request of an open comparison
      counts as the newest.
    - `compared`: the number of replies in an open comparison.
    - `failed`: the newest reply failed, and no comparison is open.
    """

    conversation: Conversation
    pair_count: int
    snippet: str
    opening: str
    compared: int = 0
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Cursor:
    """The last conversation of a page of the list, by its time of change and id. The next page starts after it."""

    updated_at: datetime
    conversation_id: str


@dataclass(frozen=True, slots=True)
class ListCriteria:
    """Conditions for a list of conversations. A condition of None does not apply.

    `agent_id` "" selects conversations without an agent, `folder_id` "" those in no folder. Searches for words are in
    `store/index/search.py`.
    """

    kind: ConversationKind | None = None
    status: ConversationStatus | None = None
    agent_id: str | None = None
    folder_id: str | None = None


EVERYTHING = ListCriteria()


async def list_conversations(
    session: AsyncSession, owner: str, *, limit: int, cursor: Cursor | None = None, criteria: ListCriteria = EVERYTHING
) -> tuple[Listed, ...]:
    """Return an owner's conversations, the most recently changed one first."""
    place = tuple_(CONVERSATION.c.updated_at, CONVERSATION.c.id)
    query = (
        _select_listed(CONVERSATION.c.owner == owner, *conditions_of(criteria))
        .order_by(CONVERSATION.c.updated_at.desc(), CONVERSATION.c.id.desc())
        .limit(limit)
    )
    if cursor is not None:
        query = query.where(place < tuple_(cursor.updated_at, cursor.conversation_id))
    rows = (await session.execute(query)).mappings()
    return tuple(decode_listed(row) for row in rows if has_id(CONVERSATION, row))


async def list_named(session: AsyncSession, owner: str, ids: Sequence[str]) -> dict[str, Listed]:
    """Return these conversations, by id. Missing ones are left out."""
    if not ids:
        return {}
    rows = (await session.execute(_select_named(owner, ids))).mappings()
    return {row["id"]: decode_listed(row) for row in rows}


def _select_named(owner: str, ids: Sequence[str]) -> Select[Any]:
    """Select conversations by their ids.

    `coalesce` keeps SQLite from using the index of owners, with which it would read all conversations of this owner.
    """
    theirs = func.coalesce(CONVERSATION.c.owner, "") == owner
    return _select_listed(theirs, CONVERSATION.c.id.in_(ids))


def _select_listed(*conditions: ColumnElement[bool]) -> Select[Any]:
    return select(CONVERSATION, *listed_columns()).where(IN_VIEW, *conditions)


def listed_columns() -> tuple[ColumnElement[Any], ...]:
    """Return the columns that `decode_listed` needs besides those of the conversation."""
    count = count_pairs(CONVERSATION.c.id).correlate(CONVERSATION).scalar_subquery()
    snippet = select_words(CONVERSATION.c.id, PAIR.c.position.desc()).correlate(CONVERSATION).scalar_subquery()
    opening = select_words(CONVERSATION.c.id, PAIR.c.position).correlate(CONVERSATION).scalar_subquery()
    newest = select_newest_lifecycle(CONVERSATION.c.id).correlate(CONVERSATION).scalar_subquery()
    open_here = (COMPARISON.c.conversation_id == CONVERSATION.c.id, COMPARISON.c.closed_at.is_(None))
    stored: ColumnElement[Any] = COMPARISON.c.runs
    runs = func.json_array_length(case((func.json_valid(stored) == 1, stored), else_="[]"))
    text = func.substr(COMPARISON.c.text, 1, SNIPPET_LENGTH)
    return (
        count.label("pair_count"),
        snippet.label("snippet"),
        opening.label("opening"),
        newest.label("newest_lifecycle"),
        select(runs).where(*open_here).correlate(CONVERSATION).scalar_subquery().label("compared"),
        select(text).where(*open_here).correlate(CONVERSATION).scalar_subquery().label("compared_text"),
        select_folder().scalar_subquery().label("in_folder"),
    )


def select_folder() -> Select[str]:
    """Return the query for the folder of a conversation, unless the folder was deleted."""
    here = (FOLDER.c.id == CONVERSATION.c.folder_id, FOLDER.c.owner == CONVERSATION.c.owner)
    return select(FOLDER.c.id).where(*here, FOLDER.c.deleted_at.is_(None)).correlate(CONVERSATION)


def decode_listed(row: Any) -> Listed:
    """Decode a conversation with the columns of `listed_columns`. It has no folder if its folder was deleted."""
    compared_text, opening, snippet = (_text_or_nothing(row[name]) for name in ("compared_text", "opening", "snippet"))
    snippet, compared = compared_text or snippet, row["compared"] or 0
    failed = row["newest_lifecycle"] == Lifecycle.ERROR.value and not compared
    return Listed(
        replace(decode_conversation(row), folder_id=row["in_folder"]),
        row["pair_count"],
        snippet,
        opening or compared_text,
        compared,
        failed=failed,
    )


def has_id(table: Table, row: Any) -> bool:
    """Return True if the id of this row can be read. Otherwise log the damage; the caller leaves out the row."""
    reading = Reading(table.name, show_id(row["id"]))
    reading.take("id", row["id"], a_text, "")
    return not reading.damage


def _text_or_nothing(stored: Any) -> str:
    return stored if isinstance(stored, str) else ""


async def describe_listed(session: AsyncSession, owner: str, conversation_id: str) -> Listed:
    """Return one conversation as an entry of a list.

    Raises:
        NotFoundError: no conversation of this owner has that id.
    """
    found = await list_named(session, owner, (conversation_id,))
    if conversation_id not in found:
        raise NotFoundError("conversation", conversation_id)
    return found[conversation_id]


@dataclass(frozen=True, slots=True)
class Head:
    """The data of a conversation that a send needs, except the pairs.

    - `revision`: grows with every change of its pairs.
    - `preferences`: the stored preferences as one text, which `read_preferences` decodes.
    - `providers`: the stamp of the provider settings (`select_provider_stamp`).
    - `agent`: the agent that answers; None if there is none.
    """

    conversation: Conversation
    revision: int
    preferences: str
    providers: str
    agent: Agent | None


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
        raise await _explain_missing(session, conversation_id)
    _require_order(row)
    agent = decode_labelled(row)
    if agent is None and agent_id:
        raise NotFoundError("agent", agent_id)
    return Head(decode_conversation(row), row["revision"], row["preferences"], row["providers"], agent)


@dataclass(frozen=True, slots=True)
class PageHead:
    """The data of a conversation that its page shows around the pairs.

    - `preferences`: the stored text for `read_preferences`.
    - `providers`: the stamp of the provider settings (`select_provider_stamp`).
    - `is_forked`: other conversations were forked from it.
    """

    listed: Listed
    preferences: str
    providers: str
    is_forked: bool


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
    query = _select_listed(CONVERSATION.c.id == bindparam("conversation"), CONVERSATION.c.owner == owner)
    return query.add_columns(
        *_select_settings(owner),
        forks.correlate(CONVERSATION).exists().label("is_forked"),
    )


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
        *_order(CONVERSATION.c.id),
        *_select_settings(owner),
        *AGENT_COLUMNS,
    )
    query = query.outerjoin(AGENT, answers(owner, agent_id))
    return query.where(CONVERSATION.c.id == bindparam("conversation"), CONVERSATION.c.owner == owner, IN_VIEW)


async def load_conversation(session: AsyncSession, owner: str, conversation_id: str) -> Conversation:
    """Return one conversation.

    Raises:
        NotFoundError: no conversation of this owner has that id.
    """
    return (await load_with_revision(session, owner, conversation_id))[0]


async def load_with_revision(session: AsyncSession, owner: str, conversation_id: str) -> tuple[Conversation, int]:
    """Return one conversation and the revision of its pairs.

    Raises:
        NotFoundError: no conversation of this owner has that id.
    """
    values = {"conversation": conversation_id, "of_owner": owner}
    row = (await session.execute(select_conversation(), values)).mappings().one_or_none()
    return await decode_found(session, conversation_id, row)


async def decode_found(session: AsyncSession, conversation_id: str, row: Any | None) -> tuple[Conversation, int]:
    """Decode a row of `select_conversation`, as `load_with_revision` does. `row` is None if the query found nothing.

    Raises:
        NotFoundError: no conversation of this owner has that id.
    """
    if row is None:
        raise await _explain_missing(session, conversation_id)
    _require_order(row)
    return decode_conversation(row), row["revision"]


async def _explain_missing(session: AsyncSession, conversation_id: str) -> NotFoundError | DamagedRowError:
    """Return the error for a conversation that was not found: it may exist with an owner that cannot be read."""
    row = (await session.execute(select(CONVERSATION).where(CONVERSATION.c.id == conversation_id))).mappings().first()
    if row is None:
        log.warning("a conversation is missing", conversation_id=conversation_id)
    if row is None or isinstance(row["owner"], str):
        return NotFoundError("conversation", conversation_id)
    reading = Reading("conversation", conversation_id)
    reading.take("owner", row["owner"], a_text, "")
    return DamagedRowError(reading.damage[0])


def _order(conversation_id: ColumnElement[str]) -> tuple[ColumnElement[Any], ...]:
    """Select the highest position and the highest revision of a conversation's pairs.

    A damaged position or revision counts as the highest, because SQLite sorts damaged values after numbers.
    """
    return tuple(
        select(type_coerce(func.max(PAIR.c[name]), NullType()))
        .where(PAIR.c.conversation_id == conversation_id)
        .correlate(CONVERSATION)
        .scalar_subquery()
        .label(f"last_{name}")
        for name in ("position", "revision")
    )


def _require_order(row: Any) -> None:
    """Check that the order of a conversation's pairs can be read.

    Raises:
        DamagedRowError: a position or revision cannot be read, so the content of a send is unknown.
    """
    of_pairs = Reading("pair", f"of {row['id']}")
    for name in ("position", "revision"):
        of_pairs.take(name, row[f"last_{name}"], lambda stored: None if stored is None else a_number(stored), None)
    here = Reading("conversation", row["id"])
    here.take("revision", row["revision"], a_number, 0)
    for damage in (*here.damage, *of_pairs.damage):
        raise DamagedRowError(damage)


@cache
def select_conversation() -> Select[Any]:
    """Build the query of `load_with_revision` once. Its parameters are `conversation` and `of_owner`."""
    mine = CONVERSATION.c.id == bindparam("conversation"), CONVERSATION.c.owner == bindparam("of_owner")
    return select(CONVERSATION, *_order(CONVERSATION.c.id)).where(*mine, IN_VIEW)


async def list_derived(session: AsyncSession, conversation_id: str) -> tuple[str, ...]:
    """Return the ids of the child conversations (kind `tool`) of a conversation, of their children, and so on."""
    return tuple((await session.execute(select_derived(conversation_id))).scalars())


def select_derived(conversation_id: str) -> Select[str]:
    """Return the query of `list_derived`."""
    tool = CONVERSATION.c.kind == ConversationKind.TOOL
    nearest = select(CONVERSATION.c.id).where(CONVERSATION.c.parent_id == conversation_id, tool).cte(recursive=True)
    further = select(CONVERSATION.c.id).join(nearest, CONVERSATION.c.parent_id == nearest.c.id).where(tool)
    return select(nearest.union(further).c.id)


async def load_last_agent(session: AsyncSession, owner: str) -> str | None:
    """Return the id of the agent of the most recently changed chat.

    Return None if the chat has no agent, or if the agent was deleted.
    """
    newest = (
        select(CONVERSATION.c.agent_id)
        .where(CONVERSATION.c.owner == owner, CONVERSATION.c.kind == ConversationKind.AGENT, IN_VIEW)
        .order_by(CONVERSATION.c.updated_at.desc(), CONVERSATION.c.id.desc())
        .limit(1)
    )
    return (await session.execute(select(AGENT.c.id).where(answers(owner, newest.scalar_subquery())))).scalar()


async def load_titles(session: AsyncSession, owner: str, ids: Sequence[str]) -> dict[str, str]:
    """Return the titles of these conversations, by id. Missing ones are left out."""
    titles: dict[str, str] = {}
    for start in range(0, len(ids), MAX_IDS):
        some = ids[start : start + MAX_IDS]
        query = select(CONVERSATION.c.id, CONVERSATION.c.title).where(
            CONVERSATION.c.owner == owner, CONVERSATION.c.id.in_(some)
        )
        titles |= {row.id: _text_or_nothing(row.title) for row in await session.execute(query)}
    return titles


async def insert_conversation(session: AsyncSession, conversation: Conversation) -> None:
    await session.execute(insert(CONVERSATION), encode_conversation(conversation) | {"revision": 0})


async def update_conversation(session: AsyncSession, owner: str, conversation_id: str, changes: dict[str, Any]) -> None:
    """Write these columns of a conversation.

    Raises:
        NotFoundError: no conversation of this owner has that id.
    """
    statement = update(CONVERSATION).where(CONVERSATION.c.id == conversation_id, CONVERSATION.c.owner == owner)
    changed = await session.execute(statement.returning(CONVERSATION.c.id), changes)
    if changed.one_or_none() is None:
        raise NotFoundError("conversation", conversation_id)


async def next_revision(session: AsyncSession, conversation_id: str, now: datetime | None) -> int:
    """Increase the revision of a conversation after a change of its pairs, and return the new revision.

    `now` is the time of a new message, which moves the conversation to the top of the list. With None, as for a mark or
    a topic, the conversation keeps its place in the list.
    """
    return (await next_revisions(session, (conversation_id,), now))[conversation_id]


async def next_revisions(
    session: AsyncSession, conversation_ids: Collection[str], now: datetime | None
) -> dict[str, int]:
    """Do the same as `next_revision` for several conversations, and return their new revisions by id."""
    values: dict[str, Any] = {"conversations": list(conversation_ids)}
    if now is not None:
        values["at"] = now
    rows = await session.execute(_count_changes(dated=now is not None), values)
    revisions = {row.id: row.revision for row in rows}
    for conversation_id in conversation_ids:
        if conversation_id not in revisions:
            raise NotFoundError("conversation", conversation_id)
    return revisions


@cache
def _count_changes(*, dated: bool) -> ReturningUpdate[str, int]:
    """Build the statement of `next_revisions` once."""
    changes: dict[str, Any] = {"revision": CONVERSATION.c.revision + 1}
    if dated:
        changes["updated_at"] = bindparam("at")
    these = CONVERSATION.c.id.in_(bindparam("conversations", expanding=True))
    return update(CONVERSATION).where(these).values(**changes).returning(CONVERSATION.c.id, CONVERSATION.c.revision)


async def delete_conversation(session: AsyncSession, owner: str, conversation_id: str) -> None:
    """Delete a conversation permanently, whether it is in the trash or not, with its data and its child conversations.

    The ledger keeps its entries.

    Raises:
        NotFoundError: no conversation of this owner has that id.
    """
    ids = (conversation_id, *await list_derived(session, conversation_id))
    used = await list_used(session, ids)
    statement = delete(CONVERSATION).where(CONVERSATION.c.id.in_(ids), CONVERSATION.c.owner == owner)
    gone = set((await session.execute(statement.returning(CONVERSATION.c.id))).scalars())
    if conversation_id not in gone:
        raise NotFoundError("conversation", conversation_id)
    await delete_taken(session, owner, ids, used)


def count_pairs(conversation_id: str | ColumnElement[str]) -> Select[int]:
    """Return the query for the number of pairs of a conversation, without deleted ones."""
    return select(func.count()).where(PAIR.c.conversation_id == conversation_id, PAIR.c.deleted_at.is_(None))


def select_words(conversation_id: str | ColumnElement[str], order: ColumnElement[int]) -> Select[str]:
    """Return the query for the beginning of one request of a conversation: the first one in this `order`.

    The database cuts the text, because a pasted text may have megabytes.
    """
    return (
        select(first_words(MESSAGE.c.parts, SNIPPET_LENGTH))
        .select_from(PAIR)
        .join(MESSAGE, MESSAGE.c.id == PAIR.c.request_id)
        .where(PAIR.c.conversation_id == conversation_id, PAIR.c.deleted_at.is_(None))
        .order_by(order)
        .limit(1)
    )


def select_newest_lifecycle(conversation_id: str | ColumnElement[str]) -> Select[str]:
    """Return the query for the lifecycle of the newest pair of a conversation."""
    return (
        select(PAIR.c.lifecycle)
        .where(PAIR.c.conversation_id == conversation_id, PAIR.c.deleted_at.is_(None))
        .order_by(PAIR.c.position.desc())
        .limit(1)
    )


async def load_first_request(
    session: AsyncSession, owner: str, conversation_id: str, most: int, *, before: int | None = None
) -> str:
    """Return at most `most` characters of the first request of a conversation; "" if there is none, or no text in it.

    `before`: only pairs with a lower position count.
    """
    query = (
        select(first_text(MESSAGE.c.parts, most))
        .select_from(PAIR)
        .join(MESSAGE, MESSAGE.c.id == PAIR.c.request_id)
        .where(PAIR.c.conversation_id == conversation_id, PAIR.c.owner == owner, PAIR.c.deleted_at.is_(None))
        .order_by(PAIR.c.position)
        .limit(1)
    )
    if before is not None:
        query = query.where(PAIR.c.position < before)
    return (await session.execute(query)).scalar_one_or_none() or ""


async def load_reply_words(session: AsyncSession, ids: Sequence[str]) -> dict[str, str]:
    """Return the beginning of the newest reply of each conversation, by the conversation's id.

    A conversation whose newest reply has no text is left out.
    """
    if not ids:
        return {}
    newest = (
        select(first_text(MESSAGE.c.parts, SNIPPET_LENGTH))
        .select_from(PAIR)
        .join(MESSAGE, MESSAGE.c.id == PAIR.c.reply_id)
        .where(PAIR.c.conversation_id == CONVERSATION.c.id, PAIR.c.deleted_at.is_(None))
        .order_by(PAIR.c.position.desc())
        .limit(1)
        .correlate(CONVERSATION)
        .scalar_subquery()
    )
    rows = await session.execute(select(CONVERSATION.c.id, newest.label("words")).where(CONVERSATION.c.id.in_(ids)))
    return {row.id: row.words for row in rows if isinstance(row.words, str)}


def conditions_of(criteria: ListCriteria) -> list[ColumnElement[bool]]:
    """Return the SQL conditions for the conversations that meet these criteria."""
    conditions: list[ColumnElement[bool]] = []
    if criteria.kind is not None:
        conditions.append(CONVERSATION.c.kind == criteria.kind)
    if criteria.status is not None:
        conditions.append(CONVERSATION.c.status == criteria.status)
    if criteria.agent_id is not None:
        conditions.append(CONVERSATION.c.agent_id.is_not_distinct_from(criteria.agent_id or None))
    if criteria.folder_id is not None:
        is_filed = select_folder().exists()
        conditions += [CONVERSATION.c.folder_id == criteria.folder_id, is_filed] if criteria.folder_id else [~is_filed]
    return conditions
