"""Checks the ledger and the accounting based on it: recomputes all that the database should hold.

    report = await check_ledger(session)
    report.faults                 # () if nobody wrote past the rules

The ledger is a chain by its entries: SQLite numbers them one after the other, none is ever changed or deleted, and the
sums hold what was entered. A gap, a missing rule or another sum means that somebody wrote into the file otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.usage import COUNTERS, Usage
from app.store.conversation.nodes import load_accounting
from app.store.conversation.rows import CONVERSATION
from app.store.database.database import kind_of_session
from app.store.ledger.ledger import ENTRY, count_calls, sum_usage
from app.store.ledger.rollups import find_faults
from app.store.ledger.rows_ledger import LEDGER

TRIGGERS: Final = ("ledger_is_summed", "ledger_is_not_changed", "ledger_is_not_deleted")


@dataclass(frozen=True, slots=True)
class IntegrityReport:
    """How many rows were checked, and what is wrong with them."""

    count: int
    faults: tuple[str, ...]


async def check_ledger(session: AsyncSession) -> IntegrityReport:
    """Check that no entry is missing, that the database refuses to change one, and that the sums are right."""
    faults: list[str] = []
    count, first, last = (
        await session.execute(select(func.count(), func.min(ENTRY), func.max(ENTRY)).select_from(LEDGER))
    ).one()
    if count and (first, last) != (1, count):
        faults.append(f"The ledger has {count:,} entries, numbered from {first:,} to {last:,}: some were deleted.")
    known = set((await session.execute(text(kind_of_session(session).trigger_names))).scalars())
    faults += [f"The rule {name} of the ledger is missing from the database." for name in TRIGGERS if name not in known]
    faults += [f"The sums in {table} are not those of the ledger." for table in await find_faults(session)]
    return IntegrityReport(count, tuple(faults))


async def check_accounting(session: AsyncSession) -> IntegrityReport:
    """Check that no accounting node says more than the ledger, and none less than an earlier one."""
    count, faults = 0, list[str]()
    conversations = (await session.execute(select(CONVERSATION.c.id, CONVERSATION.c.owner))).all()
    for conversation_id, owner in conversations:
        nodes = [node for node in await load_accounting(session, owner, conversation_id) if node.calls is not None]
        if not nodes:
            continue
        count += len(nodes)
        spent = sum((await sum_usage(session, owner, conversation_id=conversation_id)).values(), start=Usage())
        calls = await count_calls(session, owner, conversation_id)
        # Each says no less than the one before it, and the ledger no less than the last.
        steps = [*((node.id, node.calls or 0, node.usage) for node in nodes), ("", calls, spent)]
        for (node_id, before, usage), (_, after, later) in pairwise(steps):
            if before > after or not _covers(later, usage):
                faults.append(
                    f"The accounting node {node_id} of conversation {conversation_id} says {before:,} calls, "
                    f"what follows it {after:,}."
                )
    return IntegrityReport(count, tuple(faults))


def _covers(more: Usage, less: Usage) -> bool:
    return all((getattr(more, name) or 0) >= (getattr(less, name) or 0) for name in COUNTERS)
