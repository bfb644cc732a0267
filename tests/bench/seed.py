"""Long stored conversations for the app, written through its own tables before any measurement.

    await seed_stored_pairs(app, data_dir, [("t300-r100", 1_000), ("t300-r100", 10_000)])

The texts are those that the floor sends (`script.stored_pair`): both send the same bytes of history.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from app.config.settings import load_settings
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Text
from app.domain.stream.stream_events import StopReason
from app.domain.usage import Usage
from app.runs.runtime.owner import LOCAL_OWNER
from app.store.conversation.conversations import next_revision
from app.store.conversation.rows import MESSAGE, PAIR, RUN
from app.store.database.database import open_store
from app.store.database.mapping import encode_usage
from app.store.database.parts_json import encode_parts
from tests.bench.servers.script import stored_pair
from tests.bench.servers.targets import App

Row = dict[str, Any]

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


async def seed_stored_pairs(app: App, data_dir: Path, wanted: list[tuple[str, int]]) -> None:
    """Store a conversation of succeeded pairs for each model and size, and note their ids in `app.stored`."""
    async with open_store(load_settings({"INVIEW_DATA_DIR": str(data_dir)}).database_url) as store:
        for model, size in wanted:
            conversation = await app.conversation(model)
            rows = [_rows(conversation, index, f"stub:{model}") for index in range(size)]
            async with store.write() as session:
                revision = await next_revision(session, conversation, BEGIN + timedelta(minutes=size))
                await session.execute(insert(PAIR), [pair | {"revision": revision} for pair, _, _ in rows])
                await session.execute(insert(MESSAGE), [message for _, messages, _ in rows for message in messages])
                await session.execute(insert(RUN), [run for _, _, run in rows])
            app.stored[model, size].append(conversation)


def _rows(conversation: str, index: int, model: str) -> tuple[Row, list[Row], Row]:
    """Return the rows of a pair, of its two messages and of its run."""
    request, reply = stored_pair(index)
    at = BEGIN + timedelta(minutes=index)
    name = f"{conversation}-{index}"
    common = {"owner": LOCAL_OWNER, "conversation_id": conversation}
    pair: Row = common | {
        "id": name,
        "position": index + 1,
        "request_id": f"{name}-user",
        "reply_id": f"{name}-assistant",
        "run_id": f"{name}-run",
        "model": model,
        "parameters": {},
        "lifecycle": Lifecycle.SUCCEEDED,
        "agent_id": None,
        "topic": None,
        "stars": 0,
        "flagged": False,
        "mark": None,
        "created_at": at,
        "updated_at": at,
    }
    texts = (("user", request), ("assistant", reply))
    messages: list[Row] = [
        common
        | {"id": f"{name}-{role}", "pair_id": name, "role": role}
        | {"parts": encode_parts((Text(text),)), "created_at": at}
        for role, text in texts
    ]
    run: Row = common | {
        "id": f"{name}-run",
        "pair_id": name,
        "reply_id": f"{name}-assistant",
        "model": model,
        "request_hash": "0" * 64,
        "process_id": "bench",
        "status": Lifecycle.SUCCEEDED,
        "attempt": 1,
        "attempt_started_at": at,
        "retries": [],
        "usage": encode_usage(Usage(input_tokens=20, output_tokens=240)),
        "stop_reason": StopReason.END,
        "failure": None,
        "started_at": at,
        "heartbeat_at": at,
        "ended_at": at,
    }
    return pair, messages, run
