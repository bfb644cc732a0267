"""Writes conversations into a running server's database.

A spec names what matters: {"model", "system_prompt", "pairs": [{"user", "reply", "stars", "mark", "lifecycle" …}]}. The
write uses its own thread, because the thread of a browser test cannot run an event loop.
"""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
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
from tests.serving import Served

Spec = dict[str, Any]


def a_pair(user: str, reply: str | None = "Yes.", **fields: Any) -> Spec:
    """Describe a pair to write. `fields`: stars, flagged, mark, lifecycle, model, minutes_ago."""
    return {"user": user, "reply": reply, **fields}


def write(server: Served, *specs: Spec) -> list[str]:
    """Write conversations into this server's database, from a browser test. Return their ids."""
    data_dir = server.output.with_name(server.output.name.removesuffix("-output.txt"))
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, _write_all(server.url, data_dir, specs)).result()


def call(url: str, method: str, path: str, body: Any = None) -> Any:
    """Call the API and return the JSON of the answer, or None without one."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    request = urllib.request.Request(f"{url}/api/v1{path}", data, headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read() or "null")


async def _write_all(url: str, data_dir: Path, specs: Sequence[Spec]) -> list[str]:
    settings = load_settings({"INVIEW_DATA_DIR": str(data_dir)})
    made: list[str] = []
    async with open_store(settings.database_url) as store:
        for spec in specs:
            body = {name: spec[name] for name in ("title", "model", "system_prompt") if name in spec}
            conversation: str = call(url, "POST", "/conversations", body)["id"]
            made.append(conversation)
            async with store.write() as session:
                revision = await next_revision(session, conversation, datetime.now(UTC))
                for number, pair in enumerate(spec["pairs"], start=1):
                    rows, messages = _rows(conversation, number, pair)
                    await session.execute(insert(PAIR), [rows | {"revision": revision}])
                    await session.execute(insert(MESSAGE), messages)
    return made


def _rows(conversation: str, number: int, spec: Spec) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    at = datetime.now(UTC) - timedelta(minutes=spec.get("minutes_ago", 10_000 - number))
    name = f"{conversation}-{number}"
    common = {"owner": LOCAL_OWNER, "conversation_id": conversation, "created_at": at}
    texts = {"user": spec["user"], "assistant": spec["reply"]}
    messages = [
        common | {"id": f"{name}-{role}", "pair_id": name, "role": role, "parts": encode_parts((Text(text),))}
        for role, text in texts.items()
        if text is not None
    ]
    pair: dict[str, Any] = common | {
        "id": name,
        "position": number,
        "request_id": f"{name}-user",
        "reply_id": None if spec["reply"] is None else f"{name}-assistant",
        "run_id": None,
        "model": spec.get("model", "offline:demo"),
        "parameters": {},
        "lifecycle": Lifecycle(spec.get("lifecycle", "succeeded")),
        "agent_id": None,
        "topic": None,
        "stars": spec.get("stars", 0),
        "flagged": spec.get("flagged", False),
        "mark": spec.get("mark"),
        "updated_at": at,
        "deleted_at": None,
    }
    return pair, messages
