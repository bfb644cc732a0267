"""Queries of imported conversations: which exist already, and which belong to an import.

known = await load_imported(session, owner, "chatgpt", ["c1", "c2"])
known["c1"].digest, known["c1"].untouched
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.store.conversation.rows import CONVERSATION
from app.store.organise.rows_imports import IMPORTED

MAX_IDS = 500
"""Ids asked for at once: SQLite bounds the variables of a statement."""


@dataclass(frozen=True, slots=True)
class Imported:
    """An imported conversation that is not in the trash. `untouched`: nobody changed it since."""

    conversation_id: str
    digest: str
    untouched: bool


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the conversations of a file come from.

    `foreign` are their ids and digests in the export, by the ids that they have in the file.
    """

    import_id: str
    format: str
    foreign: Mapping[str, tuple[str, str]]


async def load_imported(
    session: AsyncSession, owner: str, format_: str, foreign_ids: Sequence[str]
) -> dict[str, Imported]:
    """Those of these conversations that are here and not in the trash, by their foreign ids."""
    found: dict[str, Imported] = {}
    columns = (IMPORTED.c.foreign_id, IMPORTED.c.conversation_id, IMPORTED.c.digest, IMPORTED.c.revision)
    for start in range(0, len(foreign_ids), MAX_IDS):
        query = (
            select(*columns, CONVERSATION.c.revision.label("now"))
            .join(CONVERSATION, CONVERSATION.c.id == IMPORTED.c.conversation_id)
            .where(
                IMPORTED.c.owner == owner,
                IMPORTED.c.format == format_,
                IMPORTED.c.foreign_id.in_(foreign_ids[start : start + MAX_IDS]),
                CONVERSATION.c.deleted_at.is_(None),
            )
        )
        for row in await session.execute(query):
            found[row.foreign_id] = Imported(row.conversation_id, row.digest, row.revision == row.now)
    return found


async def note_imported(
    session: AsyncSession, owner: str, origin: Origin, made: Mapping[str, str], at: datetime
) -> None:
    """Note which conversations came of a file. `made` are those that are here, by the ids in the file.

    The conversations say so themselves as well: an export that is imported again names another one, and these stay.
    """
    here = list(made.values())
    came = update(CONVERSATION).where(CONVERSATION.c.id.in_(here), CONVERSATION.c.owner == owner)
    await session.execute(came.values(imported_from=origin.format, imported_at=at))
    query = select(CONVERSATION.c.id, CONVERSATION.c.revision).where(CONVERSATION.c.id.in_(here))
    revisions = {row.id: row.revision for row in await session.execute(query)}
    for in_file, (foreign_id, digest) in origin.foreign.items():
        key = {"owner": owner, "format": origin.format, "foreign_id": foreign_id}
        place = (IMPORTED.c[name] == value for name, value in key.items())
        await session.execute(delete(IMPORTED).where(*place))
        conversation_id = made[in_file]
        await session.execute(
            insert(IMPORTED).values(
                **key,
                conversation_id=conversation_id,
                import_id=origin.import_id,
                digest=digest,
                revision=revisions[conversation_id],
                imported_at=at,
            )
        )


async def list_of_import(session: AsyncSession, owner: str, import_id: str) -> tuple[str, ...]:
    """The conversations of an import that are not in the trash."""
    query = (
        select(CONVERSATION.c.id)
        .join(IMPORTED, CONVERSATION.c.id == IMPORTED.c.conversation_id)
        .where(IMPORTED.c.owner == owner, IMPORTED.c.import_id == import_id, CONVERSATION.c.deleted_at.is_(None))
    )
    return tuple((await session.execute(query)).scalars())
