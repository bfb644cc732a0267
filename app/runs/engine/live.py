"""A run that is on: its state, whoever waits for more of it, what it needs to go on, and what is not stored yet.

Not how it proceeds (`engine.py`), how it is saved (`writer.py`) or how it is watched (`runs/watch/broadcast.py`).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from datetime import datetime
from time import monotonic

from app.domain.conversation.conversation import Replaced
from app.domain.errors import ErrorClass
from app.domain.model_profile import ModelProfile
from app.domain.request.hashing import Hashed
from app.domain.run.rounds import ToolLimits
from app.domain.run.run import Failed, RunState
from app.domain.tools.permission_requests import PermissionRequest
from app.domain.tools.permissions import AllowedTool
from app.domain.tools.tool_records import CallFault, ToolCallRecord
from app.domain.tools.tools import Tool
from app.providers.base import Provider, WireRequest
from app.store.ledger.ledger import Call, Counted, Purpose
from app.store.run.runs import RunPlace

MAX_AT_ONCE = 8
"""Tools that a reply has at work side by side; the others wait their turn."""


@dataclass(frozen=True, slots=True)
class Loop:
    """What a reply takes along to call tools and to go on: its first request as it was frozen, and the tools told.

    `model` is the profile of whom is asked. `limits` are how much it may do, `allowed` what its agent may call (None:
    there is no list). `replaced` is what marks stand for in the first request; None: secrets go out as they are.
    """

    first: Hashed
    model: ModelProfile
    tools: tuple[Tool, ...]
    limits: ToolLimits
    allowed: tuple[AllowedTool, ...] | None = None
    replaced: tuple[Replaced, ...] | None = None


@dataclass(eq=False)
class LiveRun:
    """One run in this process.

    `state` is the truth; `shown` is what watchers get, which has the end only once it is stored. `saved` is the state
    last stored, `whole_at` when its reply was last stored whole, by the steady clock. `wire` is its first request,
    `round_wire` that of the round that is on if that is a later one, which is not called yet while it is in `planning`.
    `counted` is what was counted of the request before it left. `calls` are provider calls that ended and are not in
    the ledger yet, `records` what is known of its calls of tools, `recorded` what of that is stored. `hands` bounds how
    many tools are at work at once.
    `asking` are the permission requests that wait, by their ids.
    `chunks` is how often the provider sent something, last `heard_at`.
    """

    place: RunPlace
    provider: Provider
    wire: WireRequest
    state: RunState
    shown: RunState
    saved: RunState
    attempt_started_at: datetime
    counted: Counted | None = None
    purpose: Purpose = "reply"
    calls: list[Call] = field(default_factory=list[Call])
    work: asyncio.Task[None] | None = None
    finishing: asyncio.Task[None] | None = None
    loop: Loop | None = None
    round_wire: WireRequest | None = None
    planning: bool = False
    hands: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_AT_ONCE))
    calling: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])
    records: dict[str, ToolCallRecord] = field(default_factory=dict[str, ToolCallRecord])
    recorded: dict[str, ToolCallRecord] = field(default_factory=dict[str, ToolCallRecord])
    began: float = field(default_factory=monotonic)
    asking: dict[str, PermissionRequest] = field(default_factory=dict[str, PermissionRequest])
    handed_to: dict[str, str] = field(default_factory=dict[str, str])
    chunks: int = 0
    heard_at: datetime | None = None
    whole_at: float = 0.0
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _joining: dict[asyncio.Future[None], float] = field(default_factory=dict[asyncio.Future[None], float])

    @property
    def run_id(self) -> str:
        return self.state.start.run_id

    @property
    def begun(self) -> frozenset[str]:
        """The ids of the calls of tools that began."""
        return frozenset(call_id for call_id, record in self.records.items() if record.started_at is not None)

    def close_records(self, at: datetime) -> None:
        """The run is over: calls of tools that are on have not answered, and never will."""
        outcome = self.state.outcome
        died = isinstance(outcome, Failed) and outcome.reason.error_class is ErrorClass.INTERRUPTED
        fault = CallFault.INTERRUPTED if died else CallFault.STOPPED
        for call_id, record in self.records.items():
            if record.ended_at is None:
                self.records[call_id] = replace(record, ended_at=at, is_error=True, fault=fault)

    def show(self, state: RunState) -> None:
        """Let watchers see this state."""
        self.shown = state
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()
        if self._joining:
            now = asyncio.get_running_loop().time()
            for over, due in self._joining.items():
                if due <= now or state.outcome is not None:
                    _settle(over)

    def ask(self, request: PermissionRequest) -> None:
        """Let watchers see that a call waits for permission."""
        self.asking[request.id] = request
        self.show(replace(self.shown))

    async def wait_for_change(self, seen: RunState) -> None:
        """Return once something other than `seen` is shown."""
        while self.shown is seen:
            await self._changed.wait()

    async def wait_for_company(self, due: float, latest: float) -> None:
        """Return with the first change from `due` on, with the end, or at `latest`: times of the loop's clock."""
        loop = asyncio.get_running_loop()
        over = loop.create_future()
        timer = loop.call_at(latest, _settle, over)
        self._joining[over] = due
        try:
            await over
        finally:
            timer.cancel()
            del self._joining[over]


def _settle(over: asyncio.Future[None]) -> None:
    if not over.done():
        over.set_result(None)


def loop_of(run: LiveRun) -> Loop:
    """What a run whose tools are called was started with."""
    if run.loop is None:
        raise ValueError(f"Run {run.run_id} calls tools without having been told of any.")
    return run.loop
