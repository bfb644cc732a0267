"""What holds a member back, and what a provider was asked all the same.

wire = watch_wire(monkeypatch)
wire.at = "POST /send"                 # what is tried next
wire.calls                             # {"POST /send": 1}
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, Final

import httpx2
import pytest

from app.domain.costs.budgets import Scope, Span, SpendingBudget
from app.domain.model_profile import Prices
from app.domain.people.people import Role
from app.domain.stream_events import StreamEvent
from app.providers.base import Provider, WireRequest
from app.providers.transport import Transport
from app.runs.people.welcome import first_link, invite
from app.runs.process.ids import now
from app.runs.usage.prices import set_price
from app.runs.workbench import Workbench
from app.store.ledger.prices import OwnPrice
from app.store.people import allowances

Limit = Callable[[Workbench, str], Awaitable[None]]
PASSWORD: Final = "correct horse battery"


async def of_models(wb: Workbench, _person_id: str) -> None:
    """Let the role of members use no model at all."""
    async with wb.store.write() as session:
        await allowances.save_role_models(session, Role.MEMBER, (), now())


async def of_role(wb: Workbench, person_id: str) -> None:
    """Let members spend next to nothing."""
    await _spend(wb, person_id, Role.MEMBER)


async def of_person(wb: Workbench, person_id: str) -> None:
    """Let this person spend next to nothing."""
    await _spend(wb, person_id, person_id)


LIMITS: Final[tuple[Limit, ...]] = (of_models, of_role, of_person)


async def _spend(wb: Workbench, person_id: str, to: Role | str) -> None:
    budget = SpendingBudget(Scope.ALL, "", Span.EVER, Decimal("0.000001"), stops=True)
    for model in ("offline:demo", "offline:tiny"):
        await set_price(wb, person_id, OwnPrice(model, date(2000, 1, 1), Prices(Decimal(1000), Decimal(1000))))
    async with wb.store.write() as session:
        await allowances.save_given_budget(session, to, budget, now())


@dataclass
class Wire:
    """How often a provider was asked, by what was tried."""

    at: str = ""
    calls: Counter[str] = field(default_factory=Counter[str])

    async def settle(self, wb: Workbench) -> None:
        """Wait until no reply is running, so that what it calls is counted for what began it."""
        async with asyncio.timeout(20):
            while wb.engine.runs or wb.background:  # noqa: ASYNC110 - nobody tells when the last one is over
                await asyncio.sleep(0.01)


def watch_wire(monkeypatch: pytest.MonkeyPatch) -> Wire:
    """Count the calls of providers from here on."""
    wire, stream, ask = Wire(), Transport.stream, Transport.ask

    async def counted_stream(
        self: Transport, provider: Provider, request: WireRequest, *more: Any
    ) -> AsyncGenerator[Sequence[StreamEvent], None]:
        wire.calls[wire.at] += 1
        async for batch in stream(self, provider, request, *more):
            yield batch

    async def counted_ask(self: Transport, provider: Provider, request: WireRequest, *more: Any) -> bytes:
        wire.calls[wire.at] += 1
        return await ask(self, provider, request, *more)

    monkeypatch.setattr(Transport, "stream", counted_stream)
    monkeypatch.setattr(Transport, "ask", counted_ask)
    return wire


def lift_engine_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the engine make each call that it is given, so that only those who begin a run are tried."""

    async def admit(*_: object) -> None:
        """Let it be made."""

    monkeypatch.setattr("app.runs.wiring.admit_call", admit)


async def let_in_member(wb: Workbench, http: httpx2.AsyncClient) -> None:
    """Make an owner, and sign a member in with this browser."""
    path = await first_link(wb)
    assert path is not None
    async with httpx2.AsyncClient(base_url=http.base_url) as owner:
        await _fill_in(owner, path, "ann")
    await _fill_in(http, await invite(wb.store, Role.MEMBER), "mia")


async def _fill_in(http: httpx2.AsyncClient, path: str, name: str) -> None:
    typed = {"name": name, "email": f"{name}@example.org", "password": PASSWORD}
    assert (await http.post(path, data=typed)).status_code == 303
