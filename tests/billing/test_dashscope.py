"""The session of 50 pairs with DashScope: its markers, its bill, and whether that was foretold."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from app.domain.cache.misses import Outcome
from app.domain.costs.prices import price_usage
from app.domain.model_profile import Prices
from app.domain.usage import Usage
from app.runs.send.commands import LOCAL_OWNER
from app.runs.usage.prices import learn_tariffs, set_price
from app.runs.wiring import open_workbench
from app.store.ledger.prices import OwnPrice
from tests.billing.dashscope import DashScopeCache, play_dashscope
from tests.billing.peer import BillingPeer, serve_billing
from tests.billing.session import Session
from tests.runs.steps import settings_of

MODEL = "dashscope:qwen-plus"
FORETOLD = {Outcome.AS_PREDICTED, Outcome.AS_ESTIMATED}


@pytest.fixture
async def talked(tmp_path: Path) -> AsyncGenerator[Session]:
    async with (
        serve_billing(BillingPeer("dashscope", DashScopeCache().bill, play_dashscope)) as peer,
        open_workbench(settings_of(tmp_path, **peer.environment)) as wb,
    ):
        session = Session(wb, peer, MODEL)
        await session.run()
        yield session


async def test_fifty_pairs_are_read_from_the_cache_as_was_foretold(talked: Session) -> None:
    asked = talked.peer.asked
    read = sum(one.usage["prompt_tokens_details"]["cached_tokens"] for one in asked)
    written = sum(one.usage["prompt_tokens_details"]["cache_creation_input_tokens"] for one in asked)
    whole = sum(one.usage["prompt_tokens"] for one in asked)

    ours = whole - read - written + read * 0.1 + written * 1.25
    assert ours / whole <= 0.49
    judged = await talked.judge()
    assert len(judged) == len(asked)
    missed = [one for one in judged if one[2].outcome not in FORETOLD]
    assert len(missed) <= 0.02 * len(judged), missed


async def test_an_hour_is_not_asked_of_a_cache_that_keeps_five_minutes(talked: Session) -> None:
    controls = [
        block["cache_control"]
        for one in talked.peer.asked
        for message in one.body["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if "cache_control" in block
    ]
    assert controls
    assert all(control == {"type": "ephemeral"} for control in controls)
    assert not any("cache_control" in tool for one in talked.peer.asked for tool in one.body.get("tools", ()))


async def test_creation_and_hits_are_priced_by_the_price_of_input(tmp_path: Path) -> None:
    async with open_workbench(settings_of(tmp_path)) as wb:
        own = OwnPrice(MODEL, date(2026, 1, 1), Prices(Decimal(4), Decimal(12)))
        await set_price(wb, LOCAL_OWNER, own)

        tariff = (await learn_tariffs(wb, LOCAL_OWNER, {MODEL}))[MODEL]

        at = datetime(2026, 11, 25, tzinfo=UTC)
        million = 1_000_000
        assert price_usage(Usage(cache_read_tokens=million), tariff, at) == Decimal("0.4")
        assert price_usage(Usage(cache_write_tokens=million), tariff, at) == Decimal(5)
