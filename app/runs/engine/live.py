"""An active run: its state, its subscribers, and its data that is not stored yet.

Not here: driving it (`engine.py`), saving it (`writer.py`) and watching it (`runs/watch/broadcast.py`).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from datetime import datetime
from time import monotonic

from app.domain.agents.agents import Agent
from app.domain.conversation.conversation import Replaced
from app.domain.errors import ErrorClass
from app.domain.models.model_profile import ModelProfile
from app.domain.request.hashing import Hashed
from app.domain.run.rounds import ToolLimits
from app.domain.run.run import Failed, RunState
from app.domain.tools.permission_requests import PermissionRequest
from app.domain.tools.tool_records import CallFault, ToolCallRecord
from app.domain.tools.tools import Tool
from app.providers.base import Provider, WireRequest
from app.runs.runtime.client import current_client
from app.runs.runtime.event_bus import ToolProgress
from app.store.ledger.ledger import CountedRequest, EndedCall, Purpose
from app.store.ledger.sent_calls import CallToRecord
from app.store.run.runs import RunPlace

MAX_AT_ONCE = 8
"""Maximum number of tools of a reply that run at the same time; the others wait."""


@dataclass(frozen=True, slots=True)
class Loop:
    """The data that a reply needs to call tools and to continue with their results.

    - `first`: the first request of the reply.
    - `model`: the profile of the model.
    - `tools`: the tools of the request.
    - `limits`: the limits for tool calls.
    - `agent`: the agent that answers; None: no agent.
    - `replaced`: the secrets that were redacted from the first request; None if redaction is off.
    """

    first: Hashed
    model: ModelProfile
    tools: tuple[Tool, ...]
    limits: ToolLimits
    agent: Agent | None = None
    replaced: tuple[Replaced, ...] | None = None


@dataclass(eq=False)
class LiveRun:
    """One active run of this process.

    `address` is the network address of the client that caused the run, "" if that is unknown.

    The state of the run:

    - `state`: the current state.
    - `shown`: the state for subscribers. It includes the end of the run only after that end is stored.
    - `saved`: the state that was stored last.
    - `whole_at`: the time on the steady clock when the whole reply was stored last.

    Its calls of the provider:

    - `wire`: the request of the first round.
    - `round_wire`: the request of the current round, if it is a later one.
    - `request`: the request of the current round in the form of all providers; None if only its bytes are known, or
      after its content was recorded.
    - `request_hash`: the content hash of the request of the current round.
    - `planning`: True if another round follows and its call has not started yet.
    - `counted`: the token counts of the current request, made before it was sent.
    - `calls`: the ended calls that the ledger does not have yet.
    - `contents`: the started calls whose content is not recorded yet.
    - `chunks`: the number of received chunks.
    - `heard_at`: the time of the last chunk.

    Its tool calls:

    - `records`: their current records by id.
    - `recorded`: the records that were stored last.
    - `result_bytes`: the size of all tool results.
    - `calling`: the tasks that call tools.
    - `hands`: limits the number of tools that run at the same time.
    - `asking`: the pending permission requests by id.
    - `progress`: the last published progress of the tools that run, by the id of the call.
    - `handed_to`: the conversation of each delegated task, by the id of the tool call.
    """

    place: RunPlace
    provider: Provider
    wire: WireRequest
    state: RunState
    shown: RunState
    saved: RunState
    attempt_started_at: datetime
    counted: CountedRequest | None = None
    purpose: Purpose = "reply"
    calls: list[EndedCall] = field(default_factory=list[EndedCall])
    work: asyncio.Task[None] | None = None
    finishing: asyncio.Task[None] | None = None
    loop: Loop | None = None
    request: Hashed | None = None
    request_hash: str = ""
    contents: list[CallToRecord] = field(default_factory=list[CallToRecord])
    round_wire: WireRequest | None = None
    planning: bool = False
    hands: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_AT_ONCE))
    calling: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])
    records: dict[str, ToolCallRecord] = field(default_factory=dict[str, ToolCallRecord])
    recorded: dict[str, ToolCallRecord] = field(default_factory=dict[str, ToolCallRecord])
    began: float = field(default_factory=monotonic)
    asking: dict[str, PermissionRequest] = field(default_factory=dict[str, PermissionRequest])
    progress: dict[str, ToolProgress] = field(default_factory=dict[str, ToolProgress])
    handed_to: dict[str, str] = field(default_factory=dict[str, str])
    result_bytes: int = 0
    chunks: int = 0
    heard_at: datetime | None = None
    whole_at: float = 0.0
    address: str = field(default_factory=lambda: current_client().address)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _joining: dict[asyncio.Future[None], float] = field(default_factory=dict[asyncio.Future[None], float])

    @property
    def run_id(self) -> str:
        return self.state.start.run_id

    @property
    def begun(self) -> frozenset[str]:
        """Return the ids of the tool calls of this run that were started."""
        return frozenset(call_id for call_id, record in self.records.items() if record.started_at is not None)

    def close_records(self, at: datetime) -> None:
        """Close the records of unfinished tool calls when the run is over, because no result will arrive for them."""
        outcome = self.state.outcome
        died = isinstance(outcome, Failed) and outcome.reason.error_class is ErrorClass.INTERRUPTED
        fault = CallFault.INTERRUPTED if died else CallFault.STOPPED
        for call_id, record in self.records.items():
            if record.ended_at is None:
                self.records[call_id] = replace(record, ended_at=at, is_error=True, fault=fault)

    def show(self, state: RunState) -> None:
        """Publish this state to the subscribers."""
        self.shown = state
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()
        if self._joining:
            now = asyncio.get_running_loop().time()
            for over, due in self._joining.items():
                if due <= now or state.outcome is not None:
                    _settle(over)

    def ask(self, request: PermissionRequest) -> None:
        """Publish to subscribers that a tool call waits for permission."""
        self.asking[request.id] = request
        self.show(replace(self.shown))

    def report(self, progress: ToolProgress) -> None:
        """Publish the progress of a tool to subscribers."""
        self.progress[progress.tool_call_id] = progress
        self.show(replace(self.shown))

    async def wait_for_change(self, seen: RunState) -> None:
        """Wait until `shown` is a different state than `seen`."""
        while self.shown is seen:
            await self._changed.wait()

    async def wait_for_company(self, due: float, latest: float) -> None:
        """Wait for more chunks, so that several chunks can be published together.

        Return when the state first changes at or after the time `due`, when the run ends, or at the time `latest`,
        whichever comes first. `due` and `latest` are times of the event loop's clock.
        """
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
    """Return the `Loop` of a run that calls tools."""
    if run.loop is None:
        raise ValueError(f"Run {run.run_id} calls tools, but none were sent.")
    return run.loop
