from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.usage.budgets import BudgetState
from app.state.usage.prices import OwnPriceState, PriceItem
from app.state.usage.report import UsageState
from app.store.ledger.prices import load_own_prices
from tests.state.conftest import Tab
from tests.state.usage.spending import MODEL, talk
from tests.waiting import until

FORM = {"model": "offline:tiny", "since": "2026-05-01", "input": "3", "output": "$15"}


async def stored(ctx: AppContext) -> int:
    async with ctx.store.read() as session:
        return len(await load_own_prices(session, LOCAL_OWNER))


async def test_price_is_set_shown_and_removed(ctx: AppContext, tab: Tab) -> None:
    await tab.send(OwnPriceState.save, form={**FORM, "cache_read": "0.30", "cache_write": ""})

    dash = "\N{EN DASH}"
    item = PriceItem("offline:tiny", "2026-05-01", "3", "15", "0.30", dash, dash)
    assert tab.shows(OwnPriceState, "items") == (item,)
    assert tab.shows(OwnPriceState, "message").startswith("Saved.")

    await tab.send(OwnPriceState.remove, model="offline:tiny", since="2026-05-01")
    assert tab.shows(OwnPriceState, "items") == ()
    assert await stored(ctx) == 0


async def test_report_and_budgets_use_a_price_at_once(ctx: AppContext, tab: Tab) -> None:
    await talk(ctx, "/echo one")
    await tab.send(BudgetState.save, form={"scope": "all", "span": "ever", "amount": "100"})
    await tab.send(UsageState.load)

    def shown() -> tuple[object, object]:
        return tab.shows(UsageState, "report").facts, tab.shows(BudgetState, "items")

    async def until_both_differ_from(before: tuple[object, object]) -> None:
        await until(lambda: all(was != now for was, now in zip(before, shown(), strict=True)))

    first = shown()
    today = datetime.now(UTC).date().isoformat()
    await tab.send(OwnPriceState.save, form={**FORM, "model": MODEL, "since": today, "output": "2000"})
    await until_both_differ_from(first)

    second = shown()
    await tab.send(OwnPriceState.remove, model=MODEL, since=today)
    await until_both_differ_from(second)


async def test_page_shows_the_prices_there_are_and_offers_today(ctx: AppContext, tab: Tab) -> None:
    await tab.send(OwnPriceState.save, form=FORM)
    tab.vars.clear()

    await tab.send(OwnPriceState.load)

    assert tab.shows(OwnPriceState, "today") == datetime.now(UTC).date().isoformat()
    assert await stored(ctx) == 1


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"output": ""}, 'The price of Output is not an amount of US dollars. Write it in digits, for example "2.50".'),
        ({"cache_write": "x"}, "The price of Cache write is not an amount of US dollars."),
        ({"input": "2000000"}, "The price of Input must be US dollars per million tokens, 0 or more."),
        ({"since": "yesterday"}, "Not a valid day."),
        ({"since": "2026-02-30"}, "Not a valid day."),
        ({"model": "tiny"}, "'tiny' is not a model."),
        ({"model": {"a": 1}}, "'' is not a model."),
    ],
)
async def test_form_that_cannot_be_a_price_says_why_and_stores_nothing(
    ctx: AppContext, tab: Tab, fields: dict[str, Any], fault: str
) -> None:
    await tab.send(OwnPriceState.save, form={**FORM, **fields})

    assert tab.shows(OwnPriceState, "fault").startswith(fault)
    assert await stored(ctx) == 0


async def test_removing_what_is_not_there_is_no_fault(tab: Tab) -> None:
    await tab.send(OwnPriceState.remove, model="offline:tiny", since="2026-05-01")
    await tab.send(OwnPriceState.remove, model="offline:tiny", since="x")

    assert tab.shows(OwnPriceState, "message") == ""
    assert tab.shows(OwnPriceState, "fault") == ""
