"""Cost of a reply, by the public table or by better data of this installation, through the official SDK."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from sqlmodel.ext.asyncio.session import AsyncSession

from app.domain.conversation.conversation import Pair
from app.domain.costs.costs import Cost
from app.domain.costs.prices import FREE
from app.domain.errors import InputError, NotFoundError
from app.domain.models.model_profile import Prices
from app.domain.usage import Usage
from app.runs.app_context import AppContext
from app.runs.runtime import catalogue
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.composition import compose_view
from app.runs.send.context_selection import ViewOptions
from app.runs.settings.provider_commands import save_provider
from app.runs.usage.accounts import list_booked
from app.runs.usage.prices import known_tariffs, learn_tariffs, remove_price, set_price
from app.runs.watch.facts import show_pairs
from app.runs.wiring import open_app_context
from app.store.ledger.prices import OwnPrice, load_own_prices
from app.views.conversation.pair import PairFacts
from tests.providers.peer import Answer, a_peer
from tests.providers.playing import read_recording
from tests.runs.steps import a_conversation, reply_to, settings_of

SONNET = "anthropic:claude-sonnet-4-5"
MINE = Prices(Decimal(1), Decimal(100))


@pytest.fixture
async def ctx(data: Path) -> AsyncGenerator[AppContext]:
    async with a_peer(Answer((read_recording("anthropic", "text"),))) as peer:
        environment = {"ANTHROPIC_BASE_URL": peer.url, "ANTHROPIC_API_KEY": "sk-test"}
        async with open_app_context(settings_of(data, **environment)) as opened:
            yield opened


async def answered(ctx: AppContext, model: str = SONNET) -> Pair:
    return (await reply_to(ctx, await a_conversation(ctx, model=model), "Hello")).pair


async def facts_of(ctx: AppContext, pair: Pair) -> PairFacts:
    """Return the facts as the page shows them."""
    composed = await compose_view(ctx, LOCAL_OWNER, pair.conversation_id, ViewOptions())
    showing = await show_pairs(ctx, composed.base, composed.composition, [pair])
    return showing.facts_of(pair)


async def cost_of(ctx: AppContext, pair: Pair) -> Cost:
    """Return the cost as the page shows it."""
    return (await facts_of(ctx, pair)).cost


async def test_a_reply_cost_what_the_table_says_of_its_tokens(ctx: AppContext) -> None:
    pair = await answered(ctx)

    assert pair.usage is not None
    expected = Decimal(3) * pair.usage.input_tokens + Decimal(15) * pair.usage.output_tokens
    assert await cost_of(ctx, pair) == Cost(expected / 1_000_000)


async def test_pair_and_ledger_agree_that_a_report_was_not_read_whole(data: Path) -> None:
    faulty = read_recording("anthropic", "text").replace(
        b'"usage":{"output_tokens":15}', b'"usage":{"output_tokens":"x"}'
    )
    async with a_peer(Answer((faulty,))) as peer:
        environment = {"ANTHROPIC_BASE_URL": peer.url, "ANTHROPIC_API_KEY": "sk-test"}
        async with open_app_context(settings_of(data, **environment)) as ctx:
            pair = await answered(ctx)
            (booked,) = await list_booked(ctx, LOCAL_OWNER, pair.conversation_id, limit=2)
            shown = await cost_of(ctx, pair)

    assert booked.call.report_fault == "output_tokens: 'x'"
    assert pair.usage_is_partial
    assert shown == booked.spent.cost
    assert shown.at_least


async def test_reasoning_that_is_counted_separately_is_part_of_the_output_and_priced(data: Path) -> None:
    usage = (
        b'"usage":{"prompt_tokens":50,"completion_tokens":12,"total_tokens":142,'
        b'"prompt_tokens_details":{"cached_tokens":10},"completion_tokens_details":{"reasoning_tokens":80}}'
    )
    stream = (
        b'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}\n\n'
        b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
        b'data: {"choices":[],' + usage + b"}\n\ndata: [DONE]\n\n"
    )
    async with a_peer(Answer((stream,))) as peer, open_app_context(settings_of(data)) as ctx:
        await save_provider(ctx, LOCAL_OWNER, "xai", key="sk-secret-1234567890", base_url=f"{peer.url}/v1")
        pair = await answered(ctx, "xai:grok-4")
        facts = await facts_of(ctx, pair)

    assert pair.usage == Usage(40, 92, 10, reasoning_tokens=80)
    assert facts.cost == Cost((3 * Decimal(40) + Decimal("0.75") * 10 + 15 * Decimal(92)) / 1_000_000)
    assert facts.cache_saving == (3 - Decimal("0.75")) * 10 / 1_000_000


async def test_a_local_model_is_free_also_when_its_server_is_gone(ctx: AppContext) -> None:
    tariffs = await learn_tariffs(ctx, LOCAL_OWNER, {"offline:demo", "ollama:anything"})

    assert tariffs == {"offline:demo": FREE, "ollama:anything": FREE}
    assert await cost_of(ctx, await answered(ctx, "offline:demo")) == Cost()


async def test_unknown_cost_is_at_least_zero(ctx: AppContext) -> None:
    assert (await learn_tariffs(ctx, LOCAL_OWNER, {"gone-server:model", "openai:unheard-of"})) == {
        "gone-server:model": None,
        "openai:unheard-of": None,
    }


async def test_a_user_price_applies_from_its_day_and_to_the_estimate(ctx: AppContext) -> None:
    pair = await answered(ctx)
    before = await cost_of(ctx, pair)
    tomorrow = date.max
    await set_price(ctx, LOCAL_OWNER, OwnPrice(SONNET, tomorrow, MINE))
    assert await cost_of(ctx, pair) == before

    await set_price(ctx, LOCAL_OWNER, OwnPrice(SONNET, date(2026, 1, 1), MINE))

    assert pair.usage is not None
    spent = pair.usage.input_tokens + 100 * pair.usage.output_tokens
    assert await cost_of(ctx, pair) == Cost(Decimal(spent) / 1_000_000)
    estimate = (await compose_view(ctx, LOCAL_OWNER, pair.conversation_id, ViewOptions())).composition.estimate
    assert estimate.cost == Decimal(estimate.tokens) / 1_000_000
    tariff = known_tariffs(ctx, LOCAL_OWNER)[SONNET]
    assert tariff is not None
    assert (table := tariff.prices_at(datetime(2025, 12, 31, tzinfo=UTC))) is not None
    assert table.input == 3


async def test_a_user_price_can_be_removed(ctx: AppContext) -> None:
    pair = await answered(ctx)
    before = await cost_of(ctx, pair)
    await set_price(ctx, LOCAL_OWNER, OwnPrice(SONNET, date(2026, 1, 1), None))
    assert await cost_of(ctx, pair) == Cost(at_least=True)

    await remove_price(ctx, LOCAL_OWNER, SONNET, date(2026, 1, 1))

    assert await cost_of(ctx, pair) == before
    with pytest.raises(NotFoundError):
        await remove_price(ctx, LOCAL_OWNER, SONNET, date(2026, 1, 1))


async def test_a_price_entered_while_prices_are_read_counts(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    has_read, may_go_on = asyncio.Event(), asyncio.Event()

    async def read_and_wait(session: AsyncSession, owner: str) -> tuple[OwnPrice, ...]:
        found = await load_own_prices(session, owner)
        has_read.set()
        await may_go_on.wait()
        return found

    monkeypatch.setattr(catalogue, "load_own_prices", read_and_wait)
    learning = asyncio.create_task(learn_tariffs(ctx, LOCAL_OWNER, {SONNET}))
    await has_read.wait()

    await set_price(ctx, LOCAL_OWNER, OwnPrice(SONNET, date(2026, 1, 1), MINE))
    may_go_on.set()

    tariff = (await learning)[SONNET]
    assert tariff is not None
    assert tariff.prices_at(datetime(2026, 1, 2, tzinfo=UTC)) == MINE
    async with ctx.store.read() as session:
        assert (await ctx.catalogue.own_prices(session, LOCAL_OWNER))[SONNET][0].prices == MINE


async def test_a_price_entered_after_a_session_has_begun_to_read_counts(ctx: AppContext) -> None:
    async with ctx.store.read() as session:
        await ctx.catalogue.providers(session, LOCAL_OWNER)  # the session sees no later change
        await set_price(ctx, LOCAL_OWNER, OwnPrice(SONNET, date(2026, 1, 1), MINE))
        await ctx.catalogue.find(session, LOCAL_OWNER, SONNET)

    tariff = (await learn_tariffs(ctx, LOCAL_OWNER, {SONNET}))[SONNET]
    assert tariff is not None
    assert tariff.prices_at(datetime(2026, 1, 2, tzinfo=UTC)) == MINE
    async with ctx.store.read() as session:
        assert (await ctx.catalogue.find(session, LOCAL_OWNER, SONNET))[1].prices == MINE


@pytest.mark.parametrize("prices", [Prices(Decimal(-1), Decimal(1)), Prices(Decimal(1), Decimal(10**7))])
async def test_a_price_that_cannot_be_one_is_refused(ctx: AppContext, prices: Prices) -> None:
    with pytest.raises(InputError, match="per million tokens"):
        await set_price(ctx, LOCAL_OWNER, OwnPrice(SONNET, date(2026, 1, 1), prices))
