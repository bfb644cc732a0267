"""Retention: move unused conversations to the trash by the rules that their owner set, and restore them from it.

    await count_due(wb, LOCAL_OWNER, RetentionRule(RetentionKind.CHAT, 90))     # what would go now
    await sweep_conversations(wb, now())                                       # every hour
    await undo_sweep(wb, LOCAL_OWNER, sweep.number)

The ledger keeps the calls of all of them. Temporary conversations are deleted after minutes of nothing
(`expire_temporary`), unless a page shows them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import NotFoundError
from app.domain.retention import RetentionRule, list_rules
from app.runs.process.event_bus import ConversationRemoved
from app.runs.process.ids import now
from app.runs.process.shielded import shielded
from app.runs.workbench import Workbench
from app.store.conversation.conversations import delete_conversation
from app.store.conversation.rows import CONVERSATION
from app.store.organise import retention, trash
from app.store.organise.folders import load_folder_days
from app.store.organise.retention import Sweep
from app.store.settings.preferences import load_preferences

BATCH = 50
"""Conversations moved at once: others get to write in between."""
TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class LoggedSweep:
    """What a rule moved, and how many of those are still in the trash."""

    sweep: Sweep
    left: int


async def load_rules(wb: Workbench, owner: str) -> tuple[RetentionRule, ...]:
    """The rules that an owner set."""
    async with wb.store.read() as session:
        return await _load_rules(session, owner)


async def count_due(wb: Workbench, owner: str, rule: RetentionRule) -> int:
    """How many conversations would go now by this rule."""
    async with wb.store.read() as session:
        return len(_list_due(wb, owner, await retention.list_inactive(session, owner, rule, now())))


async def list_logged(wb: Workbench, owner: str) -> tuple[LoggedSweep, ...]:
    """What rules moved, the last first."""
    async with wb.store.read() as session:
        sweeps = await retention.list_sweeps(session, owner)
        swept = await retention.list_swept(session, owner, [one.at for one in sweeps])
    return tuple(LoggedSweep(one, len(swept.get(one.at, ()))) for one in sweeps)


async def sweep_conversations(wb: Workbench, at: datetime) -> int:
    """Move into the trash what is due by everybody's rules, and write it into the log; how many conversations."""
    async with wb.store.read() as session:
        owners = await retention.list_owners(session)
        rules = [(owner, rule) for owner in owners for rule in await _load_rules(session, owner)]
    count = 0
    for place, (owner, rule) in enumerate(rules):
        count += await _sweep(wb, owner, rule, at + place * TICK)  # each rule has a time of its own, to be undone by
    return count


@shielded
async def undo_sweep(wb: Workbench, owner: str, number: int) -> int:
    """Bring back what a rule moved, as far as it is still in the trash; how many conversations.

    Raises:
        NotFoundError: there is no such entry in the log.
    """
    async with wb.store.write() as session:
        sweeps = await retention.list_sweeps(session, owner, number)
        if not sweeps:
            raise NotFoundError("sweep", str(number))
        swept = (await retention.list_swept(session, owner, [sweeps[0].at])).get(sweeps[0].at, ())
        for conversation_id in swept:
            await trash.take_conversation(session, await trash.find_entry(session, owner, conversation_id))
    wb.event_bus.publish_list(owner)
    return len(swept)


async def expire_temporary(wb: Workbench, at: datetime) -> int:
    """Delete temporary conversations in which nothing happened for as long as is preferred; how many.

    Those that a page shows, or in which a reply is running, stay.
    """
    bench = wb.beside.bench
    if bench is None:
        return 0
    count = 0
    columns = (CONVERSATION.c.id, CONVERSATION.c.owner, CONVERSATION.c.updated_at)
    async with bench.store.read() as session:
        found = (await session.execute(select(*columns).where(CONVERSATION.c.parent_id.is_(None)))).all()
        minutes = {one.owner: (await load_preferences(session, one.owner)).temporary_minutes for one in found}
    for conversation_id, owner, updated_at in found:
        after = minutes[owner]
        if after is None or updated_at > at - timedelta(minutes=after):
            continue
        if bench.engine.runs_of(conversation_id) or conversation_id in bench.event_bus.watched(owner):
            continue
        async with bench.store.write() as session:
            await delete_conversation(session, owner, conversation_id)
        bench.sent_pairs.forget(conversation_id)
        bench.sizes.forget(conversation_id)
        bench.event_bus.publish(owner, conversation_id, ConversationRemoved())
        count += 1
    return count


async def _load_rules(session: AsyncSession, owner: str) -> tuple[RetentionRule, ...]:
    preferences = await load_preferences(session, owner)
    of_folders = await load_folder_days(session, owner)
    return list_rules(preferences.chat_days, preferences.child_days, preferences.imported_days, of_folders)


async def _sweep(wb: Workbench, owner: str, rule: RetentionRule, at: datetime) -> int:
    async with wb.store.read() as session:
        found = await retention.list_inactive(session, owner, rule, at)
    due = _list_due(wb, owner, found)
    for start in range(0, len(due), BATCH):
        async with wb.store.write() as session:
            still = set(await retention.list_inactive(session, owner, rule, at))
            for conversation_id in due[start : start + BATCH]:
                if conversation_id in still:  # not one that went with the one before it, or was used meanwhile
                    await trash.put_conversation(session, owner, conversation_id, at)
    if not due:
        return 0
    async with wb.store.write() as session:
        moved = len((await retention.list_swept(session, owner, [at])).get(at, ()))
        await retention.insert_sweep(session, owner, rule, at, moved)
    for conversation_id in due:
        wb.sent_pairs.forget(conversation_id)
        wb.sizes.forget(conversation_id)
        wb.event_bus.publish(owner, conversation_id, ConversationRemoved())
    return moved


def _list_due(wb: Workbench, owner: str, found: tuple[str, ...]) -> list[str]:
    """Those of these that no page shows just now."""
    shown = set(wb.event_bus.watched(owner))
    return [one for one in found if one not in shown and not wb.engine.runs_of(one)]
