"""Queries of derived calls: the nodes of titles and summaries, with what came of them in their own conversations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import Select, and_, bindparam, func, insert, not_, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import Role
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import plain_text
from app.domain.derived.derived import REPLY_ROLES, DerivedCall, MadeCall
from app.domain.errors import ErrorClass
from app.store.conversation.rows import MESSAGE, NODE, PAIR, RUN
from app.store.database.damage import decode_each
from app.store.database.json_sql import text_at
from app.store.database.mapping import decode_failure, decode_usage, decode_word
from app.store.database.parts_json import decode_parts

FIRST_SUCCESSES = 3
"""After so many replies nobody is asked for a first title any more: what is older than titles stays as it is."""

_MADE = text_at(NODE.c.data, "$.conversation_id")


async def insert_derived(
    session: AsyncSession, owner: str, conversation_id: str, call: DerivedCall, made_id: str
) -> None:
    """A node for a call that is made in the conversation `made_id`."""
    await session.execute(
        insert(NODE).values(
            id=call.id,
            owner=owner,
            conversation_id=conversation_id,
            after_position=call.after_position,
            role=call.role,
            data={"conversation_id": made_id, "position": call.position},
            created_at=call.created_at,
        )
    )


async def load_derived(session: AsyncSession, owner: str, conversation_id: str) -> tuple[DerivedCall, ...]:
    """The titles and summaries that were asked for in a conversation, in that order."""
    rows = await session.execute(_select_derived(), {"conversation": conversation_id, "of_owner": owner})
    return tuple(decode_each("node", rows.mappings(), _decode))


@cache
def _select_derived() -> Select[Any]:
    """What `load_derived` asks: made once."""
    owner = bindparam("of_owner", type_=PAIR.c.owner.type)
    columns = (PAIR.c.run_id, PAIR.c.model, PAIR.c.lifecycle, MESSAGE.c.parts, RUN.c.usage, RUN.c.failure)
    here = NODE.c.conversation_id == bindparam("conversation"), NODE.c.owner == owner
    return (
        select(NODE, PAIR.c.id.label("pair_id"), *columns)
        .select_from(NODE)
        .outerjoin(PAIR, and_(PAIR.c.conversation_id == _MADE, PAIR.c.owner == owner, PAIR.c.position == 1))
        .outerjoin(MESSAGE, MESSAGE.c.id == PAIR.c.reply_id)
        .outerjoin(RUN, RUN.c.id == PAIR.c.run_id)
        .where(*here, NODE.c.role.in_(REPLY_ROLES))
        .order_by(NODE.c.created_at, NODE.c.id)
    )


async def awaits_first_title(session: AsyncSession, conversation_id: str) -> bool:
    """Whether one of the first replies has succeeded here, and no title was ever asked for.

    Of the first, not the first alone: the process may have ended between that and the title, or during the title.
    """
    succeeded = select(1).where(PAIR.c.conversation_id == conversation_id, PAIR.c.lifecycle == Lifecycle.SUCCEEDED)
    interrupted = and_(
        PAIR.c.conversation_id == _MADE,
        PAIR.c.run_id == RUN.c.id,
        text_at(RUN.c.failure, "$.error_class") == ErrorClass.INTERRUPTED,
    )
    asked = select(1).where(
        NODE.c.conversation_id == conversation_id,
        NODE.c.role == Role.SYSTEM_TITLE,
        not_(select(1).where(interrupted).exists()),
    )
    few = succeeded.limit(FIRST_SUCCESSES + 1).subquery()
    query = select(select(func.count()).select_from(few).scalar_subquery(), asked.exists())
    count, was_asked = (await session.execute(query)).one()
    return 1 <= count <= FIRST_SUCCESSES and not was_asked


def _decode(row: Any) -> DerivedCall:
    data = row["data"]
    return DerivedCall(
        id=row["id"],
        role=decode_word(Role, row["role"]),
        after_position=row["after_position"],
        created_at=row["created_at"],
        position=data.get("position"),
        made=None if row["pair_id"] is None else _decode_made(row, data["conversation_id"]),
    )


def _decode_made(row: Any, made_id: str) -> MadeCall:
    parts: Sequence[Any] = row["parts"] or ()
    return MadeCall(
        conversation_id=made_id,
        run_id=row["run_id"],
        model=row["model"],
        lifecycle=decode_word(Lifecycle, row["lifecycle"]),
        text=plain_text(decode_parts(list(parts))),
        usage=decode_usage(row["usage"]),
        failure=decode_failure(row["failure"]),
    )
