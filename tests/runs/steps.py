"""Steps that many tests of runs share: open, send, follow a run until it ends, read the database file itself."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import event

from app.config.settings import Settings, load_settings
from app.domain.conversation.conversation import Pair
from app.domain.conversation.parts import plain_text
from app.domain.run.growth import Growth, apply_growth
from app.domain.run.run_log import LogEvent
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import StartedRun, start_reply
from app.runs.send.send_request import SendRequest
from app.runs.watch.broadcast import follow
from app.store.conversation.pairs import load_pair, load_pairs
from app.store.database.parts_json import decode_parts
from app.store.ledger.ledger import EndedCall, Purpose, load_calls
from tests.databases import lay_database


def settings_of(data: Path, **environment: str) -> Settings:
    """Return the settings of an installation in this folder. Creates an empty database if it has none.

    Titles are off unless a test asks for them, so that a test counts only its own calls.
    """
    lay_database(data)
    return load_settings({"INVIEW_DATA_DIR": str(data), "INVIEW_TITLES": "off", **environment})


@dataclass(frozen=True)
class Ended:
    """A reply that has ended: its log and its stored pair."""

    started: StartedRun
    events: list[LogEvent]
    pair: Pair

    @property
    def kinds(self) -> list[str]:
        return [event.kind for event in self.events]

    @property
    def text(self) -> str:
        return text_of(self.events)


async def a_conversation(ctx: AppContext, **fields: Any) -> str:
    return (await create_conversation(ctx, LOCAL_OWNER, **fields)).id


async def send(
    ctx: AppContext, conversation_id: str, text: str, *, purpose: Purpose = "reply", **more: Any
) -> StartedRun:
    return await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest(text, **more), purpose=purpose)


async def reply_to(ctx: AppContext, conversation_id: str, text: str, **more: Any) -> Ended:
    """Send a text and wait until the reply ends."""
    started = await send(ctx, conversation_id, text, **more)
    events = await collect(ctx, started.run_id)
    return Ended(started, events, await pair_of(ctx, started.pair_id))


async def collect(ctx: AppContext, run_id: str, after: int = 0) -> list[LogEvent]:
    return [event async for events in follow(ctx, LOCAL_OWNER, run_id, after) for event in events]


async def wait_for_text(ctx: AppContext, started: StartedRun, characters: int = 1) -> None:
    seen = ""
    async for events in follow(ctx, LOCAL_OWNER, started.run_id):
        seen += text_of(events)
        if len(seen) >= characters:
            return
    raise AssertionError(f"The reply ended after {len(seen)} characters: {seen!r}")


async def until(ctx: AppContext, run_id: str, kind: str) -> None:
    """Wait until a run has published an event of this kind."""
    async for events in follow(ctx, LOCAL_OWNER, run_id):
        if any(event.kind == kind for event in events):
            return


async def until_quiet(ctx: AppContext) -> None:
    """Wait until no reply is running and all tasks after replies are done."""
    async with asyncio.timeout(60):
        while tasks := [task for task in _list_work(ctx) if not task.done()]:
            await asyncio.wait(tasks)


def _list_work(ctx: AppContext) -> list[asyncio.Task[None]]:
    of_runs = [task for run in ctx.engine.runs.values() for task in (run.work, run.finishing, *run.calling)]
    return [task for task in (*of_runs, *ctx.background, *ctx.indexer.tasks) if task is not None]


async def pair_of(ctx: AppContext, pair_id: str) -> Pair:
    async with ctx.store.read() as session:
        return await load_pair(session, LOCAL_OWNER, pair_id)


async def pairs_of(ctx: AppContext, conversation_id: str) -> tuple[Pair, ...]:
    async with ctx.store.read() as session:
        return await load_pairs(session, LOCAL_OWNER, conversation_id, limit=500)


async def calls_of(ctx: AppContext, conversation_id: str) -> tuple[EndedCall, ...]:
    async with ctx.store.read() as session:
        return await load_calls(session, LOCAL_OWNER, conversation_id)


def text_of(events: Any) -> str:
    return "".join(event.data["text"] for event in events if event.kind == "text")


def stored_text(database: Path, pair_id: str) -> str:
    """Return the text of a reply as another process would find it in the file now: the stored whole and its journal.

    One statement reads both, so that no save comes between them.
    """
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        rows = connection.execute(
            "SELECT message.parts, journal.growth FROM pair JOIN message ON message.id = pair.reply_id "
            "LEFT JOIN reply_journal AS journal ON journal.run_id = pair.run_id WHERE pair.id = ? ORDER BY journal.id",
            (pair_id,),
        ).fetchall()
    finally:
        connection.close()
    parts = decode_parts(orjson.loads(rows[0][0]))
    for growth in [orjson.loads(growth) for _, growth in rows if growth is not None]:
        parts = apply_growth(parts, Growth(growth["kept"], growth["text"], decode_parts(growth["parts"])))
    return plain_text(parts)


def count_own_statements(ctx: AppContext) -> list[str]:
    """As `count_statements`, with only the statements of this task. `BEGIN` marks the start of a session."""
    asked: list[str] = []
    task = asyncio.current_task()

    def note(statement: str) -> None:
        if asyncio.current_task() is task:
            asked.append(statement)

    event.listen(ctx.store.engine.sync_engine, "begin", lambda *_: note("BEGIN"))
    event.listen(ctx.store.engine.sync_engine, "before_cursor_execute", lambda *args: note(args[2]))
    return asked


def count_statements(ctx: AppContext) -> list[str]:
    """Return a list that collects the statements of this task and of later tasks, without those of background loops."""
    asked: list[str] = []
    rounds = asyncio.all_tasks() - {asyncio.current_task()}

    def note(statement: str) -> None:
        if asyncio.current_task() not in rounds:
            asked.append(statement)

    event.listen(ctx.store.engine.sync_engine, "before_cursor_execute", lambda *args: note(args[2]))
    return asked
