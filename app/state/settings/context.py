"""Settings → Context: limits on tokens, costs and the rate of sends, and the action for a send that is over the budget.

The form is validated here, so that each error is shown at its field. The rules are in `domain/settings/preferences.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import reflex as rx

from app.domain.cache.rules import CacheLifetime
from app.domain.errors import InputError
from app.domain.settings.preferences import LEAST_SOFT_CAP, MAX_MONEY, MAX_TOKENS, OverBudget, Preferences
from app.domain.settings.rate_limits import MAX_SENDS
from app.runs.app_context import current
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.preference_commands import read_preferences
from app.state.messages.error_messages import describe_fault
from app.state.settings.preferences import prefer
from app.state.tab.visit import VisitedState

CEILINGS: Final = ("send", "conversation", "day")
"""The scopes of the limits: one send, a conversation, a day. Each has a limit in tokens and a limit in money."""

RATES: Final = (
    "conversation_minute_sends",
    "conversation_day_tokens",
    "minute_sends",
    "address_minute_sends",
    "address_day_tokens",
)
"""The rate limits, in the order of the form."""

_SEPARATORS: Final = re.compile(r"[\s,_]")
_WHOLE: Final = re.compile(r"[0-9]{1,15}")
_SHARE: Final = f"Enter a share of the window from {LEAST_SOFT_CAP * 100:.0f} to 100 percent, such as 94."
_RESERVE: Final = f"Enter a number of tokens from 0 to {MAX_TOKENS:,}, such as 800."
_TOKENS: Final = f"Enter a number from 1 to {MAX_TOKENS:,}, or leave it empty for none."
_SENDS: Final = f"Enter a number from 1 to {MAX_SENDS:,}, or leave it empty for none."
_MONEY: Final = f"Enter an amount above 0, {MAX_MONEY:,} at most, or leave it empty for none."


@dataclass(frozen=True)
class ContextTexts:
    """A text for each field of the section Context: the field's content, or the error of the field."""

    soft_cap: str = ""
    reserve: str = ""
    send_tokens: str = ""
    send_money: str = ""
    conversation_tokens: str = ""
    conversation_money: str = ""
    day_tokens: str = ""
    day_money: str = ""
    conversation_minute_sends: str = ""
    conversation_day_tokens: str = ""
    minute_sends: str = ""
    address_minute_sends: str = ""
    address_day_tokens: str = ""


NO_FAULTS: Final = ContextTexts()
_NAMES: Final = tuple(field.name for field in fields(ContextTexts))


class ContextState(VisitedState, rx.State):
    """The section Context of the settings.

    - `stored`: the initial texts of the fields.
    - `faults`: the errors of the last form.
    - `said`: the message after the last change.
    - `opened`: the number of visits to the page, without reconnects. Each visit shows the stored values again.
    """

    stored: rx.Field[ContextTexts] = rx.field(default_factory=ContextTexts)
    faults: rx.Field[ContextTexts] = rx.field(default_factory=ContextTexts)
    said: rx.Field[str] = rx.field("")
    opened: rx.Field[int] = rx.field(0)

    @rx.event
    async def load(self) -> None:
        """Read and show the stored limits."""
        self.stored = _describe(await read_preferences(current(), LOCAL_OWNER))
        if self._visit is None:
            self.faults, self.said = NO_FAULTS, ""
            self.opened += 1
            await self._come()

    @rx.event
    async def save(self, form: dict[str, Any]) -> Any:
        """Store the limits in the form, or show the errors and focus the first field with an error."""
        values, self.faults, self.said = *read_form(form), ""
        if self.faults == NO_FAULTS:
            try:
                await prefer(self, lambda known: replace(known, **values))
            except InputError as error:
                if error.field not in _NAMES:
                    self.said = describe_fault(error)
                    return None
                self.faults = replace(NO_FAULTS, **{error.field: f"It {error.reason}"})
        if self.faults == NO_FAULTS:
            self.said = "Saved. It applies from the next send."
            return None
        return rx.set_focus(f"context-{next(name for name in _NAMES if getattr(self.faults, name))}")

    @rx.event
    async def clear_fault(self, name: str) -> None:
        """Remove the error of a field, because the user is correcting the field."""
        if name in _NAMES:
            self.faults = replace(self.faults, **{name: ""})

    async def _end_visit(self) -> None:
        """Do nothing: on the next visit, `load` reads the stored values and resets the section."""


def read_form(form: Mapping[str, Any]) -> tuple[dict[str, Any], ContextTexts]:
    """Read the form of this section. Return the entered preferences, and the error of each field that cannot be used.

    >>> values, faults = read_form({"soft_cap": "50 %", "reserve": "1,000", "day_money": "$2.50", "day_tokens": "x"})
    >>> values["soft_cap"], values["reserve"], values["day_money"], values["send_tokens"]
    (Decimal('0.5'), 1000, Decimal('2.50'), None)
    >>> faults.day_tokens
    'Enter a number from 1 to 1,000,000,000, or leave it empty for none.'
    """
    values: dict[str, Any] = {}
    faults: dict[str, str] = {}
    share = _amount(_typed(form, "soft_cap").removesuffix("%"))
    if share is None or not LEAST_SOFT_CAP * 100 <= share <= 100:
        faults["soft_cap"] = _SHARE
    else:
        values["soft_cap"] = share / 100
    reserve = _whole(_typed(form, "reserve"))
    if reserve is None:
        faults["reserve"] = _RESERVE
    values["reserve"] = reserve
    for each in CEILINGS:
        tokens, money = _typed(form, f"{each}_tokens"), _typed(form, f"{each}_money").removeprefix("$")
        values[f"{each}_tokens"] = _whole(tokens)
        if tokens and not values[f"{each}_tokens"]:
            faults[f"{each}_tokens"] = _TOKENS
        elif each == "send" and tokens and reserve is not None and values["send_tokens"] <= reserve:
            faults["send_tokens"] = (
                f"Enter more than {reserve:,}, the tokens reserved for the reply. Otherwise no message fits."
            )
        values[f"{each}_money"] = _amount(money)
        if money and not 0 < (values[f"{each}_money"] or 0) <= MAX_MONEY:
            faults[f"{each}_money"] = _MONEY
    for name in RATES:
        typed = _typed(form, name)
        values[name] = _whole(typed)
        if typed and not values[name]:
            faults[name] = _TOKENS if name.endswith("tokens") else _SENDS
    choices = {"over_budget": OverBudget, "cache": CacheLifetime}
    values |= {name: each for name, kind in choices.items() for each in kind if each == form.get(name)}
    return values, ContextTexts(**faults)


def _describe(preferences: Preferences) -> ContextTexts:
    ceilings = {
        f"{each}_{unit}": _text(getattr(preferences, f"{each}_{unit}"))
        for each in CEILINGS
        for unit in ("tokens", "money")
    }
    rates = {name: _text(getattr(preferences, name)) for name in RATES}
    share = f"{preferences.soft_cap * 100:.2f}".rstrip("0").rstrip(".")
    return ContextTexts(soft_cap=share, reserve=str(preferences.reserve), **ceilings, **rates)


def _typed(form: Mapping[str, Any], name: str) -> str:
    value = form.get(name, "")
    return _SEPARATORS.sub("", value)[:40] if isinstance(value, str) else ""


def _whole(text: str) -> int | None:
    return int(text) if _WHOLE.fullmatch(text) and int(text) <= MAX_TOKENS else None


def _amount(text: str) -> Decimal | None:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        return None
    return amount if amount.is_finite() else None


def _text(value: int | Decimal | None) -> str:
    return "" if value is None else f"{value:f}" if isinstance(value, Decimal) else str(value)
