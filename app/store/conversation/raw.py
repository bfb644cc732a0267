"""The stored rows of a pair, not decoded: for repairing what cannot be read.

raw = await load_raw_pair(session, owner, pair_id)
raw["message"][0]["parts"]        # the text that is stored, be it JSON or not
"""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from sqlalchemy import LargeBinary, String, Table, select, type_coerce
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import NotFoundError
from app.store.conversation.rows import PAIR, RUN
from app.store.database.row import Row

RawRows = dict[str, list[dict[str, Any]]]
"""The rows of each table by column. Bytes are an object with `base64`."""


async def load_raw_pair(session: AsyncSession, owner: str, pair_id: str) -> RawRows:
    """The rows of a pair and of all that hangs on it, be the pair deleted.

    Raises:
        NotFoundError: there is none of that id, or it is another's.
    """
    found = await _load(session, PAIR, PAIR.c.id == pair_id, PAIR.c.owner == owner)
    if not found:
        raise NotFoundError("pair", pair_id)
    raw = {str(PAIR.name): found}
    runs = select(RUN.c.id).where(RUN.c.pair_id == pair_id)
    for table in Row.metadata.sorted_tables:
        for key in table.foreign_keys:
            if key.column is PAIR.c.id:
                rows = await _load(session, table, key.parent == pair_id)
            elif key.column is RUN.c.id:
                rows = await _load(session, table, key.parent.in_(runs))
            else:
                continue
            if rows:
                raw[str(table.name)] = rows
    return raw


async def _load(session: AsyncSession, table: Table, *conditions: Any) -> list[dict[str, Any]]:
    # As text, which SQLite gives of whatever a column holds: a time that is none cannot be read otherwise.
    columns = [
        column if isinstance(column.type, LargeBinary) else type_coerce(column, String).label(column.name)
        for column in table.c
    ]
    rows = (await session.execute(select(*columns).where(*conditions))).mappings()
    return [{str(name): _write(value) for name, value in row.items()} for row in rows]


def _write(value: Any) -> Any:
    return {"base64": b64encode(value).decode()} if isinstance(value, bytes) else value
