"""The events that one reader of a run's stream gets and that are not in the log of the run.

They do not count in the log: their position is that of the last event of the log before them.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

from orjson import Fragment

from app.domain.conversation.parts import plain_text
from app.domain.run.run import RunState
from app.domain.run.run_log import LogEvent
from app.domain.structured.partial_json import JsonChange, JsonReader
from app.domain.tools.permission_requests import describe_request
from app.domain.tools.tools import BUILT_IN
from app.runs.app_context import AppContext
from app.runs.engine.live import LiveRun
from app.runs.runtime.event_bus import ToolProgress
from app.runs.send.structured_replies import MAX_CHARACTERS
from app.tools.mcp.sessions import Health
from app.views.encode import raw_json


@dataclass(eq=False)
class Notices:
    """The events outside the log that one follower of an active run gets, because they say what is true now.

    They are the MCP servers of the request with their health (once, at the beginning), pending permission requests
    (each once), and the newest progress of the tools that run.
    """

    ctx: AppContext
    named_servers: bool = False
    requests: set[str] = field(default_factory=set[str])
    progress: dict[str, ToolProgress] = field(default_factory=dict[str, ToolProgress])

    def find(self, run: LiveRun, position: int) -> tuple[LogEvent, ...]:
        """Return the events that the follower does not have yet."""
        found: list[LogEvent] = []
        if not self.named_servers:
            self.named_servers = True
            if servers := self._describe_servers(run):
                found.append(LogEvent(position, "mcp_servers", {"servers": servers}))
        for request in run.asking.values():
            if request.id not in self.requests:
                self.requests.add(request.id)
                found.append(LogEvent(position, "permission_request", describe_request(request)))
        for call_id, progress in run.progress.items():
            if self.progress.get(call_id) is not progress:
                self.progress[call_id] = progress
                found.append(LogEvent(position, "tool_progress", _describe_progress(progress)))
        return tuple(found)

    def _describe_servers(self, run: LiveRun) -> list[dict[str, Any]]:
        tools = () if run.loop is None else run.loop.tools
        names = {tool.server_id: tool.server_name for tool in tools if tool.server_id != BUILT_IN}
        sessions = self.ctx.toolbox.sessions.get(run.place.owner, {})
        healths = {server_id: session.health for server_id, session in sessions.items()}
        return [
            {"id": server_id, "name": name, "health": healths.get(server_id, Health.OFF)}
            for server_id, name in names.items()
        ]


class ValueEvents:
    """The events with the JSON value in the text of a reply, for one follower.

    The first event has the value so far, each later one the changes since the event before it. So the value that a
    follower has at a position does not depend on how often and where it began to follow. Each character is read once.
    """

    def __init__(self) -> None:
        self._reader = JsonReader()

    async def add(self, state: RunState, events: tuple[LogEvent, ...], position: int) -> tuple[LogEvent, ...]:
        """Return the events of this state with the change of the value, in front of the last event of the run."""
        changes = await asyncio.to_thread(self._read, plain_text(state.parts)[:MAX_CHARACTERS])
        if not changes:
            return events
        place = len(events) if state.outcome is None else len(events) - 1
        at = events[place - 1].position if place else position
        return (*events[:place], LogEvent(at, "value", {"changes": changes}), *events[place:])

    def _read(self, text: str) -> tuple[Fragment, ...]:
        # They are encoded here, because the next read changes the values. orjson cannot write integers above 64 bits.
        return tuple(
            raw_json(json.dumps(_describe_change(change), ensure_ascii=False, separators=(",", ":")).encode())
            for change in self._reader.read(text)
        )


def _describe_change(change: JsonChange) -> dict[str, Any]:
    return {"path": change.path, "append" if change.appended else "value": change.value}


def _describe_progress(progress: ToolProgress) -> dict[str, Any]:
    return {
        "tool_call_id": progress.tool_call_id,
        "progress": progress.progress,
        "total": progress.total,
        "message": progress.message,
        "conversation_id": progress.conversation_id,
    }
