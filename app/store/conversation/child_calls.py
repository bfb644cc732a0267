"""Queries of child calls: requests for a title or a summary of a conversation.

Each call has a node in its conversation (an entry between the pairs that is never sent) and a child conversation with
its reply.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import JSON, ColumnElement, and_, case, func, insert, not_, select, type_coerce
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.child_calls.child_calls import REPLY_ROLES, ChildCall, MadeCall
from app.domain.conversation.conversation import Role
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import plain_text
from app.domain.errors import ErrorClass
from app.store.conversation.rows import MESSAGE, NODE, PAIR, RUN
from app.store.database.damage import UNKNOWN_TIME, Reading, a_model, a_number, a_text, a_time
from app.store.database.mapping import decode_failure, decode_usage, decode_word
from app.store.database.parts_json import decode_parts
from app.store.database.row_names import show_id

FIRST_SUCCESSES = 3
"""Maximum number of successful replies of a conversation whose first title is requested automatically.

A conversation with more successful replies gets no title automatically.
"""

_DATA: ColumnElement[Any] = NODE.c.data
_MADE = type_coerce(case((func.json_valid(_DATA) == 1, _DATA)), JSON)["conversation_id"].as_string()
"""The child conversation of a node. Without the check for valid JSON, SQLite could fail the whole query."""


async def insert_child_call(
    session: AsyncSession, owner: str, conversation_id: str, call: ChildCall, made_id: str
) -> None:
    """Insert the node of a call for a title or a summary. `made_id` is the child conversation with the call."""
    await session.execute(
        insert(NODE),
        {
            "id": call.id,
            "owner": owner,
            "conversation_id": conversation_id,
            "after_position": call.after_position,
            "role": call.role,
            "data": {"conversation_id": made_id, "position": call.position},
            "created_at": call.created_at,
        },
    )


async def load_child_calls(session: AsyncSession, owner: str, conversation_id: str) -> tuple[ChildCall, ...]:
    """Return the calls for titles and summaries of a conversation with their replies, ordered by time."""
    columns = (
        PAIR.c.run_id,
        PAIR.c.model,
        PAIR.c.lifecycle,
        MESSAGE.c.parts,
        RUN.c.usage,
        RUN.c.report_fault,
        RUN.c.failure,
    )
    query = (
        select(NODE, PAIR.c.id.label("pair_id"), *columns)
        .select_from(NODE)
        .outerjoin(PAIR, and_(PAIR.c.conversation_id == _MADE, PAIR.c.owner == owner, PAIR.c.position == 1))
        .outerjoin(MESSAGE, MESSAGE.c.id == PAIR.c.reply_id)
        .outerjoin(RUN, RUN.c.id == PAIR.c.run_id)
        .where(NODE.c.conversation_id == conversation_id, NODE.c.owner == owner, NODE.c.role.in_(REPLY_ROLES))
        .order_by(NODE.c.created_at, NODE.c.id)
    )
    return tuple(_decode(row) for row in (await session.execute(query)).mappings())


async def awaits_first_title(session: AsyncSession, conversation_id: str) -> bool:
    """Return True if the conversation has one to `FIRST_SUCCESSES` successful replies, and no request for a title.

    More than one reply is accepted, because the process may have ended before or during the request for the title. An
    interrupted request does not count.
    """
    succeeded = select(1).where(PAIR.c.conversation_id == conversation_id, PAIR.c.lifecycle == Lifecycle.SUCCEEDED)
    interrupted = and_(
        PAIR.c.conversation_id == _MADE,
        PAIR.c.run_id == RUN.c.id,
        RUN.c.failure["error_class"].as_string() == ErrorClass.INTERRUPTED,
    )
    title_request = select(1).where(
        NODE.c.conversation_id == conversation_id,
        NODE.c.role == Role.SYSTEM_TITLE,
        not_(select(1).where(interrupted).exists()),
    )
    few = succeeded.limit(FIRST_SUCCESSES + 1).subquery()
    query = select(select(func.count()).select_from(few).scalar_subquery(), title_request.exists())
    count, has_title_request = (await session.execute(query)).one()
    return 1 <= count <= FIRST_SUCCESSES and not has_title_request


def _decode(row: Any) -> ChildCall:
    take = Reading("node", show_id(row["id"])).take
    made_id, position = take("data", row["data"], _decode_data, ("", None))
    of_run = Reading("run", show_id(row["run_id"])).take
    return ChildCall(
        id=take("id", row["id"], a_text, "(its id cannot be read)"),
        role=decode_word(Role, row["role"]),
        after_position=take("after_position", row["after_position"], a_number, 0),
        created_at=take("created_at", row["created_at"], a_time, UNKNOWN_TIME),
        position=position,
        made=None if row["pair_id"] is None else of_run("*", row, lambda row: _decode_made(row, made_id), None),
    )


def _decode_data(data: Any) -> tuple[str, int | None]:
    position = data.get("position")
    return a_text(data["conversation_id"]), None if position is None else a_number(position)


def _decode_made(row: Any, made_id: str) -> MadeCall:
    parts: Sequence[Any] = row["parts"] or ()
    return MadeCall(
        conversation_id=made_id,
        run_id=row["run_id"],
        model=a_model(row["model"]),
        lifecycle=decode_word(Lifecycle, row["lifecycle"]),
        text=plain_text(decode_parts(list(parts))),
        usage=decode_usage(row["usage"]),
        failure=decode_failure(row["failure"]),
        usage_is_partial=row["report_fault"] is not None,
    )
