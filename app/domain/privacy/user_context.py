r"""User context: what models are told about the person, if that person wants it: their own words, and the day.

It is a card before the pairs, and goes out as that card stands there. The day is the only thing in it that changes by
itself, once a day; no clock is in it, for that would break every provider's cache with every send.

    >>> from datetime import date
    >>> describe_user("I am Ada, a nurse.", date(2026, 11, 22))
    'About the person you talk to:\nI am Ada, a nurse.\n\nToday is Sunday, 22 November 2026.'
    >>> describe_user("  ", None)
"""

from __future__ import annotations

from datetime import date

MAX_ABOUT = 4000
"""Characters that a person may write about themselves."""

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def describe_user(about: str, today: date | None) -> str | None:
    """What is said of a person, None for nothing. The same on every machine, whatever language that speaks."""
    said: list[str] = []
    if about.strip():
        said.append(f"About the person you talk to:\n{about.strip()}")
    if today is not None:
        said.append(f"Today is {_DAYS[today.weekday()]}, {today.day} {_MONTHS[today.month - 1]} {today.year}.")
    return "\n\n".join(said) or None
