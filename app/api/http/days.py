"""Days in requests. Only the form 2026-11-22 is accepted: pydantic alone would read a number as seconds since 1970.

Since = Annotated[Day, Path(description="A UTC day.")]
"""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Final

from pydantic import BeforeValidator

_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _read_day(value: object) -> object:
    if isinstance(value, str) and not _DAY.fullmatch(value):
        raise ValueError("This is not a day. Write it like 2026-11-22.")
    return value


Day = Annotated[date, BeforeValidator(_read_day)]
"""A UTC day."""
