"""A database with a row in every table, made by the commands of Inview as far as they make one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from sqlalchemy import JSON, Boolean, DateTime, Float, Integer, LargeBinary, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.marks import Marks
from app.domain.costs.budgets import Scope, Span, SpendingBudget
from app.runs.derived.summaries import summarise
from app.runs.filters.filter_commands import apply_filter, save_filter
from app.runs.library.agent_commands import AgentFields, create_agent
from app.runs.library.mark_commands import mark_pair
from app.runs.library.preference_commands import read_preferences, set_preferences
from app.runs.library.topic_commands import create_topic
from app.runs.resend.compared_runs import ComparedModels
from app.runs.resend.comparisons import start_comparison
from app.runs.resend.resend import Replacement, resend_pair
from app.runs.send.commands import LOCAL_OWNER, change_conversation, delete_conversation
from app.runs.send.context_selection import ViewOptions
from app.runs.send.intents import NewSend
from app.runs.send.queue import QueuePlace, queue_text
from app.runs.uploads import attach_file, load_attached
from app.runs.usage.budgets import set_budget
from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench
from app.store.conversation.rows import RUN
from app.store.tables import Row
from tests.media.test_pictures import a_photo
from tests.runs.steps import a_conversation, collect, reply_to, settings_of

AT = datetime(2026, 1, 1, tzinfo=UTC)
LISTING: Mapping[str, Any] = {
    "title": "t",
    "version": "1",
    "protocol": "p",
    "instructions": "",
    "tools": [],
    "resources": [],
    "prompts": [],
    "cut": [],
}
BY_HAND: Mapping[str, Mapping[str, Any]] = {
    "mcp_server": {
        "way": {"kind": "http", "url": "http://127.0.0.1:9/", "allow_private": False, "client_id": None},
        "enabled": False,
        "secret_names": [],
        "sealed_secrets": None,
        "sealed_tokens": None,
        "known": dict(LISTING),
    },
    "keep_warm": {"look": {}, "ended_at": AT, "made_id": None},
    "permission_request": {"standing": "expired", "scope": None, "ending": "expired", "rule_id": None},
    "permission_rule": {"arguments": [["a", "1"]]},
    "conversation_rule": {"arguments": [["a", "1"]]},
    "price": {"since": "2026-01-01", "input": "1", "output": "2", "cache_read": None, "cache_write": None},
    "queue_hold": {"reason": "paused", "message": ""},
    "reply_journal": {"growth": {"kept": 0, "text": "x", "parts": []}},
    "prompt_cache": {"marks": [[1, 300]], "chain": b""},
    "provider_setting": {"provider": "openai", "base_url": "http://127.0.0.1:9/v1", "sealed_key": None},
    "toolset": {"tools": []},
    "version": {"lifecycle": None},
}
"""Of tables that no command below fills: the columns whose type does not say what stands there."""


@dataclass(frozen=True)
class Whole:
    """What is in the database: a conversation with everything, and two pairs of it."""

    conversation_id: str
    first_pair: str
    last_pair: str


async def make_whole(folder: Path) -> Whole:
    """Fill the database in this folder."""
    async with open_workbench(settings_of(folder)) as wb:
        whole = await _talk(wb)
        async with wb.store.write() as session:
            for table in Row.metadata.sorted_tables:
                if (await session.execute(select(table).limit(1))).first() is None:
                    await _fill(session, table, whole)
        return whole


async def _talk(wb: Workbench) -> Whole:
    wanted = replace(await read_preferences(wb, LOCAL_OWNER), trash_days=7, built_in_tools=("current_time",))
    await set_preferences(wb, LOCAL_OWNER, wanted)
    topic = await create_topic(wb, LOCAL_OWNER, "AI > Planning")
    agent = await create_agent(wb, LOCAL_OWNER, AgentFields(name="Anna", system_prompt="Be brief."))
    conversation = await a_conversation(wb, model="offline:demo", title="Whole", agent_id=agent.id)
    photo = await attach_file(wb, LOCAL_OWNER, a_photo(), "photo.jpg")
    attached = await load_attached(wb, LOCAL_OWNER, [photo.attachment.id])
    first = await reply_to(wb, conversation, "/echo one", attached=attached)
    again = await resend_pair(wb, LOCAL_OWNER, Replacement(first.pair.id, "/echo one again"))
    await collect(wb, again.started.run_id)
    await reply_to(wb, conversation, "/fail auth")
    await reply_to(wb, conversation, "/tool current_time {}")
    await reply_to(wb, conversation, "/echo three", view_options=ViewOptions(topic=topic))
    gone = await reply_to(wb, conversation, "/echo gone")
    await mark_pair(wb, LOCAL_OWNER, gone.pair.id, Marks(deleted=True))
    summary = await summarise(wb, LOCAL_OWNER, conversation)
    await collect(wb, summary.started.run_id)
    await change_conversation(wb, LOCAL_OWNER, conversation, ticked_tools=["current_time"])
    last = await reply_to(wb, conversation, "/echo last")
    await save_filter(wb, LOCAL_OWNER, "mine", "!e")
    await apply_filter(wb, LOCAL_OWNER, conversation, "@mine")
    await change_conversation(wb, LOCAL_OWNER, conversation, filter="")
    await set_budget(wb, LOCAL_OWNER, SpendingBudget(Scope.ALL, "", Span.EVER, Decimal(100)))
    await delete_conversation(wb, LOCAL_OWNER, await a_conversation(wb, title="In the trash"))
    other = await a_conversation(wb, model="offline:demo", title="Compared")
    compared = await start_comparison(
        wb, LOCAL_OWNER, NewSend(other, "/echo x"), ComparedModels(["offline:demo", "offline:tiny"])
    )
    for run in compared.runs:
        await collect(wb, run.run_id)
    await queue_text(wb, LOCAL_OWNER, NewSend(conversation, "later"), at=QueuePlace(paused=True))
    return Whole(conversation, first.pair.id, last.pair.id)


async def _fill(session: AsyncSession, table: Any, whole: Whole) -> None:
    """Insert one row. The ids of other rows are those of the conversation with everything."""
    run = (await session.execute(select(RUN).where(RUN.c.pair_id == whole.last_pair))).mappings().first()
    assert run is not None
    known = {"conversation_id": whole.conversation_id, "pair_id": whole.last_pair, "run_id": run["id"]}
    row: dict[str, Any] = {}
    for column in table.c:
        if column.primary_key and column.autoincrement is True:
            continue
        row[column.name] = known.get(column.name, _value_of(column))
    row |= {"owner": LOCAL_OWNER, **BY_HAND.get(table.name, {})}
    await session.execute(insert(table), {name: value for name, value in row.items() if name in table.c})


def _value_of(column: Any) -> Any:
    if column.nullable:
        return None
    stored_as = getattr(column.type, "impl", column.type)
    return next(value for kind, value in _VALUES.items() if isinstance(stored_as, kind))


_VALUES: Mapping[Any, Any] = {
    Boolean: False,
    Integer: 1,
    Float: 1.0,
    LargeBinary: b"x",
    DateTime: AT,
    JSON: {},
    object: "x",
}
"""By the type of the column, the first that fits."""
