"""Validation of the fields in the forms of the Usage page: a client may send any value.

>>> read_money("$2.50"), read_money("2,5"), read_day("2026-05-01"), read_day("May")
(Decimal('2.50'), None, datetime.date(2026, 5, 1), None)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Final

NOT_MONEY: Final = 'is not an amount of US dollars. Write it in digits, for example "2.50".'

_MONEY: Final = re.compile(r"[0-9]{1,7}(\.[0-9]{1,6})?", re.ASCII)
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_MAX_TEXT: Final = 300


def read_text(form: object, field: str) -> str:
    """Return the text of a field without surrounding white space; "" if it is missing, too long or not a text."""
    value = form.get(field) if isinstance(form, Mapping) else None
    return value.strip() if isinstance(value, str) and len(value) <= _MAX_TEXT else ""


def read_money(text: str) -> Decimal | None:
    """Return an amount in US dollars; None if the text is not an amount."""
    digits = text.removeprefix("$").strip()
    return Decimal(digits) if _MONEY.fullmatch(digits) else None


def read_day(text: str) -> date | None:
    """Return the day that an ISO 8601 date names; None if the text is not such a date."""
    try:
        return date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        return None
