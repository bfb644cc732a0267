"""Reads the forms of usage with care: any client may send anything.

>>> read_money("$2.50"), read_money("2,5"), read_day("2026-05-01"), read_day("May")
(Decimal('2.50'), None, datetime.date(2026, 5, 1), None)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Final

_MONEY: Final = re.compile(r"[0-9]{1,7}(\.[0-9]{1,6})?", re.ASCII)
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_MAX_TEXT: Final = 300


def read_text(form: object, field: str) -> str:
    """What a field holds, without blanks around it; "" for a field that is missing, too long or no text."""
    value = form.get(field) if isinstance(form, Mapping) else None
    return value.strip() if isinstance(value, str) and len(value) <= _MAX_TEXT else ""


def read_money(text: str) -> Decimal | None:
    """US dollars; None if it is not an amount."""
    digits = text.removeprefix("$").strip()
    return Decimal(digits) if _MONEY.fullmatch(digits) else None


def read_day(text: str) -> date | None:
    """A day as ISO 8601 writes it; None if it is not one."""
    try:
        return date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        return None
