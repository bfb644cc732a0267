"""The user's own prices on the Usage page. They are used instead of the prices of the public table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

import reflex as rx

from app.domain.errors import InputError, NotFoundError
from app.domain.models.model_profile import Prices
from app.runs.app_context import current
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.usage.prices import remove_price, set_price
from app.state.usage.budgets import BudgetState
from app.state.usage.forms import NOT_MONEY, read_day, read_money, read_text
from app.state.usage.labels import CACHE_READ, CACHE_WRITE, CACHE_WRITE_1H, INPUT, OUTPUT
from app.state.usage.report import UsageState
from app.store.ledger.prices import OwnPrice, load_own_prices
from app.views.settings.model import describe_prices

KINDS: Final = {
    "input": INPUT,
    "output": OUTPUT,
    "cache_read": CACHE_READ,
    "cache_write": CACHE_WRITE,
    "cache_write_1h": CACHE_WRITE_1H,
}
"""The fields of a price, in US dollars per million tokens, with their labels."""
REQUIRED: Final = frozenset({"input", "output"})
_NONE: Final = "\N{EN DASH}"


@dataclass(frozen=True)
class PriceItem:
    """The prices of a model since a UTC day. A dash means that this kind of tokens has no separate price."""

    model: str
    since: str
    input: str
    output: str
    cache_read: str
    cache_write: str
    cache_write_1h: str


class OwnPriceState(rx.State):
    """The list of the user's own prices, and the form that sets one.

    - `today`: the initial day in the form.
    - `message`: the message after the last command.
    - `fault`: the reason why the form was refused.
    """

    items: rx.Field[tuple[PriceItem, ...]] = rx.field(())
    today: rx.Field[str] = rx.field("")
    message: rx.Field[str] = rx.field("")
    fault: rx.Field[str] = rx.field("")

    @rx.event
    async def load(self) -> None:
        """Read and show the user's own prices."""
        self.today = datetime.now(UTC).date().isoformat()
        await self._show("")

    @rx.event
    async def save(self, form: dict[str, Any]) -> rx.event.EventType[()] | None:
        """Store the price in the form. It replaces the model's price that starts on the same day."""
        price = _read_price(form)
        fault = price if isinstance(price, str) else await _set(price)
        if fault:
            self.message, self.fault = "", fault
            return None
        await self._show("Saved. Costs from that day on are calculated with it.")
        return _read_costs_again()

    @rx.event
    async def remove(self, model: str, since: str) -> rx.event.EventType[()] | None:
        """Remove a price. If it no longer exists, only update the list."""
        day = read_day(str(since))
        if day is None:
            return None
        try:
            await remove_price(current(), LOCAL_OWNER, str(model), day)
        except NotFoundError:
            await self._show("")
        else:
            await self._show("Removed.")
        return _read_costs_again()

    async def _show(self, message: str) -> None:
        async with current().store.read() as session:
            own = await load_own_prices(session, LOCAL_OWNER)
        self.items = tuple(map(_describe, own))
        self.message, self.fault = message, ""


def _read_costs_again() -> rx.event.EventType[()]:
    """Return the events that read the report and the budgets again, with the current prices."""
    return [UsageState.load, BudgetState.load]


def _read_price(form: object) -> OwnPrice | str:
    """Return the price in a form, or the reason why the form is refused."""
    since = read_day(read_text(form, "since"))
    if since is None:
        return "Not a valid day. Write it like 2026-11-22."
    amounts: dict[str, Decimal] = {}
    for kind, label in KINDS.items():
        text = read_text(form, kind)
        amount = read_money(text)
        if amount is not None:
            amounts[kind] = amount
        elif text or kind in REQUIRED:
            return f"The price of {label} {NOT_MONEY}"
    prices = Prices(
        amounts["input"],
        amounts["output"],
        amounts.get("cache_read"),
        amounts.get("cache_write"),
        amounts.get("cache_write_1h"),
    )
    return OwnPrice(read_text(form, "model"), since, prices)


async def _set(price: OwnPrice) -> str:
    """Store a price. Return the reason if it is refused, otherwise ""."""
    try:
        await set_price(current(), LOCAL_OWNER, price)
    except InputError as error:
        return f"The price of {KINDS[error.field]} {error.reason}" if error.field in KINDS else error.reason
    return ""


def _describe(own: OwnPrice) -> PriceItem:
    since = own.since.isoformat()
    if own.prices is None:
        return PriceItem(own.model, since, *[_NONE] * len(KINDS))
    view = describe_prices(own.prices)
    return PriceItem(
        model=own.model,
        since=since,
        input=view.input,
        output=view.output,
        cache_read=view.cache_read or _NONE,
        cache_write=view.cache_write or _NONE,
        cache_write_1h=view.cache_write_1h or _NONE,
    )
