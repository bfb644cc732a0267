"""The conditions of a list of conversations, as parts of a query, and the number of matches.

    wanted = Wanted(kind=ConversationKind.AGENT, unread=True)
    found = await list_conversations(session, owner, limit=50, wanted=wanted)

Each list is found by an index, however many conversations there are. Not here: words that they have
(`store/index/search.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Select,
    bindparam,
    column,
    exists,
    func,
    literal_column,
    select,
    table,
)
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import ConversationKind, ConversationStatus
from app.store.conversation.rows import CONVERSATION, PAIR

IN_VIEW = CONVERSATION.c.deleted_at.is_(None)
"""Not in the trash."""

MAX_COUNTED: Final = 100
"""Conversations of a list that are counted. What has more is not counted to the end."""

_RUNNING: Final[ColumnElement[bool]] = literal_column("pair.lifecycle IN ('sending', 'awaiting')")
_FAILED: Final[ColumnElement[bool]] = literal_column("pair.lifecycle = 'error'")
_PENDING: Final[ColumnElement[bool]] = literal_column("permission_request.standing = 'pending'")
# Literal words, not parameters: SQLite takes a partial index only for the words that it was made with.
_PERMISSION = table("permission_request", column("shown_in"), column("owner"))


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which conversations to list; None asks for nothing. `agent_id` "": those without one; so with `folder_id`.

    `running`: a reply is being received. `waiting`: a person is asked for permission. `failed`: the newest pair has no
    reply because of an error. `imported`: it came with an export of another application.
    """

    kind: ConversationKind | None = None
    status: ConversationStatus | None = None
    agent_id: str | None = None
    pinned: bool | None = None
    archived: bool | None = None
    folder_id: str | None = None
    unread: bool | None = None
    running: bool | None = None
    waiting: bool | None = None
    failed: bool | None = None
    imported: bool | None = None
    temporary: bool | None = None


EVERYTHING: Final = Wanted()
Owner = str | BindParameter[str]
"""A person, or where a query that is made once has one."""


def is_found_by_ids(wanted: Wanted) -> bool:
    """Whether an index of what belongs to such conversations names them, which are then sorted."""
    return True in {wanted.running, wanted.waiting, wanted.failed}


def conditions_of(owner: Owner, wanted: Wanted) -> list[ColumnElement[bool]]:
    """What is asked of an owner's conversations. Those in the trash are none of them."""
    own = CONVERSATION.c.owner
    # By their ids, unless SQLite would go through all that this owner has, in the order of the list.
    conditions = [IN_VIEW, func.coalesce(own, "") == owner if is_found_by_ids(wanted) else own == owner]
    if wanted.kind is not None:
        conditions.append(CONVERSATION.c.kind == wanted.kind)
    if wanted.status is not None:
        conditions.append(CONVERSATION.c.status == wanted.status)
    if wanted.agent_id is not None:
        conditions.append(CONVERSATION.c.agent_id.is_not_distinct_from(wanted.agent_id or None))
    if wanted.folder_id is not None:
        conditions.append(CONVERSATION.c.folder_id == (wanted.folder_id or None))
    for marked, wish in (
        (CONVERSATION.c.pinned, wanted.pinned),
        (CONVERSATION.c.archived, wanted.archived),
        (CONVERSATION.c.unread, wanted.unread),
        (CONVERSATION.c.temporary, wanted.temporary),
    ):
        if wish is not None:
            conditions.append(marked.is_(wish))
    if wanted.imported is not None:
        came = CONVERSATION.c.imported_from
        conditions.append(came.is_not(None) if wanted.imported else came.is_(None))
    for select_found, wish in (
        (_select_running, wanted.running),
        (_select_waiting, wanted.waiting),
        (_select_failed, wanted.failed),
    ):
        if wish is not None:
            found = select_found(owner)
            conditions.append(CONVERSATION.c.id.in_(found) if wish else CONVERSATION.c.id.not_in(found))
    return conditions


async def count_listed(session: AsyncSession, owner: str, lists: Mapping[str, Wanted]) -> dict[str, int]:
    """How many conversations each of these lists has, by its name, up to `MAX_COUNTED`."""
    row = (await session.execute(_count_all(tuple(lists.items())), {"owner": owner})).one()
    return {name: int(count) for name, count in zip(lists, row, strict=True)}


@lru_cache(maxsize=8)
def _count_all(lists: tuple[tuple[str, Wanted], ...]) -> Select[*tuple[Any, ...]]:
    """The query, made once: making it takes longer than asking it, and every open page asks after every change."""
    return select(*(_count(bindparam("owner"), wanted).scalar_subquery().label(name) for name, wanted in lists))


def _count(owner: Owner, wanted: Wanted) -> Select[int]:
    some = select(CONVERSATION.c.id).where(*conditions_of(owner, wanted)).limit(MAX_COUNTED)
    return select(func.count()).select_from(some.subquery())


def _select_running(_owner: Owner) -> Select[str]:
    return select(PAIR.c.conversation_id).where(_RUNNING)


def _select_waiting(owner: Owner) -> Select[str]:
    return select(_PERMISSION.c.shown_in).where(_PERMISSION.c.owner == owner, _PENDING)


def _select_failed(owner: Owner) -> Select[str]:
    later = PAIR.alias("later")
    here = later.c.conversation_id == PAIR.c.conversation_id, later.c.deleted_at.is_(None)
    newer = exists().where(*here, later.c.position > PAIR.c.position)
    failed = PAIR.c.owner == owner, _FAILED, PAIR.c.deleted_at.is_(None)
    return select(PAIR.c.conversation_id).where(*failed, ~newer)
