"""`python -m tests.bench.usage [ROWS]`: how long the page of usage waits for its figures on a large ledger.

The default is a million calls: three years of calls in 20,000 conversations, inserted as in normal use (the database
adds each to its sums). Then each grouping of all time is requested through the function behind the HTTP route, twice.
The sums are compared with the ledger.
"""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, get_args

from app.config.settings import load_settings
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.usage.usage import report_usage
from app.runs.wiring import open_app_context
from app.store.database.migrations import upgrade
from app.store.ledger.rollups import find_faults
from app.store.ledger.usage import GroupBy, UsageQuery

FIRST = datetime(2023, 11, 1, tzinfo=UTC)
DAYS = 1_095
CONVERSATIONS = 20_000
MODELS = (
    *("anthropic:claude-sonnet-4-5", "anthropic:claude-opus-4-5", "anthropic:claude-haiku-4-5"),
    *("openai:gpt-5", "openai:gpt-5-mini", "openai:o3", "google:gemini-2.5-pro", "xai:grok-4"),
)
PURPOSES = ("reply", "reply", "reply", "reply", "reply", "reply", "reply", "title", "summary", "count")
COLUMNS = (
    *("id", "owner", "conversation_id", "account_id", "pair_id", "run_id", "attempt", "purpose", "model", "outcome"),
    *("started_at", "ended_at", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"),
    *("cache_write_1h_tokens", "reasoning_tokens"),
)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory(prefix="inview-usage-") as folder:
        asyncio.run(measure(Path(folder), count))


async def measure(folder: Path, count: int) -> None:
    database = folder / "inview.db"
    upgrade(f"sqlite+aiosqlite:///{database}")
    began = time.perf_counter()
    enter_calls(database, count)
    say(f"{count:,} calls entered in {time.perf_counter() - began:.1f} s")
    async with open_app_context(load_settings({"INVIEW_DATA_DIR": str(folder)})) as ctx:
        last_month = UsageQuery(first=(FIRST + timedelta(DAYS - 30)).date())
        for name, asked in (
            ("all time", UsageQuery()),
            ("30 days", last_month),
            ("from 2024-06-10", UsageQuery(date(2024, 6, 10))),
        ):
            for group_by in get_args(GroupBy):
                seconds: list[float] = []
                total = 0
                for _ in range(3):
                    began = time.perf_counter()
                    report = await report_usage(ctx, LOCAL_OWNER, asked, group_by, 100)
                    seconds.append(time.perf_counter() - began)
                    total = report.total.calls
                told = " ".join(f"{one:.3f}" for one in seconds)
                say(f"{name:>16} by {group_by:<12} {told} s, {total:,} calls")
        async with ctx.store.read() as session:
            say(f"sums that differ from the ledger: {await find_faults(session) or 'none'}")


def enter_calls(database: Path, count: int) -> None:
    """Insert the calls directly into the file: only queries are measured."""
    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        marks = ", ".join("?" * len(COLUMNS))
        connection.executemany(f"INSERT INTO ledger ({', '.join(COLUMNS)}) VALUES ({marks})", calls(count))
    connection.close()


def calls(count: int) -> Iterator[tuple[Any, ...]]:
    """Yield calls: each conversation lasts a few days, mostly uses one model, and its prompts grow."""
    random = Random(1)
    per_conversation = -(-count // CONVERSATIONS)
    model, day = MODELS[0], 0
    for number in range(count):
        conversation, place = divmod(number, per_conversation)
        if place == 0:
            model = random.choice(MODELS)
            day = random.randrange(DAYS)
        other = random.random() < 0.05
        at = FIRST + timedelta(days=min(DAYS, day + place // 25), seconds=random.randrange(86_400))
        purpose = random.choice(PURPOSES)
        prompt = int(random.expovariate(1 / 20_000)) + place * 500
        told = (None,) * 6 if purpose == "count" else (prompt // 5, 400, prompt * 3 // 5, prompt // 5, 0, 100)
        text = at.strftime("%Y-%m-%d %H:%M:%S.%f")
        name = f"c{conversation:025}"
        yield (
            *(f"l{number:025}", LOCAL_OWNER, name, name, f"p{number:025}", f"r{number:025}", 1, purpose),
            *(random.choice(MODELS) if other else model, "succeeded", text, text, *told),
        )


def say(words: str) -> None:
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
