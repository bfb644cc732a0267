"""Writes a long conversation into a running server's database: `python -m tests.e2e.long_history URL DATA_DIR PAIRS`.

Prints the conversation's id. It is a separate program, because browser tests cannot run an event loop.
"""

from __future__ import annotations

import asyncio
import json
import sys
import urllib.request
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from app.config.settings import load_settings
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Text
from app.runs.runtime.owner import LOCAL_OWNER
from app.store.conversation.conversations import next_revision
from app.store.conversation.rows import MESSAGE, PAIR
from app.store.database.database import open_store
from app.store.database.parts_json import encode_parts

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
ANSWER = """Answer {number}. Some words of **some** weight, `and code`, so that a pair has a height of its own.

- one
- two

{more}"""


def make_conversation(url: str) -> str:
    body = json.dumps({"title": "A long one", "model": "offline:demo"}).encode()
    request = urllib.request.Request(
        f"{url}/api/v1/conversations", body, {"Content-Type": "application/json"}, method="POST"
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)["id"]


async def write_pairs(conversation: str, data_dir: Path, count: int) -> None:
    settings = load_settings({"INVIEW_DATA_DIR": str(data_dir)})
    async with open_store(settings.database_url) as store, store.write() as session:
        revision = await next_revision(session, conversation, BEGIN + timedelta(minutes=count))
        rows = [_rows(conversation, number) for number in range(count)]
        await session.execute(insert(PAIR), [pair | {"revision": revision} for pair, _ in rows])
        await session.execute(insert(MESSAGE), [message for _, messages in rows for message in messages])


def _rows(conversation: str, number: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    at = BEGIN + timedelta(minutes=number)
    name = f"{conversation}-{number}"
    common = {"owner": LOCAL_OWNER, "conversation_id": conversation, "created_at": at}
    answer = ANSWER.format(number=number, more="More words. " * (number % 40))
    pair: dict[str, Any] = common | {
        "id": name,
        "position": number + 1,
        "request_id": f"{name}-user",
        "reply_id": f"{name}-assistant",
        "run_id": None,
        "model": "offline:demo",
        "parameters": {},
        "lifecycle": Lifecycle.SUCCEEDED,
        "agent_id": None,
        "topic": None,
        "stars": 0,
        "flagged": False,
        "mark": None,
        "updated_at": at,
    }
    texts = (("user", f"Question {number}: what did we say of this?"), ("assistant", answer))
    messages = [
        common | {"id": f"{name}-{role}", "pair_id": name, "role": role, "parts": encode_parts((Text(text),))}
        for role, text in texts
    ]
    return pair, messages


if __name__ == "__main__":
    made = make_conversation(sys.argv[1])
    asyncio.run(write_pairs(made, Path(sys.argv[2]), int(sys.argv[3])))
    print(made)
