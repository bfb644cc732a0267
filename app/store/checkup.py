"""Checks a database: finds every row that cannot be read, and every name of something that does not exist.

    for finding in await find_damage(store): ...

It reads all rows and changes none. Rows are read as those who use them read them, so that what is found here is what
is told of on the page, and the other way round.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import JSON, Column, String, Table, func, select, text, type_coerce
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Session

from app.domain.conversation.damage import Damage
from app.store.archive import load_nodes, load_records
from app.store.conversation.conversations import load_last_agent
from app.store.conversation.derived import load_derived
from app.store.conversation.nodes import load_accounting
from app.store.conversation.rows import CONVERSATION, MESSAGE, PAIR, RUN, VERSION
from app.store.conversation.rows_attachment import ATTACHMENT, ATTACHMENT_USE
from app.store.database.damage import collect_damage, note_damage
from app.store.database.database import Store
from app.store.database.file_check import Ask, find_file_faults
from app.store.database.mapping import decode_conversation
from app.store.ledger.budgets import load_budgets
from app.store.ledger.ledger import load_calls
from app.store.ledger.prices import load_own_prices
from app.store.run.comparisons import load_discarded, load_open
from app.store.run.queues import load_queue
from app.store.run.rows_toolset import RUN_TOOLSET, TOOLSET
from app.store.settings.agents import load_agents
from app.store.settings.preferences import load_preferences
from app.store.tables import Row
from app.store.tools.mcp_servers import load_every_server
from app.store.tools.permissions import list_rules

BATCH: Final = 250
MAX_FAULTS: Final = 5
_PAIR: Final = (
    "Open the conversation, export the raw data of the pair, then delete it. Or put a backup of the database back."
)
ADVICE: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys(("pair", "message", "run", "version", "snapshot", "attachment", "tool_call"), _PAIR),
        "attachment_use": "Nothing: the pair that names it is listed as well, if there is one.",
        "conversation": "Set it again in the conversation: until then its default is used.",
        "agent": "Set it again in Agents: until then nothing is allowed by it.",
        "preference": "Set it again in Settings: until then its default is used.",
        "budget": "Set it again in Usage: until then it is not kept to.",
        "price": "Enter it again in Usage: until then the public price is used.",
        "mcp_server": "Delete it in Settings > Tools and add it again: until then it is not connected.",
        "permission_rule": "Nothing: its calls are asked about again.",
        "ledger": "Nothing: the call stays in all sums; what cannot be read of it counts as unknown.",
        "audit": "Nothing: the entry stays; what cannot be read of it is empty.",
        "audit_note": "Nothing: the entry stays; what cannot be read of it is empty.",
        "queued": "Write the text again: it is not sent.",
    }
)
"""By table: what to do about a row that cannot be read."""
_OTHERWISE: Final = "Put a backup of the database back if something is missing; everything else goes on."


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that cannot be read: which object, where it stands, why, and what to do about it."""

    damage: Damage
    place: str
    advice: str

    def describe(self) -> str:
        """Two lines."""
        return f"{self.message}\n    {self.advice}"

    @property
    def message(self) -> str:
        """What cannot be read, where and why."""
        return f"{self.damage.describe()}{f' ({self.place})' if self.place else ''}"


async def find_damage(store: Store) -> tuple[Finding, ...]:
    """Everything in the database that cannot be read, each once.

    Raises:
        StoreError: the database cannot be read at all.
    """
    with collect_damage() as found:
        async with store.read() as session:
            for table in Row.metadata.sorted_tables:
                await _check_json(session, table)
            for column, target in _NAMED:
                await _check_named(session, column, target)
            await _check_bytes(session)
            owners = await list_owners(session)
            for owner in owners:
                await _read_settings(session, owner)
        async with store.read() as session:
            for row in (await session.execute(select(CONVERSATION))).mappings().all():
                decode_conversation(row)
                await _read_conversation(session, row["owner"], row["id"])
        places = dict.fromkeys(dict.fromkeys(found), "")
        async with store.read() as session:
            for one in places:
                places[one] = await _describe_place(session, one)
    return tuple(Finding(one, place, ADVICE.get(one.table, _OTHERWISE)) for one, place in places.items())


_NAMED: Final[tuple[tuple[Column[Any], Column[Any]], ...]] = (
    (PAIR.c.request_id, MESSAGE.c.id),
    (PAIR.c.reply_id, MESSAGE.c.id),
    (PAIR.c.run_id, RUN.c.id),
    (PAIR.c.conversation_id, CONVERSATION.c.id),
    (MESSAGE.c.pair_id, PAIR.c.id),
    (MESSAGE.c.conversation_id, CONVERSATION.c.id),
    (RUN.c.pair_id, PAIR.c.id),
    (VERSION.c.request_id, MESSAGE.c.id),
    (VERSION.c.reply_id, MESSAGE.c.id),
    (ATTACHMENT_USE.c.attachment_id, ATTACHMENT.c.id),
    (RUN_TOOLSET.c.toolset_id, TOOLSET.c.id),
)
"""Columns that name a row of another table."""


async def _check_json(session: AsyncSession, table: Table) -> None:
    for column in table.c:
        if not isinstance(column.type, JSON):
            continue
        stored = type_coerce(column, String)
        broken = select(_key_of(table)).where(column.is_not(None), func.json_valid(stored) == 0)
        for (key,) in await session.execute(broken):
            note_damage(str(table.name), str(key), str(column.name), "it is no JSON")


async def _check_named(session: AsyncSession, column: Column[Any], target: Column[Any]) -> None:
    table = column.table
    missing = select(_key_of(table), column).where(column.is_not(None), column.not_in(select(target)))
    for key, named in await session.execute(missing):
        note_damage(table.name, str(key), str(column.name), f"{target.table.name} {named} is missing")


def _key_of(table: Any) -> Column[Any]:
    """What a row is called: its own id, or the last of the columns that are its key together."""
    return table.c["id"] if "id" in table.c else list(table.primary_key)[-1]


async def count_attachments(session: AsyncSession) -> int:
    """How many attachments are stored."""
    return (await session.execute(select(func.count()).select_from(ATTACHMENT))).scalar_one()


async def _check_bytes(session: AsyncSession) -> None:
    ids = (await session.execute(select(ATTACHMENT.c.owner, ATTACHMENT.c.id))).all()
    for owner, attachment_id in ids:
        query = select(ATTACHMENT.c.data).where(ATTACHMENT.c.owner == owner, ATTACHMENT.c.id == attachment_id)
        data = (await session.execute(query)).scalar_one()
        if sha256(data).hexdigest() != attachment_id:
            note_damage("attachment", attachment_id, "data", "the bytes are not those that were stored")


async def list_owners(session: AsyncSession) -> tuple[str, ...]:
    """Everybody who owns anything."""
    owners: set[str] = set()
    for table in Row.metadata.sorted_tables:
        if "owner" in table.c:
            owners |= set((await session.execute(select(table.c.owner).distinct())).scalars())
    return tuple(sorted(owners))


async def _read_settings(session: AsyncSession, owner: str) -> None:
    await load_preferences(session, owner)
    await load_agents(session, owner)
    await load_last_agent(session, owner)
    await load_budgets(session, owner)
    await load_own_prices(session, owner)
    await list_rules(session, owner)
    await load_every_server(session)


async def _read_conversation(session: AsyncSession, owner: str, conversation_id: str) -> None:
    ids = (await session.execute(select(PAIR.c.id).where(PAIR.c.conversation_id == conversation_id))).scalars().all()
    for start in range(0, len(ids), BATCH):
        await load_records(session, owner, ids[start : start + BATCH])
    await load_nodes(session, owner, conversation_id)
    await load_derived(session, owner, conversation_id)
    await load_accounting(session, owner, conversation_id)
    await load_queue(session, owner, conversation_id)
    await load_open(session, owner, conversation_id)
    await load_discarded(session, owner, conversation_id)
    await load_calls(session, owner, conversation_id)


async def _describe_place(session: AsyncSession, damage: Damage) -> str:
    """In which conversation a row stands, and which pair it belongs to, as far as that is known."""
    table = Row.metadata.tables[damage.table]
    key = _key_of(table)
    if damage.table == "pair":
        return await _name_pair(session, damage.row_id)
    if "pair_id" in table.c:
        found = (await session.execute(select(table.c.pair_id).where(key == damage.row_id).limit(1))).scalar()
        return "" if found is None else await _name_pair(session, found)
    conversation_id = damage.row_id if damage.table == "conversation" else None
    if conversation_id is None and "conversation_id" in table.c:
        query = select(table.c.conversation_id).where(key == damage.row_id).limit(1)
        conversation_id = (await session.execute(query)).scalar()
    return "" if conversation_id is None else await _name_conversation(session, conversation_id)


async def _name_pair(session: AsyncSession, pair_id: str) -> str:
    query = select(PAIR.c.conversation_id, PAIR.c.position, PAIR.c.created_at).where(PAIR.c.id == pair_id)
    row = (await session.execute(query)).one_or_none()
    if row is None:
        return f"pair {pair_id}, which is missing"
    when = f"{row.created_at:%Y-%m-%d %H:%M} UTC"
    return f"pair {row.position} of {when}, {await _name_conversation(session, row.conversation_id)}"


async def _name_conversation(session: AsyncSession, conversation_id: str) -> str:
    query = select(CONVERSATION.c.title).where(CONVERSATION.c.id == conversation_id)
    title = (await session.execute(query)).scalar()
    return f"conversation {conversation_id}" if not title else f'conversation "{title}", {conversation_id}'


async def check_file(store: Store, *, thorough: bool = False) -> str:
    """What SQLite itself finds wrong with its file, "" for nothing. `thorough`: its indexes are compared too.

    PostgreSQL checks what it reads as it reads it, and has no statement for all of it.
    """
    if not store.is_file:
        return ""
    async with store.read() as session:
        found = await session.run_sync(lambda blocking: find_file_faults(_ask_of(blocking), thorough=thorough))
    return "; ".join(found[:MAX_FAULTS])


def _ask_of(session: Session) -> Ask:
    return lambda query: session.execute(text(query)).all()
